"""Names for the arrays that pass between the rooms, and how NumPy counts in all of them."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@contextmanager
def usual_arithmetic() -> Iterator[None]:
    """Let NumPy, in models too, do as it does by default, also in a program that wants errors of rounding."""
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        yield
