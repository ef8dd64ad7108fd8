"""Rows that agree outside of some features: only such rows can share a point by changing these.

For each set of as many features as may change, rows fall into classes by their codes outside, and a group is
part of one class.
"""

from __future__ import annotations

import numpy as np

from oneformany.verify.arrays import IntArray

LARGEST_KEY = 2**62


class Classes:
    """Rows of codes, each with one number made of all that occurs, so that agreeing is being equal."""

    def __init__(self, codes: IntArray) -> None:
        self._codes = codes
        self._parts: list[IntArray] | None = []
        radix = 1
        for column in codes.T:
            present, code = np.unique(column, return_inverse=True)
            self._parts.append(code.ravel() * radix)
            radix *= len(present)
            if radix > LARGEST_KEY:
                self._parts = None
                return
        self._key = np.sum(self._parts, axis=0)

    def outside(self, features: tuple[int, ...], rows: IntArray) -> tuple[IntArray, IntArray]:
        """Sort rows by what they are outside of some features; also tell where each class begins."""
        if self._parts is None:
            codes = np.delete(self._codes[rows], features, axis=1)
            key = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        else:
            key = self._key[rows] - sum(self._parts[feature][rows] for feature in features)
        order = np.argsort(key, kind="stable")
        key = key[order]
        return rows[order], np.flatnonzero(np.diff(key, prepend=key[:1] - 1))
