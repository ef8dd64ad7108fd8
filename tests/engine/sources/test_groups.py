"""Known answers as columns, and chosen columns as explanations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.problems import refused_rows
from engine.table.tables import table_of
from oneformany.engine.choose import columns_holding
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.options import Options
from oneformany.engine.solve import solve_exact
from oneformany.engine.sources.groups import groups_of, own_ends
from oneformany.engine.table.cost_levels import cheapest
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
