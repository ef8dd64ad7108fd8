"""The question that a result file answers: rows, levels, rules, costs and the classifier."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np

from oneformany.exceptions import CertificateError, InputError
from oneformany.verify.classifiers import Classifier, read_classifier
from oneformany.verify.proofs import Items
from oneformany.verify.reading import MOST_LEVELS, BoolArray, IntArray, Json, Limits
from oneformany.verify.slack import Slack, read_ways

NO_TARGET = -1
MOST_FEATURES = 2**16
MOST_VALUES = 2**24
MOST_ROWS = 10**12
MOST_PEOPLE = 2**40
LARGEST_COST = 2**30
LARGEST_SCALE = 2**60
SHARES = ("point", "action", "features")
MEASURES = ("percentile", "log-percentile", "steps", "range")

Levels = tuple[int, ...]
Holds = Callable[[IntArray, IntArray, IntArray, IntArray], BoolArray]
"""Of ``(m, p)`` cells before and after, and what the classifier reads of the rows after and before: whether
each row may become that."""


def _numbers(given: Json, read: Levels) -> dict[int, list[float | None]]:
    """Read the number of each value of some features, or that it has none."""
    found: dict[int, list[float | None]] = {}
    for pair in given.entries():
        which, told = pair.entries(2)
        feature = which.integer(0, len(read) - 1)
        values = told.values(read[feature])
        told.same([value for value in values if value is not None]).numbers()
        found[feature] = values
    return found


def _between(given: Json, numbers: list[float | None]) -> BoolArray:
    """Tell which of some numbers lie between the ends that are given."""
    tests: dict[str, Callable[[float, float], bool]] = {
        "above": lambda number, end: number > end,
        "at_least": lambda number, end: number >= end,
        "below": lambda number, end: number < end,
        "at_most": lambda number, end: number <= end,
    }
    ends = [(tests[name], given[name].number()) for name in tests if name in given]
    if not ends:
        given.fail("must name an end: above, at_least, below or at_most")
    inside = [n is not None and all(test(n, end) for test, end in ends) for n in numbers]
    return np.array(inside, dtype=np.bool_)


def _implies(given: Json, levels: Levels, read: Levels) -> Holds:
    """If a changed row has these levels it has those; a row whose named features all stay is left alone.

    Where the ends of numbers are given instead of levels, what the row reads there afterwards lies between.
    """
    numbers = _numbers(given["numbers"], read) if "numbers" in given else {}
    parts = []
    for name in ("if", "then"):
        part = []
        for pair in given[name].entries():
            which, asked = pair.entries(2)
            feature = which.integer(0, len(levels) - 1)
            spans = isinstance(asked.value, dict)
            if spans and feature not in numbers:
                asked.fail("has ends, but numbers of the feature are missing")
            part.append(
                (
                    feature,
                    spans,
                    _between(asked, numbers[feature])
                    if spans
                    else np.isin(np.arange(levels[feature]), asked.array(0, levels[feature] - 1)),
                )
            )
        parts.append(part)
    named = sorted({feature for part in parts for feature, *_ in part})

    def holds(before: IntArray, after: IntArray, ends: IntArray, _: IntArray) -> BoolArray:
        held = []
        for part in parts:
            held.append(np.ones(len(after), dtype=np.bool_))
            for feature, spans, among in part:
                held[-1] &= among[(ends if spans else after)[:, feature]]
        untouched = (before[:, named] == after[:, named]).all(axis=1)
        return np.asarray(untouched | ~held[0] | held[1])

    return holds


def _at_least(given: Json, levels: Levels, read: Levels) -> Holds:
    """Rows that change one of two features read a first number that is at least the second, and more.

    Numbers are what their digits say, and are added without rounding.
    """
    high, low = given["features"].distinct(len(levels) - 1, 2)
    numbers = _numbers(given["numbers"], read)
    if not {high, low} <= numbers.keys():
        given["numbers"].fail("must tell the numbers of both features")
    given["plus"].number()
    plus = Fraction(repr(given["plus"].value))
    exact = {
        feature: [None if number is None else Fraction(repr(number)) for number in numbers[feature]]
        for feature in (high, low)
    }
    rising = sorted({number for number in exact[high] if number is not None})
    # How many of the different numbers each one reaches, and how many have to be reached: more than there are
    # where there is no number.
    reached = np.array([0 if one is None else bisect_right(rising, one) for one in exact[high]])
    needed = np.array(
        [len(rising) + 1 if one is None else bisect_left(rising, one + plus) + 1 for one in exact[low]]
    )

    def holds(before: IntArray, after: IntArray, ends: IntArray, _: IntArray) -> BoolArray:
        stays = (before[:, [high, low]] == after[:, [high, low]]).all(axis=1)
        return np.asarray(stays | (reached[ends[:, high]] >= needed[ends[:, low]]))

    return holds


def _at_most(given: Json, levels: Levels, read: Levels) -> Holds:
    """Rows that change the feature read a number that is at most so far from what they read before.

    ``by``, or so many parts of a hundred of the number before; both worked out from digits, without rounding.
    """
    (feature,) = given["features"].distinct(len(levels) - 1, 1)
    numbers, part = _numbers(given["numbers"], read), given["part"].value
    if feature not in numbers or not isinstance(part, bool):
        given.fail("must tell the numbers of its feature, and whether it is about a part: true or false")
    given["by"].number()
    by = Fraction(repr(given["by"].value))
    exact = [None if number is None else Fraction(repr(number)) for number in numbers[feature]]

    def near(one: int, other: int) -> bool:
        old, new = exact[one], exact[other]
        if old is None or new is None:
            return False
        return abs(new - old) <= (by * abs(old) / 100 if part else by)

    def holds(before: IntArray, after: IntArray, ends: IntArray, starts: IntArray) -> BoolArray:
        pairs = np.column_stack([starts[:, feature], ends[:, feature]])
        different, which = np.unique(pairs, axis=0, return_inverse=True)
        held = np.array([near(*pair) for pair in different.tolist()], dtype=np.bool_)[which.ravel()]
        return np.asarray((before[:, feature] == after[:, feature]) | held)

    return holds


def _linked(given: Json, levels: Levels, _: Levels) -> Holds:
    """Rows that change one of the features change all; one way: only the first needs the others."""
    named, one_way = list(given["features"].distinct(len(levels) - 1)), given["one_way"].value
    if not isinstance(one_way, bool) or len(named) < 2:
        raise CertificateError(f"{given['features'].path} must be two or more, one_way true or false")

    def holds(before: IntArray, after: IntArray, *_: IntArray) -> BoolArray:
        moved = before[:, named] != after[:, named]
        return np.asarray(~moved[:, : 1 if one_way else None].any(axis=1) | moved.all(axis=1))

    return holds


def _not_together(given: Json, levels: Levels, _: Levels) -> Holds:
    """No row changes more than one of the features."""
    named = list(given["features"].distinct(len(levels) - 1))
    return lambda before, after, *_: np.asarray((before[:, named] != after[:, named]).sum(axis=1) <= 1)


def _observed(given: Json, levels: Levels, _: Levels) -> Holds:
    """Rows that change one of the features end in cells of all of them that so many reference rows have."""
    named = list(given["features"].distinct(len(levels) - 1))
    seen = given["rows"].codes(tuple(levels[feature] for feature in named))
    counts = given["counts"].integers(0, MOST_ROWS, len(seen))
    if sum(counts) > MOST_ROWS:
        raise CertificateError(f"{given['counts'].path} are more than {MOST_ROWS} rows")
    at_least = given["at_least"].integer(1, MOST_ROWS)
    total: Counter[bytes] = Counter()
    for row, count in zip(seen, counts, strict=True):
        total[row.tobytes()] += count

    def holds(before: IntArray, after: IntArray, *_: IntArray) -> BoolArray:
        moved = (before[:, named] != after[:, named]).any(axis=1)
        different, index = np.unique(after[:, named], axis=0, return_inverse=True)
        enough = np.array([total[row.tobytes()] >= at_least for row in different], dtype=np.bool_)
        return np.asarray(~moved | enough[index.ravel()])

    return holds


KINDS: dict[str, Callable[[Json, Levels, Levels], Holds]] = {
    "at_least": _at_least,
    "at_most": _at_most,
    "implies": _implies,
    "linked": _linked,
    "not_together": _not_together,
    "observed": _observed,
}


class OwnRule(Protocol):
    """A rule on whole rows that whoever asks for a check brings along; perhaps with ``numbers``."""

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of ``(n, p)`` cells may become what it is afterwards."""


