"""What a change costs, as people say it, in the integers that the engine counts with."""

import warnings

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import FloatArray
from oneformany.exceptions import InputError
from oneformany.problem.costs import LARGEST_COST, Costs
from oneformany.schema.cells import by_name
from oneformany.schema.feature import Feature, listed
from oneformany.schema.schema import Schema

MOST_PRICED = 2**29  # moves of one feature, whose costs take 4 GB
DIGITS = (0, 1, 2, 3, 4)  # that costs may have after the point
MOST_SHOWN = 60  # letters of what cannot be read


def costs_of(given: AnyValue, schema: Schema) -> Costs:
    """Turn costs into integers: by feature what a change costs, or a table ``[from, to]``; 1 if not named."""
    named = by_name(given, "costs")
    for name in named:
        schema.index(name)
    tables = [_table(feature, named.get(feature.name, 1)) for feature in schema.features]
    digits = next((n for n in DIGITS if all(_integral(table * 10**n) for table in tables)), None)
    if digits is None:
        digits = DIGITS[-1]
        told = "costs are rounded to four digits after the point, and least cost is proved for these"
        warnings.warn(told, stacklevel=2)
    scale = 10**digits
    for feature, table in zip(schema.features, tables, strict=True):
        if (dearest := table.max(initial=0)) * scale > LARGEST_COST:
            fewer = " with so many digits after the point; write fewer, or" if digits else "; write"
            raise InputError(
                f"costs of {feature.name!r} go up to {dearest:,.15g}, and the most is "
                f"{LARGEST_COST // scale:,}{fewer} all costs in larger units, such as thousands"
            )
    units = (np.rint(table * scale).astype(np.int64) for table in tables)
    both = zip(units, schema.levels, strict=True)
    return Costs(tuple(np.where(np.eye(n, dtype=np.bool_), 0, cost) for cost, n in both), scale)


def _integral(numbers: FloatArray) -> bool:
    near = np.rint(numbers)
    return bool(((np.abs(numbers - near) <= 1e-9) & ((near > 0) == (numbers > 0))).all())


def _table(feature: Feature, cost: AnyValue) -> FloatArray:
    """Check what is said of one feature: a number, or a table of its cells."""
    n, cells = feature.n_levels, feature.levels
    needed = (
        f"costs of {feature.name!r} must be a number of at least 0, or a table of {n} x {n} such numbers "
        "with 0 for staying"
    )
    if n * n > MOST_PRICED:
        raise InputError(f"{feature.name!r} has {n:,} cells, which are too many for costs; give it fewer")
    try:
        table = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:  # words, or lines of different lengths
        text = " ".join(repr(cost).split())
        text = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."
        raise InputError(f"{needed}, not {text}") from error
    if table.ndim and table.shape != (n, n):
        shape = " x ".join(map(str, table.shape))
        raise InputError(f"{needed}, not {shape} numbers; the cells are {listed(cells)}")
    for wrong in np.argwhere(~((table >= 0) & np.isfinite(table)))[:1].tolist():
        where = " from {!r} to {!r}".format(*(cells[cell] for cell in wrong)) if wrong else ""
        raise InputError(f"{needed}, not {table[tuple(wrong)]:g}{where}")
    if table.ndim and table.diagonal().any():
        cell = int(table.diagonal().argmax())
        raise InputError(f"{needed}, not {table[cell, cell]:g} for staying at {cells[cell]!r}")
    return table
