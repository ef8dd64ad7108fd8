"""Tests that the comparison of subgroups stands in the report, with its intervals in the right places."""

import pandas as pd
import pytest

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.report import report_html
from oneformany.report.content import audit_part
from oneformany.studies.audit import measure_words
from report.made_results import HOSTILE, made_result


def frame(result, values):
    return pd.DataFrame({"who": values}, index=list(result.index))


def test_counts_differences_and_words_are_shown():
    result = made_result()
    audit = ofm.audit(result, frame(result, ["a"] * 6 + ["b"] * 6), by="who")
    part = audit_part(audit)
    assert (part["by"], part["columns"][:2]) == ("who", ["rows", "refused"])
    assert part["lines"][0][:5] == ("a", "6", "6", "6", "0")
    assert [line["texts"][1] for line in part["differences"]] == [
        "refused", "beyond help, of those refused", "under a rare explanation, of those covered",
        "changes per covered row",
    ]  # fmt: skip
    assert all(
        -1e-9 <= line["low"] <= line["value"] <= line["high"] <= 100 + 1e-9 for line in part["differences"]
    )
    html = report_html(result, audits=[audit])
    assert "<p>No difference between a subgroup and the others is clear of chance." in html


def test_one_clear_difference_is_one_and_no_difference_is_not_below_zero():
    result = made_result(rows=60)
    audit = ofm.audit(result, frame(result, ["a"] * 58 + ["b", "b"]), by="who")
    html = report_html(result, audits=[audit])
    assert "<p>1 of 2 differences is clear of chance." in html
    assert html.count('<tr class="clear">') == 1
    assert measure_words("mean_changes", -0.001) == "0.00"
    assert measure_words("refused", -0.0001) == "0.0%"


def test_one_audit_that_is_not_in_a_list_is_told(tmp_path):
    result = made_result()
    audit = ofm.audit(result, frame(result, ["a"] * 6 + ["b"] * 6), by="who")
    with pytest.raises(InputError, match="audits must be a list of audits, not Audit"):
        result.report(tmp_path / "report.html", audits=audit)


def test_hostile_names_of_subgroups_are_harmless():
    result = made_result()
    audit = ofm.audit(result, frame(result, [HOSTILE[1]] * 6 + [HOSTILE[3]] * 6), by="who")
    html = report_html(result, audits=[audit])
    assert "<img" not in html
    assert "\x1b" not in html
