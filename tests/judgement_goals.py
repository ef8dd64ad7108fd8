"""Result files of every kind judged by brute force: all explanations, all sets of rows, in fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import ceil
from typing import Any

from judgement import EXCESSES

NEVER = 10**12
Group = dict[int, int]


def is_true_of_goals(result: dict[str, Any]) -> bool:
    """Judge a well-formed result by brute force."""
    return all(_Judge(result).findings())


class _Judge:
    """One result and its question."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.result, self.problem = result, result["problem"]
        self.codes, self.levels = self.problem["codes"], self.problem["levels"]
        self.own = self.problem.get("own")
        self.values = self.codes if self.own is None else self.own["values"]
        self.people = self.problem.get("people") or [1] * len(self.codes)
        self.share, self.most = self.problem.get("share", "point"), self.problem["max_changes"]
        self._accepted: dict[tuple[int, ...], tuple[bool, bool]] = {}

    def findings(self) -> Iterator[bool]:
        """All that has to hold."""
        yield from self._alone()
        yield from self._rows()
        yield from self._changes()
        yield from self._bounds()

    def accepts(self, values: list[int]) -> tuple[bool, bool]:
        """Whether values are surely, and whether they are possibly positive."""
        key = tuple(values)
        if key not in self._accepted:
            self._accepted[key] = _accepted(self.problem["oracle"], values)
        return self._accepted[key]

    def after(self, row: int, cells: list[int]) -> tuple[list[int], int] | None:
        """Values and cost of a row that ends in these cells, if it may."""
        before, values, cost = self.codes[row], list(self.values[row]), 0
        for feature, (old, new) in enumerate(zip(before, cells, strict=True)):
            if old == new:
                continue
            rule = None if self.problem["allowed"] is None else self.problem["allowed"][feature]
            target = new if self.own is None else self.own["targets"][feature][new]
            if target < 0 or (rule is not None and not rule[old][new]):
                return None
            values[feature] = target
            costs = self.problem.get("costs")
            cost += 1 if costs is None else costs["tables"][feature][old][new]
        rules = [rule for rule in self.problem.get("restrictions", []) if rule["kind"] != "at_most"]
        if not all(_holds(rule, before, cells) for rule in rules):
            return None
        limits = [rule for rule in self.problem.get("restrictions", []) if rule["kind"] == "at_most"]
        if not all(_goes_so_far(rule, (before, cells), (self.values[row], values)) for rule in limits):
            return None
        return values, cost

    def affordable(self, row: int, cost: int) -> bool:
        """Whether a row may pay so much, by the cheapest way that the file says it has alone."""
        slack = self.problem.get("slack")
        if slack is None or slack["alone"][row] is None:
            return True
        ended = self.after(row, self._ends_alone(row))
        times, more = Fraction(repr(slack["times"])), Fraction(repr(slack["more"]))
        scale = self.problem["costs"]["scale"] if self.problem.get("costs") else 1
        return ended is not None and cost <= times * ended[1] + more * scale

    def _ends_alone(self, row: int) -> list[int]:
        cells = list(self.codes[row])
        for feature, cell in self.problem["slack"]["alone"][row]:
            cells[feature] = cell
        return cells

    def _alone(self) -> Iterator[bool]:
        """Ways that rows have alone are allowed, surely accepted, and none possibly accepted is cheaper."""
        if self.problem.get("slack") is None:
            return
        beyond = {entry["row"] for entry in self.result["unreachable"]} | set(self.result["undecided"])
        for row, way in enumerate(self.problem["slack"]["alone"]):
            if way is None:
                yield row in beyond
                continue
            ended = self.after(row, self._ends_alone(row))
            yield ended is not None and self.accepts(ended[0])[0]
            yield (
                len(way) <= self.most
                or sum(old != new for old, new in zip(self.codes[row], self._ends_alone(row), strict=True))
                <= self.most
            )
            for cells in product(*map(range, self.levels)):
                moved = sum(old != new for old, new in zip(self.codes[row], cells, strict=True))
                other = self.after(row, list(cells)) if moved <= self.most else None
                yield (
                    other is None or ended is None or other[1] >= ended[1] or not self.accepts(other[0])[1]
                )

    @cached_property
    def kinds(self) -> list[int]:
        """First of equal rows."""
        return [row for row, values in enumerate(self.values) if self.values.index(values) == row]

    @cached_property
    def groups(self) -> list[Group]:
        """Every group of different rows, with costs; what is possibly positive counts."""
        found: list[Group] = []
        for size in range(min(self.most, len(self.levels)) + 1):
            for changed in combinations(range(len(self.levels)), size):
                goals = list(product(*(range(self.levels[feature]) for feature in changed)))
                paid = {(row, to): self._joins(row, changed, to) for row in self.kinds for to in goals}
                found += self._shared(changed, goals, paid)
        return found

    def _joins(self, row: int, changed: tuple[int, ...], to: tuple[int, ...]) -> int:
        cells = list(self.codes[row])
        for feature, cell in zip(changed, to, strict=True):
            cells[feature] = cell
        ended = self.after(row, cells)
        if ended is None or not self.affordable(row, ended[1]) or not self.accepts(ended[0])[1]:
            return NEVER
        return ended[1]

    def _shared(
        self,
        changed: tuple[int, ...],
        goals: list[tuple[int, ...]],
        paid: dict[tuple[int, tuple[int, ...]], int],
    ) -> Iterator[Group]:
        if self.share == "features":
            least = {row: min(paid[row, to] for to in goals) for row in self.kinds}
            yield {row: cost for row, cost in least.items() if cost < NEVER}
            return
        for to in goals:
            joined = {row: paid[row, to] for row in self.kinds if paid[row, to] < NEVER}
            profiles: dict[tuple[int, ...], Group] = {}
            for row, cost in joined.items():
                outside = tuple(c for f, c in enumerate(self.codes[row]) if f not in changed)
                profiles.setdefault(outside if self.share == "point" else (), {})[row] = cost
            yield from profiles.values()

    @cached_property
    def least(self) -> list[list[int]]:
        """Least cost of each set of different rows, by at most 0, 1, 2, ... explanations."""
        n = len(self.kinds)
        bit = {row: 1 << index for index, row in enumerate(self.kinds)}
        alone = [0, *[NEVER] * ((1 << n) - 1)]
        for group in self.groups:
            members = list(group)
            for size in range(1, len(members) + 1):
                for part in combinations(members, size):
                    which = sum(bit[row] for row in part)
                    alone[which] = min(alone[which], sum(group[row] * self._counts[row] for row in part))
        costs = [[0, *[NEVER] * ((1 << n) - 1)]]
        for _ in range(n):
            last, best = costs[-1], list(costs[-1])
            for rows in range(1, 1 << n):
                part = rows
                while part:
                    best[rows] = min(best[rows], last[rows ^ part] + alone[part])
                    part = (part - 1) & rows
            costs.append(best)
        return costs

    @cached_property
    def _counts(self) -> dict[int, int]:
        """People of each kind of row."""
        counts = dict.fromkeys(self.kinds, 0)
        for row, values in enumerate(self.values):
            counts[self.values.index(values)] += self.people[row]
        return counts

    def _covers(self, rows: int) -> int:
        return sum(self._counts[row] for index, row in enumerate(self.kinds) if rows >> index & 1)

    def most_people(self, explanations: int) -> int:
        """The most people that so many explanations cover."""
        costs = self.least[min(explanations, len(self.kinds))]
        return max(self._covers(rows) for rows, cost in enumerate(costs) if cost < NEVER)

    def fewest(self, people: int) -> int:
        """The fewest explanations that cover so many people."""
        return next(k for k in range(len(self.kinds) + 1) if self.most_people(k) >= people)

    def cheapest(self, explanations: int, people: int) -> int:
        """The least cost at which so many explanations cover so many people."""
        costs = self.least[min(explanations, len(self.kinds))]
        return min(cost for rows, cost in enumerate(costs) if cost < NEVER and self._covers(rows) >= people)

    def _rows(self) -> Iterator[bool]:
        result, n = self.result, len(self.codes)
        covered = [row for explanation in result["explanations"] for row in explanation["members"]]
        unreachable = [entry["row"] for entry in result["unreachable"]]
        told = [*covered, *unreachable, *result["undecided"]]
        yield len(set(told)) == len(told)
        yield "goal" in result or len(told) == n
        helpable = {row for group in self.groups for row in group}
        yield not any(self.values.index(self.values[row]) in helpable for row in unreachable)
        yield result["covered"] == sum(self.people[row] for row in covered)
        yield all(
            number == next((k for k, e in enumerate(result["explanations"]) if row in e["members"]), -1)
            for row, number in enumerate(result["assignment"])
        )

    def _changes(self) -> Iterator[bool]:
        cost = 0
        for explanation in self.result["explanations"]:
            changed = explanation["changed"]
            yield len(changed) <= self.most
            for index, row in enumerate(explanation["members"]):
                cells = list(explanation["point"])
                if self.share == "features":
                    cells = explanation["ends"][index]
                elif self.share == "action":
                    cells = [
                        c if f in changed else o
                        for f, (c, o) in enumerate(zip(cells, self.codes[row], strict=True))
                    ]
                yield all(
                    c == o or f in changed
                    for f, (c, o) in enumerate(zip(cells, self.codes[row], strict=True))
                )
                ended = self.after(row, cells)
                yield ended is not None and self.accepts(ended[0])[0] and self.affordable(row, ended[1])
                cost += self.people[row] * (0 if ended is None else ended[1])
        yield self.result.get("cost", cost) == cost

    def _bounds(self) -> Iterator[bool]:
        result, goal = self.result, self.result.get("goal") or {"explanations": None, "coverage": None}
        count, bound, covered, k = (
            result["count"],
            result["lower_bound"],
            result["covered"],
            goal["explanations"],
        )
        yield count == len(result["explanations"])
        yield bound <= count
        beyond = {entry["row"] for entry in result["unreachable"]}
        helpable = sum(n for row, n in enumerate(self.people) if row not in beyond)
        needed = helpable
        if goal["coverage"] is not None:
            needed = min(needed, max(1, ceil(round(goal["coverage"] * sum(self.people), 9))))
        if "goal" not in result:
            rows = {
                self.values.index(self.values[row]) for e in result["explanations"] for row in e["members"]
            }
            which = sum(1 << index for index, row in enumerate(self.kinds) if row in rows)
            yield self.least[bound - 1][which] >= NEVER if bound else True
        elif k is not None:
            yield count <= k
            yield covered <= result["covered_bound"] >= self.most_people(k)
            yield bound <= self.fewest(covered)
        else:
            yield result["covered_bound"] >= self.most_people(len(self.kinds))
            yield self.most_people(max(0, bound - 1)) < needed if bound else True
        settled = (
            covered == result["covered_bound"] if k is not None else bound == count and covered >= needed
        )
        status = "optimal" if settled and not result["undecided"] else "feasible"
        yield result["status"] == ("infeasible" if len(beyond) == len(self.codes) else status)
        if "cost" in result:
            yield result["cost_bound"] <= result["cost"]
            people = min(covered, needed) if goal["coverage"] is not None and k is None else covered
            yield result["cost_bound"] <= self.cheapest(count if k is None else k, people)


