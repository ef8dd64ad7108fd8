"""Tests that there is a bar per feature, as long as the explanations that change it."""

from dataclasses import replace

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import oneformany as ofm
from oneformany import plotting
from oneformany.exceptions import InputError
from oneformany.plotting.charts import plot_change_counts
from oneformany.result.explanation import Explanation
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.statistics import Round, Statistics
from oneformany.studies import frontier
from report.made_results import made_result

mpl.use("agg")

SCHEMA = Schema(tuple(Feature(name, ("no", "yes")) for name in ("own_home", "car", "job")))
EXPLANATIONS = [
    Explanation((0, 0, 1), (2,), (0,)),
    Explanation((0, 1, 1), (1, 2), (1,)),
    Explanation((0, 0, 0), (), (2,)),
]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_every_feature_has_a_bar_and_the_most_changed_is_on_top():
    ax = plot_change_counts(EXPLANATIONS, SCHEMA)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    lengths = [bar.get_width() for bar in ax.patches]
    assert dict(zip(labels, lengths, strict=True)) == {"job": 2, "car": 1, "own home": 0}
    assert labels[0] == "job"
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_the_numbers_stand_at_the_bars():
    ax = plot_change_counts(EXPLANATIONS, SCHEMA)
    assert [text.get_text() for text in ax.texts] == ["2", "1", "0"]


def test_without_explanations_all_bars_are_empty():
    ax = plot_change_counts([], SCHEMA)
    assert [bar.get_width() for bar in ax.patches] == [0, 0, 0]


def test_it_draws_on_given_axes():
    _, ax = plt.subplots()
    assert plot_change_counts(EXPLANATIONS, SCHEMA, ax) is ax


@pytest.mark.parametrize("name", [*plotting.__all__])
def test_a_plot_of_the_wrong_thing_says_what_it_takes(name):
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    problem = ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1)
    kind = {"plot_frontier": "Frontier", "plot_subgroups": "Audit", "plot_curve": "Curve"}.get(name, "Result")
    wrong = frontier(problem) if kind == "Result" else ofm.solve(problem)
    with pytest.raises(InputError, match=f"takes .*{kind}"):
        getattr(plotting, name)(wrong)


def test_bars_of_rows_and_curves_have_no_marks_between_integers_and_none_that_are_cut():
    sizes = plotting.plot_group_sizes(made_result(explanations=3, rows=9))
    assert all(tick == int(tick) for tick in sizes.get_yticks())
    flat = pd.DataFrame({"explanations": [1, 2, 3], "covered": [108, 110, 111], "bound": [108, 110, 111]})
    assert plotting.plot_frontier(flat).get_ylim()[1] > 115


def test_counts_are_marked_at_round_numbers():
    ax = plotting.plot_frontier(
        pd.DataFrame({"max_changes": [1, 2, 3], "count": [21, 10, 4], "bound": [21, 10, 4]})
    )
    assert ax.get_yticks().tolist() == [0, 5, 10, 15, 20, 25]


def test_axes_count_people_where_rows_stand_for_several():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    problem = ofm.Problem([[0, 1, 0], [1, 0, 0]], (2, 2, 2), oracle, 1, people=[3, 4])
    rounds = [Round("cover", 1, 2, 4.0, bound=4, count=4, seconds=0.1, measure="people")]
    result = replace(ofm.solve(problem, explanations=1), statistics=Statistics(rounds))
    assert plotting.plot_bounds(result).get_ylabel() == "people covered"
    assert plotting.plot_group_sizes(result).get_ylabel() == "people covered"
    assert plotting.plot_coverage(result).get_ylabel() == "% of the people"
