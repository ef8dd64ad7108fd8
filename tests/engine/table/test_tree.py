"""A complete search over columns finds what reaches the goal, proves that nothing does, or says neither."""

from __future__ import annotations

import numpy as np

from oneformany.engine.table.options import Search
from oneformany.engine.table.tree import Relaxed, TreeProof, search_tree
from oneformany.stop import Stop


class OneColumn:
    """Whether one of so many columns is the right one; the relaxation knows nothing."""

    budget = target = 1

    def __init__(self, n_columns, right=-1):
        self.n_columns, self.right = n_columns, right

    def reached_by(self, columns):
        return self.right in columns.tolist()

    def ended(self, chosen, usable):
        return {} if len(chosen) == self.budget or not usable.any() else None

    def relax(self, _chosen, _usable):
        nothing = np.zeros(self.n_columns, dtype=np.bool_)
        return Relaxed(np.full(self.n_columns, 0.5), np.zeros(1, dtype=np.int64), False, nothing)


def searched(question, search=None, nodes=10_000):
    return search_tree(question, 10 * np.arange(question.n_columns), [[0]], search or Search(), nodes)


def test_columns_that_reach_the_goal_are_those_of_the_table():
    assert searched(OneColumn(20, right=7)).tolist() == [70]


def test_where_none_does_every_column_is_chosen_and_excluded_once():
    search = Search()
    found = searched(OneColumn(20), search)
    assert isinstance(found, TreeProof)
    tree, tried = found.tree, []
    while "column" in tree:
        tried.append(tree["column"])
        tree = tree["parts"][1]
    assert sorted(tried) == list(range(20))
    assert search.counters["nodes"] == 41


def test_too_few_nodes_no_time_and_too_deep_a_tree_decide_nothing():
    assert searched(OneColumn(20), nodes=40) is None
    assert searched(OneColumn(20), Search(Stop(0))) is None
    assert searched(OneColumn(2_000)) is None  # nothing could read a proof that is nested so deeply
