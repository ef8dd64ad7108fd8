"""Between a listing and a result: explanations and columns, and proofs on the rows as they were given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.problems import refused_rows
from engine.table.tables import names_of, random_table, table_of
from oneformany.engine.listed_answers import ListedProofs, columns_holding, groups_of, own_ends
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.options import Options
from oneformany.engine.scaling import ONE_IN_COVERS, ONE_IN_TABLES
from oneformany.engine.solve import solve_exact
from oneformany.engine.table.budget import solve_budget
from oneformany.engine.table.cost import solve_cost
from oneformany.engine.table.cost_levels import cheapest
from oneformany.engine.table.fewest import solve_cover
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.problem.costs import Costs
from oneformany.result.explanation import Explanation

ORACLE = AdditiveOracle([[0, 1], [0, 1], [0, 2]], threshold=2)


def following(*members):
    return Explanation(point=(0, 0, 0), changed=(0,), members=members)


def test_an_answer_that_is_known_is_where_the_search_starts():
    problem = refused_rows()
    first = solve_exact(problem, options=Options(way="listing", least_cost=True))
    again = solve_exact(problem, options=Options(way="listing"), start=first.explanations, time_limit=0)
    assert again.count == 0  # nothing was listed in no time
    table = list_columns(problem).table
    known = columns_holding(table, problem, first.explanations)
    held = np.unique(np.concatenate([table.group(column) for column in known.tolist()]))
    assert len(known) <= first.count
    assert len(held) == len(problem.rows) - len({problem.row_of[entry.row] for entry in first.unreachable})


def test_a_column_holds_an_explanation_if_it_has_all_of_its_rows_and_is_named_once():
    problem = Problem([[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], (2, 2, 2), ORACLE, 1)
    table = table_of([[0], [0, 1], [2]], 3)
    known = columns_holding(table, problem, [following(0, 1), following(2), following(3), following(0, 2)])
    assert known.tolist() == [0, 1, 2]
    assert columns_holding(table, problem, [following(0, 3)]).tolist() == []  # nobody holds both
    assert columns_holding(table, problem, [following(2), following(1, 2)]).tolist() == [1]
    assert columns_holding(table.take(known[:0]), problem, [following(0)]).tolist() == []


def test_each_row_follows_the_column_that_costs_it_least_and_idle_columns_are_dropped():
    problem = Problem([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (2, 2, 2), ORACLE, 1)
    table = table_of([[0, 1], [1, 2], [0]], 3, [[2, 1], [3, 1], [2]])
    chosen = np.array([1, 0, 2])
    groups = groups_of(problem, table, chosen, cheapest(table, chosen, 3)[0])
    assert [group.rows.tolist() for group in groups] == [[2], [0, 1]]
    told = groups_of(problem, table, chosen[:2], np.array([1, 0, -1]))
    assert [group.rows.tolist() for group in told] == [[1], [0]]


def test_rows_that_share_features_each_go_where_it_is_cheapest():
    steps = Costs(([[0, 1], [1, 0]], [[0, 1], [1, 0]], [[0, 5], [5, 0]]))
    problem = Problem([[0, 0, 0], [1, 0, 0]], (2, 2, 2), ORACLE, 2, share="features", costs=steps)
    table = replace(table_of([[0, 1]], 2), changed=np.array([[False, True, True]]))
    assert own_ends(problem, table, 0, np.array([1, 0])).tolist() == [[1, 1, 0], [0, 0, 1]]


def problem_with(given):
    """A problem of these rows; distinct ones are numbered as they first appear."""
    levels = max(given) + 1
    return Problem([[row] for row in given], (levels,), AdditiveOracle([np.arange(levels)], threshold=0), 1)


def proofs_of(problem, table, unreachable=()):
    beyond = np.zeros(table.n_rows, dtype=np.bool_)
    beyond[list(unreachable)] = True
    return ListedProofs(problem, table, beyond)


def tree_rows(tree):
    """The rows that a tree names: of its filters, the one that is covered, of its parts."""
    own = [row for pairs in tree["filters"] for rows, _ in pairs for row in np.atleast_1d(rows).tolist()]
    own += [tree[name] for name in ("item", "row") if name in tree]
    return [*own, *(row for part in tree.get("parts", []) for row in tree_rows(part))]


def test_weights_stand_on_the_first_of_equal_rows():
    problem = problem_with([0, 0, 1, 0, 2])
    assert problem.rows[:, 0].tolist() == [0, 1, 2]
    proofs = proofs_of(problem, table_of([[1, 2]], 3))
    dual, one = proofs.dual(np.array([5, 6, 7]), 7), proofs.one()
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
