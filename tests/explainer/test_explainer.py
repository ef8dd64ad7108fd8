import hashlib
import json
import signal
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.svm import LinearSVC

from oneformany import Feature, Immutable, OnlyDecrease, OnlyIncrease, Schema, infer_schema, nearest_change
from oneformany.datasets import load
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.explainer import OneForMany
from oneformany.explainer.asking import Asking
from oneformany.explainer.settings import Cells
from oneformany.methods import solve, solve_for
from oneformany.result.result import Result


@pytest.fixture(scope="module")
def german():
    return load("german")


@pytest.fixture(scope="module")
def model(german):
    return LogisticRegression(solver="liblinear").fit(german.one_hot, german.target)


@pytest.fixture
def asked(monkeypatch):
    """What the engine was asked: the problem and the options of each call."""
    calls = []

    def listening(asker, problem, **options):
        calls.append((problem, options))
        return solve_for(asker, problem, **options)

    monkeypatch.setattr("oneformany.methods.solve_for", listening)
    return calls


def points_of(result):
    return np.array([explanation.point for explanation in result.explanations])


def test_the_constructor_only_stores(model):
    explainer = OneForMany(model, max_changes=4, threshold=0.7, rules="any rules", cells="anything")
    assert (explainer.model, explainer.max_changes, explainer.threshold) == (model, 4, 0.7)
    assert (explainer.cells, explainer.rules, explainer.positive) == ("anything", "any rules", None)


def test_parameters_can_be_read_set_and_cloned_and_the_name_is_short(german, model):
    explainer = OneForMany(model, max_changes=4, rules=[Immutable("age")], cells=german.schema)
    assert explainer.get_params(deep=False)["max_changes"] == 4
    assert explainer.set_params(max_changes=5).max_changes == 5
    copied = clone(explainer)
    assert (copied.max_changes, copied.rules, copied.cells) == (5, [Immutable("age")], german.schema)
    assert repr(explainer) == (
        "OneForMany(LogisticRegression, cells=<Schema>, max_changes=5, rules=[Immutable(feature='age')])"
    )
    assert repr(OneForMany(model)) == "OneForMany(LogisticRegression)"


def test_a_clone_explains_with_the_same_fitted_model(german, model):
    explainer = OneForMany(model, max_changes=5, cells=german.schema, share="point")
    copied = clone(explainer)
    assert copied is not explainer
    assert copied.model is model
    assert copied.explain(german.frame.head(20)).count == explainer.explain(german.frame.head(20)).count


def test_no_answer_is_kept(german, model):
    explainer = OneForMany(model, max_changes=5, cells=german.schema, share="point")
    before = set(vars(explainer))
    explainer.explain(german.frame.head(20))
    assert set(vars(explainer)) == before


def test_rows_that_are_positive_already_are_set_aside_and_named(asked, german, model):
    explainer = OneForMany(model, max_changes=5, cells=german.schema, share="point")
    result = explainer.explain(german.frame.head(60))
    refused = np.flatnonzero(model.predict(german.one_hot[:60]) == 0)
    assert 0 < len(refused) < 60
    assert result.problem["rows"] == refused.tolist()
    assert sorted([*refused, *result.problem["already_positive"]]) == list(range(60))
    ((problem, _),) = asked
    assert (problem.codes == german.codes[refused]).all()
    assert problem.max_changes == 5
    assert result.schema == german.schema
    assert Result.from_json(result.to_json()) == result


def test_every_refused_row_reaches_its_point_by_changing_what_is_named(german, model):
    result = OneForMany(model, max_changes=5, cells=german.schema, share="point").explain(
        german.frame.head(60)
    )
    assert result.status == "optimal"
    assert (model.predict(german.schema.one_hot(points_of(result))) == 1).all()
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        explanation = result.explanations[place]
        changes = np.flatnonzero(german.codes[row] != explanation.point)
        assert set(changes) <= set(explanation.changed)
        assert len(explanation.changed) <= 5


def test_limits_are_handed_to_the_engine(asked, german, model):
    watch = [].append
    OneForMany(model, max_changes=5, cells=german.schema, share="point").explain(
        german.frame.head(20), time_limit=70, progress=watch
    )
    options = asked[0][1]
    assert options["progress"] is watch
    assert 0 < options["time_limit"] < 70
    assert (options["explanations"], options["coverage"]) == (None, None)


