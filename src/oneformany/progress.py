"""Live progress for humans: silent on quick work, a living line on terminals and in notebooks, else a few."""

from __future__ import annotations

from importlib import import_module
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from oneformany.statistics import Round

PHASES = {
    "start": "first explanations",
    "columns": "column generation",
    "cover": "set cover",
    "enumerate": "enumeration",
    "branch": "branching",
}


class Progress:
    """Shows the records of a running ``solve``, or what a running ``verify`` looks at.

    Parameters
    ----------
    title : str
        What is being solved.
    console : rich.console.Console or None
        Where to show it; the standard error stream unless told.
    delay : float
        Show nothing before so many seconds.
    interval : float
        Without a terminal, seconds between lines.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> problem = ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1)
    >>> with Progress("one row") as progress:
    ...     result = ofm.solve(problem, progress=progress)
    """

    def __init__(
        self,
        title: str = "",
        *,
        console: Console | None = None,
        delay: float = 1.0,
        interval: float = 5.0,
    ) -> None:
        self.title = title
        self.delay = delay
        self.interval = interval
        self._console = Console(stderr=True) if console is None else console
        self._latest = "starting"
        self._done = Event()

    def __enter__(self) -> Self:
        self._start = monotonic()
        self._done.clear()
        show = self._show_lines
        if self._console.is_jupyter:
            show = self._show_in_notebook
        elif self._console.is_terminal:
            show = self._show_live
        self._thread = Thread(target=show, name="oneformany-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def __call__(self, record: Round | str) -> None:
        """Take the latest record, or words that say what is being done."""
        self._latest = record if isinstance(record, str) else round_words(record)

    def _show_live(self) -> None:
        if self._done.wait(self.delay):
            return
        spinner = Spinner("dots", text=self._line())
        with Live(spinner, console=self._console, refresh_per_second=8, transient=True):
            while not self._done.wait(0.125):
                spinner.update(text=self._line())

    def _show_in_notebook(self) -> None:
        """Keep one output of the cell up to date; no widgets are needed for it."""
        if self._done.wait(self.delay):
            return
        display: Any = import_module("IPython.display")
        handle = display.display({"text/plain": str(self._line())}, raw=True, display_id=True)
        while not self._done.wait(0.5):
            handle.update({"text/plain": str(self._line())}, raw=True)
        handle.update({"text/plain": str(self._line())}, raw=True)

    def _show_lines(self) -> None:
        pause = self.delay
        while not self._done.wait(pause):
            self._console.print(self._line(), soft_wrap=True)
            pause = self.interval

    def _line(self) -> Text:
        parts = [self.title, self._latest, f"{monotonic() - self._start:.1f} s"]
        return Text(" | ".join(part for part in parts if part))


def round_words(record: Round) -> str:
    """Tell one record in a line: phase, round, columns, value, bound, best count and gap."""
    return " | ".join(
        [
            PHASES.get(record.phase, record.phase),
            f"round {record.number}",
            f"{record.columns} columns",
            f"value {record.value:.2f}",
            f"bound {record.bound}",
            f"best {record.count}",
            f"gap {record.gap:.1%}",
        ]
    )
