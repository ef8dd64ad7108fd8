"""Tests that a table looks as it should in each format."""

import csv
import io

import pytest

from oneformany.paper.text_table import FORMATS, make_table

TABLE = make_table(
    "table-9",
    "Table 9: a_b & 100 %",
    {
        "|S|": [10, 100],
        ("paper", "y*"): ["5†", -4],
        ("paper", "time"): ["3600.00", "1.50"],
        ("exact", "y*"): [8, None],
    },
    ["†: cannot be right."],
)


def test_text_is_aligned_under_its_groups():
    assert FORMATS["text"](TABLE) == (
        "Table 9: a_b & 100 %\n"
        "    paper         exact\n"
        "|S|    y*    time    y*\n"
        " 10    5† 3600.00     8\n"
        "100    -4    1.50     -\n"
        "†: cannot be right.\n"
    )


def test_csv_has_one_line_of_headings_and_can_be_read_back():
    lines = list(csv.reader(io.StringIO(FORMATS["csv"](TABLE))))
    assert lines[0] == ["|S|", "paper y*", "paper time", "exact y*"]
    assert lines[1:] == TABLE.frame.to_numpy().tolist()


def test_markdown_has_as_many_bars_in_every_line():
    lines = FORMATS["markdown"](TABLE).split("\n")
    bars = [line.count("|") for line in lines if line.startswith("|")]
    assert bars == [5] * 4
    assert lines[0] == "**Table 9: a_b & 100 %**"
    assert lines[2] == "| &#124;S&#124; | paper y&#42; | paper time | exact y&#42; |"
    assert lines[-2] == "†: cannot be right."


def test_latex_is_escaped_and_has_the_groups_over_their_columns():
    text = FORMATS["latex"](TABLE)
    assert "\\caption{a\\_b \\& 100 \\%}\n\\label{tab:table-9}" in text
    assert r"& \multicolumn{2}{c}{paper} & exact \\" in text
    assert r"$|S|$ & $y^{*}$ & time & $y^{*}$ \\" in text
    assert r"10 & 5$^\dagger$ & 3600.00 & 8 \\" in text
    assert r"100 & -4 & 1.50 & - \\" in text
    assert text.count(r"\begin") == text.count(r"\end") == 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_without_groups_has_no_line_for_them(name):
    plain = make_table("t", "T", {"a": [1], "b": [2]})
    text = FORMATS[name](plain)
    assert "multicolumn" not in text
    assert len([line for line in text.split("\n") if "1" in line and "2" in line]) == 1