def test_every_point_is_positive_for_the_model_at_the_threshold(german, model):
    result = OneForMany(model, max_changes=5, threshold=0.9, cells=german.schema, share="point").explain(
        german.frame.head(30)
    )
    assert (model.predict_proba(german.schema.one_hot(points_of(result)))[:, 1] >= 0.9).all()
    refused = model.predict_proba(german.one_hot[:30])[:, 1] < 0.9
    assert result.problem["rows"] == np.flatnonzero(refused).tolist()


def test_rules_are_kept(german, model):
    rules = [Immutable("foreign_worker"), OnlyIncrease("employment")]
    free = OneForMany(model, max_changes=8, cells=german.schema, share="point").explain(german.frame.head(60))
    result = OneForMany(model, max_changes=8, rules=rules, cells=german.schema, share="point").explain(
        german.frame.head(60)
    )
    assert result.count >= free.count
    worker, employment = (german.schema.index(rule.feature) for rule in rules)
    for row, place in zip(result.problem["rows"], result.assignment, strict=True):
        point = result.explanations[place].point
        assert point[worker] == german.codes[row, worker]
        assert point[employment] >= german.codes[row, employment]


@pytest.mark.parametrize("wish", ["edges", "bins", "special", "targets"])
def test_a_model_that_reads_levels_takes_no_wishes_for_cells(german, model, wish):
    explainer = OneForMany(
        model, max_changes=2, cells=Cells(german.schema, **{wish: {"age": [30]}}), share="point"
    )
    with pytest.raises(InputError, match=f"{wish}= is given, but the model reads the levels"):
        explainer.explain(german.frame[:20])


def test_a_model_fitted_on_a_frame_of_one_hot_columns_is_asked_with_a_frame(german):
    columns = pd.DataFrame(german.one_hot, columns=german.schema.one_hot_names)
    model = LogisticRegression(solver="liblinear").fit(columns, german.target)
    result = OneForMany(model, max_changes=6, cells=german.schema, share="point").explain(
        german.frame.head(30)
    )
    assert result.problem["rows"] == np.flatnonzero(model.predict(columns[:30]) == 0).tolist()


def test_a_model_on_codes_and_one_without_probabilities_are_explained(german):
    for model, data in (
        (CategoricalNB(min_categories=german.schema.levels).fit(german.codes, german.target), german.codes),
        (LinearSVC(random_state=0).fit(german.one_hot, german.target), german.one_hot),
    ):
        result = OneForMany(model, max_changes=10, cells=german.schema, share="point").explain(
            german.frame.head(30)
        )
        assert result.problem["rows"] == np.flatnonzero(model.predict(data[:30]) == 0).tolist()


def test_without_a_schema_the_frames_own_numbers_are_the_levels():
    frame = pd.DataFrame({"income": [10.5, 20.0, 30.25, 40.0], "debts": [3, 2, 1, 0], "note": list("abcd")})
    model = LogisticRegression().fit(frame[["income", "debts"]], [0, 0, 1, 1])
    result = OneForMany(model, max_changes=2, share="point").explain(frame)
    assert result.schema.names == ("income", "debts")
    assert result.schema.features[1].numbers == (0, 1, 2, 3)
    assert result.problem["rows"] == [0, 1]
    assert result.count == 1
    assert (model.predict(result.schema.decode(points_of(result))) == 1).all()


def test_the_positive_class_may_have_any_name(german):
    words = np.where(german.target == 1, "good", "bad")
    model = LogisticRegression(solver="liblinear").fit(german.one_hot, words)
    frame = german.frame.head(30)
    result = OneForMany(model, max_changes=20, positive="bad", cells=german.schema, share="point").explain(
        frame
    )
    assert set(model.predict(german.schema.one_hot(points_of(result)))) == {"bad"}
    with pytest.raises(InputError, match="1 is not one of the model's classes 'bad' and 'good'"):
        OneForMany(model, cells=german.schema, share="point").explain(frame)


