"""Tests that the paper's figures are drawn from records alone."""

import pytest
from matplotlib.figure import Figure

from oneformany.paper.figures import draw_figures

COMPAS = [
    {"point": [0, 1, 0, 0, 1], "changed": [1, 2], "members": [0, 1, 2]},
    {"point": [2, 2, 3, 1, 0], "changed": [0, 3], "members": [3]},
]


@pytest.fixture
def records(make_record):
    wide = [{"point": [0] * 30, "changed": [feature], "members": [0]} for feature in (0, 5, 5)]
    compas = {"dataset": "compas", "model": "nn", "max_changes": 3, "explanations": COMPAS, "count": 2}
    return [
        make_record(rows=10, **compas),
        make_record(rows=20, **compas),
        make_record(model="nn"),
        make_record(model="nn", rows=20),
        make_record(model="nn", dataset="students-published", explanations=wide),
    ]


def test_five_figures_are_drawn(records):
    drawn = dict(draw_figures(records))
    assert all(isinstance(figure, Figure) for figure in drawn.values())
    assert list(drawn) == [
        "figure-1-compas-3-changes-10-rows",
        "figure-2-compas-3-changes-20-rows",
        "figure-3-compas-changed-features",
        "figure-4-german-changed-features",
        "figure-5-students-changed-features",
    ]
    first, _, *others = drawn.values()
    (ax,) = first.axes
    assert ax.collections[0].get_array().size == 2 * 15
    assert "2 explanations" in ax.get_title()
    bars = [len(figure.axes[0].patches) for figure in others]
    assert bars == [5, 20, 30]


def test_the_bars_add_up_all_cells_of_a_data_set(records):
    german = dict(draw_figures(records))["figure-4-german-changed-features"].axes[0]
    assert sum(bar.get_width() for bar in german.patches) == 4


def test_a_figure_without_its_record_names_the_command_that_makes_it(records):
    drawn = [figure for _, figure in draw_figures(records[2:])]
    assert [type(figure) for figure in drawn] == [str, str, str, Figure, Figure]
    assert "--model nn --method exact --dataset compas --rows 10 --max-changes 3" in drawn[0]


def test_other_models_methods_and_rows_are_not_mixed_in(records):
    others = [{**record, "protocol": "negatives"} for record in records]
    assert all(isinstance(figure, str) for _, figure in draw_figures(others))
    assert all(isinstance(figure, str) for _, figure in draw_figures(records, model="lr"))
    assert all(isinstance(figure, str) for _, figure in draw_figures(records, method="mip"))
