"""Tests of explain, schema, report and audit on files; whatever is wrong is told with the right exit code."""

import _thread
import json
import os
import signal
import tomllib
from threading import Thread

import joblib
import onnx
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LinearRegression
from typer.testing import CliRunner

from cli.cases import FRAME, GOOD, call, tree, write_case
from cli.test_model_file import linear_classifier, network
from oneformany import infer_schema
from oneformany.cli import saving
from oneformany.cli.app import app
from oneformany.cli.options import load_schema
from oneformany.result.result import Result


@pytest.fixture
def case(tmp_path):
    return write_case(tmp_path)


def explain(case, *arguments, rows="rows.csv", model="model.joblib"):
    return call("explain", case / rows, case / model, "--max-changes", 2, *arguments)


def test_rows_and_a_skops_model_make_a_proved_result_and_a_report(case):
    skops.io.dump(tree(), case / "model.skops")
    outcome = explain(case, "--report", case / "r.html", "--json", case / "r.json", model="model.skops")
    assert outcome.exit_code == 0, outcome.output
    assert "proved to be the fewest possible" in outcome.output
    assert "<h1>" in (case / "r.html").read_text(encoding="utf-8")
    record = Result.from_json(case / "r.json").problem["model"]
    assert (record["file"], record["rows_file"]) == ("model.skops", "rows.csv")
    assert record["file_digest"].startswith("sha256:")
    assert call("verify", case / "r.json").exit_code == 0


@pytest.mark.parametrize("codes", ["income = -9", "[income]\n'no record' = [-9, -8]"])
def test_special_codes_are_cells_that_nobody_is_sent_to(case, codes):
    FRAME.assign(income=FRAME["income"].where(FRAME.index > 0, -9)).to_csv(case / "rows.csv", index=False)
    (case / "special.toml").write_text(codes)
    outcome = explain(case, "--trust-model", "--special", case / "special.toml", "--json", case / "r.json")
    assert outcome.exit_code == 0, outcome.output
    income = Result.from_json(case / "r.json").schema.features[0]
    assert income.find(-9) == income.n_levels - 1 == income.n_regular
    assert income.target(income.n_levels - 1) is None


@pytest.mark.parametrize("graph", [network, linear_classifier])
def test_rows_and_an_onnx_model_are_explained(case, graph):
    onnx.save(graph(), case / "model.onnx")
    outcome = explain(case, "--columns", "income,savings", model="model.onnx")
    assert outcome.exit_code == 0, outcome.output
    assert "covers all 3 rows" in outcome.output or "cover all 3 rows" in outcome.output


def test_rules_from_a_file_are_kept_and_reported(case):
    (case / "rules.toml").write_text('immutable = ["income"]\n')
    outcome = explain(case, "--trust-model", "--rules", case / "rules.toml", "--json", case / "r.json")
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(case / "r.json")
    assert result.problem["rules"] == ["income cannot change"]
    income = result.schema.index("income")
    assert all(income not in explanation.changed for explanation in result.explanations)


def test_a_schema_is_written_edited_and_used(case):
    FRAME[["income", "savings"]].to_csv(case / "rows.csv", index=False)
    outcome = call("schema", case / "rows.csv", "-o", case / "schema.toml")
    assert outcome.exit_code == 0, outcome.output
    text = (case / "schema.toml").read_text()
    assert [part["name"] for part in tomllib.loads(text)["features"]] == ["income", "savings"]
    (case / "schema.toml").write_text(text.replace('"1"', '"poor"'))
    outcome = explain(case, "--trust-model", "--schema", case / "schema.toml")
    assert outcome.exit_code == 0, outcome.output
    assert "from poor" in outcome.output