def test_a_scorecard_is_a_model():
    jobs = ("none", "part", "full")
    schema = Schema((Feature("housing", ("rent", "own")), Feature("job", jobs, ordered=True)))
    card = {"housing": {"rent": 0, "own": 2}, "job": {"none": 0, "part": 1, "full": 3}}
    frame = pd.DataFrame({"housing": ["rent", "own", "rent"], "job": ["none", "full", "part"]})
    result = OneForMany(card, max_changes=2, threshold=4, cells=schema, share="point").explain(frame)
    assert result.problem["rows"] == [0, 2]
    assert points_of(result).tolist() == [[1, 2]]
    same = OneForMany(card, max_changes=2, threshold=4, share="point").explain(
        frame.assign(job=pd.Categorical(frame["job"], jobs))
    )
    assert same.schema.decode(points_of(same)).iloc[0].tolist() == ["own", "full"]


def test_rows_that_cannot_be_helped_are_reported_not_hidden(german, model):
    rules = [Immutable(name) for name in german.schema.names]
    result = OneForMany(model, max_changes=5, rules=rules, cells=german.schema, share="point").explain(
        german.frame.head(30)
    )
    assert result.status == "infeasible"
    assert (result.count, len(result.unreachable)) == (0, len(result.problem["rows"]))


def test_a_point_that_the_model_does_not_confirm_is_an_error_that_names_it(monkeypatch, german, model):
    facts = Asking.facts

    def spoilt(asker, answer, _beyond=None):
        first, *others = answer.explanations
        row = int(np.flatnonzero((german.codes == asker.problem.rows[0]).all(axis=1))[0])
        wrong = replace(first, point=german.codes[row])
        return facts(asker, replace(answer, explanations=(*others, wrong)))

    monkeypatch.setattr(Asking, "facts", spoilt)
    with pytest.raises(
        PredictionMismatchError, match=r"explanation \d+ \(.* = .*\): row \d+ is not positive"
    ):
        OneForMany(model, max_changes=5, cells=german.schema, share="point").explain(german.frame.head(40))


def test_a_misread_model_is_noticed_on_the_rows_already(german, model, monkeypatch):
    monkeypatch.setattr(type(model), "predict", lambda _, data: np.zeros(len(data)))
    frame = german.frame.head(3).set_axis(["ann", "bob", "eve"])
    with pytest.raises(
        PredictionMismatchError, match=r"row ann \(and 2 more rows\): the model turns it down"
    ):
        OneForMany(model, max_changes=5, cells=german.schema, share="point").explain(frame)


