"""The cost bound: what people pay at given prices, less what the best groups save."""

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.answer import check_fewest_changes
from oneformany.verify.cases import CostCases, check_prices, paid_by_cheapest
from oneformany.verify.claims import Claims
from oneformany.verify.kernels import NEVER
from oneformany.verify.limits import NotConfirmedError
from oneformany.verify.listed import BestSavings, ListedColumns, check_all_listed, unproved
from oneformany.verify.listing import Groups, Listing
from oneformany.verify.proofs import LARGEST_NUMBER, CostProof, Numbers
from oneformany.verify.reading import IntArray
from oneformany.verify.search import GroupSearch

MOST_RANGES = 32


def check_cost_bound(claims: Claims) -> str:
    """Confirm that no answer with as few explanations and as many people costs less than the bound.

    Whoever covers a person serves it, where it is cheapest for the person. With a price per person, k
    explanations that cover R people cost at least what the R cheapest people pay, less what the k best groups
    save against the prices: for each of their rows, what the price exceeds the cost.
    """
    proof, goal, count, people = claims.cost_proof, claims.goal, claims.count, claims.covered
    if proof is None:
        raise CertificateError("there is no proof of the cost bound")
    if claims.cost_bound != proof.bound:
        raise CertificateError(f"cost_bound is {claims.cost_bound}, the proof says {proof.bound}")
    if proof.bound > claims.cost:
        raise CertificateError(f"cost_bound {proof.bound} exceeds the cost {claims.cost}")
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
    return f"at least {proof.bound} for {proof.needed} people by {by}"


def _check_listed(claims: Claims, proof: CostProof) -> None:
    """Confirm the bound by what the best groups save, or by a search among all that could save enough."""
    problem, items = claims.problem, claims.helpable_items
    people, scale = problem.people_like(items.first), proof.scale
    prices = np.array([proof.prices[row] for row in items.first], dtype=np.int64)
    check_prices(prices, people)
    check_prices(proof.prices, np.ones(len(proof.prices), dtype=np.int64))
    listing = Listing(problem, np.array(items.first), costed=True)

    def saved(costs: IntArray, rows: IntArray) -> IntArray:
        dear = np.minimum(costs, LARGEST_NUMBER // scale) * scale
        return np.asarray(people[rows] * np.maximum(0, prices[rows] - dear))

    def gains(groups: Groups) -> IntArray:
        return saved(groups.costs, groups.rows)

    most = saved(listing.cheapest_moves(), np.arange(len(prices)))
    # Groups beyond one for each row serve nobody else.
    savings = BestSavings(min(proof.explanations, len(people)), len(people), problem.limits)
    for groups in listing.groups(most, lambda: savings.floor + 1, whole=False):
        savings.add(groups, gains(groups))
    best = savings.best()
    bound = paid_by_cheapest(prices, people, proof.needed) - sum(best)
    least, exclusion = max(0, -(-bound // scale)), proof.exclusion
    if least >= proof.bound:
        return
    if exclusion is None or exclusion.target + 1 < proof.bound:
        raise unproved(listing, f"cost_bound is {proof.bound}, the prices prove {least}")
    if exclusion.explanations < proof.explanations:
        raise CertificateError("the search of the cost proof is about fewer explanations than the proof")
    columns = [items.indices(rows) for rows, _, _ in exclusion.columns]
    told = zip(columns, exclusion.columns, strict=True)
    costs = [_paid(listing, np.array(rows, dtype=np.int64), *way) for rows, (_, *way) in told]
    # An answer with a group that saves less than the last of the best costs more by the difference.
    floor = (best[-1] if best else 0) - (exclusion.target * scale - bound)
    what = "could be used for less, but no listed column contains it at no more cost"
    check_all_listed(listing, most, floor, ListedColumns(columns, costs), what, gains)
    cases = CostCases(columns, items, problem.limits, costs, people, exclusion.target, proof.needed)
    try:
        cases.check(exclusion.tree, exclusion.explanations)
    except CertificateError as error:
        # Where rows share features only, what each pays depends on where it possibly ends.
        raise unproved(listing, str(error)) if listing.share == "features" else error from error


def _paid(listing: Listing, rows: IntArray, changed: Numbers, targets: Numbers) -> IntArray:
    """Tell what the rows of a listed column pay; less than they would have to does no harm."""
    if not len(rows):
        return rows
    if listing.share == "features":
        return listing.least_costs(changed, rows)
    if not all(0 <= cell < listing.problem.levels[f] for f, cell in zip(changed, targets, strict=True)):
        raise CertificateError("a listed column sends rows to a cell that is not there")
    return listing.moves.costs(changed, np.array([targets], dtype=np.int64), rows).ravel()


def _check_anchored(claims: Claims, proof: CostProof, told_savings: Numbers, told_changes: Numbers) -> None:
    """Confirm that covering everybody costs at least the bound.

    The anchor of a group is the row of it that pays least, of equal ones the first. No two groups of an
    answer have the same anchor. So k explanations cost at least all prices, less what the k anchors save
    whose groups save most. A row pays for every feature in which it differs from the point of its group, and
    at least as much as its nearest change: so many changes, each where it is cheapest.
    """
    problem, items = claims.problem, claims.helpable_items
    people, rows = problem.people_like(items.first), np.array(items.first)
    if not problem.plain:
        raise NotConfirmedError("this release checks anchored costs only where rows share a point of cells")
    if proof.needed < int(people.sum()):
        raise CertificateError("the proof of the cost is about fewer people than there are")
    wrong = "the cost proof names row {row}, which is a repeat or unreachable"
    given = (proof.prices, told_savings, told_changes)
    prices, savings, changes = (items.spread(numbers, wrong) for numbers in given)
    check_prices(prices, people)
    best = sorted(savings.tolist(), reverse=True)[: proof.explanations]
    least = max(0, -(-(int(prices @ people) - sum(best)) // proof.scale))
    if least < proof.bound:
        raise CertificateError(f"cost_bound is {proof.bound}, the prices and savings prove {least}")
    check_fewest_changes(problem, rows, changes)
    dearest = 1 if problem.costs is None else max(int(table.max()) for table in problem.costs)
    together = dearest * len(problem.levels)
    if together * proof.scale > LARGEST_NUMBER or together >= NEVER:
        raise NotConfirmedError("costs are too large to be checked in integers")
    search = GroupSearch(problem, items, costed=True)
    totals = np.cumsum(np.insert(np.sort(search.leave, axis=1), 0, 0, axis=1), axis=1)
    pays = totals[np.arange(len(rows)), changes]
    for anchor, most in enumerate(savings.tolist()):
        first, last = int(pays[anchor]), (int(prices[anchor]) - 1) // proof.scale
        # What the anchor may pay is parted into a few ranges: the narrower, the quicker.
        step = max(1, -(-(last - first + 1) // MOST_RANGES))
        ranges = [(low, min(last, low + step - 1), proof.scale) for low in range(first, last + 1, step)]
        about = np.stack([prices, people, pays, np.arange(len(rows)) < anchor], axis=1)
        if pays[anchor] < NEVER and search.exceeds(anchor, about, most, ranges):
            raise CertificateError(f"a group in which row {rows[anchor]} pays least saves more than {most}")
