"""Ctrl-C at a chosen line of the package: each moment can be had again, on any machine."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import oneformany

Given = TypeVar("Given")
PACKAGE = str(Path(oneformany.__file__).parent)


def lines_of(call: Callable[[], object]) -> int:
    """How many lines of the package a call runs through."""
    return _counted(call, at=None)[1]


def interrupted(call: Callable[[], Given], at: int) -> Given:
    """What a call returns that is interrupted at the line with this number, from 0."""
    returned, lines = _counted(call, at)
    assert lines > at, "it ended before that line"
    return returned


def _counted(call: Callable[[], Given], at: int | None) -> tuple[Given, int]:
    lines = 0

    def line(_frame: FrameType, event: str, _given: object) -> Any:
        nonlocal lines
        if event == "line":
            lines += 1
            if lines - 1 == at:
                sys.settrace(None)
                lines += 1
                signal.raise_signal(signal.SIGINT)
        return line

    def entered(frame: FrameType, _event: str, _given: object) -> Any:
        return line if frame.f_code.co_filename.startswith(PACKAGE) else None

    sys.settrace(entered)
    try:
        return call(), lines
    finally:
        sys.settrace(None)
