"""Bounds on explanations, people and costs: walk through the proof and recompute everything it claims."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.actions import Actions
from oneformany.verify.answer import check_fewest_changes
from oneformany.verify.cases import CostCases, PeopleCases, check_prices, paid_by_cheapest
from oneformany.verify.claims import Claims
from oneformany.verify.listing import Groups, ListedColumns, Listing, check_all_listed, named
from oneformany.verify.problem import Problem
from oneformany.verify.proofs import LARGEST_NUMBER, Branch, Cost, Items, Numbers, Proof, Weights
from oneformany.verify.reading import IntArray, Limits, NotConfirmedError
from oneformany.verify.search import OUT_OF_REACH, GroupSearch

# A search looks at the surroundings of each row, a listing at all rows once per set of features, and at each
# set at least as long as at so many rows.
OVERHEAD = 2000
WORTH = 4
MOST_RANGES = 32
SPARE = 100
FACTOR = 4

Holds = Callable[[Weights, Problem, Items], str]
"""``check_weights``, perhaps remembered: two claims rest on one proof."""


def check_bound(claims: Claims) -> str:
    """Confirm that no fewer explanations than the proof says cover all covered rows.

    Rows of which nothing is known are not among them: a bound for fewer rows holds for more.
    """
    items, proof = claims.covered_items, claims.proof
    if not items.members:
        if claims.bound:
            raise CertificateError("no row is covered, so there is nothing to prove")
        return "no row is covered"
    if proof is None and claims.bound:
        if claims.solver is None:
            raise CertificateError(f"there is no proof that at least {claims.bound} are needed")
        raise NotConfirmedError(
            f"that at least {claims.bound} are needed is the word of the solver "
            f"{claims.solver}, which leaves no proof; method='exact' does"
        )
    if proof is None:
        return "at least 0"
    steps: Counter[str] = Counter()
    _check(proof, claims.problem, items, steps)
    done = ", ".join(f"{number} x {step}" if number > 1 else step for step, number in steps.items())
    return f"at least {proof.bound}: {done}"


def _check(proof: Proof, problem: Problem, items: Items, steps: Counter[str]) -> None:
    problem.limits.check()
    if isinstance(proof, Branch):
        if proof.bound != min(part.bound for part in proof.parts):
            raise CertificateError(f"a branch claims {proof.bound}, its two cases prove less or more")
        steps["branching"] += 1
        for part, decide in zip(proof.parts, (items.merged, items.separated), strict=True):
            _check(part, problem, decide(*proof.pair), steps)
    else:
        steps[check_weights(proof, problem, items)] += 1


def check_weights(proof: Weights, problem: Problem, items: Items) -> str:
    """Confirm all that the weights say and, where more is claimed, that the listed columns do not suffice.

    Only rows of the scope are looked at: whoever covers enough of all rows covers enough of these.
    """
    if proof.bound != proof.fewest():
        raise CertificateError(f"the proof shows that {proof.fewest()} are needed, not {proof.bound}")
    items, (weights,) = items.within(proof.scope, proof.weights)
    people = problem.people_of(items)
    for row, weight, count in zip(items.first, weights.tolist(), people.tolist(), strict=True):
        if weight > proof.scale * count:
            raise CertificateError(f"row {row} weighs more than its people count")
    _check_groups(problem, items, weights, proof.capacity + 1, [], f"weighs more than {proof.capacity}")
    exclusion = proof.exclusion
    if exclusion is None:
        return "weights that no group exceeds"
    listed = [items.indices(rows) for rows in exclusion.columns]
    floor = sum(proof.weights) - proof.scale * exclusion.at_most
    floor -= (exclusion.explanations - 1) * proof.capacity
    missing = "weighs enough to matter, but no listed column contains it"
    _check_groups(problem, items, weights, floor, listed, missing)
    cases = PeopleCases(listed, items, problem.limits, people, exclusion.at_most)
    cases.check(exclusion.tree, exclusion.explanations)
    return "listed columns that do not suffice"


def _check_groups(
    problem: Problem, items: Items, weights: IntArray, floor: int, listed: list[list[int]], what: str
) -> None:
    """Confirm that every group that weighs as much as the floor is part of a listed one.

    By all actions of each row where these are few rows; by a listing where that is quicker than a search, or
    where a search cannot tell.
    """
    columns, n = ListedColumns(listed), len(items.members)
    if not n:
        return
    decided = bool(items.apart) or any(len(rows) > 1 for rows in items.members)
    if decided and not problem.plain:
        raise NotConfirmedError(
            "this release checks proofs by branching only where rows share a point of cells"
        )
    if problem.share != "point":
        actions = Actions(problem, np.array(items.first, dtype=np.int64))
        if actions.serves(n):
            for rows in actions.groups(weights, floor):
                if not columns.contain(rows, np.zeros(len(rows), dtype=np.int64)):
                    raise CertificateError(f"{named(actions.given[rows].tolist())} {what}")
            return
    sets = comb(len(problem.levels), problem.max_changes)
    if not problem.plain or not (decided or WORTH * sets * (n + OVERHEAD) > n**2):
        check_all_listed(Listing(problem, np.array(items.first)), weights, floor, columns, what)
        return
    for group in GroupSearch(problem, items).unlisted(weights, floor, columns):
        raise CertificateError(f"{named([row for item in group for row in items.members[item]])} {what}")


def check_covered_bound(claims: Claims, holds: Holds) -> str:
    """No answer within the goal covers more people than the file says."""
    proof, k, most, told = claims.proof, claims.goal.explanations, claims.helpable, claims.covered_bound
    if isinstance(proof, Weights) and k is not None and told < most:
        holds(proof, claims.problem, claims.helpable_items)
        most -= proof.spared(k)
    if told < most:
        raise CertificateError(f"covered_bound is {told}, proved is {most}")
    return f"at most {told} people"


def check_people_bound(claims: Claims, holds: Holds) -> str:
    """No fewer explanations cover as many people as the answer, or as the goal asks for."""
    proof, people = claims.proof, claims.covered if claims.goal.explanations is not None else claims.wanted
    fewest = min(people, 1)
    if isinstance(proof, Weights) and claims.lower_bound > fewest:
        holds(proof, claims.problem, claims.helpable_items)
        fewest = max(fewest, proof.fewest(claims.helpable - people))
    if claims.lower_bound > fewest:
        raise CertificateError(f"lower_bound is {claims.lower_bound}, proved is {fewest}")
    return f"at least {claims.lower_bound} for {people} people"


class BestSavings:
    """The best so many groups, without those that save nowhere more than another one.

    A group that saves no more for any row than another one adds nothing to it: what the best k groups save is
    at most what the best k different ones do. Groups that save no more than the floor may be passed over.
    """

    def __init__(self, count: int, limits: Limits) -> None:
        self._count = count
        self._limits = limits
        self._room = FACTOR * count + SPARE
        self._pool: list[tuple[int, IntArray, IntArray]] = []
        self.floor = 0

    def add(self, groups: Groups, gains: IntArray) -> None:
        """Look at more groups, whose rows save ``(g, r)`` so much by each choice, not negative."""
        savings, everybody = groups.sums(gains), np.arange(len(groups.rows))
        # Of each bucket the best choice, and those that save more than it for some row.
        best, saved_by_row = savings.argmax(axis=0), np.where(groups.inside, gains, 0)
        bucket_of = np.searchsorted(groups.starts, everybody, side="right") - 1
        more = saved_by_row > saved_by_row[best[bucket_of], everybody]
        other = np.logical_or.reduceat(more, groups.starts, axis=1)
        other[best, np.arange(len(best))] = True
        picked = np.argwhere((savings > self.floor) & other)
        order = np.argsort(-savings[picked[:, 0], picked[:, 1]], kind="stable")
        for choice, bucket in picked[order].tolist():
            saved = int(savings[choice, bucket])
            if saved <= self.floor:
                break
            members = groups.members(choice, bucket)
            members = members[gains[choice, members] > 0]
            self._pool.append((saved, groups.rows[members], gains[choice, members]))
            if len(self._pool) > 2 * self._room:
                self._prune()

    def _prune(self) -> None:
        """Drop what others beat, and what is beyond the room."""
        kept: list[tuple[int, IntArray, IntArray]] = []
        seen = ListedColumns()
        for saved, rows, gain in sorted(self._pool, key=lambda entry: -entry[0]):
            self._limits.check()
            if saved <= self.floor:
                break
            if seen.contain(rows, -gain):
                continue
            if len(kept) == self._room:
                self.floor = saved
                break
            kept.append((saved, rows, gain))
            seen.add(rows, -gain)
        self._pool = kept

    def best(self) -> list[int]:
        """Tell what the best groups save at most, greatest first."""
        self._prune()
        found = [saved for saved, _, _ in self._pool[: self._count]]
        return [*found, *[self.floor] * (self._count - len(found))]


def check_cost_bound(claims: Claims) -> str:
    """Confirm that no answer with as few explanations and as many people costs less than the bound.

    Whoever covers a person serves it, where it is cheapest for the person. With a price per person, k
    explanations that cover R people cost at least what the R cheapest people pay, less what the k best groups
    save against the prices: for each of their rows, what the price exceeds the cost.
    """
    proof, goal, count, people = claims.cost_proof, claims.goal, claims.count, claims.covered
    told = claims.problem.told
    if proof is None:
        raise CertificateError("there is no proof of the cost bound")
    if claims.cost_bound != proof.bound:
        raise CertificateError(f"cost_bound is {told(claims.cost_bound)}, the proof says {told(proof.bound)}")
    if proof.bound > claims.cost:
        raise CertificateError(f"cost_bound {told(proof.bound)} exceeds the cost {told(claims.cost)}")
    # The proof is about all answers that cover as many people as this one, or as the share asks for.
    if goal.explanations is not None:
        count = goal.explanations
    elif goal.coverage is not None:
        people = min(people, goal.needed(int(claims.problem.people.sum())))
    if proof.explanations < count or proof.needed > people:
        raise CertificateError(
            f"the proof of the cost is about {proof.explanations} explanations for {proof.needed} people, "
            f"not {count} for {people}"
        )
    if proof.bound == 0:
        return "no cost is below 0"
    if proof.anchors is not None:
        _check_anchored(claims, proof, *proof.anchors)
    else:
        _check_listed(claims, proof)
    by = "1 explanation" if proof.explanations == 1 else f"{proof.explanations} explanations"
    return f"at least {told(proof.bound)} for {proof.needed} people by {by}"


def _check_listed(claims: Claims, proof: Cost) -> None:
    """Confirm the bound by what the best groups save, or by a search among all that could save enough.

    People outside the scope pay nothing at least: they are the cheapest of those who are needed.
    """
    problem, scale = claims.problem, proof.scale
    items, (prices,) = claims.helpable_items.within(proof.scope, proof.prices)
    if not items.members:
        raise CertificateError(f"cost_bound is {problem.told(proof.bound)}, but nobody has a price")
    people = problem.people_of(items)
    check_prices(prices, people)
    needed = max(0, proof.needed - (claims.helpable - int(people.sum())))
    rows = np.array(items.first, dtype=np.int64)
    # Groups beyond one for each row serve nobody else.
    count = min(proof.explanations, len(people))
    if _enough_by_actions(problem, rows, (prices, people), proof, count, needed):
        return
    listing = Listing(problem, rows, costed=True)

    def saved(costs: IntArray, rows: IntArray) -> IntArray:
        dear = np.minimum(costs, LARGEST_NUMBER // scale) * scale
        return np.asarray(people[rows] * np.maximum(0, prices[rows] - dear))

    def gains(groups: Groups) -> IntArray:
        return saved(groups.costs, groups.rows)

    most = saved(listing.cheapest_moves(), np.arange(len(prices)))
    savings = BestSavings(count, problem.limits)
    for groups in listing.groups(most, lambda: savings.floor + 1, gains, whole=False):
        savings.add(groups, gains(groups))
    best = savings.best()
    bound = paid_by_cheapest(prices, people, needed) - sum(best)
    least, exclusion = max(0, -(-bound // scale)), proof.exclusion
    if least >= proof.bound:
        return
    if exclusion is None or exclusion.at_most + 1 < proof.bound:
        raise CertificateError(
            f"cost_bound is {problem.told(proof.bound)}, the prices prove {problem.told(least)}"
        )
    if exclusion.explanations < proof.explanations:
        raise CertificateError("the search of the cost proof is about fewer explanations than the proof")
    columns = [items.indices(rows) for rows in exclusion.columns]
    told = zip(columns, exclusion.moves, strict=True)
    costs = [_paid(listing, np.array(rows, dtype=np.int64), moves) for rows, moves in told]
    # An answer with a group that saves less than the last of the best costs more by the difference.
    floor = (best[-1] if best else 0) - (exclusion.at_most * scale - bound)
    what = "could be used for less, but no listed column contains it at no more cost"
    check_all_listed(listing, most, floor, ListedColumns(columns, costs), what, gains)
    cases = CostCases(columns, items, problem.limits, costs, people, exclusion.at_most, needed)
    cases.check(exclusion.tree, exclusion.explanations)


def _enough_by_actions(
    problem: Problem, rows: IntArray, counted: tuple[IntArray, IntArray], proof: Cost, count: int, needed: int
) -> bool:
    """Tell whether the prices prove the bound whatever all actions of the rows save against them."""
    if problem.share == "point":
        return False
    (prices, people), actions = counted, Actions(problem, rows)
    if not actions.serves(len(rows)):
        return False
    best = np.sort(actions.savings(prices, people, proof.scale))[::-1][:count].tolist()
    least: int = paid_by_cheapest(prices, people, needed) - sum(best)
    return -(-least // proof.scale) >= proof.bound


def _paid(listing: Listing, rows: IntArray, moves: Sequence[tuple[int, int]]) -> IntArray:
    """Tell what the rows of a listed column pay; less than they would have to does no harm."""
    changed, cells = tuple(feature for feature, _ in moves), [cell for _, cell in moves]
    if listing.share == "features":
        return listing.least_costs(changed, rows)
    if not all(0 <= cell < listing.problem.levels[feature] for feature, cell in moves):
        raise CertificateError("a listed column sends rows to a cell that is not there")
    return listing.costs(changed, np.array([cells], dtype=np.int64), rows).ravel()


def _check_anchored(claims: Claims, proof: Cost, told_savings: Numbers, told_changes: Numbers) -> None:
    """Confirm that covering everybody costs at least the bound.

    The anchor of a group is the row of it that pays least, of equal ones the first. No two groups of an
    answer have the same anchor. So k explanations cost at least all prices, less what the k anchors save
    whose groups save most. A row pays for every feature in which it differs from the point of its group, and
    at least as much as its nearest change: so many changes, each where it is cheapest.
    """
    problem = claims.problem
    if not problem.plain:
        raise NotConfirmedError("this release checks anchored costs only where rows share a point of cells")
    if proof.needed < claims.helpable:
        raise CertificateError("the proof of the cost is about fewer people than there are")
    given = (proof.prices, told_savings, told_changes)
    items, (prices, savings, changes) = claims.helpable_items.within(proof.scope, *given)
    people, rows = problem.people_of(items), np.array(items.first, dtype=np.int64)
    check_prices(prices, people)
    best = sorted(savings.tolist(), reverse=True)[: proof.explanations]
    least = max(0, -(-(int(prices @ people) - sum(best)) // proof.scale))
    if least < proof.bound:
        proved = f"the prices and savings prove {problem.told(least)}"
        raise CertificateError(f"cost_bound is {problem.told(proof.bound)}, {proved}")
    check_fewest_changes(problem, rows, changes)
    dearest = 1 if problem.costs is None else max(int(table.lines.max()) for table in problem.costs)
    together = dearest * len(problem.levels)
    if together * proof.scale > LARGEST_NUMBER or together >= OUT_OF_REACH:
        raise NotConfirmedError("costs are too large to be checked in integers")
    search = GroupSearch(problem, items, costed=True)
    totals = np.cumsum(np.insert(np.sort(search.leave, axis=1), 0, 0, axis=1), axis=1)
    pays = totals[np.arange(len(rows)), changes]
    for anchor, most in enumerate(savings.tolist()):
        first, last = int(pays[anchor]), (int(prices[anchor]) - 1) // proof.scale
        # What the anchor may pay is parted into a few ranges: the narrower, the quicker.
        step = max(1, -(-(last - first + 1) // MOST_RANGES))
        ranges = [(low, min(last, low + step - 1)) for low in range(first, last + 1, step)]
        about = np.stack([prices, people, pays, np.arange(len(rows)) < anchor], axis=1)
        if pays[anchor] < OUT_OF_REACH and search.exceeds(anchor, about, most, ranges, proof.scale):
            saved = problem.told(most / proof.scale)
            raise CertificateError(f"a group in which row {rows[anchor]} pays least saves more than {saved}")