def test_when_all_rows_are_positive_there_is_nothing_to_explain(german, model):
    frame = german.frame[model.predict(german.one_hot) == 1]
    with pytest.raises(InputError, match=f"calls all {len(frame)} rows positive"):
        OneForMany(model, cells=german.schema, share="point").explain(frame)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cells": "german"}, "cells is a str; give Cells"),
        ({"max_changes": 0}, "max_changes is 0"),
        ({"max_changes": -1}, "max_changes is -1"),
        ({"threshold": "0.5"}, "threshold is '0.5'; it must be a number such as 0.5"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"rules": [Immutable("shoe size")]}, "no feature 'shoe size'"),
        ({"costs": {"housing": [[1, 1, 1]] * 3}}, "table of 3 x 3 such numbers with 0 for staying"),
        (
            {"costs": {"housing": 1e30}},
            "go up to 1e.30, and the most is 1,073,741,824; write all costs in larger",
        ),
        ({"cells": Cells(schema=None)}, "fitted on 59 columns without names, the frame has 20"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(german, model, arguments, words):
    with pytest.raises(InputError, match=words):
        OneForMany(model, **({"cells": german.schema, "share": "point"} | arguments)).explain(german.frame)


def test_an_unfitted_model_is_refused(german):
    with pytest.raises(UnsupportedModelError, match="LogisticRegression is not fitted"):
        OneForMany(LogisticRegression(), cells=german.schema, share="point").explain(german.frame)


def test_numbers_or_codes_that_nobody_can_tell_apart_are_refused():
    frame = pd.DataFrame({"income": [10.5, 20.0, 30.25, 40.0], "sex": ["m", "f", "f", "m"]})
    model = LogisticRegression().fit(np.arange(8).reshape(4, 2), [0, 0, 1, 1])
    schema = Schema(
        (
            Feature("income", ("low", "middle", "high"), ordered=True, edges=(20, 30)),
            Feature("sex", ("f", "m")),
        )
    )
    with pytest.raises(
        InputError, match="whether the columns held numbers or codes; fit the model on a frame"
    ):
        OneForMany(model, max_changes=2, cells=schema, share="point").explain(frame)


def test_rules_and_budget_are_checked_before_the_model_is_asked():
    def never(_rows):
        raise AssertionError("asked")

    frame = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
    for arguments, words in (
        ({"rules": [Immutable("c")]}, "no feature 'c'"),
        ({"max_changes": 2.5}, "must be an integer"),
        ({"share": "everything"}, "share is 'everything'"),
        ({"rules": [OnlyIncrease("a"), OnlyDecrease("a")]}, "only increase and only decrease"),
        ({"cells": Cells(edges={"c": [1]})}, "not one of the columns that the model reads"),
        ({"cells": Cells(bins={"a": 1})}, "at least 2"),
        ({"cells": Cells(special=["a"])}, "special must be a dict"),
        ({"cells": Cells(targets={"a": {"nine": 0}})}, "targets name 'nine' of 'a'"),
        ({"costs": {"a": -1}}, "costs of 'a' must be a number of at least 0"),
        ({"costs": {"a": "dear"}}, "costs of 'a' must be a number of at least 0, .* not 'dear'"),
        ({"costs": {"a": [[0, 1], [1]]}}, "costs of 'a' must be a number of at least 0"),
    ):
        with pytest.raises(InputError, match=words):
            OneForMany(never, **({"max_changes": 1, "share": "point"} | arguments)).explain(frame)


def two_columns():
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    return frame, LogisticRegression(C=100).fit(frame, [0, 0, 0, 1])


def test_more_changes_than_columns_are_all_columns():
    frame, model = two_columns()
    result = OneForMany(model, share="point").explain(frame)
    assert result.problem["max_changes"] == 2
    assert result.explanations == OneForMany(model, max_changes=2, share="point").explain(frame).explanations


@pytest.mark.parametrize("people", [[-1] * 4, [1] * 3, [1.5] * 4])
def test_people_are_asked_for_as_many_as_there_are_rows(people):
    frame, model = two_columns()
    with pytest.raises(InputError, match="people must be 4 integers of at least 1, one per row"):
        OneForMany(model, share="point").explain(frame, people=people)


def test_one_row_of_a_frame_is_asked_about_through_the_explainers_problem():
    frame, model = two_columns()
    explainer = OneForMany(model, share="point")
    problem = explainer.problem(frame)
    assert [nearest_change(problem, row).changed for row in range(3)] == [(0, 1), (0,), (1,)]
    for given in (explainer, explainer.explain(frame)):
        with pytest.raises(InputError, match=r"must be a Problem, not .*explainer\.problem\(frame\)"):
            nearest_change(given, 0)
        with pytest.raises(InputError, match=r"must be a Problem, not .*explainer\.problem\(frame\)"):
            solve(given)
    with pytest.raises(InputError, match="row is 'ann'"):
        nearest_change(problem, "ann")


def test_the_record_of_the_model_names_it_and_what_was_read_of_it(german, model):
    frame = german.frame.head(60)
    explainer = OneForMany(model, max_changes=2, threshold=0.6, cells=german.schema, share="point")
    results = [explainer.explain(frame), explainer.explain(frame)]
    records = [result.problem["model"] for result in results]
    assert (records[0]["kind"], records[0]["threshold"], records[0]["positive"]) == (
        "LogisticRegression",
        0.6,
        1,
    )
    text = json.dumps(results[0].problem["oracle"], sort_keys=True, separators=(",", ":"))
    assert records[0]["digest"] == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert records[0]["digest"] == records[1]["digest"]
    assert "unread" not in records[0]


def test_ctrl_c_while_the_model_is_read_gives_what_is_known_by_then():
    calls = []

    def score(frame):
        calls.append(len(frame))
        if len(calls) == 1:
            signal.raise_signal(signal.SIGINT)
        return np.where(frame["income"] == 3, 0.9, 0.1)

    result = OneForMany(score, max_changes=1, share="point").explain(pd.DataFrame({"income": [1, 2, 3]}))
    assert result.ended == "interrupted"
    assert result.covered + len(result.undecided) == 2
    assert not result.unreachable


@pytest.mark.parametrize("progress", [True, False])
def test_progress_may_be_switched_on_and_off(progress):
    frame = pd.DataFrame({"income": [1, 2, 3]})
    explainer = OneForMany(lambda rows: np.where(rows["income"] == 3, 0.9, 0.1), max_changes=1, share="point")
    assert explainer.explain(frame, progress=progress).status == "optimal"


def test_progress_that_cannot_be_called_is_refused_at_once():
    frame = pd.DataFrame({"income": [1, 2, 3]})
    explainer = OneForMany(lambda rows: np.where(rows["income"] == 3, 0.9, 0.1), max_changes=1, share="point")
    with pytest.raises(InputError, match="give a function"):
        explainer.explain(frame, progress=3)


@pytest.mark.parametrize("share", ["point", "features"])
def test_a_model_that_takes_back_what_it_said_is_told_with_the_values_that_the_row_took(share):
    frame = pd.DataFrame({"job": ["none", "part", "none", "full"], "rooms": [1, 2, 3, 4]}, index=list("abcd"))

    def fickle(rows):
        good = (rows["job"] == "full").to_numpy()
        return np.where(good & (rows.index.to_numpy() != "c"), 0.9, 0.1)  # as no classifier would

    with pytest.raises(PredictionMismatchError, match=r"\(job = full\): row c is not .* \(1 of 3 rows"):
        OneForMany(fickle, max_changes=1, share=share, rules=[Immutable("rooms")]).explain(frame)


def test_one_row_that_is_accepted_is_told_as_one():
    frame = pd.DataFrame({"job": ["full"]})
    with pytest.raises(InputError, match="calls the only row positive: there is nothing to explain"):
        OneForMany(lambda rows: np.ones(len(rows)), share="point").explain(frame)


def test_costs_of_a_column_of_many_values_take_no_more_memory_than_their_table(monkeypatch):
    frame = pd.DataFrame({"zip": np.arange(3_000), "job": np.arange(3_000) % 2})
    model = LogisticRegression(max_iter=1000).fit(frame, frame["job"])
    schema = infer_schema(frame, bins=None)
    tracemalloc.start()
    problem = OneForMany(model, max_changes=1, costs={"job": 2.5}, cells=schema, share="point").problem(
        frame[:40]
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problem.costs.tables[0].sum() == 3_000 * 2_999 * 2 * 5
    assert peak < 2.5 * problem.costs.tables[0].nbytes
    monkeypatch.setattr("oneformany.explainer.costs.MOST_PRICED", 2_999**2)
    with pytest.raises(InputError, match="'zip' has 3,000 cells, which are too many for costs"):
        OneForMany(model, max_changes=1, costs={"job": 2.5}, cells=schema, share="point").problem(frame[:40])


@pytest.mark.parametrize(("cost", "told"), [(1.0001, 0), (1.00001, 1)])
def test_costs_of_more_than_four_digits_are_not_rounded_in_silence(cost, told):
    frame, model = two_columns()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        OneForMany(model, max_changes=2, costs={"a": cost}, share="point").explain(frame)
    assert sum("rounded to four digits" in str(entry.message) for entry in caught) == told


def test_a_row_without_anywhere_to_go_is_told_to_need_reference_data():
    frame = pd.DataFrame({"job": ["none", "full"], "home": ["rent", "own"]})

    def score(rows):
        return np.where(rows["job"] == "full", 0.9, 0.1)

    alone, beside = (
        OneForMany(score, max_changes=1, reference=data, share="point") for data in (None, frame)
    )
    words = alone.explain(frame.head(1)).summary()
    assert words.startswith(
        "The row for which the model's probability is below 0.5 cannot be helped by changing at most 1 "
        "feature: proved, as no column has"
    )
    assert "reference= would offer some" in words.splitlines()[0]
    assert beside.explain(frame.head(1)).count == 1


def test_cells_are_told_where_they_hold_several_values_only():
    frame = pd.DataFrame({"job": ["none", "full"] * 20, "income": np.arange(40)})

    def score(rows):
        return np.where(rows["job"] == "full", 0.9, 0.1)

    grouped, single = (
        OneForMany(score, max_changes=1, share="action").explain(frame[names])
        for names in (["job", "income"], ["job"])
    )
    assert "grouped into cells" in grouped.summary()
    assert "cells" not in single.summary()
