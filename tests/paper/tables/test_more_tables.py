"""Tests that what goes beyond the paper is laid out as well."""

from oneformany.paper.tables.more_tables import more_tables


def named(tables, name):
    (table,) = (table for table in tables if table.name == name)
    return table


def values(table, row=0):
    return dict(zip(table.headings, table.rows[row], strict=True))


def test_the_summary_adds_up_each_group_of_runs(make_record):
    tables = more_tables([make_record(), make_record(rows=100, seconds=1.0), make_record(method="mip")])
    table = named(tables, "summary")
    assert len(table.rows) == 2
    line = values(table)
    assert (line["data set"], line["model"], line["method"]) == ("german", "lr", "exact")
    assert (line["cells all"], line["cells proved"], line["cells fewer"]) == ("2", "2", "2")
    assert (line["seconds ours"], line["seconds paper"]) == ("1.50", "7,200")
    assert line["questions asked"] == "108"
    assert line["questions proofs"] == "6"
    assert line["points confirmed"] == "24 of 24"


def test_rows_beyond_help_do_not_hide_an_open_gap(make_record):
    done = make_record(status="infeasible", count=5, lower_bound=5)
    open_gap = make_record(status="infeasible", count=5, lower_bound=4, rows=100)
    assert values(named(more_tables([done, open_gap]), "summary"))["cells proved"] == "1"


def test_rows_that_nobody_had_time_for_are_in_doubt(make_record):
    late = make_record(
        protocol="negatives", status="feasible", count=5, lower_bound=5, undecided=2, unreachable=3
    )
    tables = more_tables([late])
    assert values(named(tables, "summary"))["cells proved"] == "0"
    assert values(named(tables, "cells-lr-negatives-0.5-none"))["beyond help"] == "3?"


def test_other_rows_have_tables_of_their_own_and_no_comparison(make_record):
    half = make_record(protocol="negatives", threshold=0.9, immutable="half", unreachable=4)
    tables = more_tables([make_record(), half])
    table = named(tables, "cells-lr-negatives-0.9-half")
    assert table.title.endswith("lr, protocol negatives, P >= 0.9, half immutable")
    line = values(table)
    assert (line["|S|"], line["beyond help"], line["questions proofs"]) == ("50", "4", "3")
    assert values(named(tables, "summary"), row=1)["cells fewer"] == "-"


def test_kinds_of_classifiers_asked_the_same_are_one_table(make_record):
    asked = {"protocol": "negatives", "rows": 100, "max_changes": 5, "published": None}
    records = [make_record(model=model, **asked) for model in ("lr", "forest", "xgboost")]
    table = named(more_tables(records), "models-1")
    assert [row[0] for row in table.rows] == [
        "logistic regression",
        "random forest, 100 trees, depth 6",
        "XGBoost, 200 trees",
    ]
    assert values(table)["accuracy"] == "0.724"


def test_the_papers_models_alone_make_no_table_of_kinds(make_record):
    names = [table.name for table in more_tables([make_record(), make_record(model="nn")])]
    assert not [name for name in names if name.startswith("models")]
