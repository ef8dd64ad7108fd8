"""Tests of what is counted in a result, and of reasons told together."""

from types import SimpleNamespace

from oneformany.result.words import rows_by_reason

FEW = "no positive point within 3 changes: score {}, needed 0; {} changes would do"
NONE = "no allowed move reaches the threshold: score {}, at most {} with every feature free, needed 0"


def told(*reasons):
    entries = [SimpleNamespace(row=row, reason=reason) for row, reason in enumerate(reasons)]
    return rows_by_reason(SimpleNamespace(unreachable=entries))


def test_rows_whose_reasons_differ_in_the_score_only_are_told_together():
    found = told(
        FEW.format("-9.5", 4), FEW.format("-8.03386", 4), FEW.format("-1e-05", 5), FEW.format("-10", 4)
    )
    assert found == {
        "no positive point within 3 changes: scores -10 to -8.03386, needed 0; 4 changes would do": [0, 1, 3],
        FEW.format("-1e-05", 5): [2],
    }


def test_of_what_rows_can_reach_at_most_the_largest_is_told():
    found = told(NONE.format("-3", "-1.2"), NONE.format("-4", "-0.2"))
    assert list(found) == [NONE.format("-4 to -3", "-0.2").replace("score ", "scores ")]


def test_equal_reasons_and_words_of_others_stay_as_they_are():
    assert told("score 1.2.3 of <b>", "score 1.2.3 of <b>", "score") == {
        "score 1.2.3 of <b>": [0, 1],
        "score": [2],
    }
