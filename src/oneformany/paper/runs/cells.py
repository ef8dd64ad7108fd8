"""The cells of the paper's result tables: what was asked in each and what was printed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from oneformany.exceptions import InputError

__all__ = ["DATASETS", "MODELS", "PAPER_LIMIT", "Cell", "Published", "choose", "published_cells"]

DATASETS = ("compas", "german", "students")
MODELS = ("lr", "nn")
PAPER_LIMIT = 3600.0


@dataclass(frozen=True)
class Published:
    """What the paper prints for one cell.

    Attributes
    ----------
    explanations : int
        Its number of explanations, by column generation.
    gap_to_mip : int
        Explanations of column generation less those of its compact MIP.
    cg_seconds, mip_seconds : float
        Its times; both methods were stopped at 3600 s.
    """

    explanations: int
    gap_to_mip: int
    cg_seconds: float
    mip_seconds: float

    @property
    def ended(self) -> bool:
        """Whether its column generation ended by itself."""
        return self.cg_seconds < PAPER_LIMIT


@dataclass(frozen=True)
class Cell:
    """One problem of the tables, or one of the same kind beyond them.

    Attributes
    ----------
    dataset : str
        As the paper calls it.
    model : {"lr", "nn"}
        Logistic regression or neural network.
    rows : int
        How many rows are explained.
    max_changes : int
        How many features one explanation may change.
    published : Published or None
        What the paper prints, if it has this cell.
    """

    dataset: str
    model: str
    rows: int
    max_changes: int
    published: Published | None = None

    @property
    def name(self) -> str:
        """A short title."""
        return f"{self.dataset} {self.model}, {self.max_changes} changes, {self.rows} rows"


def published_cells() -> tuple[Cell, ...]:
    """All cells of the paper's six result tables, in its order."""
    source = resources.files("oneformany.paper.data").joinpath("published.csv")
    with source.open(encoding="utf-8") as stream:
        return tuple(
            Cell(
                line["dataset"],
                line["model"],
                int(line["rows"]),
                int(line["max_changes"]),
                Published(
                    int(line["explanations"]),
                    int(line["gap_to_mip"]),
                    float(line["cg_seconds"]),
                    float(line["mip_seconds"]),
                ),
            )
            for line in csv.DictReader(stream)
        )


def choose(
    models: Sequence[str] = ("lr",),
    datasets: Sequence[str] = DATASETS,
    rows: Sequence[int] | None = None,
    max_changes: Sequence[int] | None = None,
) -> list[Cell]:
    """Pick cells; sizes the paper does not have give cells without a published answer.

    Parameters
    ----------
    models, datasets : sequences of str
        Which tables.
    rows, max_changes : sequences of int or None
        Which sizes; ``None``: those of the paper.
    """
    _check_names("model", models, MODELS)
    _check_names("data set", datasets, DATASETS)
    _check_sizes("rows", rows)
    _check_sizes("max-changes", max_changes)
    known = {(c.model, c.dataset, c.max_changes, c.rows): c for c in published_cells()}
    return [
        known.get((model, dataset, changes, n), Cell(dataset, model, n, changes))
        for model in models
        for dataset in datasets
        for changes in max_changes or _sizes(known, model, dataset, 2)
        for n in rows or _sizes(known, model, dataset, 3)
    ]


def _sizes(known: Iterable[tuple[str, str, int, int]], model: str, dataset: str, place: int) -> Iterator[int]:
    sizes = {key[place]: None for key in known if key[:2] == (model, dataset)}
    yield from (int(size) for size in sizes)


def _check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    if not names:
        raise InputError(f"name at least one {what}: {', '.join(known)}")
    for name in names:
        if name not in known:
            raise InputError(f"the paper has no {what} {name!r}; choose from {', '.join(known)}")


def _check_sizes(option: str, sizes: Sequence[int] | None) -> None:
    for size in sizes or ():
        if size < 1:
            raise InputError(f"{option} is {size}; it must be 1 or more")
