"""Tests that the benchmark commands do what they say, survive a kill, and tell what is wrong."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from oneformany.paper.commands import bench
from oneformany.paper.runs.records import append, read, read_all

runner = CliRunner()
TINY = ("paper", "--dataset", "german", "--rows", "3,4", "--max-changes", "15")


def call(*arguments):
    return runner.invoke(bench, [str(argument) for argument in arguments])


def test_help_names_every_command():
    outcome = call("--help")
    for command in ("paper", "models", "tables", "figures"):
        assert command in outcome.output


def test_all_methods_and_models_run_and_the_tables_come_out_of_the_file(tmp_path):
    path = tmp_path / "bench.jsonl"
    outcome = call(
        "paper", "--dataset", "german", "--rows", 3, "--max-changes", 15, "--model", "lr,nn",
        "--method", "exact,cg-mip,mip", "--time-limit", 1, "--json", path,
    )  # fmt: skip
    assert outcome.exit_code == 0, outcome.output
    records = read(path)
    assert [(record["model"], record["method"]) for record in records] == [
        (model, method) for model in ("lr", "nn") for method in ("exact", "cg-mip", "mip")
    ]
    assert "points confirmed" in outcome.output
    assert "CONTRADICTION" not in outcome.output
    assert "any: proved for these rows" in outcome.output
    tables = call("tables", path)
    assert tables.exit_code == 0
    assert "Table 8: Students performance, the NN" in tables.output
    assert "All runs" in tables.output


def test_a_killed_run_loses_only_the_running_cell_and_goes_on(tmp_path):
    path = tmp_path / "bench.jsonl"
    arguments = [
        "paper", "--dataset", "german", "--rows", "4,5,100", "--max-changes", "15", "--method", "exact,mip",
        "--time-limit", "600", "--json", str(path),
    ]  # fmt: skip
    source = f"from oneformany.paper.commands import bench; bench({arguments!r})"
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 120
        while not (path.exists() and path.read_text().count("\n")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
    whole = path.read_text()
    finished = read(path)
    assert finished
    path.write_text(whole + '{"dataset": "german", "mod')
    again = call(
        "paper", "--dataset", "german", "--rows", 4, "--max-changes", 15, "--time-limit", 600, "--json", path
    )
    assert again.exit_code == 0, again.output
    assert path.read_text() == whole
    more = call(
        "paper",
        "--dataset",
        "german",
        "--rows",
        "3,4",
        "--max-changes",
        15,
        "--time-limit",
        600,
        "--json",
        path,
    )
    assert more.exit_code == 0
    assert path.read_text().startswith(whole)
    assert [record["rows"] for record in read(path)] == [record["rows"] for record in finished] + [3]


def test_processes_end_when_a_side_by_side_run_is_killed(tmp_path):
    path = tmp_path / "bench.jsonl"
    arguments = [*TINY, "--method", "exact", "--jobs", "2", "--json", str(path)]
    arguments[arguments.index("3,4")] = ",".join(str(rows) for rows in range(3, 40))
    source = f"from oneformany.paper.commands import bench\nif __name__ == '__main__': bench({arguments!r})"
    script = tmp_path / "run.py"
    script.write_text(source)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while not (path.exists() and path.read_text().count("\n")) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert read(path)
    deadline = time.monotonic() + 30
    while _group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _group_lives(process.pid)


def _group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_cells_run_side_by_side_are_recorded_once_each(tmp_path):
    path = tmp_path / "bench.jsonl"
    outcome = call(*TINY, "--jobs", 2, "--json", path)
    assert outcome.exit_code == 0, outcome.output
    assert sorted(record["rows"] for record in read(path)) == [3, 4]
    before = path.read_text()
    assert call(*TINY, "--jobs", 2, "--json", path).exit_code == 0
    assert path.read_text() == before


def test_ctrl_c_says_what_is_kept(tmp_path, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    path = tmp_path / "bench.jsonl"
    assert call(*TINY, "--json", path).exit_code == 0
    monkeypatch.setattr("oneformany.paper.runs.run.run_task", interrupt)
    outcome = call(*TINY, "--time-limit", 9, "--json", path)
    assert outcome.exit_code == 130
    assert "stopped; 0 of 2 cells are finished, kept in" in outcome.output
    assert "before anything was found" not in outcome.output
    assert len(read(path)) == 2


def test_a_failed_cell_is_told_not_recorded_and_ends_in_exit_code_1(tmp_path, monkeypatch):
    from oneformany.exceptions import SolverError

    def fail(*_arguments, **_options):
        raise SolverError("out of order")

    path = tmp_path / "bench.jsonl"
    monkeypatch.setattr("oneformany.paper.runs.run.run_task", fail)
    outcome = call(*TINY, "--json", path)
    assert outcome.exit_code == 1
    assert "FAILED 1 of 2: german lr, 15 changes, 3 rows, exact: out of order" in outcome.output
    assert "2 failed; the same command tries them again" in outcome.output
    assert read(path) == []


def test_what_is_asked_for_besides_is_run_again_and_replaces_what_was_recorded(tmp_path):
    path, folder = tmp_path / "bench.jsonl", tmp_path / "results"
    for further in ((), ("--verify",), ("--verify", "--save-results", folder), ("--save-results", folder)):
        assert call(*TINY, "--json", path, *further).exit_code == 0
    assert [record["verified"] for record in read(path)] == [None] * 2 + ["confirmed"] * 4
    assert len(list(folder.iterdir())) == 2
    assert len(read_all([path])) == 2


def test_a_wrong_claim_ends_in_exit_code_1(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record(verified="wrong"))
    outcome = call(
        "paper", "--dataset", "german", "--rows", 50, "--max-changes", 10, "--json", path, "--verify"
    )
    assert outcome.exit_code == 1
    assert "1 WRONG: the check found a claim that does not hold" in outcome.output


def test_a_file_that_cannot_grow_is_told_before_anything_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr("oneformany.paper.runs.run.run_task", None)
    for path in (tmp_path, tmp_path / "missing" / "bench.jsonl"):
        outcome = call(*TINY, "--json", path)
        assert outcome.exit_code == 2
        assert "cannot be written" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dataset", "iris"), "no data set 'iris'"),
        (("--model", "svm"), "no model 'svm'"),
        (("--method", "guess"), "no method 'guess'"),
        (("--immutable", "all"), "'all' is not one of"),
        (("--threshold", "1.5"), "--threshold"),
        (("--time-limit", "-1"), "--time-limit"),
        (("--seed", "-1"), "--seed"),
        (("--seed", 10**30), "--seed"),
        (("--method", "mip", "--solver", "cplex"), "'cplex' is not one of"),
        (("--rows", ","), "--rows takes integers of 1 or more, separated by commas, not ','"),
    ],
)
def test_bad_options_are_told_in_a_sentence(arguments, message):
    outcome = call("paper", *arguments)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
    assert "Traceback" not in outcome.output


@pytest.mark.parametrize(("solver", "package"), [("gurobi", "gurobipy"), ("scip", "pyscipopt")])
def test_a_missing_solver_is_told_before_anything_is_run(monkeypatch, tmp_path, solver, package):
    monkeypatch.setitem(sys.modules, package, None)
    outcome = call(*TINY, "--method", "exact,cg-mip", "--solver", solver, "--json", tmp_path / "bench.jsonl")
    assert outcome.exit_code == 2
    assert f"pip install {package}" in outcome.stderr
    assert not (tmp_path / "bench.jsonl").exists()


def test_the_exact_method_needs_no_other_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    assert call(*TINY, "--solver", "gurobi").exit_code == 0


@pytest.mark.parametrize("command", ["tables", "figures"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "no benchmark record"),
        ("{}\n", "line 1 of"),
        ("half a li", "name another"),
    ],
)
def test_files_without_records_are_told(tmp_path, command, content, message):
    path = tmp_path / "bench.jsonl"
    if content is not None:
        path.write_text(content)
    outcome = call(command, path)
    assert outcome.exit_code == 2
    assert message in outcome.stderr


def test_a_corrupt_file_is_neither_run_into_nor_changed(tmp_path):
    path = tmp_path / "bench.jsonl"
    path.write_text("not mine\n")
    outcome = call(*TINY, "--json", path)
    assert outcome.exit_code == 2
    assert "line 1 of" in outcome.stderr
    assert path.read_text() == "not mine\n"


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex"])
def test_tables_are_written_one_per_file_in_every_format(tmp_path, make_record, form):
    path = tmp_path / "bench.jsonl"
    append(path, make_record())
    outcome = call("tables", path, "--format", form, "--out", tmp_path / "tables")
    assert outcome.exit_code == 0, outcome.output
    files = sorted((tmp_path / "tables").iterdir())
    assert len(files) == 9
    assert {file.suffix for file in files} == {
        {"text": ".txt", "csv": ".csv", "markdown": ".md", "latex": ".tex"}[form]
    }
    if form == "csv":
        text = (tmp_path / "tables" / "table-5.csv").read_text()
        assert len(list(csv.DictReader(text.splitlines()))) == 12


def test_all_tables_go_into_one_json_file(tmp_path, make_record):
    path, out = tmp_path / "bench.jsonl", tmp_path / "tables.json"
    append(path, make_record())
    assert call("tables", path, "--json", out).exit_code == 0
    tables = {table["name"]: table for table in json.loads(out.read_text())}
    assert len(tables) == 9
    assert len(tables["table-5"]["frame"]) == 12
    assert tables["summary"]["frame"][0]["cells proved"] == "1"


def test_records_are_not_written_over(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record())
    outcome = call("tables", path, "--json", path)
    assert outcome.exit_code == 2
    assert "is named twice" in outcome.stderr
    assert read(path) == [make_record()]


def test_files_and_folders_that_cannot_be_written_are_told(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record(model="nn"))
    for arguments in (
        ("tables", path, "--json", "/dev/full"),
        ("tables", path, "--out", path),
        ("figures", path, "--out", path),
    ):
        outcome = call(*arguments)
        assert outcome.exit_code == 2, outcome.output
        assert "cannot be written" in outcome.stderr
    assert len(read(path)) == 1


def test_reading_a_file_for_tables_leaves_a_running_benchmark_alone(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record())
    path.write_text(path.read_text() + '{"dataset": "ger')
    before = path.read_text()
    assert call("tables", path).exit_code == 0
    assert path.read_text() == before


def test_an_unknown_format_is_told(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record())
    assert "'html' is not one of" in call("tables", path, "--format", "html").stderr
    assert "'bmp' is not one of" in call("figures", path, "--format", "bmp").stderr


def test_figures_are_saved_and_missing_ones_told(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    append(path, make_record(model="nn"))
    outcome = call("figures", path, "--out", tmp_path / "figures")
    assert outcome.exit_code == 1
    assert "figure-1-compas-3-changes-10-rows needs: oneformany bench paper" in outcome.output
    (file,) = (tmp_path / "figures").iterdir()
    assert file.name == "figure-4-german-changed-features.png"
    assert file.read_bytes().startswith(b"\x89PNG")


def test_kinds_of_models_are_compared_and_missing_libraries_named(tmp_path, monkeypatch):
    from oneformany.paper.runs.prepare import MODEL_KINDS, ModelKind

    kinds = {name: MODEL_KINDS[name] for name in ("lr", "tree")}
    kinds["rare"] = ModelKind("rare model", list, "no_such_package")
    monkeypatch.setattr("oneformany.paper.runs.prepare.MODEL_KINDS", kinds)
    path = tmp_path / "bench.jsonl"
    outcome = call("models", "--rows", 4, "--json", path, "--verify")
    assert outcome.exit_code == 0, outcome.output
    assert [record["model"] for record in read(path)] == ["lr", "tree"]
    assert "not installed: rare (rare model); pip install no_such_package" in outcome.output
    assert "confirmed" in outcome.output


def test_kinds_can_be_chosen_and_unknown_ones_are_told():
    assert "no such" not in call("models", "--model", "svm", "--rows", 3).output
    outcome = call("models", "--model", "oracle")
    assert outcome.exit_code == 2
    assert "there is no model 'oracle'; choose from lr, svm" in outcome.stderr
    assert "name at least one model: lr, svm" in call("models", "--model", ",").stderr
