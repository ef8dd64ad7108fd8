"""A data set of the paper with its classifier, ready to be asked about any number of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from oneformany.datasets import Dataset, load
from oneformany.datasets.paper import Protocol, paper_model, paper_rows
from oneformany.exceptions import InputError
from oneformany.oracles.registry import read_model
from oneformany.oracles.verdict import Reading
from oneformany.problem import Problem
from oneformany.result import Result

__all__ = ["CLASSIFIERS", "Prepared", "prepare"]

CLASSIFIERS: dict[str, Callable[[Dataset], Any]] = {"lr": paper_model}


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set, the classifier fitted to its training half, and the engine's view of it.

    Attributes
    ----------
    dataset : Dataset
        The data.
    classifier : object
        Fitted, on the one-hot columns.
    reading : Reading
        The classifier as the engine asks it, and its own verdict.
    """

    dataset: Dataset
    classifier: Any
    reading: Reading

    def problem(self, protocol: str, rows: int, max_changes: int) -> Problem:
        """Ask about the protocol's first rows.

        Parameters
        ----------
        protocol : {"published", "negatives"}
            Which rows.
        rows : int
            How many.
        max_changes : int
            How many features one explanation may change.
        """
        chosen = paper_rows(self.dataset, self.classifier, cast("Protocol", protocol), rows)
        codes = self.dataset.codes[chosen]
        return Problem(codes, self.dataset.schema.levels, self.reading.oracle, max_changes)

    def confirms(self, result: Result) -> bool:
        """Whether the classifier itself predicts every point of an answer as positive."""
        points = np.array([explanation.point for explanation in result.explanations], dtype=np.int64)
        return len(points) == 0 or bool(self.reading.verdict(points).all())


def prepare(dataset: str, model: str, data_dir: Path | None = None) -> Prepared:
    """Load a data set and fit the paper's classifier.

    Parameters
    ----------
    dataset : str
        Name for the loader.
    model : {"lr"}
        Which classifier.
    data_dir : Path or None
        Where to look for data that are not embedded.
    """
    if model not in CLASSIFIERS:
        known = ", ".join(CLASSIFIERS)
        raise InputError(f"the benchmark cannot train the model {model!r} yet; it can train {known}")
    data = load(dataset, data_dir)
    classifier = CLASSIFIERS[model](data)
    return Prepared(data, classifier, read_model(classifier, data.schema))
