"""Tests that rules on numbers hold for each row's own, in results, in files and for new rows."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from certificates import sealed
from oneformany import (
    AdditiveOracle,
    AtLeast,
    Feature,
    Immutable,
    Implies,
    OneForMany,
    Problem,
    Result,
    Schema,
    solve,
)
from oneformany.exceptions import CertificateError
from oneformany.explainer.settings import Cells
from oneformany.verify import verify

RNG = np.random.default_rng(3)
AGE = RNG.integers(18, 70, 300)
WORK = np.array([RNG.integers(0, age - 14) for age in AGE])
DATA = pd.DataFrame({"age": AGE, "work": WORK, "rooms": RNG.integers(1, 6, 300)})
MODELS = {
    "tree that does not read age": DecisionTreeClassifier(max_depth=2).fit(DATA, WORK > 15),
    "linear": LogisticRegression(max_iter=500).fit(DATA, WORK + DATA["rooms"] > 16),
}
RULES = {
    "two columns": (AtLeast("age", "work", plus=14), lambda f: f["age"] >= f["work"] + 14),
    "a range": (Implies({"work": "> 10"}, {"age": (30, 80)}), lambda f: (f["work"] <= 10) | (f["age"] >= 30)),
}


def explained(model, rule, share="action"):
    return OneForMany(
        model,
        max_changes=2,
        rules=[rule],
        reference=DATA,
        share=share,
        cells=Cells(edges={"work": [5, 12, 20]}),
    ).explain(DATA)


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("model", MODELS)
def test_every_row_has_numbers_that_keep_the_rule(model, rule, share):
    given, holds = RULES[rule]
    free = OneForMany(
        MODELS[model], max_changes=2, reference=DATA, share=share, cells=Cells(edges={"work": [5, 12, 20]})
    ).explain(DATA)
    result = explained(MODELS[model], given, share)
    after = result.apply(DATA)
    changed = (after[["age", "work"]] != DATA.loc[after.index, ["age", "work"]]).any(axis=1)
    assert changed.any()
    assert holds(after)[changed].all()
    assert not holds(free.apply(DATA)).all()  # without the rule it is broken
    assert result.verify().ok
    assert Result.from_json(result.to_json()).to_json() == result.to_json()


@pytest.mark.parametrize("rule", RULES)
def test_new_rows_keep_the_rule_too(rule):
    given, holds = RULES[rule]
    model = MODELS["linear"]
    asked = OneForMany(model, max_changes=2, rules=[given, Immutable("age")], reference=DATA, share="action")
    result = asked.explain(DATA)
    new = DATA.assign(age=DATA["age"] - 3, work=np.minimum(DATA["work"], 9))
    after = result.apply(new, model)
    changed = (after["work"] != new.loc[after.index, "work"]).to_numpy()
    assert changed.any()
    assert holds(after)[changed].all()
    others = new.loc[new.index.difference(after.index)]
    goals = [
        result.schema.features[1].target(one.point[1]) for one in result.explanations if 1 in one.changed
    ]
    refused = others[model.predict(others) == 0]
    assert len(refused)
    assert not any(holds(refused.assign(work=goal)).all() for goal in goals)


@pytest.mark.parametrize("rule", RULES)
def test_a_file_whose_rows_break_the_rule_is_wrong(rule):
    given, _ = RULES[rule]
    content = json.loads(explained(MODELS["linear"], given).to_json())
    (entry,) = content["problem"]["restrictions"]
    if entry["kind"] == "at_least":
        entry["plus"] = 40
    else:
        entry["then"][0][1] = {"above": 60}
    report = verify(sealed(content))
    (wrong,) = [check for check in report.checks if check.name == "changes are few and allowed"]
    assert wrong.outcome == "wrong"
    assert f"against a rule of the kind '{entry['kind']}'" in wrong.detail


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"plus": "x"}, "must hold finite numbers only"),
        ({"features": [0]}, "has 1 entries instead of 2"),
        ({"numbers": []}, "must tell the numbers of both features"),
        ({"numbers": [[0, [1.0]], [1, [2.0]]]}, "entries instead of"),
        ({"more": 1}, "is not a field of this format"),
    ],
)
def test_a_rule_that_is_not_as_it_should_be_cannot_be_read(change, words):
    content = json.loads(explained(MODELS["linear"], RULES["two columns"][0]).to_json())
    content["problem"]["restrictions"][0] |= change
    with pytest.raises(CertificateError, match=words):
        verify(sealed(content))


def test_no_range_is_promised_of_what_is_compared():
    result = explained(MODELS["linear"], RULES["two columns"][0])
    compared = {result.schema.index(name) for name in ("age", "work")}
    named = [span for of in result.problem.get("ranges", ()) for span in of]
    assert not compared & {span["feature"] if isinstance(span, dict) else span for span in named}


def test_a_schema_model_compares_numbers_that_are_levels():
    schema = Schema(tuple(Feature(name, ("1", "2", "3"), numbers=(1, 2, 3)) for name in "ab"))
    rule = AtLeast("a", "b").restriction(schema, np.zeros((0, 2), dtype=int))
    oracle = AdditiveOracle([[0, 0, 0], [0, 1, 2]], threshold=2)
    result = solve(Problem([[0, 0], [2, 0]], (3, 3), oracle, 1, share="action", restrictions=[rule]))
    assert [entry.row for entry in result.unreachable] == [0]  # at 1 it may not go up to 3
    assert result.covered == 1
    assert result.verify().ok
