"""The answer without its bounds: counts, rows, changes, cost, ends, and rows that are said to be beyond help.

Each check says how it was confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from oneformany.exceptions import CertificateError
from oneformany.verify.arrays import BoolArray, IntArray
from oneformany.verify.claims import Claims, Explanation
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listing import Listing
from oneformany.verify.moves import SURELY, Moves, Neighbourhood, doubt_of_point
from oneformany.verify.problem import Problem

Score = Callable[[IntArray], ArrayLike]

SCORE_SLACK = 1e-9
BATCH = 2**16


def check_counts(claims: Claims) -> str:
    """Count, bounds, goal and status fit together."""
    count, bound, goal = claims.count, claims.lower_bound, claims.goal
    if count != len(claims.explanations):
        raise CertificateError(f"count is {count}, but {len(claims.explanations)} explanations are given")
    proved = bound if goal.limited else claims.proof.bound
    if not bound == claims.bound == proved:
        raise CertificateError(
            f"lower_bound is {bound}, the certificate says {claims.bound}, its proof {claims.proof.bound}"
        )
    if bound > count:
        raise CertificateError(f"lower_bound {bound} exceeds count {count}")
    if goal.explanations is not None and count > goal.explanations:
        raise CertificateError(f"{count} explanations are given, {goal.explanations} were asked for")
    if claims.covered_bound is not None and claims.covered > claims.covered_bound:
        raise CertificateError(f"covered is {claims.covered}, covered_bound {claims.covered_bound}")
    status = _status(claims)
    if claims.status != status:
        raise CertificateError(f"status is {claims.status!r}, what is given makes it {status!r}")
    return f"{count} {'explanation' if count == 1 else 'explanations'}, at least {bound} needed: {status}"


def _status(claims: Claims) -> str:
    if len(set(claims.unreachable)) == len(claims.assignment):
        return "infeasible"
    if claims.goal.explanations is not None:
        settled = claims.covered_bound == claims.covered
    else:
        settled = claims.lower_bound == claims.count and claims.covered >= claims.wanted
    return "optimal" if settled and not claims.undecided else "feasible"


def check_assignment(claims: Claims) -> str:
    """Every row is covered, unreachable, undecided or left out, and members are the rows assigned."""
    covered = {row for row, number in enumerate(claims.assignment) if number >= 0}
    sides = {"assigned": covered}
    for name, rows in (("unreachable", claims.unreachable), ("undecided", claims.undecided)):
        if len(set(rows)) != len(rows):
            raise CertificateError(f"a row is listed as {name} twice")
        for other, taken in sides.items():
            if both := taken & set(rows):
                raise CertificateError(f"row {min(both)} is {other} although it is listed as {name}")
        sides[name] = set(rows)
    left = set(range(len(claims.assignment))) - set().union(*sides.values())
    if left and not claims.goal.limited:
        raise CertificateError(f"row {min(left)} is neither assigned nor unreachable nor undecided")
    people = int(claims.problem.people[sorted(covered)].sum())
    if claims.covered != people:
        raise CertificateError(f"covered is {claims.covered}, but {people} people are assigned")
    _check_members(claims)
    told = f"{len(covered)} of {len(claims.assignment)} rows assigned"
    told += f", {len(claims.unreachable)} unreachable, {len(claims.undecided)} undecided"
    return f"{told}, {len(left)} left out" if left else told


def _check_members(claims: Claims) -> None:
    assigned: list[list[int]] = [[] for _ in claims.explanations]
    for row, number in enumerate(claims.assignment):
        if number >= 0:
            assigned[number].append(row)
    for number, (rows, explanation) in enumerate(zip(assigned, claims.explanations, strict=True)):
        if not rows:
            raise CertificateError(f"explanation {number} explains no row")
        if sorted(explanation.members) != rows:
            raise CertificateError(f"the members of explanation {number} are not the rows assigned to it")


def check_changes(claims: Claims) -> str:
    """Members end where their explanation sends them, by few changes, allowed moves and allowed wholes."""
    problem, most = claims.problem, claims.problem.max_changes
    for number, explanation in enumerate(claims.explanations):
        problem.limits.check()
        if len(explanation.changed) > most:
            raise CertificateError(
                f"explanation {number} changes {len(explanation.changed)} features, {most} are allowed"
            )
        rows, after = problem.codes[list(explanation.members)], explanation.cells_after(problem)
        _check_moves(problem, number, explanation, rows, after)
        for restriction in problem.restrictions:
            holds = restriction.holds(rows, after)
            if not holds.all():
                row = explanation.members[int(np.argmin(holds))]
                raise CertificateError(
                    f"explanation {number} changes row {row} against a rule of the kind {restriction.kind!r}"
                )
    return f"at most {most} features changed, every move allowed"


def _check_moves(
    problem: Problem, number: int, explanation: Explanation, rows: IntArray, after: IntArray
) -> None:
    for feature in np.flatnonzero((rows != after).any(axis=0)).tolist():
        old, new = rows[:, feature], after[:, feature]
        moved = np.flatnonzero(old != new)
        if feature not in explanation.changed:
            row = explanation.members[int(moved[0])]
            raise CertificateError(
                f"row {row} must change feature {feature}, which explanation {number} keeps"
            )
        rule, targets = problem.rules[feature], problem.targets(feature)
        may = targets[new] >= 0 if rule is None else (targets[new] >= 0) & rule[old, new]
        if not may[moved].all():
            wrong = int(moved[np.argmin(may[moved])])
            raise CertificateError(
                f"explanation {number} moves feature {feature} of row {explanation.members[wrong]} "
                f"from {old[wrong]} to {new[wrong]}, which is not allowed"
            )


def check_cost(claims: Claims) -> str:
    """The cost is what all covered people change, by the costs of the file."""
    problem, total = claims.problem, 0
    for explanation in claims.explanations:
        rows = list(explanation.members)
        each = problem.cost_of(problem.codes[rows], explanation.cells_after(problem))
        counts = problem.people[rows]
        total += sum(cost * people for cost, people in zip(each.tolist(), counts.tolist(), strict=True))
    if total != claims.cost:
        raise CertificateError(f"cost is {claims.cost}, the changes cost {total}")
    return f"{total} for {claims.covered} people"


def check_points(claims: Claims) -> str:
    """Every row ends surely positive under the classifier of the file, evaluated anew."""
    kind, judge = claims.problem.classifier.kind, claims.problem.classifier.judge
    if judge is None:
        raise NotConfirmedError(f"the file does not hold the {kind} classifier; give its score to verify")
    total = 0
    for points, numbers in _batches(claims):
        claims.problem.limits.check()
        total += len(points)
        surely, possibly = judge(points)
        if not possibly.all():
            raise CertificateError(
                f"the point of explanation {numbers[int(np.argmin(possibly))]} is not positive"
            )
        if not surely.all():
            raise NotConfirmedError(
                f"the point of explanation {numbers[int(np.argmin(surely))]} is so near the threshold that "
                f"rounding decides about it under the {kind}"
            )
    return f"{total} points positive under the {kind} classifier of the file"


def check_scores(claims: Claims, score: Score) -> str:
    """Every row ends positive under the caller's own score."""
    cutoff = claims.problem.classifier.cutoff
    if cutoff is None:
        raise NotConfirmedError("the file does not tell the threshold of the score")
    total = 0
    for points, numbers in _batches(claims):
        total += len(points)
        scores = np.asarray(score(points), dtype=np.float64)
        if scores.shape != (len(points),):
            raise CertificateError(f"score returned shape {scores.shape} for {len(points)} points")
        low = ~(scores >= cutoff)
        if low.any():
            lowest = int(np.argmin(np.where(np.isnan(scores), -np.inf, scores)))
            told = f"the point of explanation {numbers[lowest]} scores {scores[lowest]}, below {cutoff}"
            if scores[lowest] >= cutoff - SCORE_SLACK * max(1.0, abs(cutoff)):
                raise NotConfirmedError(f"{told} by no more than rounding may do")
            raise CertificateError(told)
    return f"{total} points score at least {cutoff:g}"


