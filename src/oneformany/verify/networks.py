"""ReLU networks in floating point, each score with a bound on what rounding did to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import JsonObject, check_list, check_numbers

__all__ = ["Network", "read_network"]

ROUNDOFF = 2.0**-53
# What products below the smallest normal number lose is far less.
UNDERFLOW = 1e-290

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """Tables of first sums, then layers up to one logit.

    Attributes
    ----------
    tables : tuple of (levels, width) arrays
        What each level of each feature adds to the first sums.
    bias : (width,) array
        What the first sums start with.
    layers : tuple of (weights, bias)
        What follows, each behind a ReLU.
    threshold, sure : float
        What the logit has to reach, to be possibly and to be surely positive.
    """

    tables: tuple[FloatArray, ...]
    bias: FloatArray
    layers: tuple[tuple[FloatArray, FloatArray], ...]
    threshold: float
    sure: float

    def judge(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell which rows of codes are surely, and which are possibly positive."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores, errors = self.scores(codes)
            surely = scores - errors >= self.sure
            possibly = ~(scores + errors < self.threshold)
        return surely, possibly

    def scores(self, codes: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
        """Score rows of codes, each with a bound on its distance from the score in exact arithmetic.

        A sum of n products, in any order, is wrong by at most (n + 1) u times the sum of their sizes, where
        u is half the distance from 1 to the next number. ReLU enlarges no error. The bound is made of the
        numbers met on the way to this very score; twice what theory says makes up for its own rounding.
        """
        values, sizes = np.tile(self.bias, (len(codes), 1)), np.tile(np.abs(self.bias), (len(codes), 1))
        for feature, table in enumerate(self.tables):
            values += table[codes[:, feature]]
            sizes += np.abs(table[codes[:, feature]])
        errors = 2 * (len(self.tables) + 2) * ROUNDOFF * sizes + UNDERFLOW
        for weights, bias in self.layers:
            active = np.maximum(values, 0.0)
            values = active @ weights + bias
            factor = 2 * (len(weights) + 2) * ROUNDOFF
            sizes = (active + errors) @ np.abs(weights) + np.abs(bias)
            errors = (1 + factor) * (errors @ np.abs(weights)) + factor * sizes + UNDERFLOW
        scores = values[:, 0]
        comparing = np.abs(scores) + abs(self.threshold) + abs(self.sure)
        return scores, 2 * errors[:, 0] + 2 * ROUNDOFF * comparing


def read_network(fields: JsonObject, levels: tuple[int, ...]) -> Network:
    """Read a network and check that its layers fit together."""
    fields.only("kind", "tables", "bias", "layers", "threshold", optional=("rounding", "sure", "ties"))
    bias = np.array(check_numbers(fields.value("bias"), fields.path("bias")))
    tables = tuple(
        _matrix(table, f"{fields.path('tables')}[{feature}]", n, len(bias))
        for feature, (table, n) in enumerate(zip(fields.entries("tables", len(levels)), levels, strict=True))
    )
    layers = []
    width = len(bias)
    for layer in fields.inners("layers"):
        shift = np.array(check_numbers(layer.only("weights", "bias").value("bias"), layer.path("bias")))
        layers.append((_matrix(layer.value("weights"), layer.path("weights"), width, len(shift)), shift))
        width = len(shift)
    threshold = fields.number("threshold")
    if width != 1 or threshold is None:
        raise CertificateError(f"{fields.path('layers')} must end in one number, with a threshold for it")
    sure = threshold if (given := fields.number("sure")) is None else given
    if sure < threshold:
        raise CertificateError(f"{fields.path('sure')} is below the threshold")
    return Network(tables, bias, tuple(layers), threshold, sure)


def _matrix(value: object, path: str, rows: int, columns: int) -> FloatArray:
    lines = check_list(value, path, rows)
    return np.array(
        [check_numbers(line, f"{path}[{i}]", columns) for i, line in enumerate(lines)], dtype=np.float64
    ).reshape(rows, columns)
