"""The smallest set of explanations by looking at every row, every set of features and every target."""

from itertools import combinations, product

import numpy as np
from scipy.optimize import LinearConstraint, milp

from oneformany.problem.own import NO_TARGET, OwnValues
from oneformany.result.build import problem_to_dict
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.result import Result


def own_of(problem):
    """Own values, also where cells are values."""
    if problem.own is not None:
        return problem.own
    every = tuple(np.arange(n) for n in problem.levels)
    return OwnValues(problem.codes, every, every)


def ends(problem, features, targets, accept):
    """Cells of all rows after following, and which rows may do so and are accepted."""
    own = own_of(problem)
    before = np.asarray(problem.codes)
    after = before.copy()
    after[:, features] = targets
    fits = np.ones(len(before), dtype=bool)
    for feature, target in zip(features, targets, strict=True):
        moves = before[:, feature] != target
        if own.targets[feature][target] == NO_TARGET:
            fits &= ~moves
        allowed = None if problem.allowed is None else problem.allowed[feature]
        if allowed is not None:
            fits &= ~moves | np.asarray(allowed, dtype=bool)[before[:, feature], target]
    for rule in problem.restrictions:
        fits &= rule.holds(before, after)
    if fits.any():
        changed = np.zeros(before.shape[1], dtype=bool)
        changed[list(features)] = True
        values = own.follow(own.values[fits], after[fits], changed)
        fits[fits] = accept(np.flatnonzero(fits), after[fits], values)
    return after, fits


def columns_of(problem, accept=None):
    """Every group of rows that one explanation can cover, with what it changes to what."""
    if accept is None:

        def accept(_rows, _cells, values):
            return problem.oracle.positive(values)

    groups = {"point": profiles, "action": everybody, "features": nobody}[problem.share]
    found = {}
    for features in combinations(range(len(problem.levels)), problem.max_changes):
        anywhere = {}
        for targets in product(*(range(problem.levels[f]) for f in features)):
            after, fits = ends(problem, features, targets, accept)
            for rows in groups(problem, features, fits):
                found.setdefault(tuple(rows), (after[rows[0]], features, None))
            for row in np.flatnonzero(fits):
                anywhere.setdefault(row, after[row])
        if problem.share == "features" and anywhere:
            rows = tuple(sorted(anywhere))
            found.setdefault(rows, (anywhere[rows[0]], features, [anywhere[row] for row in rows]))
    return found


def profiles(problem, features, fits):
    """Rows that agree in all features which are not changed."""
    rest = [f for f in range(len(problem.levels)) if f not in features]
    codes = np.asarray(problem.codes)
    for profile in np.unique(codes[fits][:, rest], axis=0):
        yield np.flatnonzero(fits & (codes[:, rest] == profile).all(axis=1))


def everybody(_problem, _features, fits):
    """All rows that may follow."""
    return [np.flatnonzero(fits)] if fits.any() else []


def nobody(_problem, _features, _fits):
    """Groups are made of all targets together."""
    return []


def smallest_cover(problem, accept=None):
    """Fewest columns that cover all rows which any column covers; and the rows that none does."""
    found = columns_of(problem, accept)
    n = len(problem.codes)
    groups = list(found)
    helped = sorted({row for group in groups for row in group})
    unreachable = tuple(sorted(set(range(n)) - set(helped)))
    if not groups:
        return [], unreachable
    matrix = np.zeros((n, len(groups)))
    for number, group in enumerate(groups):
        matrix[list(group), number] = 1
    answer = milp(
        np.ones(len(groups)),
        constraints=LinearConstraint(matrix[helped], lb=1),
        integrality=np.ones(len(groups)),
        bounds=(0, 1),
    )
    chosen = [groups[number] for number in np.flatnonzero(answer.x > 0.5)]
    return [(group, *found[group]) for group in chosen], unreachable


def solve_by_brute_force(problem, **_options):
    """Answer as the engine does, by looking at everything."""
    cover, unreachable = smallest_cover(problem)
    assignment = np.full(len(problem.codes), -1)
    explanations = []
    for group, point, features, places in cover:
        new = [number for number, row in enumerate(group) if assignment[row] < 0]
        members = tuple(int(group[number]) for number in new)
        assignment[list(members)] = len(explanations)
        ends = None if places is None else tuple(tuple(places[number].tolist()) for number in new)
        explanations.append(Explanation(tuple(point.tolist()), features, members, ends))
    return Result(
        status="infeasible" if unreachable and not explanations else "optimal",
        count=len(explanations),
        lower_bound=len(explanations),
        explanations=tuple(explanations),
        assignment=tuple(assignment.tolist()),
        unreachable=tuple(Unreachable(row, "nothing helps") for row in unreachable),
        problem=problem_to_dict(problem),
    )
