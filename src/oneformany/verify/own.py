"""Own values: what the classifier reads of each row, where cells are coarser than that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.codes import MOST_LEVELS, read_codes
from oneformany.verify.json_object import JsonObject, check_integers
from oneformany.verify.limits import Limits

__all__ = ["NO_TARGET", "OwnValues", "read_own"]

NO_TARGET = -1

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OwnValues:
    """The rows' own values, the cell of each value, and the value that a cell sends rows to.

    Attributes
    ----------
    values : (n, p) integer array
        One value per row and feature.
    cell_of : tuple of p integer arrays
        ``cell_of[l][value]``.
    targets : tuple of p integer arrays
        ``targets[l][cell]``, or ``NO_TARGET``.
    """

    values: IntArray
    cell_of: tuple[IntArray, ...]
    targets: tuple[IntArray, ...]


def read_own(fields: JsonObject, codes: IntArray, levels: tuple[int, ...], limits: Limits) -> OwnValues:
    """Read own values; every value lies in its row's cell, every target in the cell it is for."""
    fields.only("values", "cell_of", "targets")
    cell_of, targets = [], []
    given = zip(fields.entries("cell_of", len(levels)), fields.entries("targets", len(levels)), strict=True)
    for feature, (cells, goals) in enumerate(given):
        path = f"{fields.path('cell_of')}[{feature}]"
        of = np.array(check_integers(cells, path, 0, levels[feature] - 1), dtype=np.int64)
        if not 1 <= len(of) <= MOST_LEVELS:
            raise CertificateError(f"{path} has {len(of)} values, not 1 to {MOST_LEVELS}")
        path = f"{fields.path('targets')}[{feature}]"
        to = np.array(check_integers(goals, path, NO_TARGET, len(of) - 1, levels[feature]), dtype=np.int64)
        offered = np.flatnonzero(to != NO_TARGET)
        if (wrong := offered[of[to[offered]] != offered]).size:
            raise CertificateError(f"{path} sends rows for cell {wrong[0]} to a value of another cell")
        cell_of.append(of)
        targets.append(to)
    read = tuple(len(of) for of in cell_of)
    limits.hold(32 * sum(read), "the values of all features")
    values = read_codes(fields.entries("values", len(codes)), fields.path("values"), read)
    cells_of_rows = np.stack([of[values[:, feature]] for feature, of in enumerate(cell_of)], axis=1)
    if (cells_of_rows != codes).any():
        row, feature = (int(i) for i in np.argwhere(cells_of_rows != codes)[0])
        raise CertificateError(
            f"{fields.path('values')}[{row}] has a value in feature {feature} that is not in the row's cell"
        )
    return OwnValues(values, tuple(cell_of), tuple(targets))