def read_rules(
    given: Sequence[Json], levels: Levels, read: Levels, own: Sequence[OwnRule]
) -> tuple[tuple[tuple[str, Holds], ...], tuple[str, ...]]:
    """Read the rules on whole rows, with what they are called, and name those that nobody can check.

    These are the user's own, or of another release. ``own`` are all of them in the order of the file, if any
    are given.
    """
    known, unknown = [], []
    for entry in given:
        kind = entry["kind"].printable(40)
        if kind in KINDS:
            known.append((kind, KINDS[kind](entry, levels, read)))
            continue
        entry.allow()
        unknown.append(entry["words"].printable(200) if entry.has("words") else kind)
    if own and len(own) != len(unknown):
        named = f": {'; '.join(unknown)}" if unknown else ""
        raise InputError(f"{len(own)} rules are given, and {len(unknown)} in the file are your own{named}")
    told = zip(unknown, own, strict=False)
    known += [(words, _held_by(rule, words)) for words, rule in told]
    return tuple(known), () if own else tuple(unknown)


def _held_by(rule: OwnRule, words: str) -> Holds:
    """Ask a rule that was brought along."""

    def holds(before: IntArray, after: IntArray, ends: IntArray, starts: IntArray) -> BoolArray:
        of = getattr(rule, "numbers", None)
        looked_at = [ends, starts] if getattr(rule, "looks_back", False) else [ends]
        numbers = [{f: np.asarray(told)[at[:, f]] for f, told in of.items()} for at in looked_at if of]
        held = np.asarray(rule.holds(before, after, *numbers))
        if held.shape != (len(before),) or held.dtype != np.bool_:
            raise InputError(f'the rule "{words}" must answer yes or no for each of {len(before)} rows')
        return held

    return holds


