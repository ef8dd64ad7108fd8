"""Ctrl-C during a benchmark: ``solve`` ends with what it has, which must not pass for a finished cell."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["raising_interrupts"]


@contextmanager
def raising_interrupts() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` at the end of the block if Ctrl-C came while it ran."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = socket.socketpair()
    with reading, writing:
        reading.setblocking(False)
        writing.setblocking(False)
        before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
        try:
            heard = reading.recv(4096)
        except BlockingIOError:
            heard = b""
    if signal.SIGINT in heard:
        raise KeyboardInterrupt