def _batches(claims: Claims) -> Iterator[tuple[IntArray, IntArray]]:
    """Give the different ends of each explanation's members, as the classifier reads them, and its number."""
    waiting: list[IntArray] = []
    numbers: list[int] = []
    for number, explanation in enumerate(claims.explanations):
        rows = np.array(explanation.members, dtype=np.int64)
        ends = claims.problem.followed(rows, explanation.cells_after(claims.problem))
        if (ends < 0).any():
            raise CertificateError(f"explanation {number} sends rows to a cell that offers no value")
        ends = np.unique(ends, axis=0)
        waiting.append(ends)
        numbers += [number] * len(ends)
        if len(numbers) >= BATCH:
            yield np.concatenate(waiting), np.array(numbers)
            waiting, numbers = [], []
    if waiting:
        yield np.concatenate(waiting), np.array(numbers)


def check_unreachable(claims: Claims) -> str:
    """Confirm for every row that is called unreachable that nothing helps it, alone."""
    if not claims.unreachable:
        return "no row is listed"
    problem = claims.problem
    rows = problem.different(claims.unreachable)
    rows = rows[_helped_by_gains(problem, rows, problem.max_changes)]
    if not len(rows):
        return f"{len(claims.unreachable)} rows stay negative under every allowed change"
    if problem.classifier.kind == "additive" and not problem.restrictions:
        surely = rows[_helped_by_gains(problem, rows, problem.max_changes, problem.classifier.margin)]
        if len(surely):
            raise _helped(int(surely[0]))
    if problem.plain:
        for row in rows.tolist():
            if _surely_helped(problem, row, problem.max_changes):
                raise _helped(row)
    else:
        _check_all_changes(problem, rows)
    return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"


