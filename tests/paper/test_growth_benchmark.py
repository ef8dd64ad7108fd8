"""Tests that times are drawn against sizes, and runs without a proof are told apart."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

mpl.use("agg")


@pytest.fixture
def growth(script):
    return script("growth")


@pytest.fixture
def timings(growth):
    sizes = {
        "exact": [(10, 0.1, True), (20, 0.2, True), (100, 2.0, True)],
        "mip": [(10, 5.0, True), (20, 30.0, False)],
    }
    return {method: [growth.Timing(*timing) for timing in measured] for method, measured in sizes.items()}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def drawn(ax, method):
    (line,) = (line for line in ax.lines if line.get_label() == method)
    return line.get_xdata(), line.get_ydata()


def test_each_method_is_a_line_on_logarithmic_axes(growth, timings):
    ax = growth.plot_growth(timings, "rows")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [list(values) for values in drawn(ax, "exact")] == [[10, 20, 100], [0.1, 0.2, 2.0]]
    assert [list(values) for values in drawn(ax, "mip")] == [[10, 20], [5.0, 30.0]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rows", "seconds")


def test_runs_without_a_proof_are_hollow_and_explained(growth, timings):
    ax = growth.plot_growth(timings, "rows")
    marks = [line for line in ax.lines if line.get_label() == "_"]
    assert [line.get_markerfacecolor() == "white" for line in marks] == [False] * 4 + [True]
    assert "no proof in time" in ax.get_legend_handles_labels()[1]
    finished = growth.plot_growth({"exact": timings["exact"]}, "rows")
    assert finished.get_legend_handles_labels()[1] == ["exact"]


def test_labels_that_would_touch_are_left_out(growth):
    sizes = [growth.Timing(size, 1.0, True) for size in (2, 4, 12, 13, 256)]
    ax = growth.plot_growth({"exact": sizes}, "rows")
    assert list(ax.get_xticks()) == [2, 4, 12, 256]


def test_a_single_size_can_be_drawn(growth):
    assert list(growth.plot_growth({"exact": [growth.Timing(5, 0.1, True)]}, "rows").get_xticks()) == [5]
