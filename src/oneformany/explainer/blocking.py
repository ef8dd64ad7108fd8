"""Why rows cannot be helped: the limit or the rule in the way, each proved by asking without it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.explainer.posing import moves_to_targets
from oneformany.oracles.protocol import Question
from oneformany.problem import Problem, Restriction
from oneformany.result.explanation import Unreachable
from oneformany.result.result import Result
from oneformany.schema.rules.combine import RowRule, Rule, allowed_moves
from oneformany.schema.schema import Schema
from oneformany.stop import Stop

LIMIT = "max_changes"
MODEL = "the model"
DATA = "the data"
SECONDS = 10.0
SECONDS_PER_ROW = 0.2
SECONDS_PER_QUESTION = 0.5


@dataclass(frozen=True, eq=False)
class _Lifted:
    """The rules that are left when one is lifted, and what to call that one."""

    name: str
    allowed: Sequence[BoolArray | None]
    restrictions: tuple[Restriction, ...]


def with_reasons(
    result: Result,
    problem: Problem,
    schema: Schema,
    rules: Sequence[Rule | RowRule] = (),
    seconds: float | None = None,
) -> Result:
    """Add to every unreachable row what blocks it, as far as that can be proved in time.

    That is the time left of a limit, and at most one that grows with the rows.
    """
    if not result.unreachable:
        return result
    rows = list(dict.fromkeys(int(problem.row_of[entry.row]) for entry in result.unreachable))
    free = _Lifted(MODEL, moves_to_targets(schema, [None] * len(schema.features), by_value=False), ())
    asking = _Asking(problem, Stop(seconds), _lifted(problem, schema, rules), free)
    asking.compile(rows[0])
    most = SECONDS + SECONDS_PER_ROW * len(rows)
    within = f"the {most:.0f} seconds that are spent on it"
    if asking.stop.remaining() < most:
        within = "the time limit"
    else:
        asking.stop = Stop(most)
    known = {row: asking.about(row, within) for row in rows}
    entries = []
    for entry in result.unreachable:
        needed, blocked, words = known[int(problem.row_of[entry.row])]
        base = entry.reason.partition("; ")[0]
        entries.append(Unreachable(entry.row, f"{base}; {words}", needed, blocked))
    return replace(result, unreachable=tuple(entries))


class _Asking:
    """Questions about single rows, with other limits and rules than those that were given."""

    def __init__(self, problem: Problem, stop: Stop, lifted: list[_Lifted], free: _Lifted) -> None:
        self.problem, self.stop, self.lifted, self.free = problem, stop, lifted, free
        self.given = _Lifted("", problem.moves, tuple(problem.restrictions))

    def compile(self, row: int) -> None:
        """Ask once for nothing: a first question may wait for a compiler, which is not the row's fault."""
        self._helps(row, self.problem.n_features, self.given, seconds=SECONDS)

    def about(self, row: int, within: str) -> tuple[int | None, tuple[str, ...], str]:
        """The number of changes that would do, what blocks the row, and both in words."""
        features, most = self.problem.n_features, self.problem.max_changes
        if self.stop.expired():
            return None, (), f"what would help was not examined within {within}"
        if not self._somewhere(row):
            return None, (DATA,), "no column has another value to go to; reference= data would offer some"
        ever = self._helps(row, features, self.given)
        needed = self._fewest(row) if ever else None
        blocked = [LIMIT] if needed is not None else []
        # Which rule alone blocks: with the changes that were allowed, or where no number helps, with any.
        changes = features if ever is False else most
        blocked += [one.name for one in self.lifted if self._helps(row, changes, one)]
        if not blocked and ever is False:
            free = self._helps(row, features, self.free)
            if free is False:
                return None, (MODEL,), "whatever changes, the model accepts none of the targets together"
            if free and self.lifted:
                together = " together with ".join(one.name for one in self.lifted)
                return None, (together,), f"no number of changes would do under these rules: {together}"
        return needed, tuple(blocked), _words(needed, blocked, ever=ever)

    def _somewhere(self, row: int) -> bool:
        """Whether some feature of a row could change, rules aside."""
        return bool((self.problem.targets(row, self.free.allowed).sum(axis=1) > 1).any())

    def _fewest(self, row: int) -> int | None:
        """The smallest number of changes that helps, if everything below is proved not to."""
        for changes in range(self.problem.max_changes + 1, self.problem.n_features + 1):
            helps = self._helps(row, changes, self.given)
            if helps is None:
                return None
            if helps:
                return changes
        return None

    def _helps(
        self, row: int, changes: int, rules: _Lifted, seconds: float = SECONDS_PER_QUESTION
    ) -> bool | None:
        """Whether so many changes help a row under some rules; ``None``: not known."""
        remaining = self.stop.remaining()
        if remaining <= 0:
            return None
        problem, values = self.problem, self.problem.values[row]
        question = Question(
            anchor=values,
            free=np.zeros(problem.n_features, dtype=np.bool_),
            extra=changes,
            domain=problem.targets(row, rules.allowed),
            stop=Stop(min(seconds, remaining)),
        )
        answer = problem.oracle.reach(question)
        if answer.point is None:
            return False if answer.proved_none else None
        before, after = problem.rows[[row]], problem.cells_of(answer.point)[None]
        return True if all(rule.holds(before, after).all() for rule in rules.restrictions) else None


def _words(needed: int | None, blocked: list[str], *, ever: bool | None) -> str:
    rules = [name for name in blocked if name != LIMIT]
    parts = []
    if needed is not None:
        parts.append(f"{needed} changes would do")
    elif ever is False:
        parts.append("no number of changes would do")
    elif ever:
        parts.append("more changes would do, but how many is not known")
    else:
        parts.append("whether more changes would help is not known")
    if rules:
        which = "the rule" if len(rules) == 1 else "any one of these rules:"
        parts.append(f"could be helped without {which} " + "; ".join(f'"{name}"' for name in rules))
    return "; ".join(parts)


def _lifted(problem: Problem, schema: Schema, rules: Sequence[Rule | RowRule]) -> list[_Lifted]:
    """For each rule what is left without it; then, too, nobody is sent where there is no target."""
    found = []
    of_rows = [rule for rule in rules if not isinstance(rule, Rule)]
    for rule in rules:
        rest = [other for other in rules if other is not rule]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            allowed = moves_to_targets(schema, allowed_moves(schema, rest), by_value=False)
        kept = tuple(
            restriction
            for other, restriction in zip(of_rows, problem.restrictions, strict=True)
            if other is not rule
        )
        found.append(_Lifted(str(rule), allowed, kept))
    return found
