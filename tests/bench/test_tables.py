"""Tests that the benchmark's lines and totals say what the records say."""

from dataclasses import replace

from oneformany.bench.cells import Published
from oneformany.bench.records import Key, Record
from oneformany.bench.tables import header, line, totals

KEY = Key("german", "lr", "exact", "published", 50, 10, None, 0)
RECORD = Record(KEY, "optimal", 12, 12, 0.5, 0, True, None, 210.5, Published(15, -35, 3600.0, 3600.0))
ENDED = replace(RECORD, count=15, lower_bound=15, published=Published(15, 0, 100.0, 2000.0), verified=True)
BEYOND = replace(RECORD, key=replace(KEY, rows=500), status="feasible", lower_bound=11, published=None)


def test_lines_and_heading_have_one_width():
    widths = {len(text) for text in (*header().split("\n"), line(RECORD), line(ENDED), line(BEYOND))}
    assert len(widths) == 1


def test_a_line_sets_the_paper_beside_ours():
    assert line(RECORD).split() == [
        "german", "lr", "exact", "10", "50", "15", "3600", "limit",
        "12", "12", "optimal", "0.50", "7,200x", "-",
    ]  # fmt: skip


def test_a_cell_beyond_the_paper_has_dashes():
    assert line(BEYOND).split()[5:7] == ["-", "-"]


def test_the_compact_mip_is_compared_with_the_papers_mip():
    mip = replace(ENDED, key=replace(KEY, method="mip"))
    assert "4,000x" in line(mip)
    assert "200x" in line(ENDED)


def test_totals_add_up_and_compare_only_published_cells():
    text = totals([RECORD, ENDED, BEYOND])
    assert "3 cells, 2 optimal, 1 feasible; solved in 1.5 s together" in text
    assert "the paper: 3,700 s on 2 of these, 3,700 times as long" in text
    assert "fewer in 1 cells, as many in 1, more in 0" in text
    assert "own predict: 3 of 3" in text
    assert "independent check: 1 of 1" in text
    assert "peak memory: 210 MB" in text


def test_a_result_that_was_not_confirmed_or_verified_shows():
    text = totals([RECORD, replace(RECORD, confirmed=False, verified=False)])
    assert "own predict: 1 of 2" in text
    assert "independent check: 0 of 1" in text
    assert line(replace(RECORD, verified=False)).endswith("NO")


def test_totals_without_published_cells_do_not_mention_the_paper():
    assert "paper" not in totals([BEYOND])
