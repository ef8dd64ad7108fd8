"""What the benchmark commands share: run what is not there yet, a line per cell, totals at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from oneformany.paper.runs.lines import TextColumn
    from oneformany.paper.runs.record import Record
    from oneformany.paper.runs.run import Failure, Settings, Task

__all__ = ["show_runs"]


def show_runs(
    console: Console,
    tasks: Sequence[Task],
    settings: Settings,
    columns: Sequence[TextColumn],
    json_file: Path | None = None,
    jobs: int = 1,
) -> int:
    """Run tasks, print and record each as it ends; return how many failed.

    Parameters
    ----------
    console : Console
        Where to print.
    tasks : sequence of Task
        What to run.
    settings : Settings
        How.
    columns : sequence of TextColumn
        What to print of each.
    json_file : Path or None
        Where to record; what is recorded there already is not run again.
    jobs : int
        Cells to run side by side.
    """
    from oneformany.paper.runs.lines import header, line, totals
    from oneformany.paper.runs.records import append, resume
    from oneformany.paper.runs.run import Failure

    known = {} if json_file is None else {record.key: record for record in resume(json_file)}
    records = [known[task.key] for task in tasks if task.key in known]
    waiting = [task for task in tasks if task.key not in known]
    failures = []
    console.print(Text(header(columns), style="bold"), soft_wrap=True)
    for record in records:
        console.print(Text(line(columns, record), style="dim"), soft_wrap=True)
    try:
        for outcome in _outcomes(waiting, settings, jobs):
            if isinstance(outcome, Failure):
                failures.append(outcome)
                words = Text(f"FAILED {outcome.task.title}: {outcome.reason}", style="red")
                console.print(words, soft_wrap=True)
                continue
            if json_file is not None:
                append(json_file, outcome)
            console.print(Text(line(columns, outcome)), soft_wrap=True)
            records.append(outcome)
    except KeyboardInterrupt:
        console.print(Text(_stopped(json_file, len(records), len(tasks)), style="yellow"), soft_wrap=True)
        raise
    if records:
        console.print(Text("\n" + totals(records)), soft_wrap=True)
    if failures:
        words = Text(f"{len(failures)} failed; the same command tries them again", style="red")
        console.print(words, soft_wrap=True)
    return len(failures)


def _outcomes(tasks: Sequence[Task], settings: Settings, jobs: int) -> Iterator[Record | Failure]:
    if jobs > 1:
        from oneformany.paper.runs.workers import run_side_by_side

        return run_side_by_side(tasks, settings, jobs)
    from oneformany.paper.runs.run import run
    from oneformany.progress import Progress

    return run(tasks, settings, Progress)


def _stopped(json_file: Path | None, done: int, total: int) -> str:
    kept = "" if json_file is None else f", kept in {json_file}: the same command goes on from there"
    return f"stopped; {done} of {total} cells are finished{kept}"
