"""Ctrl-C at any line, from the first to the return, gives the best answer so far, with a bound that holds."""

import signal
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from interrupts import interrupted, lines_of
from oneformany import methods
from oneformany.explainer import explainer
from oneformany.explainer.streams import is_stream

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RANDOM.integers(0, 9, 60),
        "debt": RANDOM.normal(size=60).round(1),
        "home": RANDOM.choice([0, 1], 60),
        "years": RANDOM.integers(0, 5, 60),
    }
)
GRANTED = (FRAME @ [1, 2, 1, 1] + RANDOM.normal(size=60) > 9).astype(int)
SUM = LogisticRegression().fit(FRAME, GRANTED)
FOREST = RandomForestClassifier(5, max_depth=3, random_state=0).fit(FRAME, GRANTED)
MOMENTS = 12


def asked(model=SUM, **given):
    return ofm.OneForMany(model, max_changes=2, rules=[ofm.Immutable("age")], **({"share": "point"} | given))


PROBLEM = asked().problem(FRAME)
QUESTIONS = {
    "a sum": lambda: asked().explain(FRAME),
    "advice": lambda: asked(share="action").explain(FRAME),
    "a forest": lambda: asked(FOREST).explain(FRAME, progress=True),
    "the most people": lambda: asked(FOREST, share="features").explain(FRAME, explanations=2),
    "a stream": lambda: asked(reference=FRAME).explain(iter([FRAME.head(30), FRAME.tail(30)])),
    "a problem": lambda: ofm.solve(PROBLEM),
}


def check_holds(result, truth):
    """What is said of an interrupted run is true of the run that was not."""
    if truth.goal.limited:
        assert result.covered <= truth.covered <= (result.covered_bound or truth.people)
    else:
        assert result.lower_bound <= truth.count
        assert result.count >= truth.count or result.undecided or result.covered < truth.covered
    assert {entry.row for entry in result.unreachable} <= {entry.row for entry in truth.unreachable}
    assert result.ended in {"interrupted", "proved"}
    if result.status == "optimal":
        assert (result.count, result.covered) == (truth.count, truth.covered)
    assert ofm.verify(result).outcome != "wrong"


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_interrupt_at_any_line_gives_an_answer_that_holds_and_none_that_is_proved_is_lost(question):
    call = QUESTIONS[question]
    truth = call()
    assert truth.ended == "proved"
    lines, proved = lines_of(call), False
    for at in np.linspace(lines // 20, lines - 2, MOMENTS).astype(int).tolist():
        result = interrupted(call, at)
        check_holds(result, truth)
        assert result.ended == "proved" or not proved, "it was proved already"
        proved = result.ended == "proved"
    assert proved


def test_an_interrupt_in_the_first_lines_gives_an_answer(monkeypatch):
    def pressed_before(function):
        def called(*given):
            signal.raise_signal(signal.SIGINT)
            return function(*given)

        return called

    monkeypatch.setattr(explainer, "is_stream", pressed_before(is_stream))
    assert asked().explain(FRAME).ended == "interrupted"
    monkeypatch.setattr(methods, "checked_problem", pressed_before(methods.checked_problem))
    assert ofm.solve(PROBLEM).ended == "interrupted"


def test_a_curve_that_is_interrupted_ends_with_the_points_that_it_has():
    def call():
        return ofm.frontier_of_frame(asked(share="action"), FRAME, max_changes=3)

    truth, lines = call(), lines_of(call)
    for at in np.linspace(lines // 20, lines - 2, MOMENTS).astype(int).tolist():
        points = interrupted(call, at).points
        assert 1 <= len(points) <= len(truth.points)
        for point, true in zip(points, truth.points, strict=False):
            assert point.bound <= true.value
        assert [point.value for point in points[:-1]] == [
            point.value for point in truth.points[: len(points) - 1]
        ]


def test_a_second_interrupt_ends_at_once():
    def refuses(frame):
        signal.raise_signal(signal.SIGINT)
        return np.zeros(len(frame))

    with pytest.raises(KeyboardInterrupt):
        ofm.OneForMany(refuses, max_changes=1, share="point").explain(FRAME)


def test_while_a_stream_has_given_nothing_yet_an_interrupt_is_raised():
    def waits():
        signal.raise_signal(signal.SIGINT)
        yield FRAME

    with pytest.raises(KeyboardInterrupt):
        asked().explain(waits())


def test_in_another_thread_the_answer_is_the_same():
    found = []
    thread = Thread(target=lambda: found.append(asked().explain(FRAME)))
    thread.start()
    thread.join()
    assert found[0].count == asked().explain(FRAME).count


def test_a_program_that_ignores_interrupts_goes_on_ignoring_them():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        call = QUESTIONS["a sum"]
        assert interrupted(call, lines_of(call) // 3).ended == "proved"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_reasons_that_were_not_looked_for_say_so():
    call = QUESTIONS["advice"]
    lines = lines_of(call)
    told = [
        entry.reason
        for at in np.linspace(0.3 * lines, lines - 2, MOMENTS).astype(int).tolist()
        for entry in interrupted(call, at).unreachable
    ]
    assert any(reason.endswith("what would help was not examined before the interrupt") for reason in told)
