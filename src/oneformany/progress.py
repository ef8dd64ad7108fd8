"""Live progress for humans: silent on quick work, a living line on terminals and in notebooks, else a few."""

from collections.abc import Callable
from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from oneformany.compiling import COMPILING
from oneformany.statistics import Round


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
        self, title: str = "", *, console: Console | None = None, delay: float = 1.0, interval: float = 5.0
    ) -> None:
        self.title, self.delay, self.interval = title, delay, interval
        self._console = Console(stderr=True) if console is None else console
        self._latest = "starting"
        self._standing: dict[str, Round] = {}  # the latest record of each measure
        self._done = Event()

    def __enter__(self) -> Self:
        self._start, self._compiled = monotonic(), COMPILING.seconds
        self._done.clear()
        self._thread = Thread(target=self._show, name="oneformany-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def __call__(self, record: Round | str) -> None:
        """Take the latest record, or words that say what is being done.

        What an earlier stage left open stays in the line: the gap of explanations while costs are lowered.
        """
        if isinstance(record, str):
            self._latest = record
            return
        self._standing[record.measure] = record
        earlier = [step for measure, step in self._standing.items() if measure != record.measure]
        told = [f"{step.count} {step.measure}, gap {step.gap:.1%}" for step in earlier]
        self._latest = " | ".join([round_words(record), *told])

    def _show(self) -> None:
        """Nothing on quick work; then a living line, one output of a notebook's cell, or some lines."""
        if self._done.wait(self.delay):
            return
        if self._console.is_jupyter:
            display: Any = import_module("IPython.display")
            handle = display.display({"text/plain": str(self._line())}, raw=True, display_id=True)
            self._repeat(0.5, lambda: handle.update({"text/plain": str(self._line())}, raw=True))
            handle.update({"text/plain": str(self._line())}, raw=True)
        elif self._console.is_terminal:
            spinner = Spinner("dots", text=self._line())
            with Live(spinner, console=self._console, refresh_per_second=8, transient=True):
                self._repeat(0.125, lambda: spinner.update(text=self._line()))
        else:
            self._console.print(self._line(), soft_wrap=True)
            self._repeat(self.interval, lambda: self._console.print(self._line(), soft_wrap=True))

    def _repeat(self, pause: float, show: Callable[[], object]) -> None:
        while not self._done.wait(pause):
            show()

    def _line(self) -> Text:
        compiled = COMPILING.told(self._compiled)
        parts = [self.title, self._latest, f"{monotonic() - self._start:.1f} s", compiled]
        return Text(" | ".join(part for part in parts if part))


def round_words(record: Round) -> str:
    """Tell one record in a line: phase, round, columns, value, bound, the best and of what, and gap."""
    return (
        f"{record.phase} | round {record.number} | {record.columns} columns | "
        f"value {record.value:.2f} | bound {record.bound} | best {record.count} {record.measure} | "
        f"gap {record.gap:.1%}"
    )
