"""What stands at the end of a run as proofs on the rows as they were given."""

from __future__ import annotations

import numpy as np

from engine.table.tables import names_of, random_table, table_of
from oneformany.engine.certificate import Proofs
from oneformany.engine.cover.duals import RowWeights
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.standing import Cases, nothing_known
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.fewest import solve_cover
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem


def problem_with(given):
    """A problem of these rows; distinct ones are numbered as they first appear."""
    levels = max(given) + 1
    return Problem([[row] for row in given], (levels,), AdditiveOracle([np.arange(levels)], threshold=0), 1)


def proofs_of(problem, table, unreachable=()):
    beyond = np.zeros(table.n_rows, dtype=np.bool_)
    beyond[list(unreachable)] = True
    return Proofs(problem, beyond)


def tree_rows(tree):
    """The rows that a tree names: of its filters, the one that is covered, of its parts."""
    own = [row for pairs in tree["filters"] for rows, _ in pairs for row in np.atleast_1d(rows).tolist()]
    own += [tree[name] for name in ("item", "row") if name in tree]
    return [*own, *(row for part in tree.get("parts", []) for row in tree_rows(part))]


def test_weights_stand_on_the_first_of_equal_rows():
    problem = problem_with([0, 0, 1, 0, 2])
    assert problem.rows[:, 0].tolist() == [0, 1, 2]
    table = table_of([[1, 2]], 3)
    known = nothing_known(table).by_weights(RowWeights(np.array([5, 6, 7]), 7, np.array([13])))
    dual, one = (proofs_of(problem, table).cover(standing) for standing in (known, nothing_known(table)))
    assert (dual.scope, dual.weights) == ((0, 2, 4), (5, 6, 7))
    assert (one.scope, one.weights, one.bound) == ((2,), (1,), 1)


def test_where_weights_say_as_much_as_a_tree_they_are_the_proof():
    table = table_of([[0, 1], [1, 2], [0, 2]], 3)
    proof = proofs_of(problem_with([0, 1, 1, 2]), table).cover(solve_cover(table))
    assert proof.exclusion is None
    assert proof.bound == 2


def test_a_tree_over_columns_names_given_rows():
    table = random_table(0, 36, 110, 4)
    answer = solve_cover(table)
    given = np.repeat(np.arange(36), 2).tolist()
    proof = proofs_of(problem_with(given), table).cover(answer)
    assert proof.bound == answer.bound == len(answer.chosen)
    named = [{given[row] for row in rows} for rows in proof.exclusion.columns]
    assert named == [set(rows) for rows, _ in names_of(answer.exclusion.columns)]
    assert proof.scope == tuple(range(0, 72, 2))
    assert list(proof.weights) == answer.weights.weights.tolist()
    assert [given[row] for row in tree_rows(proof.exclusion.tree)] == tree_rows(answer.exclusion.tree)


def test_rows_beyond_help_weigh_nothing_and_are_not_among_the_people():
    problem = problem_with([0, 0, 1, 2, 3])
    table = table_of([[1, 2], [3]], 4)
    proof = proofs_of(problem, table, unreachable=[0]).people(solve_budget(table, problem.multiplicity, 1))
    assert min(proof.scope) == 2
    assert proof.scale == ONE_IN_TABLES
    assert 3 - proof.spared(1) == 2


def test_prices_stand_on_the_first_of_equal_rows():
    problem = problem_with([0, 1, 0])
    table = table_of([[0, 1], [1]], 2, [[2, 3], [1]])
    answer = solve_cost(table, problem.multiplicity, 1, 3, np.array([0]))
    proof = proofs_of(problem, table).cost(answer)
    assert (proof.scope, proof.prices) == ((0, 1), tuple(answer.prices.tolist()))
    assert (proof.scale, proof.bound, answer.cost) == (ONE_IN_COVERS, 7, 7)


def test_two_cases_are_a_branch_over_given_rows():
    problem, table = problem_with([0, 1, 1, 2]), table_of([[0, 1], [1, 2], [0, 2]], 3)
    two, one = solve_cover(table), solve_cover(table_of([[0, 1, 2]], 3))
    standing = one.by_cases(Cases((2, 0), together=two, apart=two))
    branch = proofs_of(problem, table).cover(standing)
    assert (branch.kind, branch.pair, branch.bound) == ("branch", (0, 3), 2)
    assert proofs_of(problem, table).people(nothing_known(table)) is None