def _accepted(oracle: dict[str, Any], values: list[int]) -> tuple[bool, bool]:
    """Whether values are surely, and whether they are possibly positive."""
    if oracle["kind"] == "all":
        each = [_accepted(member, values) for member in oracle["members"]]
        needed = oracle.get("at_least", len(each))
        return sum(sure for sure, _ in each) >= needed, sum(may for _, may in each) >= needed
    possibly = surely = EXCESSES[oracle["kind"]](oracle, values) >= 0
    if "sure" in oracle:
        surely = EXCESSES[oracle["kind"]]({**oracle, "threshold": oracle["sure"]}, values) >= 0
        possibly = surely or (possibly and list(values) not in oracle.get("rejected", []))
        surely = surely or (possibly and list(values) in oracle.get("ties", []))
    return surely, possibly


def _goes_so_far(
    rule: dict[str, Any], cells: tuple[list[int], list[int]], values: tuple[list[int], list[int]]
) -> bool:
    """A limit on how far a number goes, by digits."""
    (feature,), ((_, numbers),) = rule["features"], rule["numbers"]
    old, new = (numbers[one[feature]] for one in values)
    if cells[0][feature] == cells[1][feature]:
        return True
    if old is None or new is None:
        return False
    by, far = Fraction(repr(rule["by"])), abs(Fraction(repr(new)) - Fraction(repr(old)))
    return far <= (abs(Fraction(repr(old))) * by / 100 if rule["part"] else by)


def _holds(rule: dict[str, Any], before: list[int], after: list[int]) -> bool:
    """A rule on a whole row, as its words say."""
    if rule["kind"] == "implies":
        named = [feature for feature, _ in (*rule["if"], *rule["then"])]
        given, wanted = (all(after[f] in levels for f, levels in rule[name]) for name in ("if", "then"))
        return all(before[f] == after[f] for f in named) or not given or wanted
    moved = [feature for feature in rule["features"] if before[feature] != after[feature]]
    if rule["kind"] == "linked":
        free = rule["features"][0] not in moved if rule["one_way"] else not moved
        return free or len(moved) == len(rule["features"])
    if rule["kind"] == "not_together":
        return len(moved) <= 1
    combination = [after[feature] for feature in rule["features"]]
    seen = sum(n for row, n in zip(rule["rows"], rule["counts"], strict=True) if row == combination)
    return not moved or seen >= rule["at_least"]
