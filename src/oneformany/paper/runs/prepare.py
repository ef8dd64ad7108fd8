"""A data set with a classifier, ready to be asked about any number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.datasets import Dataset, load
from oneformany.exceptions import InputError
from oneformany.paper.runs.cells import check_names
from oneformany.paper.runs.model_kinds import model_kind, paper_split
from oneformany.paper.runs.records import Trained
from oneformany.problem import Problem
from oneformany.readers.registry import read_model
from oneformany.readers.verdict import Reading
from oneformany.result.result import Result
from oneformany.schema.rules.combine import allowed_moves
from oneformany.schema.rules.moves import Immutable

AS_PREDICTED = 0.5
IMMUTABLE = ("none", "half")  # half: every second feature, beginning with the first
PROTOCOLS = ("published", "negatives")  # the first rows of the test half, or those that are turned down


@dataclass(frozen=True, eq=False)
class Prepared:
    """A data set, a classifier fitted to its training half, and the engine's view of it."""

    dataset: Dataset  # the data
    classifier: Any  # fitted
    reading: Reading  # the classifier as the engine asks it, and its own verdict
    trained: Trained  # what the tables say about both

    def problem(self, protocol: str, rows: int, max_changes: int, immutable: str = "none") -> Problem:
        """Ask about the protocol's first rows."""
        schema = self.dataset.schema
        rules = [Immutable(name) for name in schema.names[::2]] if immutable == "half" else []
        return Problem(
            self.dataset.codes[self.rows(protocol, rows)],
            schema.levels,
            self.reading.oracle,
            max_changes,
            allowed_moves(schema, rules) if rules else None,
        )

    def rows(self, protocol: str, n: int) -> IntArray:
        """Row numbers of the protocol's first rows; "turned down" is judged at the threshold.

        Under "negatives", rows of the training half follow when those of the test half are too few.
        """
        check_names("protocol", [protocol], PROTOCOLS)
        train, rows = paper_split(self.dataset)
        if protocol == "negatives":
            rows = np.concatenate((rows, train))
            rows = rows[~self.reading.verdict(self.dataset.codes[rows])]
        if not 1 <= n <= len(rows):
            name = self.dataset.name
            raise InputError(f"{n} rows are asked for; {name} has 1 to {len(rows)} under {protocol!r}")
        return rows[:n]

    def confirmed(self, result: Result) -> int:
        """Count the points of an answer that the classifier itself predicts as positive."""
        points = np.array([explanation.point for explanation in result.explanations], dtype=np.int64)
        return int(self.reading.verdict(points).sum()) if len(points) else 0


def prepare(
    dataset: str, model: str, data_dir: Path | None = None, threshold: float = AS_PREDICTED
) -> Prepared:
    """Load a data set and fit a classifier; at a threshold of 0.5 its own ``predict`` decides."""
    kind = model_kind(model)
    data = load(dataset, data_dir)
    classifier = kind.fitted(data)
    as_predicted = reading = read_model(classifier, data.schema, frame=data.frame)
    if threshold != AS_PREDICTED:
        reading = read_model(classifier, data.schema, threshold, frame=data.frame)
    _, test = paper_split(data)
    trained = Trained(
        instances=len(data.target),
        features=len(data.schema.features),
        columns=len(data.schema.one_hot_names),
        accuracy=float((as_predicted.verdict(data.codes[test]) == (data.target[test] == 1)).mean()),
        hidden=tuple(getattr(classifier, "hidden_layer_sizes", ())),
    )
    return Prepared(data, classifier, reading, trained)
