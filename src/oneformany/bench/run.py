"""Run cells one after the other and record what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from oneformany.bench.cells import Cell
from oneformany.bench.memory import peak_megabytes
from oneformany.bench.prepare import Prepared, prepare
from oneformany.bench.records import Key, Record
from oneformany.datasets.paper import PROTOCOLS
from oneformany.engine.solve import METHODS, solve
from oneformany.exceptions import InputError
from oneformany.result import Result
from oneformany.statistics import Round
from oneformany.verify import verify

__all__ = ["CODINGS", "Settings", "key_of", "run"]

CODINGS = ("published", "correct")

Watch = Callable[[str], AbstractContextManager[Callable[[Round], None]]]


@dataclass(frozen=True)
class Settings:
    """How to run the cells.

    Attributes
    ----------
    methods : tuple of str
        Methods of ``solve``, each run on every cell.
    protocol : {"published", "negatives"}
        Explain the first rows of the test half, or the first that the classifier turns down.
    coding : {"published", "correct"}
        Use the students data with the slip of the published runs, or without it.
    time_limit : float or None
        Seconds per cell.
    seed : int
        Of the method.
    data_dir : Path or None
        Where to look for data that are not embedded.
    results_dir : Path or None
        Where to save every result, proof included.
    check : bool
        Whether to verify every result.
    """

    methods: tuple[str, ...] = ("exact",)
    protocol: str = "published"
    coding: str = "published"
    time_limit: float | None = None
    seed: int = 0
    data_dir: Path | None = None
    results_dir: Path | None = None
    check: bool = False

    def __post_init__(self) -> None:
        if not self.methods:
            raise InputError(f"name at least one method: {', '.join(METHODS)}")
        given = (("protocol", (self.protocol,), PROTOCOLS), ("coding", (self.coding,), CODINGS))
        for what, names, known in (*given, ("method", self.methods, METHODS)):
            for name in names:
                if name not in known:
                    raise InputError(f"there is no {what} {name!r}; choose from {', '.join(known)}")

    @property
    def as_published(self) -> bool:
        """Whether rows and data are those of the paper's tables, so that its numbers compare."""
        return self.protocol == "published" and self.coding == "published"


def key_of(cell: Cell, method: str, settings: Settings) -> Key:
    """Name the run of a cell; the data set is named as the loader names its coding."""
    slip = cell.dataset == "students" and settings.coding == "published"
    return Key(
        dataset="students-published" if slip else cell.dataset,
        model=cell.model,
        method=method,
        protocol=settings.protocol,
        rows=cell.rows,
        max_changes=cell.max_changes,
        time_limit=settings.time_limit,
        seed=settings.seed,
    )


def run(
    cells: Iterable[Cell], settings: Settings, watch: Watch, done: Iterable[Record] = ()
) -> Iterator[Record]:
    """Run cells, yielding each record as soon as it is there.

    Parameters
    ----------
    cells : iterable of Cell
        What to run.
    settings : Settings
        How.
    watch : callable
        Given a title, a context manager whose value takes the engine's records.
    done : iterable of Record
        Earlier records; these are yielded in their place instead of being run again.
    """
    known = {record.key: record for record in done}
    prepared = lru_cache(maxsize=1)(prepare)
    for cell in cells:
        for method in settings.methods:
            key = key_of(cell, method, settings)
            if key in known:
                yield known[key]
                continue
            yield _run_cell(cell, key, prepared(key.dataset, key.model, settings.data_dir), settings, watch)


def _run_cell(cell: Cell, key: Key, prepared: Prepared, settings: Settings, watch: Watch) -> Record:
    problem = prepared.problem(key.protocol, key.rows, key.max_changes)
    with watch(f"{cell.name}, {key.method}") as progress:
        start = perf_counter()
        result = solve(
            problem, method=key.method, time_limit=key.time_limit, progress=progress, seed=key.seed
        )
        seconds = perf_counter() - start
    return Record(
        key=key,
        status=result.status,
        count=result.count,
        lower_bound=result.lower_bound,
        seconds=seconds,
        unreachable=len(result.unreachable),
        confirmed=prepared.confirms(result),
        verified=_check_and_save(result, key, settings),
        peak_megabytes=peak_megabytes(),
        published=cell.published,
        versions=result.versions,
    )


def _check_and_save(result: Result, key: Key, settings: Settings) -> bool | None:
    path = None
    if settings.results_dir is not None:
        parts = (key.dataset, key.model, key.method, key.protocol, key.max_changes, key.rows)
        path = settings.results_dir / f"{'-'.join(str(part) for part in parts)}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
    text = result.to_json(path)
    return verify(text).ok if settings.check else None
