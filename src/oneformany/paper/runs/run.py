"""Run cells and record what came out, one after the other or side by side in processes of their own."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console

from oneformany.exceptions import InputError, OneForManyError, SolverError, UnsupportedModelError
from oneformany.files import writing
from oneformany.methods import METHODS, solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.paper.methods.options import CgOptions, CompactOptions
from oneformany.paper.methods.solvers import make_solver
from oneformany.paper.runs.cells import Cell, check_names
from oneformany.paper.runs.prepare import IMMUTABLE, PROTOCOLS, Prepared, prepare
from oneformany.paper.runs.records import Record, cell_of, questions_of
from oneformany.problem import Problem
from oneformany.progress import Progress
from oneformany.result.result import Result
from oneformany.verify import verify

CODINGS = ("published", "correct")
QUIET = 30.0  # seconds between two lines of one cell among several
OPTIONS = {"cg-mip": CgOptions, "mip": CompactOptions}


@dataclass(frozen=True)
class Settings:
    """How to run the cells."""

    methods: tuple[str, ...] = ("exact",)  # methods of ``solve``, each run on every cell
    protocol: str = "published"  # the first rows of the test half; negatives: the first that are turned down
    coding: str = "published"  # the students data with the slip of the published runs; correct: without it
    time_limit: float | None = None  # seconds per cell
    seed: int = 0  # of the method
    data_dir: Path | None = None  # where to look for data that are not embedded
    results_dir: Path | None = None  # where to save every result, proof included
    check: bool = False  # whether to verify every result
    threshold: float = 0.5  # least probability of a positive point
    immutable: str = "none"  # none, half: which features cannot change
    solver: str = "highs"  # who solves the mixed-integer programs of the paper's methods
    # whether to prove, for other models than networks as well, how many explanations any classifier needs
    bound_without_classifier: bool = False

    def __post_init__(self) -> None:
        check_names("protocol", [self.protocol], PROTOCOLS)
        check_names("coding", [self.coding], CODINGS)
        check_names("choice of immutable features", [self.immutable], IMMUTABLE)
        check_names("method", self.methods, METHODS)
        if set(self.methods) - {"exact"}:  # a solver that is not installed is told before anything is run
            make_solver(self.solver)
        if not 0 < self.threshold < 1:
            raise InputError(f"the threshold is {self.threshold}; it must be a probability between 0 and 1")
        if self.time_limit is not None and not 0 < self.time_limit < math.inf:
            raise InputError(f"the time limit is {self.time_limit}; it must be a positive number of seconds")


@dataclass(frozen=True)
class Task:
    """One run of one cell: the first part of its record, and a title for whoever waits."""

    key: dict[str, Any]
    title: str


@dataclass(frozen=True)
class Failure:
    """A run that ended without a result; it is not recorded, so that the next run tries it again."""

    task: Task
    reason: str


def plan(cells: Sequence[Cell], settings: Settings) -> list[Task]:
    """List all runs: every cell with every method; the data set is named as the loader names its coding."""
    asked = ("protocol", "time_limit", "seed", "threshold", "immutable")
    pairs = [(cell, method) for cell in cells for method in settings.methods]
    tasks = []
    for number, (cell, method) in enumerate(pairs, start=1):
        slip = cell.dataset == "students" and settings.coding == "published"
        key = {
            **asdict(cell),
            "dataset": "students-published" if slip else cell.dataset,
            "method": method,
            "solver": "highs" if method == "exact" else settings.solver,
            **{name: getattr(settings, name) for name in asked},
        }
        tasks.append(Task(key, f"{number} of {len(pairs)}: {cell.name}, {method}"))
    return tasks


def run(tasks: Sequence[Task], settings: Settings, jobs: int = 1) -> Iterator[Record | Failure]:
    """Run tasks, one after the other or in so many processes, yielding each outcome as soon as it is there.

    A process that crashes takes only its own cell with it.
    """
    if jobs == 1:
        yield from (_outcome(task, settings, Progress(task.title)) for task in tasks)
        return
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
            outcome: Record | Failure | OneForManyError = self.connection.recv()
        except EOFError:
            self.process.join()
            code = self.process.exitcode
            return Failure(task, f"its process ended with exit code {code}, maybe for lack of memory")
        if isinstance(outcome, OneForManyError):
            raise outcome
        return outcome


def _work(connection: Connection, settings: Settings) -> None:
    """Do what is given until there is nothing more; progress is told in lines: processes share a terminal."""
    Thread(target=_end_with_parent, daemon=True).start()
    console = Console(stderr=True, force_terminal=False)
    while True:
        outcome: Record | Failure | OneForManyError
        try:
            task = connection.recv()
            lines = Progress(task.title, console=console, delay=QUIET, interval=QUIET)
            outcome = _outcome(task, settings, lines)
        except EOFError:
            return
        except OneForManyError as error:
            outcome = error
        connection.send(outcome)


def _end_with_parent() -> None:
    """Leave no process behind when the benchmark is killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _outcome(task: Task, settings: Settings, progress: Progress) -> Record | Failure:
    try:
        return run_task(task, settings, progress)
    except (SolverError, UnsupportedModelError) as error:
        return Failure(task, str(error))


