"""Tests that cells run side by side come out as in turn, and that a crash costs one cell only."""

import os
from dataclasses import replace

import pytest

from oneformany.exceptions import InputError
from oneformany.paper.runs.cells import Cell
from oneformany.paper.runs.run import Failure, Settings, plan
from oneformany.paper.runs.workers import run_side_by_side


class Deadly:
    """Ends the process that receives it."""

    def __reduce__(self):
        return os._exit, (3,)


def test_a_crash_is_the_failure_of_one_cell_and_the_others_are_run():
    settings = Settings()
    tasks = plan([Cell("german", "lr", rows, 15) for rows in (3, 4, 5)], settings)
    tasks[0] = replace(tasks[0], title=Deadly())
    outcomes = list(run_side_by_side(tasks, settings, jobs=2))
    (failure,) = (outcome for outcome in outcomes if isinstance(outcome, Failure))
    assert failure.task is tasks[0]
    assert "exit code 3" in failure.reason
    done = [outcome for outcome in outcomes if outcome is not failure]
    assert sorted(record["rows"] for record in done) == [4, 5]
    assert all(record["status"] == "optimal" for record in done)


def test_bad_input_ends_the_run_and_its_processes():
    settings = Settings()
    tasks = plan([Cell("german", "lr", 10**6, 15)], settings)
    with pytest.raises(InputError, match="1000000 rows"):
        list(run_side_by_side(tasks, settings, jobs=2))
