"""Run cells and record what came out, one after the other or side by side in processes of their own."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from functools import lru_cache
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.pool import ThreadPool
from pathlib import Path
from threading import Thread, local
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

import oneformany as ofm
from oneformany.console import names
from oneformany.exceptions import SolverError, UnsupportedModelError
from oneformany.files import writing
from oneformany.paper.methods.formulation import CgOptions, CompactOptions
from oneformany.paper.runs.prepare import Prepared, prepare
from oneformany.paper.runs.records import PUBLISHED_CELLS, Cell, Record, cell_of, key_of, read
from oneformany.paper.runs.settings import Settings

QUIET = 30.0  # seconds between two lines of one cell among several
OPTIONS = {"cg-mip": CgOptions, "mip": CompactOptions}


class Task(NamedTuple):
    """One run of one cell: the first part of its record, and a title for whoever waits."""

    key: dict[str, Any]
    title: str


class Failure(NamedTuple):
    """A run that ended without a result; it is not recorded, so that the next run tries it again."""

    task: Task
    reason: str


def plan(cells: Sequence[Cell], settings: Settings) -> list[Task]:
    """List all runs: every cell with every method; the data set is named as the loader names its coding."""
    asked = ("protocol", "time_limit", "seed", "threshold", "immutable")
    pairs = [(cell, method) for cell in cells for method in names(settings.method)]
    tasks = []
    for number, (cell, method) in enumerate(pairs, start=1):
        slip = cell.dataset == "students" and settings.coding == "published"
        key = {
            **cell._asdict(),
            "dataset": "students-published" if slip else cell.dataset,
            "method": method,
            "solver": "highs" if method == "exact" else settings.solver,
            **{name: getattr(settings, name) for name in asked},
        }
        title = f"{cell.dataset} {cell.model}, {cell.max_changes} changes, {cell.rows} rows, {method}"
        tasks.append(Task(key, f"{number} of {len(pairs)}: {title}"))
    return tasks


def run(tasks: Sequence[Task], settings: Settings) -> Iterator[Record | Failure]:
    """Run tasks, one after the other or in several processes, yielding each outcome as soon as it is there.

    A process that crashes takes only its own cell with it: each thread has one, and starts another.
    """
    if settings.jobs == 1:
        yield from (_outcome(task, settings) for task in tasks)
        return
    own, others = local(), active_children()

    def outcome(task: Task) -> Record | Failure:
        if getattr(own, "process", None) is None:
            own.process = ProcessPoolExecutor(1, get_context("spawn"), _end_with_parent)
        try:
            found: Record | Failure = own.process.submit(_outcome, task, settings).result()
        except BrokenProcessPool:
            own.process = None
            return Failure(task, "its process ended without an answer, maybe for lack of memory")
        return found

    threads = ThreadPool(min(settings.jobs, len(tasks)) or 1)
    try:
        yield from threads.imap_unordered(outcome, tasks)
    finally:
        threads.terminate()
        for process in set(active_children()) - set(others):  # whatever they do
            process.kill()
            process.join()


def _end_with_parent() -> None:
    """Leave no process behind when the benchmark is killed."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def _outcome(task: Task, settings: Settings) -> Record | Failure:
    """Run a task; among several, progress is told in lines: processes share a terminal."""
    progress = ofm.Progress(task.title)
    if settings.jobs > 1:
        console = Console(stderr=True, force_terminal=False)
        progress = ofm.Progress(task.title, console=console, delay=QUIET, interval=QUIET)
    try:
        return run_task(task, settings, progress)
    except (SolverError, UnsupportedModelError) as error:
        return Failure(task, str(error))


