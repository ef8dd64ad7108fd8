"""A little of ``benchmarks/faults.py``: each fault is met a few times, and nothing is lost or wrong."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import oneformany as ofm

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FAULTS = [
    "interrupts", "kills while saving", "a full disk", "threads", "processes", "clocks that jump",
    "errors of rounding", "odd frames",
]  # fmt: skip
TIMES = {"interrupts": 20, "kills while saving": 8, "a full disk": 20, "threads": 40, "clocks that jump": 44}
ENOUGH = 3600.0  # seconds: the number of trials decides when a test ends, not the clock


@pytest.fixture
def faults(monkeypatch):
    """The script, which finds its neighbours as it does when it is run."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    known = set(sys.modules)
    yield import_module("faults")
    for name in set(sys.modules) - known:
        if name in {"faults", "fault_questions", "measuring"}:
            monkeypatch.delitem(sys.modules, name)


def test_the_small_part_knows_all_faults_but_the_one_that_compiles_everything_anew(faults):
    assert set(faults.FAULTS) == {*FAULTS, "nothing can be written"}


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_lost_and_nothing_wrong(faults, fault):
    (tally,) = faults.measured([fault], TIMES.get(fault, 10), ENOUGH)
    assert tally.asked >= 4
    assert (tally.lost, tally.wrong, tally.notes) == (0, 0, [])


def test_a_wrong_answer_and_a_lost_one_would_be_counted(faults):
    asked = faults.questions()
    truths = {name: question() for name, question in asked.items()}
    few, many = truths["a sum, advice"], truths["a sum"]
    assert few.count < many.count
    assert "bound" in faults.contradiction(many, few)
    assert "instead of" in faults.same(many, few)
    tally = faults.Tally("made up")
    swapped = {**asked, "a sum": lambda: 1 / 0, "a sum, advice": asked["a sum"]}
    trial = faults.Trial(swapped, truths, 10, ENOUGH * 10**6, np.random.default_rng(0))
    faults.errors_of_rounding(trial, tally)
    assert (tally.asked, tally.lost, tally.wrong) == (10, 1, 1)
    assert "a sum: ZeroDivisionError" in tally.notes[0]


def test_ten_questions_are_all_proved_when_nothing_goes_wrong(faults):
    truths = [question() for question in faults.questions().values()]
    assert len(truths) == 10
    assert {truth.ended for truth in truths} == {"proved"}
    assert {ofm.verify(truth).outcome for truth in truths} <= {"confirmed", "cannot be confirmed"}
