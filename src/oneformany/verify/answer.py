"""The answer without its bounds: counts, rows, changes, cost, ends, and rows that are said to be beyond help.

Each check says how it was confirmed.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from oneformany.exceptions import CertificateError
from oneformany.verify.actions import FEW, Actions
from oneformany.verify.claims import Claims
from oneformany.verify.listing import Listing
from oneformany.verify.points import Near
from oneformany.verify.problem import Problem
from oneformany.verify.reading import BoolArray, IntArray, NotConfirmedError

Score = Callable[[IntArray], ArrayLike]
Sample = Mapping[str, int]
"""How many people were drawn, and how many of them are covered, unreachable, undecided and left out."""

# A sample contradicts a number where it is so many standard deviations away: less than once in a million of
# right files; a share of 0.9 that is really 0.8 is noticed in a sample of 300.
DEVIATIONS, FEWEST_OF_SAMPLE = 5, 100

SCORE_SLACK = 1e-9
BATCH = 2**16


def check_counts(claims: Claims) -> str:
    """Count, bounds, goal and status fit together."""
    count, bound, goal = claims.count, claims.lower_bound, claims.goal
    if count != len(claims.explanations):
        raise CertificateError(f"count is {count}, but {len(claims.explanations)} explanations are given")
    proved = 0 if claims.proof is None else claims.proof.bound
    if goal.limited or (claims.proof is None and claims.solver is not None):
        proved = bound
    if not bound == claims.bound == proved:
        raise CertificateError(
            f"lower_bound is {bound}, the certificate says {claims.bound}, its proof {proved}"
        )
    if bound > count:
        raise CertificateError(f"lower_bound {bound} exceeds count {count}")
    if goal.explanations is not None and count > goal.explanations:
        raise CertificateError(f"{count} explanations are given, {goal.explanations} were asked for")
    if claims.covered > claims.covered_bound:
        raise CertificateError(f"covered is {claims.covered}, covered_bound {claims.covered_bound}")
    if goal.explanations is not None:
        settled = claims.covered_bound == claims.covered
    else:
        settled = bound == count and claims.covered >= claims.wanted
    status = "optimal" if settled and not claims.open else "feasible"
    if len(set(claims.unreachable)) == len(claims.assignment) and not claims.helpable:
        status = "infeasible"
    if claims.status != status:
        raise CertificateError(f"status is {claims.status!r}, what is given makes it {status!r}")
    return f"{count} {'explanation' if count == 1 else 'explanations'}, at least {bound} needed: {status}"


def check_assignment(claims: Claims) -> str:
    """Every row is covered, unreachable, undecided or left out, and members are the rows assigned."""
    covered = set(claims.covered_rows.tolist())
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
    people = int(claims.problem.people[claims.covered_rows].sum()) + claims.others.covered
    if claims.covered != people:
        raise CertificateError(f"covered is {claims.covered}, but {people} people are assigned")
    assigned: list[list[int]] = [[] for _ in claims.explanations]
    for row in claims.covered_rows.tolist():
        assigned[claims.assignment[row]].append(row)
    for number, (mine, explanation) in enumerate(zip(assigned, claims.explanations, strict=True)):
        if not mine or sorted(explanation.members) != mine:
            unlike = f"the members of explanation {number} are not the rows assigned to it"
            raise CertificateError(unlike if mine else f"explanation {number} explains no row")
    told = f"{len(covered)} of {len(claims.assignment)} rows assigned"
    told += f", {len(claims.unreachable)} unreachable, {len(claims.undecided)} undecided"
    return f"{told}, {len(left)} left out" if left else told


def check_others(claims: Claims, sample: Sample | None) -> str:
    """The numbers of other people fit what the caller found of some of them, drawn at random."""
    others = claims.others
    told = {"covered": others.covered, "unreachable": others.unreachable, "undecided": others.undecided}
    counted = f"of {others.people} people the file holds only numbers"
    if not others.people:
        return "there are none"
    if sample is None:
        raise NotConfirmedError(
            f"{counted}; result.verify(model=explainer, frame=sample) looks at some of their rows"
        )
    number = sample["people"]
    if number < min(others.people, FEWEST_OF_SAMPLE):
        raise NotConfirmedError(
            f"{counted}, and {number} refused rows are too small a sample; take {FEWEST_OF_SAMPLE}"
        )
    for name, people in {**told, "left_out": others.left_out}.items():
        share, found = people / others.people, sample[name]
        spread = DEVIATIONS * (number * share * (1 - share)) ** 0.5
        if abs(found - number * share) > spread + (0 < share < 1):
            what = f"{people} of {others.people} other people are said to be {name.replace('_', ' ')}"
            raise CertificateError(f"{what}, but {found} of {number} in the sample are")
    return f"{counted}; {number} of them in a sample are as these numbers say"


def check_changes(claims: Claims) -> str:
    """Rows end where their explanation sends them, by few changes, allowed moves and allowed wholes."""
    problem, most = claims.problem, claims.problem.max_changes
    told = np.zeros((len(claims.explanations), len(problem.levels)), dtype=np.bool_)
    for number, explanation in enumerate(claims.explanations):
        if len(explanation.changed) > most:
            raise CertificateError(
                f"explanation {number} changes {len(explanation.changed)} features, {most} are allowed"
            )
        told[number, list(explanation.changed)] = True
    before, after = problem.codes[claims.covered_rows], claims.cells_after[claims.covered_rows]
    for feature in np.flatnonzero((before != after).any(axis=0)).tolist():
        problem.limits.check()
        moved = np.flatnonzero(before[:, feature] != after[:, feature])
        rows, old, new = claims.covered_rows[moved], before[moved, feature], after[moved, feature]
        numbers = claims.assignment[rows]
        for index in np.flatnonzero(~told[numbers, feature])[:1]:
            raise CertificateError(
                f"row {rows[index]} must change feature {feature}, which explanation {numbers[index]} keeps"
            )
        rule = problem.rules[feature]
        may = (problem.targets[feature][new] >= 0) & (rule is None or rule.at(old, new) > 0)
        for index in np.flatnonzero(~may)[:1]:
            raise CertificateError(
                f"explanation {numbers[index]} moves feature {feature} of row {rows[index]} "
                f"from {old[index]} to {new[index]}, which is not allowed"
            )
    for kind, broken in problem.broken(claims.covered_rows, after):
        problem.limits.check()
        for row in claims.covered_rows[broken][:1]:
            raise CertificateError(
                f"explanation {claims.assignment[row]} changes row {row} against a rule of the kind {kind!r}"
            )
    return f"at most {most} feature{'s' * (most > 1)} changed, every move allowed"


def check_own_rules(claims: Claims) -> str:
    """Nobody can tell whether rules are kept that no file holds."""
    raise NotConfirmedError(not_known(claims.problem))


def not_known(problem: Problem) -> str:
    """Say which rules nobody can check, and what to do."""
    named = "; ".join(f'"{words}"' for words in problem.unknown)
    several = len(problem.unknown) > 1
    what = (
        "the rules {} are your own, or of another release"
        if several
        else "the rule {} is your own, or of another release"
    )
    return f"{what.format(named)}; result.verify(rules=[...]) takes {'them' if several else 'it'} again"


def _nothing(before: IntArray, *_: IntArray) -> BoolArray:
    return np.zeros(len(before), dtype=np.bool_)


NOTHING_ALLOWED = ("a rule that forbids everything", _nothing)


def check_cost(claims: Claims) -> str:
    """The cost is what all covered people change, by the costs of the file."""
    problem, rows = claims.problem, claims.covered_rows
    each = problem.paid(problem.codes[rows], claims.cells_after[rows])
    people = problem.people[rows].tolist()
    total = sum(cost * count for cost, count in zip(each.tolist(), people, strict=True))
    if total != claims.cost:
        raise CertificateError(f"cost is {problem.told(claims.cost)}, the changes cost {problem.told(total)}")
    return f"{problem.told(total)} for {claims.covered} people"


def check_points(claims: Claims) -> str:
    """Every row ends surely positive under the classifier of the file, evaluated anew."""
    classifier, total = claims.problem.classifier, 0
    if not len(claims.covered_rows):
        return "no row is covered"
    if classifier.missing:
        raise NotConfirmedError(
            f"the file does not hold the {classifier.missing} classifier; give its score to verify"
        )
    for points, numbers in _batches(claims):
        total += len(points)
        surely, possibly = classifier.judge(points)
        for number in numbers[~possibly][:1]:
            raise CertificateError(f"the point of explanation {number} is not positive")
        for number in numbers[~surely][:1]:
            raise NotConfirmedError(
                f"the point of explanation {number} is so near the threshold that "
                f"rounding decides about it under {classifier.told}"
            )
    return f"{_ended(claims, total)} positive under {classifier.told} of the file"


def check_scores(claims: Claims, score: Score) -> str:
    """Every row ends positive under the caller's own score."""
    cutoff, total = claims.problem.classifier.cutoff, 0
    if cutoff is None:
        raise NotConfirmedError("the file does not tell the threshold of the score")
    for points, numbers in _batches(claims):
        total += len(points)
        scores = np.asarray(score(points), dtype=np.float64)
        if scores.shape != (len(points),):
            raise CertificateError(f"score returned shape {scores.shape} for {len(points)} points")
        if not (scores >= cutoff).all():
            lowest = int(np.argmin(np.where(np.isnan(scores), -np.inf, scores)))
            told = f"the point of explanation {numbers[lowest]} scores {scores[lowest]}, below {cutoff}"
            if scores[lowest] >= cutoff - SCORE_SLACK * max(1.0, abs(cutoff)):
                raise NotConfirmedError(f"{told} by no more than rounding may do")
            raise CertificateError(told)
    return f"{_ended(claims, total)} with a score of at least {cutoff:g}"