def test_a_schema_of_rows_with_gaps_is_written_and_used(case):
    gaps = FRAME.assign(savings=FRAME["savings"].where(FRAME.index != 0), remark=None)
    gaps[["income", "savings"]].to_csv(case / "two.csv", index=False)
    gaps.to_csv(case / "rows.csv", index=False)
    assert "missing = true" in call("schema", case / "rows.csv").stdout
    call("schema", case / "two.csv", "-o", case / "schema.toml")
    features = tomllib.loads((case / "schema.toml").read_text())["features"]
    assert [part["levels"] for part in features] == [["1", "2", "3"], ["1", "2", "3", "missing"]]
    rules = ("--schema", case / "schema.toml", "--only-increase", "savings", "--json", case / "r.json")
    outcome = explain(case, "--trust-model", *rules)
    assert outcome.exit_code == 0, outcome.output
    assert Result.from_json(case / "r.json").problem["rules"] == ["savings can only go up"]
    printed = call("schema", case / "rows.csv", "-o", case / "all.toml")
    assert printed.exit_code == 0
    assert load_schema(case / "all.toml") == infer_schema(pd.read_csv(case / "rows.csv"))


def test_columns_of_names_and_dates_are_left_out_of_a_schema_which_says_so(case):
    days = pd.date_range("2020-01-01", periods=300).astype(str)
    shops = [f"shop {number % 90}" for number in range(300)]
    many = pd.DataFrame(
        {"customer": [f"c{n}" for n in range(300)], "day": days, "shop": shops, "age": range(300)}
    )
    many.to_csv(case / "many.csv", index=False)
    outcome = call("schema", case / "many.csv")
    assert [part["name"] for part in tomllib.loads(outcome.stdout)["features"]] == ["shop", "age"]
    assert "# customer is left out, as it has 300 different texts" in outcome.stdout
    assert "# day is left out" in outcome.stdout


def test_a_schema_can_be_printed(case):
    outcome = call("schema", case / "rows.csv")
    assert tomllib.loads(outcome.stdout)["features"][2]["levels"] == ["f", "m"]


def test_quiet_prints_nothing(case):
    outcome = explain(case, "--trust-model", "--quiet", "--csv", case / "out.csv")
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert len(pd.read_csv(case / "out.csv")) == 3


def test_rows_are_called_by_a_column(case):
    FRAME.assign(id=[f"case {i}" for i in range(8)]).to_csv(case / "rows.csv", index=False)
    outcome = explain(case, "--trust-model", "--index", "id")
    assert "case 0" in outcome.output


def test_one_row_is_enough(case):
    FRAME.head(1).to_csv(case / "rows.csv", index=False)
    outcome = explain(case, "--trust-model", "--reference", case / "all.csv")
    assert outcome.exit_code == 2
    FRAME.to_csv(case / "all.csv", index=False)
    outcome = explain(case, "--trust-model", "--reference", case / "all.csv")
    assert outcome.exit_code == 0, outcome.output
    assert "1 explanation covers the row" in outcome.output


def test_what_is_left_open_ends_with_exit_code_3_and_is_saved(case):
    outcome = explain(case, "--trust-model", "--time-limit", "0", "--json", case / "r.json")
    assert outcome.exit_code == 3
    assert Result.from_json(case / "r.json").ended == "time limit"


def test_an_interrupt_ends_with_exit_code_130_and_the_best_is_saved(tmp_path, monkeypatch):
    once = iter([_thread.interrupt_main])  # a second time would end the program at once
    monkeypatch.setattr("oneformany.progress.Progress.__call__", lambda *_: next(once, int)())
    outcome = call("demo", "--json", tmp_path / "r.json")
    assert outcome.exit_code == 130, outcome.output
    assert "The search was interrupted." in outcome.output
    assert Result.from_json(tmp_path / "r.json").ended == "interrupted"


def test_an_interrupt_while_the_answer_is_printed_loses_none_of_it(case, monkeypatch):
    tell = saving.tell_result

    def tell_interrupted(*given):
        signal.raise_signal(signal.SIGINT)
        tell(*given)

    monkeypatch.setattr(saving, "tell_result", tell_interrupted)
    outcome = explain(case, "--trust-model", "--json", case / "r.json")
    assert outcome.exit_code == 130, outcome.output
    assert "Explanation 1" in outcome.output
    assert Result.from_json(case / "r.json").ended == "proved"


