"""Tests that the benchmarks measure what they claim to, and draw and lay out what they measured."""

from dataclasses import fields, replace
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from oneformany.engine.options import Options
from oneformany.paper.methods.formulation import CgOptions, CompactOptions
from oneformany.paper.runs.records import DATASETS, MODELS, append

mpl.use("agg")
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def ablation(script):
    return script("ablation")


@pytest.mark.parametrize(
    ("method", "kind"), [("exact", Options), ("cg-mip", CgOptions), ("mip", CompactOptions)]
)
def test_every_switch_is_flipped_once(ablation, method, kind):
    found = dict(ablation.variants(method))
    default = found["as it is"]
    assert default == kind()
    for field in fields(kind):
        if isinstance(getattr(default, field.name), bool):
            (flipped,) = (
                options
                for name, options in found.items()
                if name.startswith(f"{field.name} ") and options != default
            )
            changed = [f.name for f in fields(kind) if getattr(flipped, f.name) != getattr(default, f.name)]
            assert changed == [field.name]


def test_all_variants_of_a_cell_agree_and_stand_in_one_table(ablation):
    outcomes = list(ablation.measure("exact", [("german", 5, 15)], limit=30.0, repeats=1))
    assert {(outcome.count, outcome.lower_bound) for outcome in outcomes} == {(2, 2)}
    lines = ablation.table(outcomes)
    assert [line["variant"] for line in lines] == [name for name, _ in ablation.variants("exact")]
    cell = "german, 5 rows, 15 changes"
    assert all(
        set(line) == {"variant", *((cell, part) for part in ("count", "seconds", "times"))} for line in lines
    )
    assert lines[0][cell, "times"] == "1.00 ="


def test_growth_measures_every_size_until_a_method_does_not_end(growth):
    timings = list(growth.measure("rows", (2, 3), "exact", limit=30.0))
    assert [(timing.size, timing.finished) for timing in timings] == [(2, True), (3, True)]
    assert all(isinstance(timing, growth.Timing) and timing.seconds > 0 for timing in timings)
    given_up = list(growth.measure("rows", (20, 30), "mip", limit=0.2))
    assert [(timing.size, timing.finished) for timing in given_up] == [(20, False)]


def test_growth_narrows_the_problem_as_asked(growth):
    problem = growth.problem_of(replace(growth.BASE, rows=7, features=5, changes=2))
    assert problem.codes.shape == (7, 5)
    assert problem.max_changes == 2


def test_the_report_is_filled_from_markdown_alone(script, tmp_path):
    page, table = tmp_path / "page.md", tmp_path / "ablation-exact.md"
    page.write_text("<!-- measured: ablation-exact -->\nold\n<!-- end -->\n")
    table.write_text("new\n")
    assert script("fill_report").fill(page, [table]) == (["ablation-exact"], [])
    assert page.read_text() == "<!-- measured: ablation-exact -->\n\nnew\n\n<!-- end -->\n"


def test_the_report_is_filled_with_tables_between_its_markers(script, tmp_path, make_record):
    page, records = tmp_path / "page.md", tmp_path / "bench.jsonl"
    empty = "<!-- measured: table-99 -->\nkept\n<!-- end -->\n"
    page.write_text(f"Before\n<!-- measured: table-5 -->\nold\n<!-- end -->\n{empty}After\n")
    append(records, make_record())
    filling = script("fill_report")
    for _ in range(2):
        assert filling.fill(page, [records]) == (["table-5"], ["table-99"])
        text = page.read_text()
        assert text.startswith(
            "Before\n<!-- measured: table-5 -->\n\n**Table 5: German Credit, the LR model**"
        )
        assert text.endswith(f"<!-- end -->\n{empty}After\n")
        assert "old" not in text
        assert text.count("**Table 5") == 1


def test_every_gap_of_the_report_has_an_end_and_a_table_that_exists(script):
    text = (BENCHMARKS.parent / "docs" / "reproduction.md").read_text()
    gaps = [gap["name"] for gap in script("fill_report").GAP.finditer(text)]
    assert gaps[0] == "short-summary"
    groups = [f"short-{dataset}-{model}" for dataset in DATASETS for model in MODELS]
    assert [name for name in gaps if name in groups] == groups
    assert text.count("<!-- end -->") == len(gaps)


def test_the_short_tables_have_six_columns_and_the_same_numbers(script, make_record):
    records = [make_record(), make_record(method="mip", count=13, lower_bound=1, status="feasible")]
    tables = {table.name: table for table in script("fill_report").short_tables(records)}
    assert len(tables) == 6
    assert {len(table.frame.columns) for table in tables.values()} == {6}
    german = tables["short-german-lr"]
    lines = {(line["rows"], line["changes"]): line for line in german.frame.to_dict("records")}
    line = lines["50", "10"]
    assert (line["published count"], line["our count"]) == ("15", "12")
    assert (line["published seconds"], line["our seconds"]) == ("3600.00", "0.50")
    assert lines["100", "10"]["our count"] == "-"


def _values(table, row=0):
    return table.frame.iloc[row].to_dict()