def run_task(task: Task, settings: Settings, progress: Progress) -> Record:
    """Run one cell with one method; one that Ctrl-C cut short must not pass for finished, and is raised."""
    key, method, limit = task.key, task.key["method"], task.key["time_limit"]
    prepared = _warm(key["dataset"], key["model"], settings.data_dir, key["threshold"])
    problem = prepared.problem(key["protocol"], key["rows"], key["max_changes"], key["immutable"])
    options = None if method == "exact" else OPTIONS[method](solver=key["solver"])
    with progress:
        start = perf_counter()
        result = solve(
            problem, method=method, time_limit=limit, progress=progress, seed=key["seed"], options=options
        )
        seconds = perf_counter() - start
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    least = None
    if method == settings.methods[0] and (key["model"] == "nn" or settings.bound_without_classifier):
        least = bound_without_classifier(problem, result, limit)
    published = cell_of(key).published
    return {
        **key,
        "status": result.status,
        "count": result.count,
        "lower_bound": result.lower_bound,
        "seconds": seconds,  # wall time of ``solve``
        "unreachable": len(result.unreachable),  # rows that are proved to be beyond help
        "confirmed": prepared.confirmed(result),  # points that the classifier itself predicts as positive
        "verified": _check_and_save(result, key, settings),  # by the independent check; None: not asked
        "peak_megabytes": _peak_megabytes(),
        "published": None if published is None else asdict(published),
        "trained": prepared.trained,
        "questions": questions_of(result),
        "bound_without_classifier": least,  # None: not asked
        "undecided": len(result.undecided),  # rows of which nobody knows whether they can be helped
        "explanations": [asdict(explanation) for explanation in result.explanations],
        "versions": result.versions,
    }


def bound_without_classifier(problem: Problem, result: Result, time_limit: float | None = None) -> int:
    """Prove a lower bound for the rows that were helped which holds whatever the classifier is.

    It is that of the same question where every point is positive.
    """
    helped = np.array(result.assignment) >= 0
    if not helped.any():
        return 0
    always = AdditiveOracle([np.zeros(n) for n in problem.levels])
    free = Problem(problem.codes[helped], problem.levels, always, problem.max_changes, problem.allowed)
    return solve(free, time_limit=time_limit).lower_bound


@lru_cache(maxsize=2)
def _warm(dataset: str, model: str, data_dir: Path | None, threshold: float) -> Prepared:
    """Prepare a classifier, and solve a little with it: compiled code is loaded before the clock starts."""
    prepared = prepare(dataset, model, data_dir, threshold)
    solve(prepared.problem("published", rows=5, max_changes=2))
    return prepared


def _check_and_save(result: Result, key: dict[str, Any], settings: Settings) -> bool | None:
    if settings.results_dir is not None:
        names = ("dataset", "model", "method", "protocol", "max_changes", "rows")
        parts = [str(key[name]) for name in names]
        parts += [f"threshold{key['threshold']:g}"] if key["threshold"] != 0.5 else []
        parts += [f"immutable-{key['immutable']}"] if key["immutable"] != "none" else []
        path = settings.results_dir / f"{'-'.join(parts)}.json"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            result.to_json(path)
    return verify(result.to_json()).ok if settings.check else None


def _peak_megabytes() -> float | None:
    """Largest resident memory so far, in millions of bytes; ``None`` where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024) / 1e6
