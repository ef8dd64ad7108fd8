"""Tests that benchmark records survive their file, and a kill."""

from dataclasses import replace

import pytest

from oneformany.bench.cells import Published
from oneformany.bench.records import Key, Record, append, read
from oneformany.exceptions import InputError

KEY = Key("german", "lr", "exact", "published", 10, 5, None, 0)
RECORD = Record(
    KEY, "optimal", 9, 9, 0.25, 0, True, None, 210.5, Published(9, 0, 5.31, 548.38), {"numpy": "2"}
)


def test_a_record_is_one_flat_line():
    line = RECORD.to_line()
    assert "\n" not in line
    assert '"dataset": "german"' in line
    assert Record.from_line(line) == RECORD


def test_records_are_appended_and_read_back(tmp_path):
    path = tmp_path / "bench.jsonl"
    beyond = replace(RECORD, key=replace(KEY, rows=500, time_limit=60.0), published=None, verified=True)
    append(path, RECORD)
    append(path, beyond)
    assert read(path) == [RECORD, beyond]


def test_a_file_that_does_not_exist_has_no_records(tmp_path):
    assert read(tmp_path / "none.jsonl") == []


def test_a_line_cut_off_by_a_kill_is_removed_and_the_run_can_go_on(tmp_path):
    path = tmp_path / "bench.jsonl"
    append(path, RECORD)
    whole = path.read_text()
    for length in (1, 40, len(whole) - 1):
        path.write_text(whole + whole[:length])
        assert read(path) == [RECORD]
        append(path, RECORD)
        assert read(path) == [RECORD, RECORD]


@pytest.mark.parametrize("line", ["{}", "no json", "[1]", '{"dataset": "german"}', ""])
def test_a_line_that_is_no_record_is_named(tmp_path, line):
    path = tmp_path / "bench.jsonl"
    path.write_text(f"{RECORD.to_line()}\n{line}\n{RECORD.to_line()}\n")
    with pytest.raises(InputError, match=r"line 2 of .*bench\.jsonl"):
        read(path)


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "bench.jsonl"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match="cannot be read"):
        read(path)
