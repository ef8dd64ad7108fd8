"""Classifiers that a file holds, evaluated without the code that solved: which points are positive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.fields import Fields, check_list, check_numbers, check_wholes

__all__ = ["Positive", "read_network", "read_trees"]

Positive = Callable[[NDArray[np.int64]], NDArray[np.bool_]]

LARGEST_UNIT = 2**61
MOST_NODES = 10**7
FINEST_DIGITS = 18
ROUNDOFF = 2.0**-53
LEAF = -1


def read_network(fields: Fields, levels: tuple[int, ...]) -> tuple[Positive, float]:
    """Read a ReLU network: tables of first pre-activations, then layers up to one logit.

    Returns
    -------
    positive : callable
        Whether each row of codes is positive.
    cutoff : float
        What the logit has to reach.
    """
    fields.only("kind", "tables", "bias", "layers", "threshold", "rounding")
    bias = np.array(check_numbers(fields.value("bias"), fields.place("bias")))
    tables = [
        _matrix(table, f"{fields.place('tables')}[{feature}]", n, len(bias))
        for feature, (table, n) in enumerate(zip(fields.entries("tables", len(levels)), levels, strict=True))
    ]
    layers = []
    width = len(bias)
    for layer in fields.inners("layers"):
        shift = np.array(check_numbers(layer.only("weights", "bias").value("bias"), layer.place("bias")))
        layers.append((_matrix(layer.value("weights"), layer.place("weights"), width, len(shift)), shift))
        width = len(shift)
    threshold = fields.number("threshold")
    if width != 1 or threshold is None:
        raise CertificateError(f"{fields.place('layers')} must end in one number, with a threshold for it")
    largest = np.abs(bias) + sum(np.abs(table).max(axis=0) for table in tables)
    for weights, shift in layers:
        largest = largest @ np.abs(weights) + np.abs(shift)
    # Sums in another order differ by less than this share of the largest that the weights allow.
    operations = len(levels) + len(bias) + sum(len(shift) for _, shift in layers) + 8
    least = threshold - 4 * (len(layers) + 1) * operations * ROUNDOFF * float(largest[0])

    def positive(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        values = bias + sum(table[codes[:, feature]] for feature, table in enumerate(tables))
        for weights, shift in layers:
            values = np.maximum(values, 0.0) @ weights + shift
        return np.asarray(values[:, 0] >= least)

    return positive, threshold


def read_trees(fields: Fields, levels: tuple[int, ...]) -> tuple[Positive, float]:
    """Read a tree ensemble: nodes that send listed levels left, and whole numbers in the leaves.

    Returns
    -------
    positive : callable
        Whether each row of codes is positive, in whole numbers.
    cutoff : float
        The threshold on the scale of the classifier.
    """
    names = ("digits", "levels", "feature", "left", "children", "units", "roots", "intercept", "threshold")
    fields.only("kind", *names)
    if fields.wholes("levels", 1, max(levels), len(levels)) != levels:
        raise CertificateError(f"{fields.place('levels')} are not those of the problem")
    feature = np.array(fields.wholes("feature", LEAF, len(levels) - 1), dtype=np.int64)
    count = len(feature)
    if not 0 < count <= MOST_NODES:
        raise CertificateError(f"{fields.place('feature')} names {count} nodes, not 1 to {MOST_NODES}")
    goes_left = np.zeros((count, max(levels)), dtype=np.bool_)
    for node, listed in enumerate(fields.entries("left", count)):
        left = check_wholes(listed, f"{fields.place('left')}[{node}]", 0, max(levels) - 1)
        goes_left[node, list(left)] = True
    children = np.array(
        [
            check_wholes(pair, f"{fields.place('children')}[{node}]", LEAF, count - 1, 2)
            for node, pair in enumerate(fields.entries("children", count))
        ],
        dtype=np.int64,
    )
    units = np.array(fields.wholes("units", -LARGEST_UNIT, LARGEST_UNIT, count), dtype=np.int64)
    roots = fields.wholes("roots", 0, count - 1)
    threshold = fields.whole("threshold", -LARGEST_UNIT, LARGEST_UNIT)
    needed = threshold - fields.whole("intercept", -LARGEST_UNIT, LARGEST_UNIT)
    if len(roots) * int(np.abs(units).max()) > LARGEST_UNIT:
        raise CertificateError(f"{fields.place('units')} give sums beyond {LARGEST_UNIT}")

    def positive(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        totals = np.zeros(len(codes), dtype=np.int64)
        for root in roots:
            at = np.full(len(codes), root)
            steps = 0
            while (inside := np.flatnonzero(feature[at] != LEAF)).size:
                here = at[inside]
                left = goes_left[here, codes[inside, feature[here]]]
                at[inside] = children[here, np.where(left, 0, 1)]
                steps += 1
                if steps > count or (at < 0).any():
                    raise CertificateError(f"{fields.place('children')} lead from node {root} to no leaf")
            totals += units[at]
        return np.asarray(totals >= needed)

    return positive, threshold / 10 ** fields.whole("digits", 0, FINEST_DIGITS)


def _matrix(value: object, place: str, rows: int, columns: int) -> NDArray[np.float64]:
    lines = check_list(value, place, rows)
    return np.array(
        [check_numbers(line, f"{place}[{i}]", columns) for i, line in enumerate(lines)], dtype=np.float64
    ).reshape(rows, columns)
