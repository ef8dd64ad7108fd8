"""Tests that benchmark records survive their file, and a kill."""

import json

import pytest

from oneformany.exceptions import InputError
from oneformany.paper.runs.records import append, as_published, header, line, read, read_all


@pytest.fixture
def record(make_record):
    return make_record()


def test_a_record_is_one_flat_line(tmp_path, record):
    path = tmp_path / "bench.jsonl"
    append(path, record)
    (line,) = path.read_text().splitlines()
    assert line.startswith('{"dataset": "german"')
    assert read(path) == [record]


def test_records_are_appended_and_read_back(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    beyond = make_record(rows=500, time_limit=60.0, immutable="half", published=None, verified="confirmed")
    for record in (make_record(), beyond):
        append(path, record)
    assert read(path) == [make_record(), beyond]


def test_a_file_that_does_not_exist_can_be_begun_but_not_read(tmp_path):
    assert read(tmp_path / "new.jsonl", cut=True) == []
    with pytest.raises(InputError, match=r"none\.jsonl cannot be read"):
        read(tmp_path / "none.jsonl")


@pytest.mark.parametrize("length", [1, 5, 40, -1])
def test_a_line_cut_off_by_a_kill_is_left_out_and_the_run_can_go_on(tmp_path, record, length):
    path = tmp_path / "bench.jsonl"
    append(path, record)
    whole = path.read_text()
    path.write_text(whole + whole[:-1][:length])
    assert read(path) == [record]
    assert path.read_text() != whole
    assert read(path, cut=True) == [record]
    assert path.read_text() == whole
    append(path, record)
    assert read(path) == [record, record]


def test_a_cut_in_the_very_first_line_leaves_an_empty_file(tmp_path, record):
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(record)[:30])
    assert read(path, cut=True) == []
    assert path.read_text() == ""


@pytest.mark.parametrize("line", ["{}", "no json", "[1]", '{"dataset": "german"}', ""])
def test_a_line_that_is_no_record_is_named(tmp_path, record, line):
    path = tmp_path / "bench.jsonl"
    path.write_text(f"{json.dumps(record)}\n{line}\n{json.dumps(record)}\n")
    with pytest.raises(InputError, match=r"line 2 of .*bench\.jsonl"):
        read(path)


def test_an_explanation_that_is_none_is_named(tmp_path, make_record):
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(make_record(explanations=[1])) + "\n")
    with pytest.raises(InputError, match="line 1"):
        read(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("count", "many"), ("rows", [3]), ("rows", None), ("dataset", 1), ("dataset", "iris"), ("seed", [1]),
        ("status", "great"), ("count", -1), ("unreachable", -3), ("confirmed", True), ("seconds", -0.5),
        ("seconds", float("nan")), ("threshold", "0.5"), ("rows", 10**30), ("time_limit", [60]),
        ("verified", "yes"), ("method", "guess"), ("model", ["lr"]), ("solver", None), ("explanations", None),
        ("explanations", [{"point": [0], "changed": [0], "members": [0]}]),
        ("explanations", [{"point": [99] * 20, "changed": [0], "members": [0]}]),
        ("explanations", [{"point": [0] * 20, "changed": [20], "members": [0]}]),
    ],
)  # fmt: skip
def test_a_value_that_no_record_has_is_named_with_its_file_line_and_field(
    tmp_path, make_record, field, value
):
    path = tmp_path / "bench.jsonl"
    for record in (make_record(), make_record(**{field: value})):
        append(path, record)
    with pytest.raises(InputError, match=rf'line 2 of .*bench\.jsonl is not a benchmark record \("{field}'):
        read(path)


@pytest.mark.parametrize("part", ["trained", "questions"])
@pytest.mark.parametrize("value", [None, {}, 3, {"accuracy": "high", "points": "few"}])
def test_a_part_that_is_not_complete_is_named(tmp_path, make_record, part, value):
    append(tmp_path / "bench.jsonl", make_record(**{part: value}))
    with pytest.raises(InputError, match=rf'line 1 of .*\("{part}_\w+" is '):
        read(tmp_path / "bench.jsonl")


