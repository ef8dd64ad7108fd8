"""ReLU networks in floating point, each score with a bound on what rounding did to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, FloatArray, IntArray
from oneformany.verify.json_value import Json

ROUNDOFF = 2.0**-53
# What products below the smallest normal number lose is far less.
UNDERFLOW = 1e-290


@dataclass(frozen=True, eq=False)
class Network:
    """Tables of first sums, then layers up to one logit."""

    tables: tuple[FloatArray, ...]  # (levels, width): what each level of a feature adds to the first sums
    bias: FloatArray  # (width,)
    layers: tuple[tuple[FloatArray, FloatArray], ...]  # weights and bias, each behind a ReLU
    threshold: float  # what the logit has to reach to be possibly positive
    sure: float  # and to be surely positive

    def judge(self, codes: IntArray) -> tuple[BoolArray, BoolArray]:
        """Tell which rows of codes are surely, and which are possibly positive."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores, errors = self.scores(codes)
            surely = scores - errors >= self.sure
            possibly = ~(scores + errors < self.threshold)
        return surely, possibly

    def scores(self, codes: IntArray) -> tuple[FloatArray, FloatArray]:
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


def read_network(fields: Json, levels: tuple[int, ...]) -> Network:
    """Read a network and check that its layers fit together."""
    fields.only(
        "kind", "tables", "bias", "layers", "threshold", optional=("rounding", "sure", "ties", "rejected")
    )
    bias = np.array(fields["bias"].numbers())
    given = zip(fields["tables"].entries(len(levels)), levels, strict=True)
    tables = tuple(_matrix(table, n, len(bias)) for table, n in given)
    layers = []
    width = len(bias)
    for layer in fields["layers"].entries():
        shift = np.array(layer.only("weights", "bias")["bias"].numbers())
        layers.append((_matrix(layer["weights"], width, len(shift)), shift))
        width = len(shift)
    if width != 1 or not fields.has("threshold"):
        raise CertificateError(f"{fields['layers'].path} must end in one number, with a threshold for it")
    threshold = fields["threshold"].number()
    sure = fields["sure"].number() if fields.has("sure") else threshold
    if sure < threshold:
        raise CertificateError(f"{fields['sure'].path} is below the threshold")
    return Network(tables, bias, tuple(layers), threshold, sure)


def _matrix(table: Json, rows: int, columns: int) -> FloatArray:
    lines = [line.numbers(columns) for line in table.entries(rows)]
    return np.array(lines, dtype=np.float64).reshape(rows, columns)
