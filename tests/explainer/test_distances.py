"""What a change costs by how far it goes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from explainer.raw_rows import FRAME, TARGET, pipeline
from oneformany.explainer.distances import KINDS

NUMBERS = FRAME[["age", "income"]]
MODEL = LogisticRegression(max_iter=1000).fit(NUMBERS, TARGET)


def tables(costs, frame=NUMBERS, model=MODEL, **parameters):
    problem = ofm.OneForMany(model, max_changes=2, costs=costs, share="action", **parameters).problem(frame)
    return [table / problem.costs.scale for table in problem.costs.tables], problem


def by_hand(kind, values, edges, targets):
    """Judge a distance value by value, in plain Python."""
    cell = [sum(value > edge for edge in edges) for value in values]

    def position(value):
        below = sum(other < value for other in values) + sum(other == value for other in values) / 2
        share = below / len(values)
        return {
            "percentile": share,
            "log-percentile": -np.log(1 - min(share, 1 - 0.5 / len(values))),
            "steps": sum(value > edge for edge in edges),
            "range": 10 * value / (max(values) - min(values)),
        }[kind]

    lines = []
    for here in range(len(edges) + 1):
        start = np.mean([position(value) for value, c in zip(values, cell, strict=True) if c == here])
        lines.append([0 if here == there else abs(start - position(to)) for there, to in enumerate(targets)])
    return np.array(lines)


@pytest.mark.parametrize("kind", KINDS)
def test_a_distance_is_what_it_says_value_by_value(kind):
    edges, targets = {"age": [30, 45, 60], "income": [900.0, 2000.0]}, {"age": [25, 40, 50, 65]}
    found, problem = tables(kind, cells=ofm.Cells(edges=edges, targets=targets))
    wanted = by_hand(kind, FRAME["age"].tolist(), edges["age"], targets["age"])
    assert np.abs(found[0] - wanted).max() <= 0.005 + 1e-9
    assert (found[0][~np.eye(4, dtype=bool)] > 0).all()
    assert problem.costs.measure == kind


def test_categories_missing_values_and_special_codes_cost_one():
    frame = FRAME.assign(income=FRAME["income"].where(FRAME.index % 5 != 0))
    explainer = ofm.OneForMany(
        pipeline(),
        max_changes=2,
        costs="percentile",
        cells=ofm.Cells(special={"age": {"none": 18}}),
        share="point",
    )
    problem = explainer.problem(frame)
    schema = explainer.explain(frame).schema
    costs = {
        name: table / problem.costs.scale
        for name, table in zip(schema.names, problem.costs.tables, strict=True)
    }
    assert set(costs["job"][~np.eye(3, dtype=bool)]) == {1}
    for name in ("income", "age"):  # the last cell holds missing values, or the code
        assert set(costs[name][:-1, -1]) == {1}
        assert set(costs[name][-1, :-1]) == {1}
        assert costs[name][0, 1] < 1


def test_columns_weigh_as_they_are_told_and_distances_stand_beside_other_costs():
    plain, _ = tables("steps")
    weighed, problem = tables(ofm.Distance("steps", weights={"income": 2.5}))
    assert np.allclose(weighed[0], plain[0])
    assert np.allclose(weighed[1], 2.5 * plain[1])
    assert problem.costs.measure == "steps"
    mixed, problem = tables({"income": "steps", "age": 7})
    assert np.allclose(mixed[1], plain[1])
    assert set(mixed[0].ravel()) == {0, 7}
    assert problem.costs.measure is None


def test_levels_of_a_schema_are_as_far_apart_as_the_rows_lie():
    frame = pd.DataFrame({"grade": ["a"] * 2 + ["b"] * 6 + ["c"] * 2, "sex": list("fm") * 5})
    grade = ofm.Feature("grade", ("a", "b", "c"), ordered=True)
    schema = ofm.Schema((grade, ofm.Feature("sex", ("f", "m"))))
    model = DecisionTreeClassifier(random_state=0).fit(
        schema.one_hot(schema.encode(frame)), [0] * 8 + [1] * 2
    )
    problem = ofm.OneForMany(model, max_changes=1, costs="percentile", cells=schema, share="point").problem(
        frame
    )
    assert (problem.costs.tables[0] / problem.costs.scale).tolist() == [
        [0, 0.4, 0.8],
        [0.4, 0, 0.4],
        [0.8, 0.4, 0],
    ]
    assert (problem.costs.tables[1] / problem.costs.scale).tolist() == [[0, 1], [1, 0]]


def test_the_answer_says_what_its_cost_is_counted_in_and_is_confirmed():
    result = ofm.OneForMany(MODEL, max_changes=2, costs="percentile", share="action").explain(NUMBERS)
    assert "(in shares of the reference data passed, and 1 for a category)" in result.summary()
    assert result.verify().outcome == "confirmed"
    assert ofm.Result.from_json(result.to_json()).summary() == result.summary()
    own = ofm.OneForMany(MODEL, max_changes=2, costs={"age": 2}, share="action").explain(NUMBERS)
    assert "shares of the reference data" not in own.summary()


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ("percentil", "costs are 'percentil'; did you mean 'percentile'"),
        (lambda: ofm.Distance("steps", weights={"age": -1}), "the weight of 'age' is -1"),
        (lambda: ofm.Distance("steps", weights=3), "weights of costs must be a dict"),
        (ofm.Distance("steps", weights={"agee": 2}), "did you mean 'age'"),
    ],
)
def test_what_is_no_distance_is_told(costs, words):
    with pytest.raises(ofm.InputError, match=words):
        tables(costs() if callable(costs) else costs)