def run_task(task: Task, settings: Settings, progress: ofm.Progress) -> Record:
    """Run one cell with one method; one that Ctrl-C cut short must not pass for finished, and is raised."""
    key, method, limit = task.key, task.key["method"], task.key["time_limit"]
    prepared = _warm(key["dataset"], key["model"], settings.data_dir, key["threshold"])
    problem = prepared.problem(key["protocol"], key["rows"], key["max_changes"], key["immutable"])
    options = None if method == "exact" else OPTIONS[method](solver=key["solver"])
    with progress:
        start = perf_counter()
        result = ofm.solve(
            problem, method=method, time_limit=limit, progress=progress, seed=key["seed"], options=options
        )
        seconds = perf_counter() - start
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    points = np.array([explanation.point for explanation in result.explanations], dtype=np.int64)
    first = method == names(settings.method)[0]
    least = first and (key["model"] == "nn" or settings.bound_without_classifier)
    if (path := result_file(key, settings)) is not None:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            result.to_json(path)
    return {
        **key,
        "status": result.status,
        "count": result.count,
        "lower_bound": result.lower_bound,
        "seconds": seconds,  # wall time of ``solve``
        "unreachable": len(result.unreachable),  # rows that are proved to be beyond help
        "undecided": len(result.undecided),  # rows of which nobody knows whether they can be helped
        # points that the classifier itself predicts as positive
        "confirmed": int(prepared.reading.verdict(points).sum()) if len(points) else 0,
        # by the independent check; None: not asked
        "verified": ofm.verify(result.to_json()).outcome if settings.check else None,
        "peak_megabytes": _peak_megabytes(),
        "published": PUBLISHED_CELLS.get(cell_of(key)),
        "trained": prepared.trained,
        "questions": questions_of(result),
        "bound_without_classifier": bound_without_classifier(problem, result, limit) if least else None,
        "explanations": [asdict(explanation) for explanation in result.explanations],
        "versions": result.versions,
    }


def result_file(key: Mapping[str, Any], settings: Settings) -> Path | None:
    """Where the result of a run is to be saved, if anywhere."""
    asked = "dataset", "model", "method", "protocol", "max_changes", "rows", "threshold", "immutable", "seed"
    name = f"{'-'.join(str(key[part]) for part in asked)}.json"
    return None if settings.save_results is None else settings.save_results / name


def finished(settings: Settings) -> dict[tuple[Any, ...], Record]:
    """Recorded runs by their keys: those that have the check, and the file, that are asked for now."""
    found = {}
    for record in [] if settings.json_file is None else read(settings.json_file, cut=True):
        path = result_file(record, settings)
        if (path is None or path.exists()) and (record["verified"] is not None or not settings.check):
            found[key_of(record)] = record
    return found


def questions_of(result: ofm.Result) -> dict[str, float]:
    """Count questions "is there a positive point?": one per distinct row at the start, and the search's own.

    ``points`` were answered by a point, ``proofs`` by a proof that there is none.
    """
    counters, timings = result.statistics.counters, result.statistics.timings
    codes = [tuple(row) for row in result.problem["codes"]]
    proofs = len({codes[entry.row] for entry in result.unreachable})
    left_open = len({codes[row] for row in result.undecided})
    return {
        "points": counters.get("questions answered by a point", 0) + len(set(codes)) - proofs - left_open,
        "proofs": counters.get("questions answered by a proof", 0) + proofs,
        "left_open": counters.get("questions left open", 0) + left_open,
        "seconds": timings.get("oracle", 0.0) + timings.get("screening", 0.0),
    }


def bound_without_classifier(problem: ofm.Problem, result: ofm.Result, limit: float | None = None) -> int:
    """Prove a lower bound for the rows that were helped whatever the classifier is: as if it accepted all."""
    helped = np.array(result.assignment) >= 0
    if not helped.any():
        return 0
    always = ofm.AdditiveOracle([np.zeros(n) for n in problem.levels])
    free = ofm.Problem(problem.codes[helped], problem.levels, always, problem.max_changes, problem.allowed)
    return ofm.solve(free, time_limit=limit).lower_bound


@lru_cache(maxsize=2)
def _warm(dataset: str, model: str, data_dir: Path | None, threshold: float) -> Prepared:
    """Prepare a classifier, and solve a little with it: compiled code is loaded before the clock starts."""
    prepared = prepare(dataset, model, data_dir, threshold)
    ofm.solve(prepared.problem("published", rows=5, max_changes=2))
    return prepared


def _peak_megabytes() -> float | None:
    """Largest resident memory so far, in millions of bytes; ``None`` where the system does not tell."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else peak * 1024) / 1e6
