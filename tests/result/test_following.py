"""Tests of following explanations on frames, and of placing new rows under old explanations."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from oneformany import Feature, Immutable, Linked, Schema
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany
from oneformany.explainer.settings import Cells
from oneformany.methods import solve
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.result.following import follow
from oneformany.result.result import Result


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.gamma(2.0, 900.0, n).round(),
            "debts": rng.integers(0, 4, n),
            "note": [f"n{i}" for i in range(n)],
        },
        index=[f"client {i}" for i in range(n)],
    )


READ = ["income", "debts"]
FRAME = rows()
TARGET = (FRAME["income"] / 1500 - FRAME["debts"] / 2 > 0.3).astype(int)


def tree():
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(FRAME[READ], TARGET)


def linear():
    return LogisticRegression(max_iter=1000).fit(FRAME[READ], TARGET)


def test_a_value_that_stays_in_its_cell_stays_what_it_is():
    schema = Schema((Feature("x", ("<= 5", "> 5"), ordered=True, edges=(5,), targets=(2, 9)),))
    frame = pd.DataFrame({"x": [1, 3, 7], "y": list("abc")}, index=[5, 5, 6])
    moved = follow(schema, frame, np.array([[0], [0], [1]]), np.array([[0], [1], [1]]))
    assert moved["x"].tolist() == [1, 9, 7]
    assert moved["x"].dtype == frame["x"].dtype
    assert moved["y"].tolist() == list("abc")
    assert moved.index.tolist() == [5, 5, 6]
    assert frame["x"].tolist() == [1, 3, 7]


def test_a_type_that_cannot_hold_the_target_is_widened():
    schema = Schema((Feature("x", ("<= 5", "> 5"), ordered=True, edges=(5,), targets=(2.5, 9)),))
    moved = follow(schema, pd.DataFrame({"x": [7, 8]}), np.array([[1], [1]]), np.array([[0], [1]]))
    assert moved["x"].tolist() == [2.5, 8.0]


def test_the_covered_rows_are_given_as_they_are_afterwards():
    model = tree()
    result = OneForMany(model, max_changes=1, share="point").explain(FRAME)
    moved = result.apply(FRAME)
    assert (model.predict(moved[READ]) == 1).all()
    assert moved.columns.tolist() == FRAME.columns.tolist()
    assert set(moved.index) <= set(FRAME.index[model.predict(FRAME[READ]) == 0])
    assert (moved["note"] == FRAME.loc[moved.index, "note"]).all()


def test_another_frame_is_refused():
    result = OneForMany(tree(), max_changes=1, share="point").explain(FRAME)
    with pytest.raises(InputError, match=r"has 119 rows, 120 were explained; .* give model= too"):
        result.apply(FRAME.head(119))
    refused = result.problem["rows"][result.explanations[0].members[0]]
    other = FRAME.copy()
    other.iloc[refused, 0] = 9e9
    with pytest.raises(InputError, match=f"row client {refused} is not as it was"):
        result.apply(other)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_with_a_model_other_rows_are_given_as_they_are_after_following_what_fits_them(share):
    explainer = OneForMany(linear(), max_changes=2, share=share, rules=[Immutable("debts")])
    result = explainer.explain(FRAME)
    new = rows(60, 2)
    placed, moved = result.assign(new, explainer), result.apply(new, explainer)
    assert moved.index.tolist() == placed.index[placed >= 0].tolist() != []
    assert (explainer.model.predict(moved[READ]) == 1).all()
    assert (moved.drop(columns="income") == new.loc[moved.index].drop(columns="income")).all(axis=None)
    assert result.apply(FRAME, explainer).index.tolist() == result.apply(FRAME).index.tolist()


def test_a_result_without_a_schema_knows_no_frames():
    oracle = AdditiveOracle([[0, 1]], threshold=1)
    result = solve(Problem([[0]], (2,), oracle, 1))
    with pytest.raises(InputError, match="no schema"):
        result.apply(FRAME)


def test_new_rows_are_placed_where_cells_decide_even_without_the_model():
    model = tree()
    result = OneForMany(model, max_changes=1, share="point").explain(FRAME)
    again = result.assign(FRAME)
    refused = FRAME.index[result.problem["rows"]]
    assert ((again[refused] >= 0) == (np.array(result.assignment) >= 0)).all()
    new = rows(60, 1)
    placed = result.assign(new, model=model)
    assert placed.index.equals(new.index)
    without = result.assign(new)
    accepted = model.predict(new[READ]) == 1
    assert (placed[accepted] == -1).all()
    assert (without[accepted] >= 0).any()
    assert (placed[~accepted] == without[~accepted]).all()
    assert (Result.from_json(result.to_json()).assign(new) == without).all()


@pytest.mark.parametrize("share", ["point", "action"])
def test_new_rows_with_own_numbers_are_accepted_by_the_model(share):
    model = linear()
    explainer = OneForMany(model, max_changes=1, share=share)
    result = explainer.explain(FRAME)
    new = rows(60, 2)
    placed = result.assign(new, model=explainer)
    assert (placed >= 0).any()
    codes = result.schema.encode(new)
    for number, explanation in enumerate(result.explanations):
        here = np.flatnonzero(placed == number)
        after = codes[here].copy()
        after[:, explanation.changed] = np.array(explanation.point)[list(explanation.changed)]
        moved = follow(result.schema, new.iloc[here], codes[here], after)
        assert not len(moved) or (model.predict(moved[READ]) == 1).all()


@pytest.mark.parametrize("rules", [[], [Immutable("debts")], [Linked("income", "debts")]])
def test_new_rows_that_share_features_find_targets_of_their_own(rules):
    model = linear()
    explainer = OneForMany(model, max_changes=2, share="features", rules=rules)
    result = explainer.explain(FRAME)
    refused = FRAME[model.predict(FRAME[READ]) == 0]
    placed = result.assign(refused, model=explainer)
    told = result.assignment_frame()
    assert (placed >= 0).tolist() == (told["outcome"] == "explained").tolist()
    new = rows(60, 4)
    again = explainer.explain(new)
    fits = result.assign(new, model=explainer)
    helped = again.assignment_frame()["outcome"] == "explained"
    assert set(fits.index[fits < 0]) >= set(helped.index[~helped])


def test_of_new_rows_that_share_features_the_model_is_asked_about_many_targets_at_once():
    asked = []

    def chance(frame):
        asked.append(len(frame))
        return (frame["a"] == 7) & (frame["b"] == 7)

    frame = pd.DataFrame({"a": [0, 7], "b": [0, 7]})
    more = pd.DataFrame({"a": range(8), "b": range(8)})
    explainer = OneForMany(lambda rows: chance(rows) * 1.0, max_changes=2, share="features", reference=more)
    result = explainer.explain(frame)
    replaced = replace(result, explanations=tuple(replace(e, ends=[(1, 1)]) for e in result.explanations))
    asked.clear()
    assert replaced.assign(frame, explainer).tolist() == [0, -1]
    assert len(asked) < 15  # of 64 pairs of targets


def test_rules_hold_for_new_rows():
    model = linear()
    explainer = OneForMany(model, max_changes=2, rules=[Immutable("debts")], share="action")
    result = explainer.explain(FRAME)
    new = rows(60, 3)
    placed = result.assign(new, model=explainer)
    codes = result.schema.encode(new)
    for row, number in enumerate(placed):
        if number >= 0 and 1 in result.explanations[number].changed:
            assert result.explanations[number].point[1] == codes[row, 1]


def test_rules_on_whole_rows_hold_for_new_rows():
    model = linear()
    explainer = OneForMany(model, max_changes=2, rules=[Linked("income", "debts")], share="action")
    result = explainer.explain(FRAME)
    moved = result.apply(FRAME)
    changed = moved[READ] != FRAME.loc[moved.index, READ]
    assert (changed["income"] == changed["debts"]).all()


def test_values_that_have_no_cell_fit_none_and_what_is_needed_is_said():
    frame = FRAME.assign(debts=FRAME["debts"].astype(str))

    def chance(given):
        return 1 / (
            1 + np.exp(-(given["income"] / 1500 - given["debts"].astype(float) / 2 - 0.3).to_numpy(float))
        )

    explainer = OneForMany(chance, max_changes=1, share="point")
    result = explainer.explain(frame[READ])
    new = frame.head(2).assign(debts=["17", "0"])
    with pytest.warns(
        UserWarning, match="column 'debts', row client 0: '17' is not one of its levels; no expl"
    ):
        assert result.assign(new[READ], model=explainer).iloc[0] == -1
    with pytest.raises(InputError, match="lacks the column 'debts'"):
        result.assign(new[["income"]], model=chance)


def test_values_that_were_not_there_before_may_stay_where_the_model_reads_them():
    def chance(given):
        return np.where((given["income"] >= 2000) & (given["city"] != "Atlantis"), 0.9, 0.1)

    frame = FRAME.assign(city="Rome")
    explainer = OneForMany(chance, max_changes=1, share="action", rules=[Immutable("debts")])
    result = explainer.explain(frame[[*READ, "city"]])
    new = frame[frame["income"] < 2000].head(4).assign(city=["Oslo", "Rome", "Atlantis", None])
    with pytest.warns(UserWarning, match="column 'city'.*'Atlantis'.*for the row$"):
        told = result.assignment_frame(new[[*READ, "city"]], explainer)
    assert told["outcome"].tolist() == ["explained", "explained", "none fits", "explained"]
    assert "'Atlantis' is not one of its levels" in told["reason"].iloc[2]


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_rows_without_an_explanation_are_told_apart(share):
    model = XGBClassifier(n_estimators=30, max_depth=2).fit(FRAME[READ], TARGET)
    explainer = OneForMany(model, max_changes=1, share=share, rules=[Immutable("income")])
    result = explainer.explain(FRAME)
    new = rows(60, 5).astype({"income": object})
    new.iloc[:3, 0] = ["much", "more", "much"]  # one text makes a column of objects, which XGBoost refuses
    with pytest.warns(UserWarning, match="column 'income', row client 0: 'much' .* the row and 2 more$"):
        told = result.assignment_frame(new, explainer)
    whole = new.iloc[3:].astype({"income": float})
    accepted = model.predict(whole[READ]) == 1
    placed = result.assign(whole, explainer)
    assert (
        told["outcome"].tolist()
        == ["cannot be read"] * 3
        + np.select([accepted, placed >= 0], ["already positive", "explained"], "none fits").tolist()
    )
    assert len(set(told["outcome"])) == 4
    assert told["reason"].iloc[1] == "column 'income', row client 1: 'more' is not one of its levels"
    assert told["reason"].iloc[3:].isna().all()
    assert told["explanation"].iloc[3:].equals(result.assign(whole, explainer, first=1))
    moved, changed = result.apply(whole, explainer), told["changes"] > 0
    assert told.index[changed.fillna(False)].tolist() == moved.index.tolist()
    assert (told["debts"].dropna() == moved.loc[told["debts"].dropna().index, "debts"]).all()


def test_without_a_model_what_has_no_cell_cannot_be_read():
    result = OneForMany(tree(), max_changes=1, share="point").explain(FRAME)
    new = FRAME.astype({"income": object}).iloc[[0, 0, 1]]
    new.iloc[0, 0] = np.inf
    with pytest.warns(UserWarning, match="column 'income', row client 0: inf is not one of its levels; no "):
        assert result.assignment_frame(new)["outcome"].iloc[0] == "cannot be read"


def test_numbers_from_one_join_placed_rows_to_the_tables_and_indices_from_zero_cannot():
    model = tree()
    result = OneForMany(model, max_changes=1, share="point").explain(FRAME)
    indices, numbers = result.assign(FRAME, model=model), result.assign(FRAME, model=model, first=1)
    told = result.assignment_frame()
    placed = told["explanation"].notna()
    assert (numbers[told.index[placed]] == told["explanation"][placed]).all()
    assert numbers.isna().tolist() == (indices == -1).tolist()
    assert (numbers.dropna() - 1 == indices[indices >= 0]).all()
    joined = FRAME.join(numbers).merge(result.to_frame()["rows_covered"], on="explanation")
    assert joined.groupby("explanation").size().tolist() == result.to_frame()["rows_covered"].tolist()
    with pytest.raises(KeyError, match="explanation"):
        FRAME.join(indices).merge(result.to_frame(), on="explanation")
    with pytest.raises(InputError, match="first is 2; it must be 0"):
        result.assign(FRAME, model=model, first=2)


def test_tables_and_words_name_the_number_that_a_row_takes_not_its_cell():
    special = {"income": {"no record": -9}}
    frame = FRAME.assign(income=FRAME["income"].where(np.arange(len(FRAME)) % 9 != 0, -9))
    model = LogisticRegression(max_iter=1000).fit(frame[READ], TARGET)
    result = OneForMany(model, max_changes=1, cells=Cells(special=special), share="point").explain(
        frame[READ]
    )
    moved = result.apply(frame[READ])
    told = result.assignment_frame().loc[moved.index, "income"]
    changed = moved["income"] != frame.loc[moved.index, "income"]
    assert changed.any()
    assert told[changed].tolist() == moved["income"][changed].tolist()
    assert told[~changed].isna().all()
    targets = {f"{number:.0f}" for number in moved["income"][changed]}
    assert any(f"-> {number}" in result.summary() for number in targets)
    assert "no record" in result.summary()
    assert len(result.to_frame()) == result.count


def test_new_rows_are_placed_by_a_model_that_can_only_be_asked():
    mixing = make_pipeline(PolynomialFeatures(2), StandardScaler(), LogisticRegression(max_iter=1000))
    explainer = OneForMany(mixing.fit(FRAME[READ], TARGET), max_changes=1, share="action")
    result = explainer.explain(FRAME)
    placed = result.assign(FRAME, model=explainer)
    assert (placed >= 0).sum() == result.covered > 0


def test_tables_count_the_people_of_a_row_as_the_summary_does():
    result = OneForMany(linear(), max_changes=1, share="action").explain(FRAME, people=[3] * len(FRAME))
    table = result.to_frame()
    assert table["rows_covered"].sum() == sum(number >= 0 for number in result.assignment)
    assert table["people_covered"].sum() == result.covered
    assert (table["people_covered"] == 3 * table["rows_covered"]).all()
    assert f"<td>{table['people_covered'].loc[1]}</td>" in result._repr_html_()


def test_a_column_of_new_numbers_is_one_of_numbers_though_some_are_missing():
    frame = FRAME[READ].assign(income=FRAME["income"].where(np.arange(len(FRAME)) % 7 != 0))
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(frame, TARGET)
    result = OneForMany(model, max_changes=1, share="action", rules=[Immutable("debts")]).explain(frame)
    assert result.assignment_frame()["income"].dtype == pd.Float64Dtype()
    assert result.to_frame()["income"].dtype == pd.Float64Dtype()
