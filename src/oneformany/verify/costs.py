"""What changes cost, as the file says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import JsonObject, check_integers, check_list

__all__ = ["LARGEST_COST", "read_costs"]

LARGEST_COST = 2**30
LARGEST_SCALE = 2**60


def read_costs(fields: JsonObject, levels: tuple[int, ...]) -> tuple[NDArray[np.int64], ...]:
    """Read one matrix ``[from][to]`` per feature; staying costs nothing."""
    fields.only("tables", "scale").integer("scale", 1, LARGEST_SCALE)
    path = fields.path("tables")
    tables = []
    for feature, table in enumerate(fields.entries("tables", len(levels))):
        where, n = f"{path}[{feature}]", levels[feature]
        rows = [
            check_integers(row, f"{where}[{i}]", 0, LARGEST_COST, n)
            for i, row in enumerate(check_list(table, where, n))
        ]
        matrix = np.array(rows, dtype=np.int64).reshape(n, n)
        if np.diagonal(matrix).any():
            raise CertificateError(f"{where} lets rows pay for staying")
        tables.append(matrix)
    return tuple(tables)
