"""A complete search over columns finds what reaches the goal, proves that nothing does, or says neither."""

from __future__ import annotations

import numpy as np

from oneformany.engine.cover.tree import Relaxed, TreeNode, TreeQuestion, search_tree
from oneformany.stop import Stop


class OneColumn(TreeQuestion):
    """Whether one of so many columns is the right one; the relaxation knows nothing."""

    budget = 1

    def __init__(self, n_columns, right=-1, stop=None):
        self.n_columns, self.right, self.stop = n_columns, right, stop or Stop()

    def reached_by(self, columns):
        return self.right in columns.tolist()

    def relax(self, _node):
        nothing = np.zeros(self.n_columns, dtype=np.bool_)
        return Relaxed(np.full(self.n_columns, 0.5), np.zeros(1, dtype=np.int64), False, nothing)


def test_columns_that_reach_the_goal_are_found():
    assert search_tree(OneColumn(20, right=7), 100).chosen == [7]


def test_where_none_does_every_column_is_chosen_and_excluded_once():
    found = search_tree(OneColumn(20), 10_000)
    tree, tried = found.proof, []
    while "column" in tree:
        tried.append(tree["column"])
        tree = tree["parts"][1]
    assert sorted(tried) == list(range(20))
    assert found.nodes == 41


def test_too_few_nodes_no_time_and_too_deep_a_tree_decide_nothing():
    deep = search_tree(OneColumn(2_000), 10_000)  # nothing could read a proof that is nested so deeply
    for found in (search_tree(OneColumn(20), 40), search_tree(OneColumn(20, stop=Stop(0)), 100), deep):
        assert (found.chosen, found.proof) == (None, None)


def test_a_node_ends_where_nothing_is_left_to_choose():
    question, none = OneColumn(2), np.zeros(0, dtype=np.int64)
    assert question.ended(TreeNode(none, np.array([True, False]), {})) is None
    assert question.ended(TreeNode(none, np.array([False, False]), {})) == {}
    assert question.ended(TreeNode(np.array([0]), np.array([False, True]), {})) == {}
