"""Rows with their own numbers against the same rows as bins: where the model decides otherwise, say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.readers.verdict import FrameVerdict
from oneformany.result.result import Result

__all__ = ["OwnNumbers"]

MOST_ROWS_TOLD = 5


@dataclass(frozen=True, eq=False)
class OwnNumbers:
    """What the model says about the rows of a frame, as they are and as their levels.

    The two differ only for a model that reads numbers of which a schema knows the bin.

    Attributes
    ----------
    verdict : FrameVerdict or None
        Asks the model about own numbers; ``None`` when there are none beside the levels.
    frame : DataFrame
        The rows.
    codes : (n, p) array
        Their levels.
    positive : (n,) boolean array
        Whether the model accepts each row with its own numbers.
    positive_bins : (n,) boolean array
        Whether it accepts it with the numbers that stand for its bins.
    """

    verdict: FrameVerdict | None
    frame: pd.DataFrame
    codes: IntArray
    positive: BoolArray
    positive_bins: BoolArray

    @classmethod
    def of(cls, verdict: Callable[[IntArray], BoolArray], frame: pd.DataFrame, codes: IntArray) -> OwnNumbers:
        """Ask about every row.

        Parameters
        ----------
        verdict : callable
            The model's own.
        frame : DataFrame
            The rows.
        codes : (n, p) array
            Their levels.

        Raises
        ------
        InputError
            The model accepts the bins of every row that it turns down.
        """
        bins = verdict(codes)
        if not isinstance(verdict, FrameVerdict) or not verdict.rows.binned:
            return cls(None, frame, codes, bins, bins)
        own = verdict.as_given(frame, codes, codes)
        if not own.all() and (own | bins).all():
            raise InputError(
                f"the model turns {int((~own).sum())} rows down, but accepts all of them once the numbers "
                "that stand for their bins replace their own; use finer bins, or no schema"
            )
        return cls(verdict, frame, codes, own, bins)

    def blurred(self, result: Result, rows: IntArray) -> IntArray:
        """Find the rows about which the model decides otherwise, and warn if there are any.

        Parameters
        ----------
        result : Result
            Explanations of some of the rows.
        rows : array of int
            Which rows these are.
        """
        if self.verdict is None:
            return np.zeros(0, dtype=np.int64)
        unlike = ~self.positive & self.positive_bins
        helped = np.flatnonzero(np.array(result.assignment) >= 0)
        if len(helped):
            points = np.array([result.explanations[result.assignment[row]].point for row in helped])
            places = rows[helped]
            followed = self.verdict.as_given(self.frame.iloc[places], self.codes[places], points)
            unlike[places[~followed]] = True
        found = np.flatnonzero(unlike)
        if len(found):
            named = ", ".join(str(label) for label in self.frame.index[found[:MOST_ROWS_TOLD]])
            more = ", ..." if len(found) > MOST_ROWS_TOLD else ""
            warnings.warn(
                f"the model decides otherwise about the own numbers of {len(found)} rows ({named}{more}) "
                "than about the numbers that stand for their bins: they are in blurred_rows_; use finer "
                "bins, or no schema",
                UserWarning,
                stacklevel=3,
            )
        return found