def _ended(claims: Claims, total: int) -> str:
    """Say how many rows end at how many points: rows that are alike afterwards are looked at once."""
    rows = len(claims.covered_rows)
    return f"{rows} row{'s' if rows != 1 else ''} at {total} different point{'s' if total != 1 else ''}:"


def _batches(claims: Claims) -> Iterator[tuple[IntArray, IntArray]]:
    """Give the different ends of each explanation's rows, as the classifier reads them, and its number."""
    rows = claims.covered_rows
    numbers, ends = claims.assignment[rows], claims.problem.followed(rows, claims.cells_after[rows])
    for number in numbers[(ends < 0).any(axis=1)][:1]:
        raise CertificateError(f"explanation {number} sends rows to a cell that offers no value")
    different = np.unique(np.column_stack([numbers, ends]), axis=0)
    for first in range(0, len(different), BATCH):
        claims.problem.limits.check()
        yield different[first : first + BATCH, 1:], different[first : first + BATCH, 0]


def check_unreachable(claims: Claims) -> str:
    """Confirm for every row that is called unreachable that nothing helps it, alone."""
    if not claims.unreachable:
        return "no row is listed"
    problem, wrong = claims.problem, "is listed as unreachable, but it can be helped"
    rows = problem.different(claims.unreachable)
    if _check_unhelped(problem, rows, np.full(len(rows), problem.max_changes), wrong):
        return f"{len(claims.unreachable)} rows stay negative: every point around them was looked at"
    return f"{len(claims.unreachable)} rows stay negative under every allowed change"


