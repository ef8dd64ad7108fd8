import numpy as np
import pandas as pd
import pytest
from interpret.glassbox import ExplainableBoostingClassifier

from oneformany import OneForMany, infer_schema
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.readers.registry import read_model
from reference_points import brute_force_points
from tree_questions import all_points, random_question, usable


def rows_of(n=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "job": rng.choice(["none", "part", "full"], n),
            "rooms": rng.integers(1, 4, n),
            "age": rng.choice([20.5, 30.0, 45.0, 61.5], n),
            "home": rng.choice([True, False], n),
        }
    )
    pairs = ((frame["job"] == "full") ^ (frame["age"] > 40)) * 2.0 + (frame["rooms"] > 2) * frame["home"]
    return frame, np.where(pairs + rng.normal(0, 0.3, n) > 1, "good", "bad")


@pytest.fixture(scope="module")
def model():
    shape = {"interactions": [(0, 2), (1, 3)], "outer_bags": 1, "max_rounds": 60, "random_state": 0}
    return ExplainableBoostingClassifier(**shape, n_jobs=1).fit(*rows_of())


@pytest.mark.parametrize("positive", ["bad", "good"])
def test_every_point_has_the_models_own_log_odds(model, positive):
    frame, _ = rows_of()
    assert any(len(term) == 2 for term in model.term_features_)
    reading = read_model(model, None, 0.6, positive, frame)
    points = all_points(reading.oracle.levels)
    chances = model.predict_proba(reading.verdict.inputs(points))[:, ["bad", "good"].index(positive)]
    assert 1 / (1 + np.exp(-reading.oracle.score(points))) == pytest.approx(chances, abs=1e-12)
    assert (reading.oracle.positive(points) == (chances >= 0.6)).all()
    assert (reading.verdict(points) == (chances >= 0.6)).all()


def test_answers_are_those_of_full_enumeration(model):
    frame, _ = rows_of()
    rng = np.random.default_rng(2)
    schema = infer_schema(frame, bins=None)
    points = all_points(schema.levels)
    for threshold in (None, 0.8, 0.95):
        reading = read_model(model, schema, threshold, "good")
        positive = reading.verdict(points)
        for _ in range(20):
            question = random_question(rng, schema.levels)
            candidates = positive & usable(question, points)
            answer = reading.oracle.reach(question)
            if answer.proved_none:
                assert not candidates.any()
            else:
                assert answer.point.tolist() in points[candidates].tolist()


def test_solving_is_as_by_brute_force(model):
    frame, _ = rows_of()
    schema = infer_schema(frame, bins=None)
    reading = read_model(model, schema, 0.9, "good", frame)
    points = all_points(schema.levels)
    accepted = {tuple(point) for point in points[reading.verdict(points)].tolist()}
    codes = schema.encode(frame)[:10]
    for max_changes in (1, 2, 3):
        count, unreachable = brute_force_points(
            codes.tolist(), schema.levels, lambda point: point in accepted, max_changes
        )
        result = solve(Problem(codes, schema.levels, reading.oracle, max_changes))
        status = "infeasible" if len(unreachable) == len(codes) else "optimal"
        assert (result.status, result.count) == (status, count)


def test_machines_that_cannot_be_read_are_refused(model):
    frame, _ = rows_of()
    schema = infer_schema(frame, columns=["job", "age"])
    with pytest.raises(InputError, match="the schema lacks 'rooms'"):
        read_model(model, schema, None, "good", frame)
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        read_model(ExplainableBoostingClassifier(), None, frame=frame)
    three = ExplainableBoostingClassifier(interactions=0, outer_bags=1, max_rounds=2, n_jobs=1)
    three.fit(frame, frame["job"])
    with pytest.raises(UnsupportedModelError, match=r"knows 3 classes, not two; .* black box"):
        read_model(three, None, None, "full", frame)


def test_too_many_combinations_of_levels_are_refused():
    frame, _ = rows_of()
    many = frame.iloc[np.arange(2000) % len(frame)].assign(age=np.arange(2000) / 7)
    wide = ExplainableBoostingClassifier(interactions=[(0, 2), (2, 3)], outer_bags=1, max_rounds=2, n_jobs=1)
    wide.fit(many.assign(home=np.arange(2000) / 9), np.arange(2000) % 2)
    with pytest.raises(InputError, match="combinations of levels, more than 1000000; pass a schema"):
        read_model(wide, None, None, 1, many.assign(home=np.arange(2000) / 9))


def test_columns_of_an_array_are_known_by_their_order():
    frame, labels = rows_of()
    numbers = frame[["age", "rooms"]].to_numpy()
    fitted = ExplainableBoostingClassifier(interactions=1, outer_bags=1, max_rounds=60, n_jobs=1)
    fitted.fit(numbers, labels)
    for given in (numbers, frame[["age", "rooms"]]):
        result = OneForMany(fitted, max_changes=1, positive="good", share="point").explain(given)
        assert result.problem["oracle"]["kind"] == "trees"
        assert result.problem["rows"] == np.flatnonzero(fitted.predict(numbers) == "bad").tolist()
        assert (fitted.predict(result.apply(given).to_numpy()) == "good").all()
