"""Tests that results and explanations are shown as tables in a notebook."""

from oneformany.result.explanation import Explanation
from report.made_results import made_result


def test_an_explanation_tells_its_changes_by_number():
    html = Explanation((1, 0, 2), (0, 2), tuple(range(12)))._repr_html_()
    assert "12 rows: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..." in html
    assert "<tr><td>2</td><td>2</td></tr>" in html


def test_a_result_tells_its_explanations_by_name_and_escapes_them():
    assert "income: middle 0" in made_result()._repr_html_()
    assert "<script" not in made_result(hostile=True)._repr_html_()
