"""Tests that progress is silent on quick work and speaks on slow work."""

import io
import sys
import time
from types import ModuleType

import pytest
from rich.console import Console

from oneformany.progress import Progress, round_words
from oneformany.statistics import Round

RECORD = Round("columns", 12, 345, 15.2, 15, 16, 3.4)


def plain():
    return Console(file=io.StringIO(), width=200, force_terminal=False)


def terminal():
    return Console(file=io.StringIO(), width=200, force_terminal=True, legacy_windows=False)


def wait_for(console, text):
    deadline = time.monotonic() + 10
    while text not in console.file.getvalue():
        assert time.monotonic() < deadline, console.file.getvalue()
        time.sleep(0.01)


def test_a_record_is_told_in_one_line():
    line = round_words(RECORD)
    assert line.startswith("columns | round 12 | 345 columns | value 15.20 | bound 15 | ")
    assert line.endswith("best 16 explanations | gap 6.2%")


def test_quick_work_shows_nothing():
    for console in (plain(), terminal()):
        with Progress(console=console, delay=5) as progress:
            progress(RECORD)
        assert console.file.getvalue() == ""


def test_slow_work_without_a_terminal_writes_plain_lines():
    console = plain()
    with Progress("german", console=console, delay=0.01, interval=0.02) as progress:
        wait_for(console, "german | starting | ")
        progress(RECORD)
        wait_for(console, "german | columns | round 12 | 345 columns | value 15.20 | bound 15")
    assert "\x1b" not in console.file.getvalue()


def test_lines_without_a_terminal_are_few():
    console = plain()
    with Progress(console=console, delay=0.01, interval=60) as progress:
        wait_for(console, "starting")
        for _ in range(100):
            progress(RECORD)
    assert len(console.file.getvalue().splitlines()) == 1


def test_slow_work_on_a_terminal_shows_a_living_line():
    console = terminal()
    with Progress("german", console=console, delay=0.01) as progress:
        progress(RECORD)
        wait_for(console, "bound 15")


def test_nothing_is_written_after_the_end():
    console = plain()
    with Progress(console=console, delay=0.01, interval=0.01):
        wait_for(console, "starting")
    written = console.file.getvalue()
    time.sleep(0.05)
    assert console.file.getvalue() == written


def test_progress_ends_when_the_work_fails():
    console = plain()
    progress = Progress(console=console, delay=0.01, interval=0.01)
    with pytest.raises(RuntimeError), progress:
        raise RuntimeError
    assert not progress._thread.is_alive()


def test_slow_work_in_a_notebook_keeps_one_output_up_to_date(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, *, raw):
            assert raw
            shown.append(data["text/plain"])

    def display(data, *, raw, display_id):
        assert raw
        assert display_id
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    fake = ModuleType("IPython.display")
    fake.display = display
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    console = Console(file=io.StringIO(), force_jupyter=True, width=200)
    with Progress("german", console=console, delay=0.0) as progress:
        deadline = time.monotonic() + 10
        while not shown and time.monotonic() < deadline:
            time.sleep(0.01)
        progress(RECORD)
    assert shown[0].startswith("german | starting | ")
    assert shown[-1].startswith("german | columns | round 12")


def test_the_gap_of_the_explanations_stays_while_costs_are_lowered():
    progress = Progress(console=plain())
    progress(RECORD)
    progress(Round("least cost", 13, 345, 30.0, 27, 30, 3.5, "cost"))
    assert progress._latest.endswith("best 30 cost | gap 10.0% | 16 explanations, gap 6.2%")
