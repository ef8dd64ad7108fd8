"""Tests of the section of a model card: it says what the result says, and obeys nothing that users wrote."""

import re

import pytest
from sklearn.linear_model import LogisticRegression
from skops.card import Card

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.report import model_card
from oneformany.report.card import plain
from report.made_results import HOSTILE, made_result


def solved():
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    return ofm.solve(ofm.Problem([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (2, 2, 2), oracle, max_changes=1))


def test_the_section_tells_people_explanations_rules_and_how_to_check_the_proof():
    result = made_result()
    text = result.model_card(file="german.json")
    assert text.startswith("## Recourse\n")
    assert "Proved to be beyond help: 1 row." in text
    assert "Not known of 1 row" in text
    assert "- age cannot change" in text
    assert "`oneformany verify german.json`" in text
    assert len(re.findall(r"^\| \d+ \|", text, re.MULTILINE)) == result.count


def test_a_card_of_skops_gets_the_same_section():
    card = Card(LogisticRegression())
    result = solved()
    text = result.model_card(card)
    rendered = card.render()
    for line in filter(None, text.splitlines()):
        assert line.lstrip("#") in rendered
    with pytest.raises(InputError, match="card must be a Card of skops, not str"):
        model_card(result, "card.md")


def test_hostile_names_are_escaped():
    text = model_card(made_result(hostile=True), file="`rm`.json")
    for sign in ("<script>", "<img", "<svg"):
        assert sign not in text.replace("\\<", "")
    assert "`oneformany verify rm.json`" in text
    assert plain(HOSTILE[0]) in text
