"""Tests that the benchmark's lines and totals say what the records say."""

import pytest

from oneformany.paper.runs.lines import contradictions, header, line, totals
from oneformany.paper.runs.records import frame_of

ENDED = {"explanations": 15, "gap_to_mip": 0, "cg_seconds": 100.0, "mip_seconds": 2000.0}


@pytest.fixture
def beyond(make_record):
    return make_record(rows=500, status="feasible", lower_bound=11, published=None)


@pytest.fixture
def ended(make_record):
    return make_record(count=15, lower_bound=15, confirmed=15, published=ENDED, verified=True)


@pytest.mark.parametrize("command", ["paper", "models"])
def test_lines_and_heading_have_one_width(command, make_record, ended, beyond):
    texts = (*header(command).split("\n"), *(line(command, r) for r in (make_record(), ended, beyond)))
    assert len({len(text) for text in texts}) == 1


def test_a_line_sets_the_paper_beside_ours(make_record):
    assert line("paper", make_record()).split() == [
        "german", "lr", "exact", "10", "50", "15", "3600", "limit",
        "12", "12", "optimal", "0.50", "7,200x", "-", "54", "3", "0.25", "-",
    ]  # fmt: skip


def test_classifiers_that_are_asked_show_questions_and_what_any_classifier_needs(make_record):
    record = make_record(bound_without_classifier=11)
    assert header("paper").split()[-6:] == ["any", "asked", "proofs", "oracle", "s", "verified"]
    assert line("paper", record).split()[-5:] == ["11", "54", "3", "0.25", "-"]


def test_kinds_of_models_show_accuracy_and_confirmation(make_record):
    shown = line("models", make_record(model="forest")).split()
    assert shown == ["forest", "0.724", "12", "12", "optimal", "0.50", "12/12", "54", "3", "0.25", "-"]


def test_a_cell_beyond_the_paper_has_dashes(beyond):
    assert line("paper", beyond).split()[5:7] == ["-", "-"]


def test_the_compact_mip_is_compared_with_the_papers_mip(make_record, ended):
    mip = make_record(method="mip", published=ENDED)
    assert "4,000x" in line("paper", mip)
    assert "200x" in line("paper", ended)


def test_a_method_slower_than_the_paper_says_so(make_record):
    assert "0.5x" in line("paper", make_record(seconds=200.0, published=ENDED))


def test_a_run_without_a_proof_is_not_called_faster(make_record):
    unfinished = make_record(count=15, lower_bound=3, status="feasible")
    assert "x" not in line("paper", unfinished).replace("exact", "")
    assert "times as long" not in totals([unfinished])


def test_totals_add_up_per_method_and_compare_only_published_cells(make_record, ended, beyond):
    mip = make_record(method="mip", seconds=10.0, published=ENDED)
    text = totals([make_record(), ended, beyond, mip])
    assert "exact: 3 cells, 2 optimal, 1 feasible; solved in 1.5 s together" in text
    assert "the paper: 3,700 s on the 2 that ended with a proof here, 3,700 times as long" in text
    assert "fewer in 1 cells, as many in 1, more in 0" in text
    assert "mip: 1 cells, 1 optimal; solved in 10.0 s together" in text
    assert "the paper: 2,000 s on the 1 that ended with a proof here, 200 times as long" in text
    assert "questions to the classifiers: 216; of these 12 ended in a proof" in text
    assert "own predict: 100 % (51 of 51)" in text
    assert "independent check: 1 of 1" in text
    assert "peak memory: 210 MB" in text


def test_other_rows_than_the_papers_are_not_compared_in_the_totals(make_record):
    assert "paper" not in totals([make_record(protocol="negatives")])


def test_a_result_that_was_not_confirmed_or_verified_shows(make_record):
    text = totals([make_record(count=1000, confirmed=999, verified=False)])
    assert "own predict: 99 % (999 of 1,000)" in text
    assert "independent check: 0 of 1" in text
    assert line("paper", make_record(verified=False)).endswith("NO")


def test_a_bound_above_another_methods_count_is_a_contradiction(make_record):
    good = make_record(method="cg-mip", count=14, lower_bound=10, status="feasible")
    wrong = make_record(method="mip", count=20, lower_bound=13, status="feasible")
    assert contradictions(frame_of([make_record(), good])) == []
    (found,) = contradictions(frame_of([make_record(), good, wrong]))
    assert "mip proves that 13 are needed, exact has 12" in found
    assert found in totals([make_record(), good, wrong])
    other = make_record(rows=100, method="mip", count=20, lower_bound=13)
    assert contradictions(frame_of([make_record(), other])) == []


def test_methods_that_agree_are_said_to(make_record):
    compared = (
        make_record(method="cg-mip"),
        make_record(method="mip", count=14, lower_bound=3, status="feasible"),
    )
    assert "on 1 cells no count is below" in totals([make_record(), *compared])
    assert "on the 1 that several proved" in totals([make_record(), *compared])
    assert "agree" not in totals([make_record(), make_record(rows=100)])
