"""Tests of helping groups alike: against all choices of columns and of whom to leave out, one by one."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import oneformany as ofm
from oneformany.engine.context import Context
from oneformany.engine.fair import Groups, solve_fair
from oneformany.engine.listing.listing import list_columns
from oneformany.exceptions import InputError
from oneformany.problem.goal import Goal
from oneformany.stop import Stop


def posed(seed):
    """Twelve random rows of two groups, and an additive classifier."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (12, 4))
    tables = [rng.integers(-3, 4, 3).astype(float) for _ in range(4)]
    oracle = ofm.AdditiveOracle(tables, threshold=float(rng.integers(3, 6)))
    refused = codes[~oracle.positive(codes)]
    problem = ofm.Problem(refused, (3,) * 4, oracle, 1, share="action")
    return problem, rng.integers(0, 2, len(refused))


def counted(problem, of):
    counts = np.zeros((len(problem.rows), 2), dtype=np.int64)
    np.add.at(counts, (problem.row_of, of), 1)
    return counts


def largest(counts, within):
    """The most people, of so many held, whom one can help alike, by trying all numbers of people."""
    held, people = counts
    best = 0
    for some in product(*(range(n + 1) for n in held)):
        shares = [Fraction(n, int(of)) for n, of in zip(some, people, strict=True)]
        if max(shares) - min(shares) <= within:
            best = max(best, sum(some))
    return best


@pytest.mark.parametrize("within", [Fraction(0), Fraction(1, 10), Fraction(3, 10)])
def test_as_many_are_helped_as_trying_all_numbers_shows(within):
    rng = np.random.default_rng(3)
    for _ in range(60):
        people = rng.integers(1, 7, 2)
        held = np.minimum(people, rng.integers(0, 7, 2))
        groups = Groups(people[None], within)
        assert groups.most(held).sum() == largest((held.tolist(), people.tolist()), within)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("number", [1, 2])
def test_no_other_columns_help_more_people_alike(seed, number):
    problem, of = posed(seed)
    if len(set(of.tolist())) < 2:
        of[0] = 1 - of[0]
    groups = Groups(counted(problem, of), Fraction(1, 5))
    table = list_columns(problem, costed=True, stop=Stop()).table
    best = 0
    for some in combinations(range(len(table)), min(number, len(table))):
        held = groups.counts[table.incidence.covered_by(np.array(some))].sum(axis=0)
        best = max(best, largest((held.tolist(), groups.people.tolist()), groups.within))
    found = solve_fair(Context(problem, Goal(explanations=number)), groups)
    assert found.bound == best
    shares = found.helped / groups.people
    assert np.ptp(shares) <= 0.2 + 1e-12
    assert found.result.covered == found.helped.sum() <= best
    if (np.minimum(groups.counts[:, 0], groups.counts[:, 1]) == 0).all() and groups.counts.max() == 1:
        assert found.result.covered == best  # nobody is tied to somebody of the other group
    assert found.result.verify().ok
    members = sorted(row for one in found.result.explanations for row in one.members)
    assert np.bincount(of[members], minlength=2).tolist() == found.helped.tolist()


@pytest.mark.parametrize("seed", range(8))
def test_no_fewer_columns_help_a_share_alike(seed):
    problem, of = posed(seed)
    of[0], of[-1] = 0, 1
    groups = Groups(counted(problem, of), Fraction(1, 4))
    table = list_columns(problem, costed=True, stop=Stop()).table
    needed = Goal(coverage=0.5).needed(len(problem.codes))
    fewest = None
    for number in range(1, len(table) + 1):
        for some in combinations(range(len(table)), number):
            held = groups.counts[table.incidence.covered_by(np.array(some))].sum(axis=0)
            if groups.most(held).sum() >= needed:
                fewest = number
        if fewest:
            break
    asked = Context(problem, Goal(coverage=0.5))
    if fewest is None:
        with pytest.raises(InputError, match="lower coverage= or raise within="):
            solve_fair(asked, groups)
    else:
        found = solve_fair(asked, groups)
        assert found.bound == fewest == found.result.count


def test_where_time_is_up_the_bound_holds_all_the_same():
    problem, of = posed(1)
    groups = Groups(counted(problem, of), Fraction(1, 5))
    run = Context(problem, Goal(explanations=2))
    whole = solve_fair(run, groups)
    cut = solve_fair(Context(problem, Goal(explanations=2), Stop(0.0)), groups)
    assert cut.bound >= whole.bound