def test_an_interrupt_before_anything_is_found_is_told(case, monkeypatch):
    def interrupt(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("oneformany.cli.options.load_rows", interrupt)
    outcome = explain(case, "--trust-model")
    assert outcome.exit_code == 130
    assert "Interrupted" in outcome.stderr


def test_a_full_disk_loses_nothing_that_was_found(case, monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("oneformany.files.write_whole", full)
    outcome = explain(case, "--trust-model", "--json", case / "r.json", "--csv", case / "r.csv")
    assert outcome.exit_code == 2
    assert "Explanation 1 covers" in outcome.stdout
    assert "r.json cannot be written: No space left on device" in outcome.stderr
    assert "r.csv cannot be written" in outcome.stderr
    assert "printed above" in outcome.stderr
    outcome = explain(case, "--trust-model", "--json", case / "r.json", "--quiet")
    assert "printed above" not in outcome.stderr


def test_rows_named_by_two_levels_have_a_heading_for_each(case):
    names = pd.MultiIndex.from_product([[1, 2], list("abcd")], names=["town", None])
    FRAME.set_index(names).to_parquet(case / "rows.parquet")
    outcome = explain(case, "--trust-model", "--csv", case / "r.csv", rows="rows.parquet")
    assert outcome.exit_code == 0, outcome.output
    lines = (case / "r.csv").read_text().split("\n")
    assert lines[0].startswith("town,row,explanation,")
    assert lines[0].count(",") == lines[1].count(",")


def test_a_reader_that_has_gone_loses_nothing_that_was_found(case, monkeypatch):
    def gone(*_args):
        raise SystemExit(1)

    monkeypatch.setattr("oneformany.cli.saving.tell_result", gone)
    assert explain(case, "--trust-model", "--json", case / "r.json").exit_code == 1
    assert Result.from_json(case / "r.json").status == "optimal"


WRONG = [
    # what is wrong: options, files to write first, the word to be told
    (("none.csv", "model.joblib"), {}, "there is no such file"),
    (("rows.csv", "none.skops"), {}, "there is no such file"),
    (("empty.csv", "model.joblib"), {"empty.csv": ""}, "is empty"),
    (("head.csv", "model.joblib"), {"head.csv": "income,savings\n"}, "head.csv has no rows"),
    (("other.csv", "model.joblib"), {"other.csv": "shoe,hat\n1,2\n"}, "income"),
    (("rows.csv", "rows.csv"), {}, "is not one of skops"),
    (
        ("rows.csv", "model.joblib", "--columns", "shoe"),
        {},
        "rows.csv has no column 'shoe'; there are 'income', 'savings', 'sex'",
    ),
    (("rows.csv", "model.joblib", "--index", "shoe"), {}, "has no column 'shoe'"),
    (
        ("rows.csv", "model.joblib", "--positive", "fine"),
        {},
        "'fine' is not one of the model's classes 0 and 1",
    ),
    (("rows.csv", "model.joblib", "--positive", "fine"), {}, "name one of them with --positive"),
    (("rows.csv", "model.joblib", "--positive", "²"), {}, "'²' is not one of the model's classes 0 and 1"),
    (("rows.csv", "model.joblib", "--costs", "c.json"), {"c.json": "[" * 100_000}, "it is nested too deeply"),
    (("rows.csv", "model.joblib", "--max-changes", "-9"), {}, "--max-changes is -9"),
    (("rows.csv", "model.joblib", "--max-changes", "0"), {}, "--max-changes is 0"),
    (("rows.csv", "model.joblib", "--share", "cake"), {}, "--share is 'cake'"),
    (("rows.csv", "model.joblib", "--immutable", "shoe"), {}, "'shoe'"),
    (
        ("rows.csv", "model.joblib", "--rules", "rules.toml"),
        {"rules.toml": "frozen = ['a']"},
        "not a kind of rule",
    ),
    (("rows.csv", "model.joblib", "--rules", "none.toml"), {}, "read as rules: there is no such file"),
    (("rows.csv", "model.joblib", "--rules", "."), {}, ". cannot be read as rules: it is a folder"),
    (("rows.csv", "."), {}, ". cannot be loaded as a model: it is a folder"),
    (
        ("rows.csv", "model.joblib", "--coverage", "90"),
        {},
        "--coverage is 90.0; it must be above 0 and at most 1\n",
    ),
    (
        ("rows.csv", "model.joblib", "--rules", "r.toml"),
        {"r.toml": "at_most_steps = { income = 0 }"},
        "needs an integer of at least 1, not 0; what does not move at all is immutable",
    ),
    (("rows.csv", "model.joblib", "--immutable", "incme"), {}, "no feature 'incme'; did you mean 'income'?"),
    (("rows.csv", "model.joblib", "--columns", "incme"), {}, "no column 'incme'; did you mean 'income'?"),
    (
        ("rows.csv", "model.joblib", "--schema", "s.toml"),
        {"s.toml": "features = 3"},
        's.toml: a schema has a list of "features"',
    ),
    (("rows.csv", "model.joblib", "--schema", "s.toml"), {"s.toml": "[1"}, "cannot be read as a schema"),
    (("rows.csv", "model.joblib", "--schema", "none.toml"), {}, "none.toml cannot be read as a schema"),
    (("rows.csv", "model.joblib", "--schema", "rows.csv"), {}, "rows.csv cannot be read as a schema"),
    (("rows.csv", "model.joblib", "--costs", "c.toml"), {"c.toml": "shoe = 1"}, "'shoe'"),
    (("rows.csv", "model.joblib", "--costs", "c.toml"), {"c.toml": "income = -1"}, "at least 0"),
    (("rows.csv", "model.joblib", "--costs", "c.toml"), {"c.toml": "income = 'dear'"}, "not 'dear'"),
    (
        ("rows.csv", "model.joblib", "--special", "s.toml"),
        {"s.toml": "shoe = -9"},
        "'shoe', which is not one of",
    ),
    (
        ("rows.csv", "model.joblib", "--special", "s.toml"),
        {"s.toml": "income = []"},
        "names no code of 'income'",
    ),
    (
        ("rows.csv", "model.joblib", "--special", "s.toml"),
        {"s.toml": "-9"},
        "cannot be read as special codes",
    ),
    (
        ("rows.csv", "model.joblib", "--special", "rows.csv", "--json", "rows.csv"),
        {},
        "rows.csv is named twice",
    ),
    (
        ("rows.csv", "model.joblib", "--time-limit", "-1"),
        {},
        "Error: --time-limit is -1.0; give seconds, 0 or more\n",
    ),
    (("rows.csv", "model.joblib", "--json", "no/such/r.json"), {}, "folder of no/such/r.json does not exist"),
    (("rows.csv", "model.joblib", "--json", "x", "--csv", "x"), {}, "named twice"),
    (("good.csv", "model.joblib"), {"good.csv": "income,savings\n3,3\n"}, "calls the only row positive"),
    (
        ("odd.csv", "model.joblib"),
        {"odd.csv": 'income,savings\n1,1\n2,2\n"1,5",2\n'},
        "column 'income', row 2: '1,5' is a text, and the model reads numbers there",
    ),
    (("rows.csv", "model.joblib", "--encoding", "klingon"), {}, "--encoding klingon is not known"),
    (("rows.csv", "model.joblib", "--separator", ";;"), {}, "one character"),
    (("rows.csv", "model.joblib", "--separator", ";"), {}, "income"),
]


@pytest.mark.parametrize(("arguments", "files", "words"), WRONG)
def test_wrong_files_and_options_are_told_with_exit_code_2(case, monkeypatch, arguments, files, words):
    monkeypatch.chdir(case)
    for name, content in files.items():
        (case / name).write_text(content)
    given = () if "--max-changes" in arguments else ("--max-changes", 2)
    outcome = call("explain", *arguments, *given, "--trust-model")
    assert outcome.exit_code == 2, outcome.output
    assert words in outcome.stderr
    assert "Traceback" not in outcome.output


@pytest.mark.filterwarnings("default")
def test_summaries_and_warnings_speak_of_options(case):
    (case / "r.toml").write_text('immutable = ["income"]\nonly_increase = ["income"]')
    outcome = explain(case, "--trust-model", "--max-changes", 9, "--rules", case / "r.toml")
    assert outcome.exit_code == 0, outcome.output
    assert "which is few: give more with --reference, such as the data" in outcome.stderr
    assert 'Warning: the rule "income can only go up" has no effect' in outcome.stderr
    assert ".py" not in outcome.stderr
    assert "--max-changes 9 means all features here: there are 2." in outcome.stdout
    assert "=" not in outcome.stdout.partition("Explanation 1")[0]


def test_quiet_leaves_out_warnings(case):
    (case / "r.toml").write_text('immutable = ["income"]\nonly_increase = ["income"]')
    assert explain(case, "--trust-model", "-q", "--rules", case / "r.toml").stderr == ""


def test_a_pickle_is_not_loaded_without_trust_and_says_why(case):
    outcome = explain(case)
    assert outcome.exit_code == 2
    assert "runs whatever code is inside" in outcome.stderr
    assert "--trust-model" in outcome.stderr


def test_a_regressor_is_refused(case):
    joblib.dump(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), case / "regressor.joblib")
    outcome = explain(case, "--trust-model", model="regressor.joblib")
    assert outcome.exit_code == 2
    assert "regressor" in outcome.stderr


def test_letters_that_a_terminal_does_not_have_are_spelled_out(case):
    FRAME.assign(who=[f"Jörg {number}" for number in range(len(FRAME))]).to_csv(
        case / "rows.csv", index=False
    )
    arguments = ["explain", case / "rows.csv", case / "model.joblib", "--trust-model", "--index", "who"]
    outcome = CliRunner(charset="ascii").invoke(app, [str(argument) for argument in arguments])
    assert outcome.exit_code == 0, outcome.output
    assert r"J\xf6rg" in outcome.stdout


def test_control_characters_in_names_are_shown_and_not_obeyed(case):
    renamed = FRAME.rename(columns={"income": "inc\x1b[31mome"})
    renamed.to_csv(case / "rows.csv", index=False)
    outcome = explain(case, "--trust-model")
    assert outcome.exit_code == 2
    assert "\x1b" not in outcome.output


def test_a_report_is_made_from_a_result_file(case):
    explain(case, "--trust-model", "--json", case / "r.json")
    outcome = call("report", case / "r.json", "-o", case / "r.html")
    assert outcome.exit_code == 0, outcome.output
    assert "<title>Who was refused" in (case / "r.html").read_text(encoding="utf-8")


def test_a_report_of_something_else_is_refused(case):
    outcome = call("report", case / "rows.csv", "-o", case / "r.html")
    assert outcome.exit_code == 2
    assert not (case / "r.html").exists()


def test_subgroups_are_compared_printed_drawn_and_reported(case):
    explain(case, "--trust-model", "--json", case / "r.json")
    outcome = call(
        "audit", case / "r.json", case / "rows.csv", "--by", "sex", "--report", case / "r.html",
        "--json", case / "audit.json", "--plot", case / "audit.png",
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    head = " ".join(" ".join(outcome.output.split("\n")[:2]).split())
    assert head == "beyond mean needs sex rows refused covered help undecided changes explanations rare"
    assert "By sex" in outcome.output
    (found,) = json.loads((case / "audit.json").read_text())
    assert [(line["subgroup"], line["rows"], line["refused"]) for line in found["table"]] == [
        ("f", 4, 2),
        ("m", 4, 1),
    ]
    assert "Subgroups" in (case / "r.html").read_text(encoding="utf-8")
    assert (case / "audit.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--by", "shoe"), "no column 'shoe'"),
        (("--by", "sex", "--plot", "audit.cake"), "cannot be drawn"),
        (("--by", "sex", "--people", "heads"), "--people: the table has no column 'heads'"),
        (("--by", "sex", "--people", "sex"), "--people: column 'sex', row 0: 'f' is not an integer"),
        (("--by", "sex", "--json", "no/such/file"), "does not exist"),
    ],
)
def test_audits_that_cannot_be_made_are_told(case, monkeypatch, arguments, words):
    monkeypatch.chdir(case)
    explain(case, "--trust-model", "--json", case / "r.json")
    outcome = call("audit", case / "r.json", case / "rows.csv", *arguments)
    assert outcome.exit_code == 2
    assert words in outcome.stderr


