"""Columns, and how a solver's numbers become one: nothing is taken on trust."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError, SolverError
from oneformany.problem import Problem


def check_asked(problem: Problem) -> None:
    """Refuse what the paper does not ask: its formulas would answer another question."""
    beyond = {
        f'share="{problem.share}"': problem.share != "point",
        "rows with values of their own": problem.own is not None,
        "restrictions on whole rows": bool(problem.restrictions),
    }
    found = [words for words, present in beyond.items() if present]
    if found:
        raise InputError(f'the paper\'s methods do not take {" or ".join(found)}; use method="exact"')


@dataclass(frozen=True, eq=False)
class PaperRows:
    """The distinct rows of a problem that can be helped; the other files here number rows likewise."""

    problem: Problem  # where they come from
    index: IntArray  # (n,): for each of them its index among the problem's distinct rows

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def codes(self) -> IntArray:
        """Their codes."""
        return self.problem.rows[self.index]


@dataclass(frozen=True, eq=False)
class PaperColumn:
    """A positive point, the features it changes, and the rows that share it."""

    point: IntArray
    changed: BoolArray
    group: IntArray

    @property
    def key(self) -> bytes:
        """Equal for columns that the master cannot tell apart."""
        return self.group.tobytes()


def confirmed_column(rows: PaperRows, point: IntArray, group: IntArray) -> PaperColumn | None:
    """Make a column of a point and a group; ``None`` when the classifier itself turns the point down.

    Raises
    ------
    SolverError
        The group changes too many features, or in ways that are not allowed.
    """
    problem = rows.problem
    if not problem.oracle.positive(point[None])[0]:
        return None
    given = rows.codes[group]
    changed = (given != point).any(axis=0)
    allowed = problem.may_move(given, point)
    if changed.sum() > problem.max_changes or not allowed.all():
        raise SolverError(
            f"the solver explains rows {rows.index[group].tolist()} by the point {point.tolist()}, "
            "which breaks its own constraints; try another solver"
        )
    return PaperColumn(point, changed, group)
