"""Tests that rows are read from files as people have them, and that others are refused in a sentence."""

import csv
import gzip

import pandas as pd
import pytest

from oneformany.cli.rows_file import load_rows
from oneformany.exceptions import InputError

FRAME = pd.DataFrame({"name": ["Zoë", "Jörg", "Ann"], "sum": [1.5, 2.25, 3.0], "n": [1, 2, 3]})


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_separator_and_encoding_are_found_out(tmp_path, separator, encoding):
    path = tmp_path / "rows.csv"
    path.write_bytes(FRAME.to_csv(index=False, sep=separator).encode(encoding))
    pd.testing.assert_frame_equal(load_rows(path), FRAME, check_dtype=False)


def test_decimal_commas_are_read_as_numbers(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(FRAME.to_csv(index=False, sep=";", decimal=","), encoding="utf-8")
    assert load_rows(path)["sum"].tolist() == [1.5, 2.25, 3.0]


@pytest.mark.parametrize(
    ("text", "separator", "columns", "job"),
    [
        ("age,job\n30, Private\n", None, ["age", "job"], " Private"),
        ("age, job\n30, Private\n", None, ["age", "job"], "Private"),
        ('age, job\n30, "Private, other"\n', None, ["age", "job"], "Private, other"),
        ("age,job\n30, Private\n", ", ", ["age", "job"], "Private"),
        ("age, job\n30, Private\n", ",", ["age", " job"], " Private"),
    ],
)
def test_spaces_belong_to_values_unless_the_header_or_the_user_says_otherwise(
    tmp_path, text, separator, columns, job
):
    (tmp_path / "rows.csv").write_text(text)
    frame = load_rows(tmp_path / "rows.csv", separator)
    assert frame.columns.tolist() == columns
    assert frame.iloc[0].tolist() == [30, job]


def test_commas_in_quotes_do_not_separate(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('a;b\n"x, y, z";1\n"u, v, w";2\n')
    assert load_rows(path)["a"].tolist() == ["x, y, z", "u, v, w"]


def test_lines_that_are_too_short_do_not_hide_the_separator(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,c\n1,2\n1,2,3\n")
    assert load_rows(tmp_path / "rows.csv").columns.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_any_system_ends_them(tmp_path, end):
    path = tmp_path / "rows.csv"
    path.write_bytes(FRAME.to_csv(index=False, lineterminator=end).encode())
    pd.testing.assert_frame_equal(load_rows(path), FRAME, check_dtype=False)


def test_one_column_needs_no_separator(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n2\n")
    assert load_rows(path)["a"].tolist() == [1, 2]


def test_hints_win_over_guesses(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("a:b\nö:1\n".encode("cp437"))
    frame = load_rows(path, separator=":", encoding="cp437")
    assert frame.to_dict("list") == {"a": ["ö"], "b": [1]}


def test_packed_csv_parquet_and_json_lines_are_read(tmp_path):
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(FRAME.to_csv(index=False).encode()))
    FRAME.to_parquet(tmp_path / "rows.parquet")
    FRAME.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    FRAME.to_json(tmp_path / "rows.json", orient="records", indent=1)
    for name in ("rows.csv.gz", "rows.parquet", "rows.jsonl", "rows.json"):
        pd.testing.assert_frame_equal(load_rows(tmp_path / name), FRAME, check_dtype=False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_of_json_is_found_out(tmp_path, encoding):
    text = FRAME.to_json(orient="records", lines=True, force_ascii=False)
    (tmp_path / "rows.jsonl").write_bytes(text.encode(encoding))
    pd.testing.assert_frame_equal(load_rows(tmp_path / "rows.jsonl"), FRAME, check_dtype=False)


def test_a_line_may_be_longer_than_the_csv_module_takes(tmp_path):
    wide = pd.DataFrame([range(40_000)] * 2, columns=[f"c{i}" for i in range(40_000)])
    wide.to_csv(tmp_path / "rows.csv", index=False)
    assert load_rows(tmp_path / "rows.csv").shape == wide.shape


def test_a_small_file_does_not_lower_the_limit_that_the_csv_module_has(tmp_path):
    before = csv.field_size_limit()
    (tmp_path / "rows.csv").write_text("a\n1\n")
    load_rows(tmp_path / "rows.csv")
    assert csv.field_size_limit() >= before


def test_a_column_can_name_the_rows(tmp_path):
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    assert load_rows(tmp_path / "rows.csv", index="name").index.tolist() == ["Zoë", "Jörg", "Ann"]


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("none.csv", None, {}, "there is no such file"),
        ("rows.csv", b"", {}, "is empty"),
        ("rows.csv", b"a,b\n", {}, "has no rows (columns: a, b); give at least one"),
        (
            "rows.csv",
            b"a,b\n1,2\n1,2,3,4\n1,2\n",
            {"separator": ","},
            "line 3 has 4 columns, the first line names 2",
        ),
        ("rows.csv", b"a,b\n1,2\n", {"separator": ";"}, "try ',', or leave it out"),
        ("rows.csv", b"PK\x03\x04\x00\x00\x00\x00", {}, "is not a text file"),
        (
            "rows.csv",
            b"a\n\xff\n",
            {"encoding": "utf-8"},
            "line 2 is not text in utf-8 (byte 0xff); try --encoding cp1252",
        ),
        (
            "rows.csv",
            b"a\n1\n",
            {"encoding": "klingon"},
            "--encoding klingon is not known; use utf-8, cp1252",
        ),
        ("rows.csv", b"a\n1\n", {"separator": ";;"}, "one character"),
        ("rows.csv", b"a\n1\n", {"separator": ""}, "one character"),
        ("rows.csv", b"a\n1\n", {"separator": "\n"}, "one character"),
        ("rows.csv", "a§b\n1§2\n".encode(), {"separator": "§"}, "one character of ASCII"),
        ("rows.csv", b"a\n1\n", {"separator": "\\x"}, "--separator is '\\\\x'"),
        ("rows.json", b"[" * 100_000, {}, "it is nested too deeply"),
        ("rows.json", b'[{"a": %s}]' % (b"9" * 5000), {}, "it holds an integer of thousands of digits"),
        ("rows.csv", b"a\n1\n", {"index": "id"}, "has no column 'id'"),
        ("rows.csv", b"a\n1\n1\n", {"index": "a"}, "'1' in 'a' is missing or stands twice"),
        ("rows.csv", b"a,b\n1,2\n,2\n", {"index": "a"}, "'nan' in 'a' is missing or stands twice"),
        ("rows.parquet", b"a,b\n1,2\n", {}, "cannot be read as a table"),
        ("rows.jsonl", b'{"a": 1}\n\n{no json\n', {}, "line 3, column 2 is not JSON"),
        ("rows.json", b"[1, 2]", {}, 'row 1 is not an object such as {"age": 30'),
        (
            "rows.json",
            b'{"a": {"0": 1, "1": 2}}',
            {},
            "row 1 holds a whole list in 'a'; one value is needed there",
        ),
        ("rows.csv", b"a,b,a\n1,2,3\n", {}, "the first line names 'a' twice"),
        ("rows.csv", b",,\n,,\n", {"index": "id"}, "has no column 'id'"),
        ("rows.csv", b'a,b\n"1,2\n3,4\n', {}, "a quotation mark is opened and not closed"),
        ("rows.csv", b"name,sum\n" * 50, {"encoding": "utf-16-be"}, "has no rows"),
        ("rows.json", b'{\n "a": 1,\n "b": [2]\n}', {}, "row 1 holds a whole list in 'b'"),
        ("rows.jsonl", b"1\n2\n", {}, "line 2, column 1 is not JSON"),
        ("book.xlsx", b"PK\x03\x04\x00\x00\x00\x00", {}, "save it as CSV"),
        ("rows.json", b"[]", {}, "has no rows (columns: none)"),
        ("folder.csv", "folder", {}, "it is a folder"),
        ("rows.csv.gz", b"a,b\n1,2\n", {}, "cannot be read as a table"),
    ],
)
def test_what_is_not_a_table_is_told_in_a_sentence(tmp_path, name, content, options, words):
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r".*") as told:
        load_rows(tmp_path / name, **options)
    assert words in str(told.value)
    assert len(str(told.value)) < 500
    assert name in str(told.value) or "--" in str(told.value)


def test_a_file_that_may_not_be_read_is_told_so(tmp_path, monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(
        InputError, match=r"rows\.csv cannot be read as a table of rows: you have no right to"
    ):
        load_rows(tmp_path / "rows.csv")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    def lacking(_):
        raise ImportError("Unable to find a usable engine")

    monkeypatch.setattr(pd, "read_parquet", lacking)
    with pytest.raises(InputError, match=r"pip install 'oneformany\[parquet\]'"):
        load_rows(tmp_path / "rows.parquet")