def test_rows_from_a_pipe_are_explained_without_a_digest(case):
    os.mkfifo(case / "pipe.csv")
    writer = Thread(
        target=lambda: (case / "pipe.csv").write_bytes((case / "rows.csv").read_bytes()), daemon=True
    )
    writer.start()
    arguments = ("--trust-model", "--max-changes", 2, "--json", case / "r.json")
    outcome = call("explain", case / "pipe.csv", case / "model.joblib", *arguments)
    assert outcome.exit_code == 0, outcome.output
    told = json.loads((case / "r.json").read_text())["problem"]["model"]
    assert (told["rows_file"], told["rows_digest"]) == ("pipe.csv", None)
    assert call("verify", case / "r.json").exit_code == 0
    assert call("report", case / "r.json", "-o", case / "r.html").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "rows.csv", "model.joblib", "--trust-model", "--csv", "./rows.csv"),
        ("explain", "rows.csv", "model.joblib", "--trust-model", "--json", "model.joblib"),
        ("frontier", "rows.csv", "model.joblib", "--trust-model", "--json", "rows.csv"),
        ("schema", "rows.csv", "-o", "rows.csv"),
        ("report", "r.json", "-o", "r.json"),
        ("verify", "r.json", "--json", "r.json"),
        ("audit", "r.json", "rows.csv", "--by", "sex", "--report", "rows.csv"),
    ],
)
def test_no_file_that_is_read_is_written_over(case, monkeypatch, arguments):
    monkeypatch.chdir(case)
    explain(case, "--trust-model", "--json", case / "r.json")
    before = {path.name: path.read_bytes() for path in case.iterdir()}
    outcome = call(*arguments)
    assert outcome.exit_code == 2
    assert "is named twice; each file needs a name of its own" in outcome.stderr
    assert {path.name: path.read_bytes() for path in case.iterdir()} == before