class Square(NamedTuple):
    """What is said of each move of a feature, of the cells that rows are in; nothing is said of staying."""

    line_of: IntArray  # (levels,)
    lines: IntArray  # (d, levels) different ones

    def at(self, before: IntArray, after: IntArray) -> IntArray:
        """Look up moves."""
        return self.lines[self.line_of[before], after]


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows to explain and the rules of the game; a cell holds values, which the classifier reads."""

    codes: IntArray  # (n, p) the cells of the given rows
    levels: Levels  # number of cells of each feature
    max_changes: int
    rules: tuple[Square | None, ...]  # 1 where a cell may become another; None: no rule
    classifier: Classifier
    limits: Limits
    values: IntArray  # (n, p) what the classifier reads of the rows: the codes, unless they have own values
    targets: tuple[IntArray, ...]  # targets[l][cell]: the value that the cell sends rows to, or NO_TARGET
    people: IntArray  # (n,) how many each row stands for
    share: str = "point"  # what the rows of one explanation have in common
    costs: tuple[Square, ...] | None = None  # of moving; None: one per changed feature
    cost_scale: int = 1  # what one unit of the user's own cost is there
    restrictions: tuple[tuple[str, Holds], ...] = ()
    unknown: tuple[str, ...] = ()  # rules on whole rows that nobody can check
    slack: Slack | None = None  # None: rows may pay whatever it costs

    @property
    def plain(self) -> bool:
        """Whether the rows of a group all end at the same point, and nothing but the point matters."""
        return self.share == "point" and self.values is self.codes and not self.restricted

    @property
    def restricted(self) -> bool:
        """Whether moves and the classifier alone do not tell who may become what."""
        return len(self.restrictions) > 0 or self.slack is not None

    @cached_property
    def kinds(self) -> IntArray:
        """A number of each given row, the same for those that the classifier cannot tell apart."""
        return np.unique(self.values, axis=0, return_inverse=True)[1].ravel()

    def different(self, rows: Sequence[int] | IntArray) -> IntArray:
        """The first of each kind among some given rows, in rising order."""
        found = np.sort(np.array(rows, dtype=np.int64))
        return np.sort(found[np.unique(self.kinds[found], return_index=True)[1]])

    def people_like(self, rows: Sequence[int]) -> IntArray:
        """Count the people of all given rows of the same kind as each of these."""
        people = np.zeros(len(self.codes), dtype=np.int64)
        np.add.at(people, self.kinds, self.people)
        return people[self.kinds[rows]]

    def people_of(self, items: Items) -> IntArray:
        """Count the people of all given rows of the same kind as a member of each item."""
        each = self.people_like([row for rows in items.members for row in rows])
        edges = np.cumsum([0, *(len(rows) for rows in items.members)])[:-1]
        return np.add.reduceat(each, edges) if len(edges) else each

    def may(self, feature: int, cells: IntArray) -> BoolArray:
        """Tell where rows in these cells of a feature may move, or are, ``(m, levels)``."""
        rule, found = self.rules[feature], np.tile(self.targets[feature] != NO_TARGET, (len(cells), 1))
        if rule is not None:
            found &= rule.lines[rule.line_of[cells]] > 0
        found[np.arange(len(cells)), cells] = True
        return found

    def followed(self, rows: IntArray, cells: IntArray) -> IntArray:
        """Tell what the classifier reads of given rows that move to ``(m, p)`` cells; -1: nothing is offered.

        Where a row is in its cell already it keeps its own value.
        """
        if self.values is self.codes:
            return cells
        sent = np.stack([to[cells[:, f]] for f, to in enumerate(self.targets)], axis=1)
        return np.where(self.codes[rows] == cells, self.values[rows], sent)

    def broken(self, rows: IntArray, cells: IntArray) -> Iterator[tuple[str, BoolArray]]:
        """Tell for each rule on whole rows its kind, and which given rows break it if they move to cells.

        A slack is one of them.
        """
        if self.slack is not None:
            yield "slack", self.paid(self.codes[rows], cells) > self.slack.most[rows]
        before, ends = self.codes[rows], self.followed(rows, cells) if self.restrictions else cells
        for kind, holds in self.restrictions:
            yield kind, ~holds(before, cells, ends, self.values[rows])

    def price(self, feature: int, before: IntArray, after: IntArray) -> IntArray:
        """Tell what moving between cells of a feature costs."""
        moved = np.asarray(before != after).astype(np.int64)
        return moved if self.costs is None else moved * self.costs[feature].at(before, after)

    def paid(self, before: IntArray, after: IntArray) -> IntArray:
        """Tell what rows pay that move between ``(m, p)`` cells."""
        moves = enumerate(zip(before.T, after.T, strict=True))
        prices = (self.price(feature, *cells) for feature, cells in moves)
        return sum(prices, np.zeros(len(before), dtype=np.int64))

    def with_slack(self, given: Json) -> Self:
        """Read what rows do alone, and how much more they may pay."""
        known, ends = read_ways(given["alone"], self.codes, self.levels)
        return replace(self, slack=Slack.of(given, known, ends, self.paid(self.codes, ends), self.cost_scale))

    def told(self, cost: float) -> str:
        """Say a cost as the user counts."""
        return f"{cost / self.cost_scale:.15g}"


def _costs(given: Json, codes: IntArray, levels: Levels) -> tuple[tuple[Square, ...], int]:
    """Read what moves cost, and how many units make one of the user's own."""
    if given.has("measure"):  # a name for these costs, which no claim depends on
        given["measure"].text(MEASURES)
    tables = enumerate(given["tables"].entries(len(levels)))
    costs = tuple(_square(table, LARGEST_COST, codes[:, f], levels[f]) for f, table in tables)
    return costs, given["scale"].integer(1, LARGEST_SCALE)


