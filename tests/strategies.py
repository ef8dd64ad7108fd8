"""Random small problems for property tests, and the same for bulk runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

MOST_FEATURES = 6
MOST_ROWS = 10
MOST_LEVELS = 4
LARGEST_SHARE = 6


@dataclass(frozen=True)
class SmallProblem:
    """A problem as plain lists, in the order of arguments of the brute force."""

    codes: list[list[int]]
    levels: list[int]
    tables: list[list[int]]
    intercept: int
    threshold: int
    max_changes: int
    allowed: list[Any] | None = None

    def arguments(self) -> dict[str, Any]:
        """The fields by name."""
        return dict(vars(self))


def random_problem(rng: np.random.Generator) -> SmallProblem:
    """Draw a problem: mostly anything, now and then one whose relaxation is hard to round."""
    return _random_cycles(rng) if rng.random() < 0.1 else _random_anything(rng)


def _random_anything(rng: np.random.Generator) -> SmallProblem:
    """Draw rows near a few centres so that groups exist; small whole shares make ties common.

    The threshold is hard to reach or anything: rows may be positive already, reachable or not.
    """
    n_features = int(rng.integers(1, MOST_FEATURES + 1, size=2).max())
    levels = rng.integers(2, MOST_LEVELS + 1, size=n_features)
    n_rows = int(rng.integers(1, MOST_ROWS + 1, size=2).max())
    centres = rng.integers(levels, size=(int(rng.integers(1, 4)), n_features))
    noise = rng.integers(levels, size=(n_rows, n_features))
    moved = rng.random((n_rows, n_features)) < rng.choice([0.2, 0.5, 0.9])
    codes = np.where(moved, noise, centres[rng.integers(len(centres), size=n_rows)])
    if rng.random() < 0.3:
        codes[rng.integers(n_rows)] = codes[rng.integers(n_rows)]
    size = int(rng.integers(1, LARGEST_SHARE + 1))
    tables = [rng.integers(-size, size + 1, size=n).tolist() for n in levels]
    best = sum(max(table) for table in tables)
    worst = sum(min(table) for table in tables)
    threshold = int(
        rng.choice([best, best - 1, best - size, rng.integers(worst, best + 2), (best + worst) // 2])
    )
    return SmallProblem(
        codes=codes.tolist(),
        levels=levels.tolist(),
        tables=tables,
        intercept=(shift := int(rng.integers(-3, 4))),
        threshold=threshold + shift,
        max_changes=int(rng.integers(1, n_features + 1, size=2).min()),
        allowed=_random_rules(rng, levels.tolist()) if rng.random() < 0.5 else None,
    )


def _random_cycles(rng: np.random.Generator) -> SmallProblem:
    """Draw unit vectors in two clusters that no change connects.

    With two changes any two rows of a cluster make a group but no three do: each cluster with an odd
    number of rows leaves a gap between the relaxation and the optimum.
    """
    n_units = int(rng.integers(3, MOST_FEATURES))
    rows = [[*np.eye(n_units, dtype=int)[unit].tolist(), side] for side in (0, 1) for unit in range(n_units)]
    kept = rng.permutation(len(rows))[: int(rng.integers(3, MOST_ROWS + 1))]
    shares = rng.integers(-1, 2, size=(n_units + 1, 2))
    return SmallProblem(
        codes=[rows[place] for place in kept],
        levels=[2] * (n_units + 1),
        tables=shares.tolist(),
        intercept=0,
        threshold=int(shares.max(axis=1).sum() - rng.integers(0, 2 * n_units)),
        max_changes=int(rng.integers(1, 4)),
        allowed=[None] * n_units + [[[1, 0], [0, 1]]],
    )


def _random_rules(rng: np.random.Generator, levels: list[int]) -> list[Any]:
    return [_random_rule(rng, n) for n in levels]


def _random_rule(rng: np.random.Generator, n: int) -> list[list[int]] | None:
    free = np.ones((n, n), dtype=int)
    rules = {
        "immutable": np.eye(n, dtype=int),
        "upwards": np.triu(free),
        "any": rng.integers(0, 2, size=(n, n)),
        "most": (rng.random((n, n)) < 0.8).astype(int),
    }
    kind = str(rng.choice(["free", *rules]))
    return None if kind == "free" else [[int(entry) for entry in row] for row in rules[kind]]


@st.composite
def small_problems(draw: st.DrawFn) -> SmallProblem:
    """Problems that shrink: fewer features, rows, levels and rules are simpler."""
    levels = draw(st.lists(st.integers(2, MOST_LEVELS), min_size=1, max_size=MOST_FEATURES))
    rows = st.tuples(*(st.integers(0, n - 1) for n in levels))
    codes = draw(st.lists(rows, min_size=1, max_size=MOST_ROWS))
    share = st.integers(-LARGEST_SHARE, LARGEST_SHARE)
    tables = [draw(st.lists(share, min_size=n, max_size=n)) for n in levels]
    best = sum(max(table) for table in tables)
    rule = [
        st.none() | st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=n, max_size=n)
        for n in levels
    ]
    intercept = draw(st.integers(-3, 3))
    return SmallProblem(
        codes=[list(row) for row in codes],
        levels=levels,
        tables=tables,
        intercept=intercept,
        threshold=intercept + best - draw(st.integers(-1, 3 * LARGEST_SHARE)),
        max_changes=draw(st.integers(1, len(levels))),
        allowed=draw(st.none() | st.tuples(*rule).map(list)),
    )
