"""Tests that a schema is shown as a table in a notebook, whatever its names are."""

from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema


def test_every_feature_has_a_line_with_its_kind_and_levels():
    schema = Schema(
        (
            Feature("<b>age</b>", ("young", "old"), ordered=True),
            Feature("income", ("<= 10", "> 10"), ordered=True, edges=(10,), unit="EUR"),
            Feature("n", tuple(str(i) for i in range(15)), numbers=tuple(range(15))),
            Feature("paid", ("False", "True"), numbers=(False, True)),
        )
    )
    html = schema._repr_html_()
    assert html.count("<tr>") == 5
    assert "&lt;b&gt;age&lt;/b&gt;" in html
    assert "<td>cells of numbers</td>" in html
    assert "&lt;= 10, &gt; 10 (EUR)" in html
    assert "<td>numbers</td><td>0, 1" in html
    assert "11, ... 3 more" in html
    assert "<td>truth values</td><td>False, True" in html
    assert "<td>labels, in order</td>" in html


def test_many_features_are_cut_short():
    features = tuple(Feature(f"f{i}", tuple(map(str, range(12)))) for i in range(40))
    assert "10 more" in Schema(features)._repr_html_()
    assert "1 more" in Schema(features[:31])._repr_html_()
    assert "more" not in Schema(features[:30])._repr_html_()