@pytest.mark.parametrize(
    "claim",
    [
        {"status": "optimal", "lower_bound": 11},
        {"status": "infeasible"},
        {"status": "feasible", "lower_bound": 13},
    ],
)
def test_a_status_that_count_and_bound_contradict_is_refused(tmp_path, make_record, claim):
    append(tmp_path / "bench.jsonl", make_record(**claim))
    with pytest.raises(InputError, match='"status" is'):
        read(tmp_path / "bench.jsonl")


def test_an_integer_too_long_to_be_read_is_told(tmp_path, record):
    path = tmp_path / "bench.jsonl"
    path.write_text(json.dumps(record).replace('"count": 12', f'"count": {"9" * 5000}') + "\n")
    with pytest.raises(InputError, match=r"line 1 of .* \(it holds an integer of thousands of digits\)"):
        read(path)


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "bench.jsonl"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


def test_somebody_elses_file_is_never_cut(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("one line without its end")
    with pytest.raises(InputError, match="name another file"):
        read(path, cut=True)
    assert path.read_text() == "one line without its end"


def test_a_folder_that_does_not_exist_is_told(tmp_path, record):
    with pytest.raises(InputError, match="cannot be written"):
        append(tmp_path / "none" / "bench.jsonl", record)


def test_of_several_runs_with_one_key_the_last_counts(tmp_path, make_record):
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    append(first, make_record(count=13, lower_bound=13))
    append(first, make_record(rows=20))
    append(second, make_record(count=12))
    assert [(r["rows"], r["count"]) for r in read_all([first, second])] == [(50, 12), (20, 12)]


def test_files_without_any_record_are_told(tmp_path):
    path = tmp_path / "bench.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match="no benchmark record"):
        read_all([path])


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({}, True),
        ({"dataset": "students-published"}, True),
        ({"method": "mip", "time_limit": 60.0}, True),
        ({"dataset": "students"}, False),
        ({"protocol": "negatives"}, False),
        ({"threshold": 0.9}, False),
        ({"immutable": "half"}, False),
        ({"model": "forest"}, False),
    ],
)
def test_only_the_papers_own_question_counts_as_published(make_record, changes, same):
    assert as_published(make_record(**changes)) is same


ENDED = {"explanations": 15, "gap_to_mip": 0, "cg_seconds": 100.0, "mip_seconds": 2000.0}


@pytest.mark.parametrize("command", ["paper", "models"])
def test_lines_and_heading_have_one_width(command, make_record):
    beyond = make_record(rows=500, status="feasible", lower_bound=11, published=None)
    verified = make_record(count=15, lower_bound=15, confirmed=15, published=ENDED, verified="confirmed")
    texts = header(command), *(line(command, record) for record in (make_record(), verified, beyond))
    assert len({len(text) for text in texts}) == 1


def test_a_line_sets_the_paper_beside_ours(make_record):
    assert line("paper", make_record(bound_without_classifier=11)).split() == [
        "german", "lr", "exact", "10", "50", "15", "3600.00", "7,200x", "11", "12", "12", "optimal", "0.50",
        "54", "3", "0.25", "12/12", "-",
    ]  # fmt: skip


def test_kinds_of_models_show_accuracy_and_confirmation(make_record):
    shown = line("models", make_record(model="forest", verified="cannot be confirmed")).split()
    assert shown == ["forest", "0.724", "12", "12", "optimal", "0.50", "54", "3", "0.25", "12/12", "open"]


def test_a_cell_beyond_the_paper_has_dashes(make_record):
    assert line("paper", make_record(rows=500, published=None)).split()[5:8] == ["-", "-", "-"]


@pytest.mark.parametrize(
    ("changes", "ratio"),
    [
        ({}, "200x"),
        ({"method": "mip"}, "4,000x"),
        ({"seconds": 200.0}, "0.5x"),
        ({"status": "feasible"}, "-"),
    ],
)
def test_each_method_is_compared_with_the_papers_own_if_it_ended_with_a_proof(make_record, changes, ratio):
    assert line("paper", make_record(published=ENDED, **changes)).split()[7] == ratio
