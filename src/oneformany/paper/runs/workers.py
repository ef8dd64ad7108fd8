"""Run cells side by side in processes of their own; one that crashes takes only its own cell with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from threading import Thread

from rich.console import Console

from oneformany.exceptions import OneForManyError
from oneformany.paper.runs.records import Record
from oneformany.paper.runs.run import FAILURES, Failure, Settings, Task, run_task
from oneformany.progress import Progress

QUIET = 30.0  # seconds between two lines of one cell


class _Worker:
    """A process that runs one task after the other."""

    def __init__(self, settings: Settings) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, settings), daemon=True)
        self.process.start()
        theirs.close()

    def outcome(self, task: Task) -> Record | Failure:
        """Take what came out of the task it was given; a process that died is a failure of its task."""
        try:
            outcome: Record | OneForManyError = self.connection.recv()
        except EOFError:
            self.process.join()
            return Failure(
                task, f"its process ended with exit code {self.process.exitcode}, maybe for lack of memory"
            )
        if isinstance(outcome, FAILURES):
            return Failure(task, str(outcome))
        if isinstance(outcome, OneForManyError):
            raise outcome
        return outcome


def run_side_by_side(tasks: Sequence[Task], settings: Settings, jobs: int) -> Iterator[Record | Failure]:
    """Run tasks in so many processes, yielding each outcome as soon as it is there."""
    waiting = list(tasks)
    workers = [_Worker(settings) for _ in waiting[:jobs]]
    busy: dict[object, tuple[int, Task]] = {}  # which worker has which task, by its connection

    def give(number: int) -> None:
        if waiting:
            if not workers[number].process.is_alive():
                workers[number] = _Worker(settings)
            task, connection = waiting.pop(0), workers[number].connection
            busy[connection] = number, task
            connection.send(task)

    try:
        for number in range(len(workers)):
            give(number)
        while busy:
            for connection in wait([workers[number].connection for number, _ in busy.values()]):
                number, task = busy.pop(connection)
                outcome = workers[number].outcome(task)
                give(number)
                yield outcome
    finally:
        for worker in workers:  # whatever they do
            worker.process.kill()
            worker.process.join()


def _work(connection: Connection, settings: Settings) -> None:
    """Do what is given until there is nothing more."""
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        outcome: Record | OneForManyError
        try:
            outcome = run_task(connection.recv(), settings, _lines)
        except EOFError:
            return
        except OneForManyError as error:
            outcome = error
        connection.send(outcome)


def _lines(title: str) -> AbstractContextManager[Progress]:
    """Progress as lines: several processes share the terminal."""
    console = Console(stderr=True, force_terminal=False)
    return Progress(title, console=console, delay=QUIET, interval=QUIET)


def _end_with_parent() -> None:
    """Leave no process behind when the benchmark is killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
