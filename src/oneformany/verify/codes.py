"""Rows and points: one level per feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oneformany.exceptions import CertificateError
from oneformany.verify.json_object import check_integers

__all__ = ["MOST_LEVELS", "read_codes"]

MOST_LEVELS = 2**20


def read_codes(rows: list[object], path: str, levels: tuple[int, ...]) -> NDArray[np.int64]:
    """Read rows or points: one existing level per feature."""
    read = [
        check_integers(row, f"{path}[{i}]", 0, MOST_LEVELS - 1, len(levels)) for i, row in enumerate(rows)
    ]
    codes = np.array(read, dtype=np.int64).reshape(-1, len(levels))
    wrong = codes >= np.array(levels)
    if wrong.any():
        row, feature = (int(i) for i in np.argwhere(wrong)[0])
        raise CertificateError(
            f"{path}[{row}] has code {codes[row, feature]} in feature {feature}, "
            f"which has {levels[feature]} levels"
        )
    return codes
