"""Tests that the paper's tables come out in its layout, ours beside them, and what goes beyond as well."""

import pytest

from oneformany.paper.runs.records import PUBLISHED_CELLS, Cell, frame_of
from oneformany.paper.tables import contradictions, more_tables, paper_tables, summary


def rows_of(table):
    return list(map(tuple, table.frame.to_numpy()))


def line_of(table, rows, max_changes):
    lines = table.flat.to_dict("records")
    (line,) = (line for line in lines if (line["|S|"], line["T_max"]) == (str(rows), str(max_changes)))
    return line


def test_there_are_eight_tables_even_without_any_run():
    tables = paper_tables([])
    assert [table.name for table in tables] == [f"table-{number}" for number in range(1, 9)]
    assert tables[2].title == "Table 3: COMPAS, the LR model"
    assert tables[7].title == "Table 8: Students performance, the NN"
    assert [len(table.frame) for table in tables] == [3, 3, 8, 8, 12, 12, 12, 12]


def test_the_papers_numbers_are_in_its_order():
    for table, (dataset, model) in zip(
        paper_tables([])[2:],
        [(d, m) for d in ("compas", "german", "students") for m in ("lr", "nn")],
        strict=True,
    ):
        cells = [
            cell
            for cell in map(Cell._make, PUBLISHED_CELLS)
            if (cell.dataset, cell.model) == (dataset, model)
        ]
        for row, cell in zip(rows_of(table), cells, strict=True):
            paper = PUBLISHED_CELLS[cell]
            assert row[:6] == (
                str(cell.rows),
                str(cell.max_changes),
                str(paper["explanations"]),
                str(paper["gap_to_mip"]),
                f"{paper['cg_seconds']:.2f}",
                f"{paper['mip_seconds']:.2f}",
            )


def test_the_data_sets_and_models_are_set_beside_ours(make_record):
    sizes = {"instances": 395, "features": 30, "columns": 85}
    network = {**sizes, "accuracy": 0.603, "hidden": [14, 14, 14]}
    records = [make_record(), make_record(dataset="students-published", model="nn", trained=network)]
    sizes, models = paper_tables(records)[:2]
    assert rows_of(sizes)[0] == ("COMPAS", "6172", "5", "15", "-", "-", "-")
    assert rows_of(sizes)[1] == ("German Credit", "1000", "20", "59", "1000", "20", "59")
    assert rows_of(models)[1][-4:] == ("-", "-", "-", "0.724")
    assert rows_of(models)[2] == (
        "Students performance",
        "14",
        "3",
        "0.601",
        "0.612",
        "14",
        "3",
        "0.603",
        "-",
    )


def test_our_runs_stand_beside_the_papers(make_record):
    table = paper_tables([make_record()])[4]
    line = line_of(table, 50, 10)
    assert line["paper y*"] == "15"
    assert (line["exact y*"], line["exact bound"], line["exact time"]) == ("12", "12", "0.50")
    assert line["times as long as exact CG"] == "7,200"
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
    ratios = [line[f"times as long as exact {method}"] for method in ("CG", "cg-mip", "mip")]
    assert ratios == ["7,200", "-", "80"]


def test_methods_that_were_not_run_have_no_columns(make_record):
    headings = {group for group, _ in paper_tables([make_record()])[4].frame.columns}
    assert headings == {"", "paper", "exact", "times as long as exact"}


@pytest.mark.parametrize(("least", "mark"), [(8, "5†"), (5, "5"), (None, "5")])
def test_a_published_count_below_what_any_classifier_allows_is_marked(make_record, least, mark):
    record = make_record(
        model="nn", rows=20, count=8, lower_bound=8,
        bound_without_classifier=least,
        published={"explanations": 5, "gap_to_mip": -1, "cg_seconds": 499.6, "mip_seconds": 3600.0},
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


def named(tables, name):
    (table,) = (table for table in tables if table.name == name)
    return table


def values(table, row=0):
    return table.flat.iloc[row].to_dict()


def test_the_summary_adds_up_each_group_of_runs(make_record):
    tables = more_tables([make_record(), make_record(rows=100, seconds=1.0), make_record(method="mip")])
    table = named(tables, "summary")
    assert len(table.frame) == 3
    assert values(table, row=2)["data set"] == "together"
    assert values(table, row=2)["cells all"] == "3"
    line = values(table)
    assert line["verified"] == "-"
    assert (line["data set"], line["model"], line["method"]) == ("german", "lr", "exact")
    assert (line["cells all"], line["cells proved"], line["cells fewer"]) == ("2", "2", "2")
    assert (line["seconds ours"], line["seconds paper"]) == ("1.50", "7,200")
    assert line["questions asked"] == "108"
    assert line["questions proofs"] == "6"
    assert line["points confirmed"] == "24 of 24"


def test_rows_that_nobody_had_time_for_are_in_doubt(make_record):
    late = make_record(
        protocol="negatives", status="feasible", count=5, lower_bound=5, undecided=2, unreachable=3
    )
    assert values(named(more_tables([late]), "summary"))["cells proved"] == "0"


def test_other_rows_have_lines_of_their_own_and_no_comparison(make_record):
    half = make_record(protocol="negatives", threshold=0.9, immutable="half", unreachable=4)
    line = values(named(more_tables([make_record(), half]), "summary"), row=1)
    assert (line["question"], line["rows beyond help"]) == ("P >= 0.9, half immutable", "4")
    assert (line["questions proofs"], line["cells fewer"]) == ("3", "-")


def test_kinds_of_classifiers_asked_the_same_are_one_table(make_record):
    asked = {"protocol": "negatives", "rows": 100, "max_changes": 5, "published": None}
    records = [make_record(model=model, **asked) for model in ("lr", "forest", "xgboost")]
    table = named(more_tables(records), "models-1")
    assert [row[0] for row in rows_of(table)] == [
        "logistic regression",
        "random forest, 100 trees, depth 6",
        "XGBoost, 200 trees",
    ]
    assert values(table)["accuracy"] == "0.724"


def test_the_papers_models_alone_make_no_table_of_kinds(make_record):
    names = [table.name for table in more_tables([make_record(), make_record(model="nn")])]
    assert not [name for name in names if name.startswith("models")]


def test_a_result_that_was_not_confirmed_or_verified_shows(make_record):
    line = values(summary([make_record(count=1000, confirmed=999, verified="wrong")]))
    assert (line["points confirmed"], line["verified"]) == ("999 of 1000", "0")


def test_a_bound_above_another_methods_count_is_a_contradiction(make_record):
    good = make_record(method="cg-mip", count=14, lower_bound=10, status="feasible")
    wrong = make_record(method="mip", count=20, lower_bound=13, status="feasible")
    assert contradictions(frame_of([make_record(), good])) == []
    (found,) = contradictions(frame_of([make_record(), good, wrong]))
    assert "mip proves that 13 are needed, exact has 12" in found
    assert found in summary([make_record(), good, wrong]).notes
    other = make_record(rows=100, method="mip", count=20, lower_bound=13)
    assert contradictions(frame_of([make_record(), other])) == []


def test_methods_that_agree_are_said_to(make_record):
    compared = (
        make_record(method="cg-mip"),
        make_record(method="mip", count=14, lower_bound=3, status="feasible"),
    )
    (agreed,) = (note for note in summary([make_record(), *compared]).notes if "agree" in note)
    assert "on 1 cell no count is below" in agreed
    assert "on the 1 that several proved" in agreed
    assert not any("agree" in note for note in summary([make_record(), make_record(rows=100)]).notes)
