"""The front door: a fitted classifier and a data frame in, explanations with proof out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from oneformany.arrays import IntArray
from oneformany.exceptions import InputError, PredictionMismatchError
from oneformany.own_numbers import OwnNumbers
from oneformany.problem import Problem
from oneformany.readers.columns import own_columns
from oneformany.readers.registry import read_model, reader_for, unwrapped
from oneformany.readers.verdict import FrameVerdict, Reading
from oneformany.result.result import Result
from oneformany.result.row_index import RowIndex
from oneformany.schema.discretise import infer_schema
from oneformany.schema.encoding import Encoding
from oneformany.schema.rules import Rule, allowed_moves
from oneformany.schema.schema import Schema
from oneformany.statistics import Round

__all__ = ["OneForMany"]


@dataclass(eq=False)
class OneForMany:
    """Explain what a classifier turned down with the fewest points, each good for many rows.

    Parameters
    ----------
    model : object
        A fitted classifier: of scikit-learn (also pipelines on the frame's original columns), XGBoost,
        LightGBM, PyTorch, ONNX or interpret, a scorecard, or a function from frames to probabilities.
    max_changes : int
        How many features one explanation may change.
    threshold : float or None
        Least probability of a positive point (least decision value for models without probabilities);
        ``None``: as the model's ``predict`` decides.
    schema : Schema, optional
        Features and levels. Without it the model must have been fitted on the frame's own columns, and
        every value that occurs in the frame is a level. For models that read the frame itself (pipelines,
        functions) a number in a bin counts as the number that stands for the bin: see
        :class:`~oneformany.readers.rows.Rows`, and ``blurred_rows_`` for what that may cost.
    rules : sequence of Rule
        What may not change, or only in one direction.
    positive : object
        Label of the positive class.

    Attributes
    ----------
    explained_rows_ : array of int
        Places in the frame of the rows that were explained; row ``i`` of the result is the row at
        ``explained_rows_[i]``. The result has the same list as ``result.problem["rows"]``.
    positive_rows_ : array of int
        Places of the rows that need no explanation, because the model already calls them positive.
    blurred_rows_ : array of int
        Places of the rows about whose own numbers the model decides otherwise than about the numbers that
        stand for their bins: it turns them down although it accepts their bins (then they are not
        explained), or although they follow their explanation. A warning names them; finer bins, or no
        schema, help. Empty without bins, and for models that were fitted on bins.
    """

    model: Any
    max_changes: int = 3
    threshold: float | None = None
    schema: Schema | None = None
    rules: Sequence[Rule] = ()
    positive: object = 1

    def explain(
        self,
        frame: pd.DataFrame,
        time_limit: float | None = None,
        progress: Callable[[Round], None] | None = None,
    ) -> Result:
        """Find the fewest explanations for the rows that the model turns down.

        Every returned point is confirmed by the model's own prediction.

        Parameters
        ----------
        frame : DataFrame
            The rows; those that are positive already are set aside.
        time_limit : float, optional
            Seconds after which the best answer so far is returned, with its proved bound.
        progress : callable, optional
            Called with the state after every step.

        Raises
        ------
        InputError
            Frame, schema or rules cannot be used, or there is nothing to explain.
        UnsupportedModelError
            The model cannot be read.
        PredictionMismatchError
            The model disagrees with its own reading.
        """
        from oneformany.methods import solve  # compiled parts are loaded when they are needed

        schema, reading = self._read(frame)
        codes = schema.encode(frame)
        own = OwnNumbers.of(reading.verdict, frame, codes)
        if own.positive.all():
            raise InputError(f"the model calls all {len(codes)} rows positive: there is nothing to explain")
        refused = np.flatnonzero(~own.positive & ~own.positive_bins)
        _check_refused(reading, codes[refused], frame.index[refused])
        problem = Problem(
            codes[refused],
            schema.levels,
            reading.oracle,
            self.max_changes,
            allowed_moves(schema, self.rules) if self.rules else None,
        )
        result = solve(problem, time_limit=time_limit, progress=progress)
        _confirm(reading, result, schema)
        self.explained_rows_ = refused
        self.positive_rows_ = np.flatnonzero(own.positive)
        self.blurred_rows_ = own.blurred(result, refused)
        asked = {
            **result.problem,
            "rows": refused.tolist(),
            "already_positive": self.positive_rows_.tolist(),
        }
        return replace(result, schema=schema, problem=asked, index=RowIndex.of(frame.index[refused]))

    def _read(self, frame: pd.DataFrame) -> tuple[Schema, Reading]:
        schema = self.schema
        if schema is not None and not isinstance(schema, Schema):
            raise InputError(f"schema must be a Schema, not {type(schema).__name__}")
        reads = reader_for(self.model).reads
        source: Schema | Encoding | None = schema
        if schema is None and reads == "columns":
            schema, source = own_columns(unwrapped(self.model), frame)
        elif schema is None and reads == "labels":
            schema = source = infer_schema(frame)
        reading = read_model(self.model, source, self.threshold, self.positive, frame)
        if isinstance(reading.verdict, FrameVerdict):
            schema = reading.verdict.rows.schema
        return cast("Schema", schema), reading


def _check_refused(reading: Reading, codes: IntArray, labels: pd.Index) -> None:
    """Refuse to go on when the model was misread: the oracle alone calls a row positive."""
    wrong = reading.oracle.positive(codes)
    if wrong.any():
        row = labels[int(np.argmax(wrong))]
        raise PredictionMismatchError(
            f"row {row}: the model turns it down, but its reading calls it positive; please report this model"
        )


def _confirm(reading: Reading, result: Result, schema: Schema) -> None:
    if not result.explanations:
        return
    points = np.array([explanation.point for explanation in result.explanations], dtype=np.int64)
    confirmed = reading.verdict(points)
    if not confirmed.all():
        place = int(np.argmin(confirmed))
        changed = result.explanations[place].changed
        words = ", ".join(
            f"{schema.names[f]} = {schema.features[f].levels[points[place, f]]}" for f in changed
        )
        raise PredictionMismatchError(
            f"explanation {place + 1} ({words}) is not positive by the model's own prediction; "
            "please report this model"
        )
