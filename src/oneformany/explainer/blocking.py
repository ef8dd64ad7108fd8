"""Why rows cannot be helped: the limit or the rule in the way, each proved by asking without it."""

import warnings
from collections.abc import Sequence
from dataclasses import replace

from oneformany.arrays import BoolArray
from oneformany.explainer.posing import moves_to_targets
from oneformany.oracles.conjunction import Conjunction
from oneformany.oracles.protocol import Oracle
from oneformany.problem import AnyRestriction, Problem
from oneformany.problem.ruled import ruled
from oneformany.result.explanation import Unreachable
from oneformany.schema.rules.combine import RowRule, Rule, allowed_moves
from oneformany.schema.schema import Schema
from oneformany.stop import Stop

LIMIT = "max_changes"
MODEL = "the model"
DATA = "the data"
ONE_REFUSES = "the model accepts none"
SECONDS = 10.0
SECONDS_PER_ROW = 0.2
SECONDS_PER_QUESTION = 0.5
MOST_NAMED = 4  # rules in the words about one row; ``blocked_by`` and the sentence about all rows have more
NUMBER_OF_CHANGES = {  # that would do, by whether any would
    True: "more changes would do, but how many is not known",
    False: "no number of changes would do",
    None: "whether more changes would help is not known",
}
Limits = tuple[Sequence[BoolArray | None], tuple[AnyRestriction, ...]]  # allowed moves, and rules on rows


def blocked_rows(
    unreachable: Sequence[Unreachable],
    problem: Problem,
    schema: Schema,
    rules: Sequence[Rule | RowRule] = (),
    stop: Stop | None = None,
) -> tuple[Unreachable, ...]:
    """Say of every unreachable row what blocks it, as far as that can be proved in time.

    That is the time left, and at most one that grows with the rows.
    """
    if not unreachable:
        return ()
    rows = list(dict.fromkeys(int(problem.row_of[entry.row]) for entry in unreachable))
    asking = _Asking(problem, schema, rules, stop or Stop())
    # Once for nothing: a first question may wait for a compiler, which is not the row's fault
    asking.helps(rows[0], problem.n_features, asking.given, SECONDS)
    most, within = SECONDS + SECONDS_PER_ROW * len(rows), "the time limit"
    if asking.stop.remaining() >= most:
        asking.stop, within = asking.stop.part(most), f"the {most:.0f} seconds that are spent on it"
    known = {row: asking.about(row, within) for row in rows}
    entries = []
    for entry in unreachable:
        needed, blocked, words = known[int(problem.row_of[entry.row])]
        base = entry.reason.partition("; ")[0]
        entries.append(Unreachable(entry.row, f"{base}; {words}", needed, blocked))
    return tuple(entries)


class _Asking:
    """Questions about single rows, with other limits and rules than those that were given."""

    def __init__(self, problem: Problem, schema: Schema, rules: Sequence[Rule | RowRule], stop: Stop) -> None:
        self.problem, self.stop = problem, stop
        self.given: Limits = problem.moves, tuple(problem.restrictions)
        self.free: Limits = moves_to_targets(schema, [None] * len(schema.features)), ()
        of_rows = [rule for rule in rules if not isinstance(rule, Rule)]
        self.without: list[tuple[str, Limits]] = []  # by the words of the rule that is lifted
        for rule in rules:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                allowed = allowed_moves(schema, [other for other in rules if other is not rule])
            both = zip(of_rows, problem.restrictions, strict=True)
            kept = tuple(restriction for other, restriction in both if other is not rule)
            # Without the rule, too, nobody is sent where there is no target
            self.without.append((str(rule), (moves_to_targets(schema, allowed), kept)))

    def about(self, row: int, within: str) -> tuple[int | None, tuple[str, ...], str]:
        """The number of changes that would do, what blocks the row, and both in words.

        Where several classifiers have to accept a row, those that accept nothing by themselves are named.
        """
        needed, blocked, words = self._about(row, within)
        joint, most = self.problem.oracle, self.problem.max_changes
        if blocked == (DATA,) or not isinstance(joint, Conjunction):
            return needed, blocked, words
        each = (name for name, one in joint.alone() if self.helps(row, most, self.given, oracle=one) is False)
        if alone := tuple(each):
            blocked = (*alone, *(name for name in blocked if name != MODEL))
            words += f"; {' and '.join(alone)} by itself accepts no allowed point within {most} changes"
        return needed, blocked, words

    def _about(self, row: int, within: str) -> tuple[int | None, tuple[str, ...], str]:
        features, most = self.problem.n_features, self.problem.max_changes
        if self.stop.expired():
            when = "before the interrupt" if self.stop.interrupted else f"within {within}"
            return None, (), f"what would help was not examined {when}"
        if not (self.problem.targets(row, self.free[0]).sum(axis=1) > 1).any():
            return None, (DATA,), "no column has another value to go to; reference data would offer some"
        ever = self.helps(row, features, self.given)
        more = () if ever is False else range(most + 1, features + 1)
        tried = ((n, self.helps(row, n, self.given)) for n in more)
        fewest, helps = next((pair for pair in tried if pair[1] is not False), (None, False))
        needed = fewest if helps else None  # if all below is proved not to help
        # Which rule alone blocks: with the changes that were allowed, or where no number helps, with any.
        changes = features if ever is False else most
        lifted = [(rule, self.helps(row, changes, limits)) for rule, limits in self.without]
        alone, unsettled = ([rule for rule, helps in lifted if helps is said] for said in (True, None))
        if ever is False and not alone:
            free = self.helps(row, features, self.free)
            if free is False:
                who = "not all accept any" if isinstance(self.problem.oracle, Conjunction) else ONE_REFUSES
                return None, (MODEL,), f"whatever changes, {who} of the targets together"
            if free and self.without:
                together = " together with ".join(rule for rule, _ in self.without)
                return None, (together,), f"{NUMBER_OF_CHANGES[False]} under these rules: {together}"
        words = NUMBER_OF_CHANGES[ever] if needed is None else f"{needed} changes would do"
        if alone:
            words += f"; could be helped without {_one_of(alone)}"
        if unsettled:
            known = "it is not known whether"
            words += f"; {known} it could be helped without {_one_of(unsettled)}"
        return needed, (*([LIMIT] if needed is not None else ()), *alone), words

    def helps(
        self,
        row: int,
        changes: int,
        limits: Limits,
        seconds: float = SECONDS_PER_QUESTION,
        oracle: Oracle | None = None,
    ) -> bool | None:
        """Whether so many changes help a row under some rules; ``None``: not known.

        That is the question to all whom a row has to convince, unless a single classifier is given.
        """
        if self.stop.expired():
            return None
        problem, (allowed, rules) = self.problem, limits
        asked = problem if oracle is None else replace(problem, oracle=oracle)
        domain, stop = problem.targets(row, allowed), self.stop.part(seconds)
        # With rules, other points are looked at where the first one breaks one
        question = replace(problem.question(row), extra=changes, domain=domain, stop=stop)
        answer = ruled(asked, row, rules).reach(question)
        return True if answer.point is not None else False if answer.proved_none else None


def _one_of(rules: Sequence[str]) -> str:
    """Name a rule or a few; of many only how many they are."""
    if len(rules) > MOST_NAMED:
        return f"one of {len(rules)} rules"
    which = "the rule " if len(rules) == 1 else "any one of these rules: "
    return which + "; ".join(f'"{rule}"' for rule in rules)
