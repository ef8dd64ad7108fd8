"""Tests that the heat map has a cell for each explanation and column, green where it is 1."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany
from oneformany.plotting.maps import plot_explanations, plot_one_hot, plot_profiles
from oneformany.result.explanation import Explanation
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from report.made_results import made_result

mpl.use("agg")

SCHEMA = Schema((Feature("home_town", ("A", "B", "C")), Feature("sex", ("male", "female"))))
EXPLANATIONS = (
    Explanation((2, 1), (0,), (0, 1)),
    Explanation((0, 0), (0, 1), (2,)),
    Explanation((1, 1), (), (3, 4, 5)),
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_there_is_a_cell_for_each_explanation_and_column():
    ax = plot_explanations(EXPLANATIONS, SCHEMA)
    (mesh,) = ax.collections
    assert mesh.get_array().reshape(3, 4).tolist() == [[0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 1]]
    low, high = (mpl.colors.to_hex(color) for color in mesh.cmap(mesh.norm([0, 1])))
    assert (low, high) == ("#ffffff", "#3a9d4f")


def test_columns_and_lines_have_readable_labels():
    ax = plot_explanations(EXPLANATIONS, SCHEMA)
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "home town: A", "home town: B", "home town: C", "sex: female",
    ]  # fmt: skip
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2 rows", "1 row", "3 rows"]


def test_the_first_explanation_is_on_top():
    ax = plot_explanations(EXPLANATIONS, SCHEMA)
    assert ax.get_ylim() == (3.0, 0.0)


def test_changed_features_are_framed():
    ax = plot_explanations(EXPLANATIONS, SCHEMA)
    assert len(ax.patches) == 3
    assert np.isclose([frame.get_width() for frame in ax.patches], [2.88, 2.88, 0.88]).all()


def test_it_draws_on_given_axes():
    _, ax = plt.subplots()
    assert plot_explanations(EXPLANATIONS, SCHEMA, ax) is ax
    assert len(plt.get_fignums()) == 1


def test_labels_do_not_leave_the_figure():
    ax = plot_explanations(EXPLANATIONS, SCHEMA)
    figure = ax.figure
    figure.canvas.draw()
    box = figure.bbox
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        extent = label.get_window_extent()
        assert box.x0 - 1 <= extent.x0
        assert extent.x1 <= box.x1 + 1
        assert box.y0 - 1 <= extent.y0


def test_nothing_to_draw_is_told():
    with pytest.raises(InputError, match="no explanation"):
        plot_explanations((), SCHEMA)


def test_explanations_that_are_not_drawn_are_counted():
    result = made_result(explanations=5, rows=40)
    for plot in (plot_profiles, plot_one_hot):
        assert "the 3 largest of 5 explanations" in plot(result, limit=3).get_xlabel()
        assert "largest" not in plot(result).get_xlabel()


def test_lines_are_named_by_people_as_the_summary_is():
    made = made_result(explanations=2, rows=12)
    result = replace(made, problem=made.problem | {"people": [1, 7] * 6}, covered_bound=None)
    for plot in (plot_profiles, plot_one_hot):
        assert [label.get_text() for label in plot(result).get_yticklabels()] == [
            "2: 35 people",
            "1: 5 people",
        ]
    in_order = plot_explanations(result)
    assert [label.get_text() for label in in_order.get_yticklabels()] == ["5 people", "35 people"]


def test_a_range_is_drawn_and_tabled_as_a_range():
    frame = pd.DataFrame({"income": np.arange(0.0, 100.0)})
    model = LogisticRegression(max_iter=1000).fit(frame, frame["income"] > 50)
    result = OneForMany(model, max_changes=1, share="action").explain(frame)
    (word,) = (text.get_text() for text in plot_profiles(result).texts)
    assert f"income  -> {word}" in result.summary()
    assert f"income: {word}" in result._repr_html_()
    assert not word.replace(".", "").isdigit()


def test_a_cell_says_that_each_row_has_a_value_of_its_own():
    oracle = ofm.AdditiveOracle([[0, 1, 2], [0, 1, 2]], threshold=2)
    problem = ofm.Problem([[0, 0], [0, 1], [0, 0]], (3, 3), oracle, max_changes=1, share="features")
    assert {text.get_text() for text in plot_profiles(ofm.solve(problem)).texts} == {"own value"}