def check_fewest_changes(problem: Problem, rows: IntArray, changes: IntArray) -> None:
    """Confirm that fewer changes than said of each row help none, where all go to points of cells."""
    if (changes > problem.max_changes).any():
        raise CertificateError(f"a row is said to need more than {problem.max_changes} changes")
    some = changes > 0
    _check_unhelped(problem, rows[some], changes[some] - 1, "is said to need more changes, but fewer help it")


def _check_unhelped(problem: Problem, rows: IntArray, changes: IntArray, wrong: str) -> bool:
    """Confirm that so many changes help no row; tell whether points had to be looked at."""
    if problem.classifier.summed:
        # The largest gains: without rules on whole rows these help, beyond the margin surely.
        listing = Listing(problem, rows)
        totals = np.cumsum(-np.sort(-np.stack(listing.most), axis=0), axis=0)
        reached = np.insert(totals, 0, 0, axis=0)[changes, np.arange(len(rows))] - listing.lacking
        for row in rows[reached >= problem.classifier.margin][:1] if not problem.restricted else ():
            raise CertificateError(f"row {row} {wrong}")
        rows, changes = rows[reached >= 0], changes[reached >= 0]
    every, near = np.arange(len(problem.levels)), Near(problem, rows)
    if len(rows) <= FEW and not problem.classifier.missing and (changes == problem.max_changes).all():
        could = near.reached(near.cells, np.arange(len(rows)), np.ones(len(every), dtype=np.bool_))
        actions = Actions(problem, rows[could])
        if actions.are_few:
            for index in range(len(actions.given)):
                if actions.followed_by(index).any():
                    raise CertificateError(f"row {actions.given[index]} {wrong}")
            return len(rows) > 0
    helped = near.positive_row(every[:0], every, changes)
    if helped is not None:
        raise CertificateError(f"row {helped} {wrong}")
    return len(rows) > 0
