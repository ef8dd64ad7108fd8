"""The cells of the paper's result tables: what was asked in each and what was printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import pandas as pd

from oneformany.exceptions import InputError

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

    @property
    def name(self) -> str:
        """A short title."""
        return f"{self.dataset} {self.model}, {self.max_changes} changes, {self.rows} rows"

    @property
    def published(self) -> Published | None:
        """What the paper prints, if it has this cell."""
        return published_cells().get(self)


@cache
def published_table() -> pd.DataFrame:
    """The paper's six result tables, a line per cell in its order."""
    with resources.files("oneformany.paper.runs").joinpath("published.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream)


@cache
def published_cells() -> dict[Cell, Published]:
    """All cells of the paper's six result tables, in its order."""
    lines = published_table().itertuples(index=False, name=None)
    return {Cell(*line[:4]): Published(*line[4:]) for line in lines}


def choose(
    models: Sequence[str] = ("lr",),
    datasets: Sequence[str] = DATASETS,
    rows: Sequence[int] | None = None,
    max_changes: Sequence[int] | None = None,
) -> list[Cell]:
    """Pick cells, of the paper's sizes or of others, which have no published answer."""
    check_names("model", models, MODELS)
    check_names("data set", datasets, DATASETS)
    for option, sizes in (("rows", rows), ("max-changes", max_changes)):
        for size in sizes or ():
            if size < 1:
                raise InputError(f"{option} is {size}; it must be 1 or more")
    return [
        Cell(dataset, model, n, changes)
        for model in models
        for dataset in datasets
        for table in [published_table().query("dataset == @dataset and model == @model")]
        for changes in max_changes or table["max_changes"].unique().tolist()
        for n in rows or table["rows"].unique().tolist()
    ]


def check_names(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names that nobody knows, and none at all."""
    if not names:
        raise InputError(f"name at least one {what}: {', '.join(known)}")
    for name in names:
        if name not in known:
            raise InputError(f"there is no {what} {name!r}; choose from {', '.join(known)}")
