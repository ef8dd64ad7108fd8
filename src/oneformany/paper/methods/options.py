"""Parameters of the paper's two methods, validated once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from oneformany.exceptions import InputError

Pricing = Literal["published", "compact"]


@dataclass(frozen=True)
class CompactOptions:
    """Parameters of the compact model; the defaults add no constraint to the published ones."""

    break_symmetry: bool = False  # number the explanations by their first row, used ones first
    # Do not declare d, xi and gamma binary, as the paper does: values of the other variables that have a
    # solution have one in which these are integers.
    relax_implied: bool = True
    merge_initial: bool = True  # rows share each other's points at the start: the paper's K is smaller
    # Share of its work that HiGHS spends on looking for solutions, from 0 to 1; None: 0.05, its own choice.
    effort: float | None = 0.5
    solver: str = "highs"  # who solves: highs, gurobi, scip

    def __post_init__(self) -> None:
        if self.effort is not None and not 0.0 <= self.effort <= 1.0:
            raise InputError(f"effort is {self.effort}; it must be a share from 0 to 1, or None")


@dataclass(frozen=True)
class CgOptions:
    """Parameters of column generation; the defaults are the paper with all its refinements."""

    pricing: Pricing = "published"  # as printed, or "compact": a single constraint per row and feature
    fix_point: bool = True  # look for the largest group of the point just found
    fix_members: bool = True  # look for a point for the group just found, and as many rows more as possible
    all_solutions: bool = True  # take every violating column that the solver meets, not only its last
    pool: bool = True  # keep columns that do not violate yet, and look there first under other duals
    stop_at: float | None = None  # end the solver at a column of this weight, above 1; None: solve to the end
    merge_initial: bool = True  # rows share each other's points at the start
    solver: str = "highs"  # who solves the pricing problems and the final cover

    def __post_init__(self) -> None:
        if self.pricing not in get_args(Pricing):
            raise InputError(f'pricing is {self.pricing!r}; it must be "published" or "compact"')
        if self.stop_at is not None and not self.stop_at > 1.0:
            raise InputError(f"stop_at is {self.stop_at}; a column is of use only above 1")