def check_fewest_changes(problem: Problem, rows: IntArray, changes: IntArray) -> None:
    """Confirm that fewer changes than said of each row help none, where all go to points of cells."""
    if (changes > problem.max_changes).any():
        raise CertificateError(f"a row is said to need more than {problem.max_changes} changes")
    some = np.flatnonzero(changes > 0)
    some = some[_helped_by_gains(problem, rows[some], changes[some] - 1)]
    for row, number in zip(rows[some].tolist(), changes[some].tolist(), strict=True):
        if problem.classifier.additive or _surely_helped(problem, row, number - 1):
            raise CertificateError(f"row {row} is said to need {number} changes, but fewer help it")


def _helped_by_gains(problem: Problem, rows: IntArray, changes: IntArray | int, margin: int = 0) -> BoolArray:
    """Tell rows whose largest gains reach what is needed: additive scores and moves alone decide so."""
    moves = Moves(problem, rows)
    if not moves.summed:
        return np.ones(len(rows), dtype=np.bool_)
    gains = np.stack([moves.most(feature) for feature in range(len(problem.levels))])
    totals = np.insert(np.cumsum(-np.sort(-gains, axis=0), axis=0), 0, 0, axis=0)
    return np.asarray(totals[changes, np.arange(len(rows))] >= moves.lacking + margin)


def _surely_helped(problem: Problem, row: int, changes: int) -> bool:
    """Look at every point that a row could move to by so many changes: whether one is surely positive."""
    doubt = doubt_of_point(problem, Neighbourhood(problem, problem.codes[[row]], budget=changes))
    if doubt is not None and doubt != SURELY:
        raise NotConfirmedError(f"row {row}: {doubt}")
    return doubt == SURELY


def _check_all_changes(problem: Problem, rows: IntArray) -> None:
    """Let every row try every allowed change of so many features, by its own values."""
    classifier = problem.classifier
    if classifier.judge is None:
        raise NotConfirmedError(f"row {rows[0]}: the file does not hold the {classifier.kind} classifier")
    listing = Listing(problem, rows, share="features")
    for groups in listing.groups(np.ones(len(rows), dtype=np.int64), lambda: 1):
        row = int(rows[groups.rows[0]])
        if not listing.moves.doubt:
            raise _helped(row)
        raise NotConfirmedError(f"row {row}: rounding decides whether it can be helped")


def _helped(row: int) -> CertificateError:
    return CertificateError(f"row {row} is listed as unreachable, but it can be helped")
