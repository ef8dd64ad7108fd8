"""Tests that the paper's tables are there as printed, and that cells are chosen as asked."""

import pytest

from oneformany.exceptions import InputError
from oneformany.paper.runs.records import PUBLISHED_CELLS, Cell, choose


def test_the_paper_has_32_cells_per_model():
    cells = list(map(Cell._make, PUBLISHED_CELLS))
    assert len(cells) == 64
    assert sum(cell.model == "lr" for cell in cells) == 32


def test_the_published_times_add_up():
    times = {model: sum(PUBLISHED_CELLS[c]["cg_seconds"] for c in choose([model])) for model in ("lr", "nn")}
    assert round(times["lr"]) == 49230
    assert round(times["nn"]) == 49795


def test_without_sizes_all_published_cells_are_chosen_in_the_papers_order():
    assert choose(["lr"]) == [cell for cell in map(Cell._make, PUBLISHED_CELLS) if cell.model == "lr"]


def test_cells_can_be_narrowed_to_data_sets_and_sizes():
    cells = choose(["lr"], ["german"], rows=[20], max_changes=[5, 15])
    assert [(c.dataset, c.max_changes, c.rows, PUBLISHED_CELLS[c]["explanations"]) for c in cells] == [
        ("german", 5, 20, 19),
        ("german", 15, 20, 4),
    ]


def test_sizes_beyond_the_paper_give_cells_without_a_published_answer():
    assert choose(["lr"], ["german"], rows=[500], max_changes=[5]) == [Cell("german", "lr", 500, 5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": ["svm"]}, "no model 'svm'; choose from lr, nn"),
        ({"datasets": ["iris"]}, "no data set 'iris'; choose from compas, german, students"),
        ({"datasets": []}, "at least one data set"),
    ],
)
def test_choices_that_do_not_exist_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        choose(**arguments)
