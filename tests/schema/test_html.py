"""Tests that a schema is shown as a table in a notebook, whatever its names are."""

from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema


def test_every_feature_has_a_line_with_its_kind_and_levels():
    schema = Schema(
        (
            Feature("<b>age</b>", ("young", "old"), ordered=True),
            Feature("income", ("<= 10", "> 10"), ordered=True, edges=(10,), unit="EUR"),
            Feature("n", tuple(str(i) for i in range(12)), numbers=tuple(range(12))),
        )
    )
    html = schema._repr_html_()
    assert html.count("<tr>") == 4
    assert "&lt;b&gt;age&lt;/b&gt;" in html
    assert "cells of numbers" in html
    assert "&lt;= 10, &gt; 10 (EUR)" in html
    assert "7, ... 4 more" in html


def test_many_features_are_cut_short():
    schema = Schema(tuple(Feature(f"f{i}", ("a", "b")) for i in range(40)))
    assert "10 more" in schema._repr_html_()
