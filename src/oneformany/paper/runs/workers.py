"""Run cells side by side in processes of their own; one that crashes takes only its own cell with it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
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
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, settings), daemon=True)
        self.process.start()
        theirs.close()

    def outcome(self, task: Task) -> Record | Failure:
        """Take what came out of the task it was given; a process that died is a failure of its task."""
        try:
            outcome = self.connection.recv()
        except EOFError:
            self.process.join()
            return Failure(
                task, f"its process ended with exit code {self.process.exitcode}, maybe for lack of memory"
            )
        if isinstance(outcome, FAILURES):
            return Failure(task, str(outcome))
        if isinstance(outcome, OneForManyError):
            raise outcome
        record: Record = outcome
        return record

    def end(self) -> None:
        """End the process, whatever it does."""
        self.connection.close()
        self.process.kill()
        self.process.join()


def run_side_by_side(tasks: Sequence[Task], settings: Settings, jobs: int) -> Iterator[Record | Failure]:
    """Run tasks in so many processes, yielding each outcome as soon as it is there."""
    waiting = deque(tasks)
    idle: list[_Worker] = []
    busy: dict[object, tuple[_Worker, Task]] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                worker, task = idle.pop() if idle else _Worker(settings), waiting.popleft()
                busy[worker.connection] = worker, task
                worker.connection.send(task)
            for connection in wait([worker.connection for worker, _ in busy.values()]):
                worker, task = busy[connection]
                outcome = worker.outcome(task)
                del busy[connection]
                if worker.process.is_alive():
                    idle.append(worker)
                yield outcome
    finally:
        for worker in (*idle, *(worker for worker, _ in busy.values())):
            worker.end()


def _work(connection: Connection, settings: Settings) -> None:
    """Do what is given until there is nothing more."""
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        outcome: Record | OneForManyError
        try:
            outcome = run_task(task, settings, _lines)
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
