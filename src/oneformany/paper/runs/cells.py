"""The cells of the paper's result tables: what was asked in each and what was printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import pandas as pd

from oneformany.exceptions import InputError

__all__ = [
    "DATASETS",
    "MODELS",
    "PAPER_LIMIT",
    "TITLES",
    "Cell",
    "Published",
    "check_names",
    "choose",
    "published_cells",
]

TITLES = {"compas": "COMPAS", "german": "German Credit", "students": "Students performance"}
DATASETS = tuple(TITLES)
MODELS = ("lr", "nn")
PAPER_LIMIT = 3600.0


@dataclass(frozen=True)
class Published:
    """What the paper prints for one cell."""

    explanations: int  # its number of explanations, by column generation
    gap_to_mip: int  # explanations of column generation less those of its compact MIP
    cg_seconds: float  # its times; both methods were stopped at 3600 s
    mip_seconds: float


@dataclass(frozen=True)
class Cell:
    """One problem of the tables, or one of the same kind beyond them."""

    dataset: str  # as the paper calls it
    model: str  # lr, nn: logistic regression or neural network
    rows: int  # how many rows are explained, and how many features one explanation may change
    max_changes: int
    published: Published | None = None  # what the paper prints, if it has this cell

    @property
    def name(self) -> str:
        """A short title."""
        return f"{self.dataset} {self.model}, {self.max_changes} changes, {self.rows} rows"


@cache
def published_cells() -> tuple[Cell, ...]:
    """All cells of the paper's six result tables, in its order."""
    with resources.files("oneformany.paper.runs").joinpath("published.csv").open(encoding="utf-8") as stream:
        lines = pd.read_csv(stream).to_dict("records")
    asked = ("dataset", "model", "rows", "max_changes")
    return tuple(
        Cell(
            **{name: line[name] for name in asked},
            published=Published(**{name: line[name] for name in Published.__dataclass_fields__}),
        )
        for line in lines
    )


def choose(
    models: Sequence[str] = ("lr",),
    datasets: Sequence[str] = DATASETS,
    rows: Sequence[int] | None = None,
    max_changes: Sequence[int] | None = None,
) -> list[Cell]:
    """Pick cells, of the paper's sizes or of others, which have no published answer."""
    check_names("model", models, MODELS)
    check_names("data set", datasets, DATASETS)
    _check_sizes("rows", rows)
    _check_sizes("max-changes", max_changes)
    known = {(c.model, c.dataset, c.max_changes, c.rows): c for c in published_cells()}

    def sizes(of: tuple[str, str], index: int) -> Iterable[int]:
        return dict.fromkeys((changes, n)[index] for *where, changes, n in known if tuple(where) == of)

    return [
        known.get((model, dataset, changes, n), Cell(dataset, model, n, changes))
        for model in models
        for dataset in datasets
        for changes in max_changes or sizes((model, dataset), 0)
        for n in rows or sizes((model, dataset), 1)
    ]


def check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names that nobody knows, and none at all."""
    if not names:
        raise InputError(f"name at least one {what}: {', '.join(known)}")
    for name in names:
        if name not in known:
            raise InputError(f"there is no {what} {name!r}; choose from {', '.join(known)}")


def _check_sizes(option: str, sizes: Sequence[int] | None) -> None:
    for size in sizes or ():
        if size < 1:
            raise InputError(f"{option} is {size}; it must be 1 or more")
