"""The values that cells send rows to: those that are asked for, the usual ones, or those that are near."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from oneformany.arrays import IntArray
from oneformany.exceptions import InputError
from oneformany.schema.cells import DIGITS, Choice, Targets
from oneformany.schema.feature import Feature, Raw, listed, number_label
from oneformany.schema.frames import ColumnValues

# Between which quantiles of a cell a rounder number that occurs replaces its median, or the number at its
# lower (-1) or upper side. A fifth of the rows of a cell is as much on each side as it is around the median.
PARTS = {-1: (0.0, 0.2), 0: (0.4, 0.6), 1: (0.8, 1.0)}


@dataclass(frozen=True, eq=False)
class Movers:
    """Who may be sent to the cells of a column: rows by value, and whether these may go up and down."""

    rows: IntArray  # how many of them have each value
    up: bool = True
    down: bool = True

    def side(self, cells: IntArray, cell: int, regular: int) -> int:
        """From which side most of them come to a cell: 1 from above, -1 from below, 0 from both alike."""
        above = int(self.rows[(cells > cell) & (cells < regular)].sum()) * self.down
        below = int(self.rows[cells < cell].sum()) * self.up
        return (above > below) - (above < below)


def choose_targets(
    feature: Feature,
    values: ColumnValues,
    counts: IntArray,
    cells: IntArray,
    choice: Choice,
    movers: Movers | None = None,
) -> Feature:
    """Give every cell a target, or none: what is asked for it, else its most usual value.

    Of numbers it is one that the rules allow, where there are any; with ``movers`` one that is near for most
    of them. Special codes, missing and unseen values are targets only if asked for; not-a-number is the
    missing value. For each value, ``counts`` say how often it occurs in the reference data, and ``cells``
    where it lies.
    """
    low, high = choice.limits
    within = values.kind == "number" and (values.numbers >= low) & (values.numbers <= high)
    given = [feature.target(cell) for cell in range(feature.n_levels)]
    targets = dict(enumerate(given))
    for cell in range(feature.n_regular if feature.targets is None else 0):
        there = (cells == cell) & ~values.gaps
        inside = np.flatnonzero(there & (counts > 0))
        if len(inside):
            fitting = np.flatnonzero(there & (counts > 0) & within)
            side = 0 if movers is None or not feature.ordered else movers.side(cells, cell, feature.n_regular)
            targets[cell] = _usual(values, counts, fitting if len(fitting) else inside, side)
        elif there[values.codes].any():  # only rows have it: not a target; what nobody has stands for itself
            targets[cell] = None
    chosen = [*(targets | named_targets(feature, choice.targets)).values()]
    stands = chosen == given and None not in given[: feature.n_regular]  # each level for itself
    return feature if stands else replace(feature, targets=tuple(chosen))


def named_targets(feature: Feature, asked: Targets | None) -> dict[int, Raw | None]:
    """Find the cells of the targets that a user names: by label, or by a value in them.

    A value of ``None`` is not a target; the label of the missing cell as value is the missing value.
    """
    pairs = asked.items() if isinstance(asked, Mapping) else [(value, value) for value in asked or ()]
    found: dict[int, Raw | None] = {}
    for label, value in pairs:
        if (cell := feature.find(label)) is None:
            cells = listed(feature.levels)
            raise InputError(f"targets name {label!r} of {feature.name!r}, whose cells are {cells}")
        if cell in found:
            twice = feature.levels[cell]
            raise InputError(f"targets of {feature.name!r} name two values of the cell {twice!r}; keep one")
        wanted = float("nan") if cell == feature.missing_level and value is not None else value
        if wanted is not None and feature.find(wanted) != cell:
            raise InputError(
                f"the target {value!r} of {feature.name!r} does not lie in the cell {feature.levels[cell]!r}"
            )
        found[cell] = wanted
    return found


def beyond_data(feature: Feature, values: ColumnValues, cells: IntArray) -> Iterator[str]:
    """Say of each target that it lies below or above all numbers of the rows and the reference data."""
    seen = np.unique(values.codes)
    seen = seen[(cells[seen] < feature.n_regular) & ~values.gaps[seen]]
    if values.kind == "number" and len(seen):
        low, high = float(values.numbers[seen].min()), float(values.numbers[seen].max())
        for target in map(feature.target, range(feature.n_regular)):
            if isinstance(target, Real) and not low <= target <= high:
                ends = f"{number_label(low)} to {number_label(high)}"
                yield f"{feature.name} {number_label(float(target))} (all numbers there: {ends})"


def _usual(values: ColumnValues, counts: IntArray, inside: IntArray, side: int) -> Raw:
    """Choose the most frequent category, or of numbers the lower median, or the one at a side of the cell.

    A rounder number that occurs next to it replaces it.
    """
    plain: Sequence[Raw] = values.plain
    if values.kind != "number":
        return plain[int(inside[np.argmax(counts[inside])])]
    below = np.cumsum(counts[inside])
    wanted = {-1: int(inside[0]), 0: int(inside[np.searchsorted(below, below[-1] / 2)]), 1: int(inside[-1])}[
        side
    ]
    first, last = (
        min(len(inside) - 1, int(np.searchsorted(below, part * below[-1]))) for part in PARTS[side]
    )
    near = {wanted, *inside[first : last + 1].tolist()}
    digits = {index: roundness(float(plain[index])) for index in near}
    best = min(digits, key=lambda index: (digits[index], abs(index - wanted)))
    return plain[best if digits[best] < digits[wanted] else wanted]


def roundness(number: float) -> int:
    """Count the digits needed to write a finite number, trailing zeros aside: fewer is rounder."""
    return len(f"{abs(number):.{DIGITS - 1}e}".split("e")[0].replace(".", "").rstrip("0"))
