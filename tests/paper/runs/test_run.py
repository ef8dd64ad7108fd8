"""Tests that cells are run as asked and recorded as they came out."""

import os
from dataclasses import replace
from multiprocessing import active_children

import numpy as np
import pytest

from oneformany import methods
from oneformany.exceptions import InputError, SolverError
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.runs.records import Cell, as_published, choose
from oneformany.paper.runs.run import Failure, Settings, plan, run
from oneformany.result.result import Result


def run_cells(cells, settings):
    return list(run(plan(cells, settings), settings))


def test_a_small_cell_comes_out_as_published():
    (record,) = run_cells(choose(["lr"], ["german"], [10], [15]), Settings())
    assert (record["status"], record["count"], record["lower_bound"]) == ("optimal", 2, 2)
    assert record["published"]["explanations"] == 2
    assert record["confirmed"] == record["count"] == len(record["explanations"])
    assert record["verified"] is None
    assert record["bound_without_classifier"] is None
    assert record["seconds"] > 0
    assert round(record["trained"]["accuracy"], 3) == 0.724


def test_the_network_shows_what_any_classifier_needs():
    (record,) = run_cells(choose(["nn"], ["german"], [20], [10]), Settings(check=True))
    assert (record["status"], record["count"], record["bound_without_classifier"]) == ("optimal", 8, 8)
    assert record["published"]["explanations"] == 5
    assert record["trained"]["hidden"] == [20, 20]
    assert record["questions"]["points"] + record["questions"]["proofs"] >= 20
    assert record["questions"]["seconds"] > 0
    assert record["confirmed"] == 8
    assert record["verified"] == "confirmed"


def test_all_methods_are_run_and_agree_as_far_as_they_prove():
    settings = Settings(method="exact,cg-mip,mip", time_limit=2.0)
    records = run_cells([Cell("german", "lr", 3, 15)], settings)
    assert [record["method"] for record in records] == ["exact", "cg-mip", "mip"]
    assert max(record["lower_bound"] for record in records) <= min(record["count"] for record in records)
    assert all(record["confirmed"] == record["count"] for record in records)


def test_rows_are_turned_down_at_the_threshold():
    at = {threshold: prepare("german", "lr", threshold=threshold) for threshold in (0.5, 0.9)}
    for threshold, prepared in at.items():
        columns = prepared.dataset.one_hot[prepared.rows("negatives", 50)]
        assert (prepared.classifier.predict_proba(columns)[:, 1] < threshold).all()
    assert not np.array_equal(at[0.5].rows("negatives", 50), at[0.9].rows("negatives", 50))
    assert np.array_equal(at[0.5].rows("published", 50), at[0.9].rows("published", 50))


def test_points_reach_the_threshold():
    (record,) = run_cells([Cell("german", "lr", 5, 10)], Settings(protocol="negatives", threshold=0.9))
    prepared = prepare("german", "lr")
    columns = prepared.dataset.schema.one_hot(np.array([e["point"] for e in record["explanations"]]))
    assert (prepared.classifier.predict_proba(columns)[:, 1] >= 0.9).all()


def test_more_refused_rows_than_there_are_are_not_found():
    with pytest.raises(InputError, match=r"1000 rows are asked for; german has 1 to \d+ under 'negatives'"):
        run_cells([Cell("german", "lr", 1000, 5)], Settings(protocol="negatives"))


def test_half_of_the_features_are_every_second_one_from_the_first():
    prepared = prepare("german", "lr")
    fixed = prepared.problem("published", 5, 2, immutable="half").ruled
    assert fixed.tolist() == [True, False] * 10
    assert not prepared.problem("published", 5, 2).ruled.any()


def test_immutable_features_do_not_change():
    settings = Settings(protocol="negatives", immutable="half")
    (record,) = run_cells([Cell("german", "lr", 20, 5)], settings)
    assert record["count"] >= 1
    changed = [feature for explanation in record["explanations"] for feature in explanation["changed"]]
    assert all(feature % 2 == 1 for feature in changed)


