"""Letters to refused people: every advice is tried on the model, and every word is harmless."""

import json
import re

import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from cli.cases import call
from explainer.raw_rows import FRAME, TARGET, pipeline

CODES = {"income": ("3", "Insufficient income"), "job": ("4", "Employment")}


AGE_STAYS = (ofm.Immutable("age"),)


def explained(share="action", rules=AGE_STAYS, max_changes=2, explanations=None, **parameters):
    explainer = ofm.OneForMany(pipeline(), max_changes=max_changes, share=share, rules=rules, **parameters)
    return explainer.explain(FRAME, explanations=explanations)


def followed(letter, row):
    """What becomes of a row that takes the values that its letter names."""
    moved = row.copy()
    for change in letter.advice:
        number = re.search(r"-?[\d.]+", change.after)
        kind = type(row[change.feature])
        moved[change.feature] = change.after if kind is str else kind(float(number[0])) if number else None
    return moved


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("explanations", [None, 1])
def test_the_model_accepts_everybody_who_follows_a_letter(share, explanations):
    rules = (ofm.Immutable("age"), ofm.Immutable("home"))
    result = explained(share, rules, explanations=explanations)
    letters, model = result.letters(FRAME), pipeline()
    rows = FRAME.iloc[result.problem["rows"]]
    checked = 0
    for letter, (_, row) in zip(letters, rows.iterrows(), strict=True):
        assert letter.row == str(row.name)
        exact = not any(
            " to " in one.after or "at " in one.after or "-" in one.after for one in letter.advice
        )
        if letter.advice and exact:
            moved = pd.DataFrame([followed(letter, row)]).astype(FRAME.dtypes)
            assert model.predict(moved)[0] == 1
            assert len(letter.advice) <= 2
            checked += 1
    assert checked


def test_who_shares_advice_is_counted_and_who_is_alone_is_told_their_own():
    rules = [ofm.AtMostSteps("age", 2), ofm.AtMostSteps("income", 2), ofm.Immutable("job")]
    result = explained(rules=rules, explanations=1)
    letters = result.letters(FRAME)
    groups = pd.Series([letter.explanation for letter in letters]).value_counts()
    for letter in letters:
        if letter.explanation is not None:
            assert letter.others == groups[letter.explanation] - 1
            assert f"{letter.others} other people" in letters.text(letters.letters.index(letter))
    left = [letter for letter in letters if letter.outcome == "left out"]
    assert left
    assert all(letter.advice and not letter.others for letter in left)


def test_reasons_are_in_the_words_of_the_lender():
    letters = explained().letters(FRAME, codes=CODES)
    told = letters.to_frame()
    assert "Insufficient income" in set(told["reasons"].str.split("; ").explode())
    assert set(told["codes"].str.split("; ").explode()) <= {"3", "4", ""}
    texts = [text for text in told["letter"] if "[3] Insufficient income (income: " in text]
    assert texts


def test_a_person_without_a_way_out_is_told_what_was_proved_and_no_more():
    rules = [ofm.Immutable(name) for name in ("age", "job", "home")]
    letters = explained(rules=rules, max_changes=1).letters(FRAME)
    stuck = [index for index, letter in enumerate(letters) if letter.outcome == "cannot be helped"]
    assert stuck
    for index in stuck:
        assert not letters[index].advice
        assert "None of them would have changed the decision." in letters.text(index)
        assert "would have been accepted" not in letters.text(index)


def test_what_is_not_known_is_not_claimed():
    explainer = ofm.OneForMany(
        lambda frame: pipeline().predict_proba(frame)[:, 1], max_changes=2, share="action"
    )
    result = explainer.explain(FRAME.head(30), time_limit=0)
    letters = result.letters(FRAME.head(30), explainer, time_limit=0)
    open_ones = [i for i, letter in enumerate(letters) if letter.outcome == "undecided" and not letter.advice]
    for index in open_ones:
        assert "had to stop before we knew" in letters.text(index)
    assert len(letters) == len(result.assignment)


def test_all_forms_hold_every_letter_and_hostile_names_are_harmless(tmp_path):
    names = [f'<script>alert("{n}")</script>\x1b[31m\n../../{n}' for n in range(len(FRAME))]
    frame = FRAME.set_axis(names)
    odd = "<b onclick=x>income</b>\u202e"
    frame = frame.rename(columns={"income": odd})[["age", odd]]
    model = LogisticRegression(max_iter=1000).fit(frame, TARGET)
    result = ofm.OneForMany(
        model, max_changes=2, share="action", labels={odd: ("<i>pay</i>", "<u>DM</u>")}
    ).explain(frame)
    letters = result.letters(frame)
    letters.write(tmp_path / "letters")
    page = (tmp_path / "letters" / "letters.html").read_text(encoding="utf-8")
    assert page.count("<article") == len(letters)
    for mark in ("<script", "<b ", "<i>", "<u>", "\x1b", "\u202e"):
        assert mark not in page
    texts = sorted((tmp_path / "letters" / "texts").iterdir())
    assert len(texts) == len(letters)
    assert all(path.parent == tmp_path / "letters" / "texts" for path in texts)
    assert not any("\x1b" in path.read_text(encoding="utf-8") for path in texts)
    table = pd.read_csv(tmp_path / "letters" / "letters.csv")
    assert len(table) == len(letters)
    data = json.loads((tmp_path / "letters" / "letters.json").read_text(encoding="utf-8"))
    assert [one["outcome"] for one in data] == [letter.outcome for letter in letters]


def test_a_user_has_a_template_of_their_own(tmp_path):
    result = explained()
    own = "To {{ letter.row }}:\n{% for one in letter.advice %}{{ one.feature }}={{ one.after }} {% endfor %}"
    letters = result.letters(FRAME, template=own)
    assert letters.text(0).startswith(f"To {letters[0].row}:")
    path = tmp_path / "own.txt"
    path.write_text(own)
    assert result.letters(FRAME, template=path).text(0) == letters.text(0)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ letter.nothing }}", "the template of the letters cannot be used"),
        ("{% for", "the template of the letters cannot be used"),
        ("{{ letter.__class__.__mro__ }}", "the template of the letters cannot be used"),
        ("nowhere.txt", "the template nowhere.txt cannot be read"),
    ],
)
def test_a_template_that_cannot_be_used_is_told(template, words):
    with pytest.raises(ofm.InputError, match=words):
        explained().letters(FRAME, template=template).text(0)


def test_the_command_writes_a_folder(tmp_path):
    result = explained()
    result.to_json(tmp_path / "result.json")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "codes.toml").write_text('[codes]\nincome = ["3", "Insufficient income"]\n')
    said = call(
        *("letters", tmp_path / "result.json", tmp_path / "rows.csv"),
        *("--out", tmp_path / "out", "--codes", tmp_path / "codes.toml"),
    )
    assert said.exit_code == 0, said.output
    assert f"{len(result.assignment)} letters are in" in said.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("letters.html", "letters.csv", "letters.json", "texts")
    }
    assert "Insufficient income" in (tmp_path / "out" / "letters.csv").read_text()
    (tmp_path / "file").write_text("")
    refused = call("letters", tmp_path / "result.json", tmp_path / "rows.csv", "--out", tmp_path / "file")
    assert refused.exit_code == 2
    assert "is a file; name a folder" in refused.output
