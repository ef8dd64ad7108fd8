"""Tests that the paper's tables come out in its layout, with ours beside them."""

from dataclasses import asdict

import pytest

from oneformany.paper.runs.cells import Published, published_cells
from oneformany.paper.tables.paper_tables import paper_tables


def line_of(table, rows, max_changes):
    (line,) = (row for row in table.rows if row[:2] == (str(rows), str(max_changes)))
    return dict(zip(table.headings, line, strict=True))


def test_there_are_eight_tables_even_without_any_run():
    tables = paper_tables([])
    assert [table.name for table in tables] == [f"table-{number}" for number in range(1, 9)]
    assert tables[2].title == "Table 3: COMPAS, the LR model"
    assert tables[7].title == "Table 8: Students performance, the NN"
    assert [len(table.rows) for table in tables] == [3, 3, 8, 8, 12, 12, 12, 12]


def test_the_papers_numbers_are_in_its_order():
    for table, (dataset, model) in zip(
        paper_tables([])[2:],
        [(d, m) for d in ("compas", "german", "students") for m in ("lr", "nn")],
        strict=True,
    ):
        cells = [cell for cell in published_cells() if (cell.dataset, cell.model) == (dataset, model)]
        for row, cell in zip(table.rows, cells, strict=True):
            paper = cell.published
            assert row[:6] == (
                str(cell.rows),
                str(cell.max_changes),
                str(paper.explanations),
                str(paper.gap_to_mip),
                f"{paper.cg_seconds:.2f}",
                f"{paper.mip_seconds:.2f}",
            )


def test_the_data_sets_and_models_are_set_beside_ours(make_record):
    sizes = {"instances": 395, "features": 30, "columns": 85}
    network = {**sizes, "accuracy": 0.603, "hidden": [14, 14, 14]}
    records = [make_record(), make_record(dataset="students-published", model="nn", trained=network)]
    sizes, models = paper_tables(records)[:2]
    assert sizes.rows[0] == ("COMPAS", "6172", "5", "15", "-", "-", "-")
    assert sizes.rows[1] == ("German Credit", "1000", "20", "59", "1000", "20", "59")
    assert models.rows[1][-4:] == ("-", "-", "-", "0.724")
    assert models.rows[2] == ("Students performance", "14", "3", "0.601", "0.612", "14", "3", "0.603", "-")


def test_our_runs_stand_beside_the_papers(make_record):
    table = paper_tables([make_record()])[4]
    line = line_of(table, 50, 10)
    assert line["paper y*"] == "15"
    assert (line["exact y*"], line["exact bound"], line["exact time"]) == ("12", "12", "0.50")
    assert line["exact CG/exact"] == "7,200"
    assert line_of(table, 100, 10)["exact y*"] == "-"
    assert "1 of 1 cells proved optimal, 1 with fewer" in table.notes[0]


def test_all_methods_have_columns_and_a_ratio_of_times(make_record):
    records = [
        make_record(),
        make_record(method="cg-mip", count=14, lower_bound=9, status="feasible", seconds=60.0),
        make_record(method="mip", count=12, lower_bound=12, seconds=40.0),
    ]
    line = line_of(paper_tables(records)[4], 50, 10)
    assert (line["cg-mip y*"], line["cg-mip bound"], line["cg-mip time"]) == ("14", "9", "60.00")
    assert line["ours gap"] == "2"
    assert line["time in this run exact : cg-mip : mip"] == "1 : >120 : 80"


def test_a_model_too_large_to_be_started_has_no_ratio(make_record):
    stopped = {"method": "mip", "count": 14, "lower_bound": 1, "status": "feasible", "time_limit": 60.0}
    table = paper_tables([make_record(), make_record(**stopped, seconds=0.7)])[4]
    assert line_of(table, 50, 10)["time in this run exact : cg-mip : mip"] == "1 : - : -"
    assert any("too large to be started" in note for note in table.notes)
    table = paper_tables([make_record(), make_record(**stopped, seconds=60.0)])[4]
    assert line_of(table, 50, 10)["time in this run exact : cg-mip : mip"] == "1 : - : >120"


def test_methods_that_were_not_run_have_no_columns(make_record):
    headings = {group for group, *_ in paper_tables([make_record()])[4].groups()}
    assert headings == {"", "paper", "exact"}


@pytest.mark.parametrize(("least", "mark"), [(8, "5†"), (5, "5"), (None, "5")])
def test_a_published_count_below_what_any_classifier_allows_is_marked(make_record, least, mark):
    record = make_record(
        model="nn", rows=20, count=8, lower_bound=8,
        bound_without_classifier=least, published=asdict(Published(5, -1, 499.6, 3600.0)),
    )  # fmt: skip
    table = paper_tables([record])[5]
    assert line_of(table, 20, 10)["paper y*"] == mark
    assert any("cannot be right" in note for note in table.notes) is (least == 8)


def test_a_published_count_of_the_same_classifier_below_our_bound_is_marked(make_record):
    table = paper_tables([make_record(rows=10, count=5, lower_bound=5)])[4]
    assert line_of(table, 10, 10)["paper y*"] == "4†"


def test_runs_on_other_rows_are_not_mixed_in(make_record):
    records = [make_record(protocol="negatives"), make_record(threshold=0.9), make_record(immutable="half")]
    assert line_of(paper_tables(records)[4], 50, 10)["exact y*"] == "-"


def test_a_contradiction_is_a_note(make_record):
    records = [make_record(), make_record(method="mip", count=20, lower_bound=13)]
    assert any("CONTRADICTION" in note for note in paper_tables(records)[4].notes)