def _read_ranges(given: Json, n_features: int) -> None:
    """Read which features ranges are named of: alone, or with the ends."""
    for spans in given.entries():
        for span in spans.entries():
            ends = isinstance(span.value, dict)
            (span["feature"] if ends else span).integer(0, n_features - 1)
            for name in ("low", "high") if ends else ():
                span[name].number()


def _read_wanted(given: Json) -> None:
    """Read what answer is wanted, and from which threshold on it is given."""
    for name in ("for", "measure"):
        if given.has(name):
            given[name].text()
    if given.has("threshold"):
        given["threshold"].number()
    if isinstance(given["answer"].value, (list, dict)):
        given["answer"].fail("must be a text, a number, or true or false")


def _read_told(given: Json, n_features: int) -> None:
    """Read what no proof is about, and the digest alone binds; it has types at least."""
    readers: dict[str, Callable[[Json], object]] = {
        "rows_read": lambda told: told.integer(0, MOST_ROWS),
        "read_to_the_end": lambda told: isinstance(told.value, bool) or told.fail("must be true or false"),
        "model": lambda told: told.allow(),
        "wanted": _read_wanted,
        "rules": lambda told: [rule.text() for rule in told.entries()],
        "ranges": lambda told: _read_ranges(told, n_features),
    }
    for name, read in readers.items():
        if name in given:
            read(given[name])


