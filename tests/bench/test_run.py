"""Tests that cells are run as asked, recorded as they came out, and never run twice."""

from contextlib import nullcontext

import pytest

from oneformany.bench.cells import Cell, choose
from oneformany.bench.run import Settings, key_of, run
from oneformany.exceptions import InputError
from oneformany.result import Result


def silent(_title):
    return nullcontext(lambda _record: None)


def test_a_small_cell_comes_out_as_published():
    (record,) = run(choose(["lr"], ["german"], [10], [15]), Settings(), silent)
    assert (record.status, record.count, record.lower_bound) == ("optimal", 2, 2)
    assert record.published.explanations == 2
    assert record.confirmed
    assert record.verified is None
    assert record.seconds > 0


def test_results_are_saved_under_the_name_of_their_cell(tmp_path):
    settings = Settings(results_dir=tmp_path / "results", protocol="negatives")
    (record,) = run([Cell("german", "lr", 5, 15)], settings, silent)
    (path,) = (tmp_path / "results").iterdir()
    assert path.name == "german-lr-exact-negatives-15-5.json"
    assert Result.from_json(path).count == record.count


def test_a_finished_cell_is_taken_from_the_earlier_run():
    cells = choose(["lr"], ["german"], [10], [15])
    first = list(run(cells, Settings(), silent))
    assert list(run(cells, Settings(), silent, first)) == first
    assert list(run(cells, Settings(seed=1), silent, first)) != first


def test_cells_are_not_run_before_they_are_asked_for():
    cells = [Cell("german", "lr", 5, 15), Cell("german", "lr", 10**6, 15)]
    records = run(cells, Settings(), silent)
    assert next(records).key.rows == 5
    with pytest.raises(InputError, match="1000000 rows"):
        next(records)


@pytest.mark.parametrize(
    ("dataset", "coding", "name"),
    [
        ("students", "published", "students-published"),
        ("students", "correct", "students"),
        ("german", "published", "german"),
    ],
)
def test_only_the_students_data_have_two_codings(dataset, coding, name):
    assert key_of(Cell(dataset, "lr", 10, 5), "exact", Settings(coding=coding)).dataset == name


def test_only_the_published_protocol_and_coding_compare_with_the_paper():
    assert Settings().as_published
    assert not Settings(protocol="negatives").as_published
    assert not Settings(coding="correct").as_published


@pytest.mark.parametrize(
    "wrong", [{"methods": ("guess",)}, {"methods": ()}, {"protocol": "all"}, {"coding": "mine"}]
)
def test_settings_that_do_not_exist_are_refused(wrong):
    with pytest.raises(InputError):
        Settings(**wrong)