def test_short_summaries_tell_methods_and_questions_apart(script, make_record):
    other = {"protocol": "negatives", "published": None}
    records = [
        make_record(),
        make_record(rows=20),
        make_record(method="mip"),
        make_record(**other, unreachable=2),
        make_record(model="forest", **other),
    ]
    tables = list(script("fill_report").short_summaries(records))
    names = ["short-summary", "short-paper-methods", "short-beyond", "short-models-1"]
    assert [table.name for table in tables] == names
    assert _values(tables[0])["cells"] == "2"
    assert _values(tables[1])["method"] == "mip"
    assert _values(tables[2])["rows beyond help"] == "2"
    assert _values(tables[3], row=1)["model"] == "random forest, 100 trees, depth 6"


def test_branch_and_price_reports_nodes_and_a_valid_gap(script):
    module = script("branch_and_price")
    problem = module.prepare("german", "lr").problem("published", 8, 10)
    outcomes = {name: module.line(problem, options, 30.0) for name, options in module.variants("search")}
    counts = {outcome["count"] for name, outcome in outcomes.items() if name != "root node alone"}
    assert len(counts) == 1
    for outcome in outcomes.values():
        assert outcome["bound"] <= outcome["count"]
        assert (outcome["status"] == "optimal") == (outcome["bound"] == outcome["count"])
        assert outcome["nodes"] >= 1


def test_what_was_measured_is_shown_as_a_table(script, capsys):
    script("measuring").show(
        "Two runs", [{"rows": 5, ("exact", "s"): 0.1}, {"rows": 10, ("exact", "s"): None}]
    )
    assert capsys.readouterr().out.split() == [
        "Two",
        "runs",
        "exact",
        "rows",
        "s",
        "5",
        "0.1",
        "10",
        "-",
    ]


def test_network_proofs_are_the_same_with_and_without_units(script):
    module = script("network_proofs")
    oracle, questions = module.refuted_questions(10, 10)
    assert questions
    assert all(module.seconds(oracle, question, probes) > 0 for question in questions for probes in (0, 12))
    lines = list(module.lines([(0.1, 0.4), (0.2, 0.5)]))
    assert [(line["question"], line["ratio"]) for line in lines] == [
        ("1", "4.0"),
        ("2", "2.5"),
        ("all", "3.0"),
    ]


def two_versions(new_count):
    cell = {"dataset": "german", "model": "lr", "max_changes": 5, "status": "optimal"}
    counts = {"old": 9, "new": new_count}
    return pd.DataFrame(
        {**cell, "rows": rows, "tree": tree, "count": count, "lower_bound": 9, "seconds": seconds * rows}
        for rows in (10, 20, 50)
        for (tree, count), seconds in zip(counts.items(), (0.2, 0.1), strict=True)
    )


def test_two_versions_of_the_code_are_set_side_by_side(script):
    table = script("old_and_new").compare(two_versions(new_count=9))
    assert table["rows"].tolist() == ["<= 20", 50]
    assert table["old s"].tolist() == [6.0, 10.0]
    assert table["old : new"].tolist() == ["2.00 : 1"] * 2
    assert table["counts"].tolist() == ["equal"] * 2
    assert table["proved"].tolist() == ["2 of 2", "1 of 1"]


def test_a_version_that_counts_otherwise_is_told(script):
    table = script("old_and_new").compare(two_versions(new_count=10))
    assert table["counts"].tolist() == ["DIFFERENT"] * 2
    assert table["proved"].tolist() == ["0 of 2", "0 of 1"]


@pytest.fixture
def growth(script):
    return script("growth")


@pytest.fixture
def timings(growth):
    sizes = {
        "exact": [(10, 0.1, True), (20, 0.2, True), (100, 2.0, True)],
        "mip": [(10, 5.0, True), (20, 30.0, False)],
    }
    return {method: [growth.Timing(*timing) for timing in measured] for method, measured in sizes.items()}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def drawn(ax, method):
    (line,) = (line for line in ax.lines if line.get_label() == method)
    return line.get_xdata(), line.get_ydata()


def test_each_method_is_a_line_on_logarithmic_axes(growth, timings):
    ax = growth.plot_growth(timings, "rows")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [list(values) for values in drawn(ax, "exact")] == [[10, 20, 100], [0.1, 0.2, 2.0]]
    assert [list(values) for values in drawn(ax, "mip")] == [[10, 20], [5.0, 30.0]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rows", "seconds")


def test_runs_without_a_proof_are_hollow_and_explained(growth, timings):
    ax = growth.plot_growth(timings, "rows")
    marks = [line for line in ax.lines if line.get_label() == "_"]
    assert [line.get_markerfacecolor() == "white" for line in marks] == [False] * 4 + [True]
    assert "no proof in time" in ax.get_legend_handles_labels()[1]
    finished = growth.plot_growth({"exact": timings["exact"]}, "rows")
    assert finished.get_legend_handles_labels()[1] == ["exact"]


def test_labels_that_would_touch_are_left_out(growth):
    sizes = [growth.Timing(size, 1.0, True) for size in (2, 4, 12, 13, 256)]
    ax = growth.plot_growth({"exact": sizes}, "rows")
    assert list(ax.get_xticks()) == [2, 4, 12, 256]


def test_a_single_size_can_be_drawn(growth):
    assert list(growth.plot_growth({"exact": [growth.Timing(5, 0.1, True)]}, "rows").get_xticks()) == [5]
