"""Tests of what keeps rows apart where explanations are nearly as many as rows."""

from dataclasses import replace

import numpy as np

import oneformany as ofm
from oneformany.result import words
from oneformany.result.words import apart_words

SERVES = ofm.AdditiveOracle([[0, 1], [0] * 12, [0] * 12, [0, 0]], threshold=1)
LEVELS = (2, 12, 12, 2)


def explained(codes, share="point", max_changes=1):
    return ofm.solve(ofm.Problem(codes, LEVELS, SERVES, max_changes, share=share))


def strangers():
    return [[0, row, row, row % 2] for row in range(12)]


def test_a_feature_that_keeps_nobody_apart_is_not_named():
    words = apart_words(explained([[0, row, row, 0] for row in range(12)]))
    assert "feature 1 (12 cells)" in words
    assert "feature 3" not in words


def test_the_words_name_features_cells_and_remedies():
    words = apart_words(explained(strangers()))
    assert words.startswith("Why so many: 12 explanations for 12 rows.")
    assert "a row differs from the one most like it in 2 (median)" in words
    assert "feature 1 (12 cells), feature 2 (12 cells)." in words
    assert "coarser cells for these (cells=)" in str(words)
    assert "max_changes=2" in words
    assert "share='action'" in words


def test_an_answer_that_was_cut_short_is_not_said_to_need_so_many():
    result = explained(strangers())
    assert "not known" not in apart_words(result)
    for ended, first in (
        ("time limit", "more time"),
        ("limit", "fewer rows"),
        ("interrupted", "to its end"),
    ):
        cut = replace(result, status="feasible", lower_bound=1, proof=None, ended=ended)
        words = apart_words(cut)
        assert "at least 1 is needed, and how many fewer would do is not known" in words
        assert first in words[words.index("What to do first") : words.index("What keeps rows apart besides")]
    most = replace(result, status="feasible", lower_bound=10, proof=None, ended="time limit")
    assert "not known" not in apart_words(most)


def test_the_summary_says_it():
    assert "What keeps rows apart most: " in explained(strangers()).summary()


def test_a_result_with_groups_says_nothing():
    result = explained([[0, row % 2, 0, 0] for row in range(12)])
    assert result.count == 2
    assert "Why so many" not in result.summary()


def test_one_row_needs_no_reason():
    assert apart_words(explained(strangers()[:1])) == ""


def test_rows_that_share_an_advice_are_told_of_changes_and_rules():
    tables = [np.eye(6)[feature] * 6 for feature in range(6)]
    rows = np.full((6, 6), -1)
    for row in range(6):
        rows[row] = [(row + feature) % 6 for feature in range(6)]
    oracle = ofm.AdditiveOracle(tables, threshold=12)
    allowed = [np.eye(6, dtype=bool) for _ in range(6)]
    for feature in range(6):
        allowed[feature][(feature + feature) % 6, feature] = True
    problem = ofm.Problem(rows, (6,) * 6, oracle, 1, allowed, share="action")
    result = ofm.solve(problem)
    words = apart_words(result)
    assert (words == "") == (2 * result.count <= result.covered or result.covered < 2)


def test_where_all_features_may_change_no_more_changes_are_advised():
    allowed = [None, *(np.eye(n, dtype=bool) for n in LEVELS[1:])]
    words = apart_words(ofm.solve(ofm.Problem(strangers(), LEVELS, SERVES, 4, allowed)))
    assert words.startswith("Why so many: 12 explanations for 12 rows.")
    assert "after the same change of at most 4 features. What to do: fewer rules or rows that share" in words


def test_of_many_rows_some_are_compared_and_the_words_say_so(monkeypatch):
    assert "most like it in 2 (median)" in apart_words(explained(strangers()))
    monkeypatch.setattr(words, "MOST_ROWS", 6)
    assert "most like it among 6 that were compared in 2 (median)" in apart_words(explained(strangers()))
