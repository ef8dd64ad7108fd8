"""Work cut into pieces that can run beside each other: groups of one feature set at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from oneformany.arrays import IntArray
from oneformany.engine.listing.store.columns import Found
from oneformany.stop import Stop

__all__ = ["Job", "Piece", "run"]

Piece = tuple[IntArray, Found]
Job = Callable[[], list[Piece]]


def run(jobs: Iterator[Job], stop: Stop, threads: int) -> Iterator[list[Piece]]:
    """Do jobs in order, a few at a time; end early, without the rest, when time is up.

    Parameters
    ----------
    jobs : iterator of callables
        What to do.
    stop : Stop
        When to end.
    threads : int
        How many may run at once; with 1 no thread is started.
    """
    if threads == 1:
        for job in jobs:
            if stop.expired():
                return
            yield job()
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[list[Piece]]] = deque()
        for job in jobs:
            if stop.expired():
                break
            waiting.append(pool.submit(job))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        for future in waiting:
            if not (stop.expired() and future.cancel()):
                yield future.result()
