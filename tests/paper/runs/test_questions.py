"""Tests that questions to the classifier are counted."""

import oneformany as ofm
from oneformany.paper.runs.run import bound_without_classifier, questions_of


def problem(threshold, rows=((0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 1))):
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=threshold)
    return ofm.Problem(rows, (2, 2, 2), oracle, max_changes=1)


def test_every_distinct_row_is_asked_about_once():
    questions = questions_of(ofm.solve(problem(threshold=1)))
    assert (questions["points"], questions["proofs"], questions["left_open"]) == (3, 0, 0)
    assert questions["seconds"] > 0


def test_rows_beyond_help_are_proofs():
    result = ofm.solve(problem(threshold=3))
    assert result.status == "optimal"
    questions = questions_of(result)
    assert (questions["points"], questions["proofs"]) == (1, 2)


def test_questions_of_the_search_are_added():
    result = ofm.solve(problem(threshold=1))
    result.statistics.count("questions answered by a proof", 4)
    result.statistics.count("questions left open", 2)
    questions = questions_of(result)
    assert questions.pop("seconds") > 0
    assert questions == {"points": 3, "proofs": 4, "left_open": 2}


def test_the_bound_without_classifier_is_below_every_count():
    free = problem(threshold=-1)
    for threshold in (1, 2):
        asked = problem(threshold)
        result = ofm.solve(asked)
        assert bound_without_classifier(asked, result) <= result.count
    assert bound_without_classifier(free, ofm.solve(free)) == ofm.solve(free).count == 2


def test_rows_beyond_help_do_not_count_for_the_bound_without_classifier():
    asked = problem(threshold=3)
    assert bound_without_classifier(asked, ofm.solve(asked)) == 1
    hopeless = problem(threshold=9)
    assert bound_without_classifier(hopeless, ofm.solve(hopeless)) == 0