def read_problem(given: Json, own: Sequence[OwnRule] = ()) -> Problem:
    """Read the question; ``own`` are the user's own rules on whole rows, which no file holds."""
    levels = given["levels"].integers(1, MOST_LEVELS)
    if not 1 <= len(levels) <= MOST_FEATURES:
        raise CertificateError(f"problem.levels names {len(levels)} features, not 1 to {MOST_FEATURES}")
    given.limits.hold(16 * sum(levels), "the levels of all features")
    _read_told(given, len(levels))
    codes = given["codes"].codes(levels)
    if not len(codes):
        raise CertificateError("problem.codes is empty; a problem has at least one row")
    if "rows" in given:  # where the rows stood in the user's frame, and which others needed no explanation
        explained = given["rows"].distinct(MOST_ROWS, len(codes))
        if not set(explained).isdisjoint(given["already_positive"].distinct(MOST_ROWS)):
            raise CertificateError("problem.rows and problem.already_positive name the same row")
    elif "already_positive" in given:
        given["already_positive"].fail("is given without problem.rows")
    people = np.ones(len(codes), dtype=np.int64)
    if "people" in given:
        people = given["people"].array(1, MOST_PEOPLE, len(codes))
        if sum(people.tolist()) > MOST_PEOPLE:
            raise CertificateError(f"{given['people'].path} are more than {MOST_PEOPLE}")
    values, sizes, targets = codes, levels, tuple(np.arange(n) for n in levels)
    if given.has("own"):
        values, sizes, targets = _own(given["own"], codes, levels)
    listed = list(given["restrictions"].entries()) if given.has("restrictions") else []
    restrictions, unknown = read_rules(listed, levels, sizes, own)
    rules: tuple[Square | None, ...] = (None,) * len(levels)
    if given["allowed"].value is not None:
        rules = tuple(
            None if rule.value is None else _square(rule, 1, codes[:, f], levels[f])
            for f, rule in enumerate(given["allowed"].entries(len(levels)))
        )
    costs, cost_scale = _costs(given["costs"], codes, levels) if given.has("costs") else (None, 1)
    problem = Problem(
        codes=codes,
        levels=levels,
        max_changes=given["max_changes"].integer(1, len(levels)),
        rules=rules,
        classifier=read_classifier(given["oracle"], sizes),
        limits=given.limits,
        values=values,
        targets=targets,
        people=people,
        share=given["share"].text(SHARES) if "share" in given else "point",
        costs=costs,
        cost_scale=cost_scale,
        restrictions=restrictions,
        unknown=unknown,
    )
    return problem.with_slack(given["slack"]) if given.has("slack") else problem


def _own(given: Json, codes: IntArray, levels: Levels) -> tuple[IntArray, Levels, tuple[IntArray, ...]]:
    """Read own values, their numbers, and targets; each lies in its row's cell, or the cell it is for."""
    cell_of, targets = [], []
    pairs = zip(given["cell_of"].entries(len(levels)), given["targets"].entries(len(levels)), strict=True)
    for n, (cells, goals) in zip(levels, pairs, strict=True):
        of = cells.array(0, n - 1)
        if not 1 <= len(of) <= MOST_VALUES:
            raise CertificateError(f"{cells.path} has {len(of)} values, not 1 to {MOST_VALUES}")
        to = goals.array(NO_TARGET, len(of) - 1, n)
        offered = np.flatnonzero(to != NO_TARGET)
        if (wrong := offered[of[to[offered]] != offered]).size:
            raise CertificateError(f"{goals.path} sends rows for cell {wrong[0]} to a value of another cell")
        cell_of.append(of)
        targets.append(to)
    read = tuple(len(of) for of in cell_of)
    given.limits.hold(32 * sum(read), "the values of all features")
    values = given["values"].codes(read, len(codes))
    cells_of_rows = np.stack([of[values[:, feature]] for feature, of in enumerate(cell_of)], axis=1)
    for row, feature in np.argwhere(cells_of_rows != codes)[:1].tolist():
        raise CertificateError(
            f"{given['values'].path}[{row}] has a value in feature {feature} that is not in the row's cell"
        )
    return values, read, tuple(targets)


def _square(given: Json, highest: int, cells: IntArray, n: int) -> Square:
    """Read a line of numbers for every level, or different lines in steps and which is whose.

    Only lines of levels that rows are in are kept.
    """
    short = isinstance(given.value, dict)
    lines = list(given["lines"].entries() if short else given.entries(n))
    line_of = given["line_of"].array(0, len(lines) - 1, n) if short else np.arange(n)
    used, index = np.unique(line_of[cells]), np.zeros(len(lines), dtype=np.int64)
    index[used] = np.arange(len(used))
    kind, wanted = np.min_scalar_type(highest), set(used.tolist())
    given.limits.hold(kind.itemsize * len(used) * n, "the moves between cells")
    square = Square(index[line_of], np.zeros((len(used), n), dtype=kind))
    for number, line in enumerate(lines):
        told = _in_steps(line, highest, n) if short else line.array(0, highest, n)
        if number in wanted:
            square.lines[index[number]] = told
    return square


def _in_steps(line: Json, highest: int, n: int) -> IntArray:
    """Read the levels from which on something else is said, and what."""
    starts, numbers = line.entries(2)
    begins = starts.array(0, n - 1)
    if begins[:1].tolist() != [0] or (np.diff(begins) <= 0).any():
        starts.fail("must rise, from 0 on")
    return np.repeat(numbers.array(0, highest, len(begins)), np.diff(begins, append=n))