def test_a_subgroup_may_be_called_like_a_heading(case):
    FRAME.assign(rows=FRAME["sex"]).to_csv(case / "rows.csv", index=False)
    explain(case, "--trust-model", "--json", case / "r.json")
    told = call("audit", case / "r.json", case / "rows.csv", "--by", "rows").stdout.split("\n")
    assert [line.split()[:3] for line in told[1:4]] == [
        ["rows", "rows", "refused"],
        ["f", "4", "2"],
        ["m", "4", "1"],
    ]


def test_rows_that_stand_for_several_people_are_counted(case):
    counted = FRAME.assign(heads=range(2, 2 + len(FRAME)))
    counted.to_csv(case / "rows.csv", index=False)
    outcome = explain(case, "--trust-model", "--people", "heads", "--json", case / "r.json")
    assert outcome.exit_code == 0, outcome.output
    result = Result.from_json(case / "r.json")
    assert result.problem["people"] == counted["heads"][GOOD == 0].tolist()
    assert "heads" not in result.schema.names
    assert f"{result.people} people" in " ".join(outcome.output.split())
    told = call("audit", case / "r.json", case / "rows.csv", "--by", "sex", "--people", "heads").stdout
    assert told.split("\n")[1].split()[:3] == ["sex", "people", "refused"]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("heads", "--people: the table has no column 'heads'; there are 'income'"),
        ("sex", "--people: column 'sex', row 0: 'f' is not an integer"),
    ],
)
def test_a_column_that_does_not_count_people_is_told(case, column, words):
    outcome = explain(case, "--trust-model", "--people", column)
    assert outcome.exit_code == 2
    assert words in outcome.stderr


def test_the_demo_writes_a_report(tmp_path):
    outcome = call("demo", "--report", tmp_path / "report.html")
    assert outcome.exit_code == 0, outcome.output
    assert "credit_history cannot change" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["explain", "frontier"])
def test_the_usual_number_of_changes_serves_models_of_two_columns(case, command):
    outcome = call(command, case / "rows.csv", case / "model.joblib", "--trust-model")
    assert outcome.exit_code == 0, outcome.output
