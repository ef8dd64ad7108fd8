"""What the searches over a table share: rounds that end, and reports to whoever listens."""

from __future__ import annotations

from engine.listing.test_limits_of_listing import Clock
from oneformany.engine.table.options import Search, TableOptions
from oneformany.schedule import SCHEDULE
from oneformany.stop import Stop


def test_rounds_are_numbered_and_counted_up_to_the_limit():
    search = Search(options=TableOptions(max_rounds=3))
    assert list(search.rounds()) == [0, 1, 2]
    assert search.counters["rounds"] == 3


def test_rounds_end_when_their_portion_of_the_time_is_over():
    part = SCHEDULE.relaxing.part
    search = Search(Stop(100, clock=Clock()), TableOptions(max_rounds=1_000))
    for _ in search.rounds():
        pass
    assert 0 < search.counters["rounds"] < 1_000
    assert part * 100 <= search.stop.elapsed() <= part * 100 + 10
    assert not list(Search(Stop(0)).rounds())
