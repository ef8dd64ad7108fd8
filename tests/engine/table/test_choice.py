"""Searches over a table: how they stand, how they are settled, and what their proofs name."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cover.test_tree import OneColumn
from engine.table.tables import table_of
from oneformany.engine.standing import TreeProof
from oneformany.engine.table.choice import TableSearch, WorthyRows, renamed
from oneformany.engine.table.options import Search
from oneformany.stop import Stop


class Countdown:
    """The fewest, which is a number that complete searches come to know, from both sides in turn."""

    closed = False

    def __init__(self, answers, stop=None):
        self.search = Search(stop or Stop(), progress=self.tell)
        self.answers, self.told, self.proof = list(answers), [], None
        self.best = np.arange(9)
        self.run = TableSearch(self, self.search)

    def tell(self, *state):
        self.told.append(state)

    @property
    def value(self):
        return len(self.best)

    @property
    def bound(self):
        return 0 if self.proof is None else self.proof.target + 1

    def offer(self, columns):
        self.best = columns

    def exclude(self, proof):
        self.proof = proof

    def learn(self):
        return self.relaxation.known.pop(0)

    def exhausted(self):
        return False

    def search_all(self, _max_nodes):
        return self.answers.pop(0)


def test_a_search_is_settled_when_what_is_found_meets_what_is_proved():
    proofs = [TreeProof(target, target, table_of([[0]], 1), {}, np.arange(1)) for target in (3, 4)]
    search = Countdown([np.arange(7), proofs[0], np.arange(5), proofs[1], None])
    search.run.settle(100)
    assert search.told == [("search", 7, 0), ("search", 7, 4), ("search", 5, 4), ("search", 5, 5)]
    assert search.run.finished()
    assert search.answers == [None]


class Known:
    """A relaxation that proves these numbers, one after the other."""

    def __init__(self, *known):
        self.known, self.steps = list(known), []

    def advance(self, steps, _stop):
        self.steps.append(steps)


@pytest.mark.parametrize(
    ("known", "patience", "rounds"),
    [((5.0, 5.0), 1, 2), ((5.0, 6.0, 6.05), 1, 3), ((5.0, 5.0, 6.0, 6.0, 6.0), 2, 5), ((-6.0, -5.0), 1, 9)],
)
def test_steps_are_taken_until_rounds_in_a_row_gain_next_to_nothing(known, patience, rounds):
    search = Countdown([])
    search.relaxation = Known(*known)
    assert search.run.relax(search.relaxation, iter(range(min(rounds, len(known)))), 7, 0.01, patience) == (
        rounds == len(known)
    )
    assert search.relaxation.steps == [7] * len(known)
    assert search.told == [("relaxation", 9, 0)] * len(known)


@pytest.mark.parametrize("stop", [None, Stop(0)])
def test_a_search_that_cannot_decide_or_has_no_time_leaves_things_open(stop):
    search = Countdown([None, np.arange(7)], stop)
    search.run.settle(100)
    assert (search.value, search.bound) == (9, 0)
    assert search.told == []


def test_only_who_listens_is_told():
    search = Countdown([])
    search.run.report("start")
    assert search.told == [("start", 9, 0)]
    search.search.progress = None
    search.run.report("start")
    assert len(search.told) == 1


def test_complete_searches_are_counted_and_speak_of_columns_and_rows_of_the_table():
    table = table_of([[0]] * 200, 1)
    search = WorthyRows(table, table.incidence, np.ones(1, dtype=np.int64), Search())
    columns = 10 * np.arange(20)
    assert search.searched(OneColumn(20, right=7), 1, columns, [[0]], 100).tolist() == [70]
    nodes = search.search.counters["nodes"]
    assert search.searched(OneColumn(20), 1, columns, [[0]], 5) is None
    found = search.searched(OneColumn(20), 4, columns, [[0]], 100)
    assert (found.budget, found.target, len(found.columns)) == (1, 4, 20)
    assert search.search.counters["nodes"] == nodes + 5 + 41


def test_numbers_stand_on_all_rows_that_a_row_is():
    tree = {"filters": [[[0, 5], [1, 6]]], "column": 2, "parts": [{"filters": [[[1, 7]]]}, {}]}
    parts = [{"filters": [[[4, 7]]]}, {"filters": []}]
    assert renamed(tree, [[2, 3], [4]]) == {
        "filters": [[[2, 5], [3, 5], [4, 6]]],
        "column": 2,
        "parts": parts,
    }