def test_cells_are_not_run_before_they_are_asked_for():
    settings = Settings()
    outcomes = run(plan([Cell("german", "lr", n, 15) for n in (5, 10**6)], settings), settings)
    assert next(outcomes)["rows"] == 5
    with pytest.raises(InputError, match="1000000 rows"):
        next(outcomes)


def test_a_solver_that_fails_does_not_end_the_run(monkeypatch):
    def fail_once(problem, **kwargs):
        if len(problem.codes) == 3:
            raise SolverError("out of order")
        return solve(problem, **kwargs)

    solve = methods.solve
    monkeypatch.setattr(methods, "solve", fail_once)
    failed, done = run_cells([Cell("german", "lr", n, 15) for n in (3, 4)], Settings())
    assert isinstance(failed, Failure)
    assert failed.reason == "out of order"
    assert done["rows"] == 4


def test_a_cell_cut_short_by_ctrl_c_does_not_pass_for_a_finished_one(monkeypatch):
    def interrupted(problem, **kwargs):
        return replace(solve(problem, **kwargs), ended="interrupted")

    solve = methods.solve
    monkeypatch.setattr(methods, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_cells([Cell("german", "svm", 3, 15)], Settings())


@pytest.mark.parametrize(
    ("dataset", "coding", "name"),
    [
        ("students", "published", "students-published"),
        ("students", "correct", "students"),
        ("german", "published", "german"),
    ],
)
def test_only_the_students_data_have_two_codings(dataset, coding, name):
    assert plan([Cell(dataset, "lr", 10, 5)], Settings(coding=coding))[0].key["dataset"] == name


def test_the_exact_method_does_not_depend_on_the_solver():
    settings = Settings(method="exact,mip", solver="scip")
    assert [task.key["solver"] for task in plan([Cell("german", "lr", 10, 5)], settings)] == ["highs", "scip"]


def test_tasks_say_how_far_the_run_is():
    tasks = plan([Cell("german", "lr", n, 5) for n in (10, 20)], Settings(method="exact,mip"))
    assert tasks[2].title == "3 of 4: german lr, 5 changes, 20 rows, exact"


@pytest.mark.parametrize(
    "other", [{"protocol": "negatives"}, {"coding": "correct"}, {"threshold": 0.9}, {"immutable": "half"}]
)
def test_only_the_published_question_compares_with_the_paper(other):
    cells = [Cell("students", "lr", 10, 10)]
    assert as_published(plan(cells, Settings())[0].key)
    assert not as_published(plan(cells, Settings(**other))[0].key)


class Deadly:
    """Ends the process that receives it."""

    def __reduce__(self):
        return os._exit, (3,)


def test_a_crash_is_the_failure_of_one_cell_and_the_others_are_run():
    settings = Settings(jobs=2)
    tasks = plan([Cell("german", "lr", rows, 15) for rows in (3, 4, 5)], settings)
    tasks[0] = tasks[0]._replace(title=Deadly())
    outcomes = list(run(tasks, settings))
    (failure,) = (outcome for outcome in outcomes if isinstance(outcome, Failure))
    assert failure.task is tasks[0]
    assert "its process ended" in failure.reason
    done = [outcome for outcome in outcomes if outcome is not failure]
    assert sorted(record["rows"] for record in done) == [4, 5]
    assert all(record["status"] == "optimal" for record in done)


def test_bad_input_ends_the_run_and_its_processes():
    settings = Settings(jobs=2)
    tasks = plan([Cell("german", "lr", 10**6, 15)], settings)
    before = active_children()
    with pytest.raises(InputError, match="1000000 rows"):
        list(run(tasks, settings))
    for process in set(active_children()) - set(before):
        process.join(timeout=60)  # it has been told to end, and does so when the machine gets to it
    assert set(active_children()) <= set(before)


def test_results_are_saved_under_the_name_of_their_cell(tmp_path):
    settings = Settings(save_results=tmp_path / "results", protocol="negatives", immutable="half")
    (record,) = run_cells([Cell("german", "lr", 3, 15)], settings)
    (path,) = (tmp_path / "results").iterdir()
    assert path.name == "german-lr-exact-negatives-15-3-0.5-half-0.json"
    assert Result.from_json(path).count == record["count"]
