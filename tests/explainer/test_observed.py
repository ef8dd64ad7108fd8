"""Tests that rules on combinations look at values that people know, whatever cells a model would need."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from oneformany import Observed, OneForMany

RNG = np.random.default_rng(0)
AGE = RNG.integers(18, 70, 600)
WORK = np.array([RNG.integers(0, age - 15) for age in AGE])
DATA = pd.DataFrame({"age": AGE, "work": WORK, "noise": RNG.integers(0, 50, 600)})
MODEL = DecisionTreeClassifier(max_depth=1).fit(DATA, WORK > 15)  # reads nothing but years of work


def explained(rules):
    return OneForMany(MODEL, max_changes=1, rules=rules, reference=DATA, share="action").explain(DATA)


@pytest.mark.parametrize("rule", [Observed("age", "work"), Observed("work", "age"), Observed()])
def test_nobody_is_sent_to_what_nobody_like_them_has_even_if_the_model_does_not_read_it(rule):
    free, bound = explained([]), explained([rule])
    assert free.covered == free.people  # without the rule everybody is sent to many years of work
    assert 0 < bound.covered < bound.people
    before, after = DATA.loc[bound.apply(DATA).index], bound.apply(DATA)
    assert (before["age"] == after["age"]).all()
    names = [name for name in DATA if name in (rule.features or DATA)]
    cells = bound.schema.cells(DATA)[:, [bound.schema.index(name) for name in names]]
    seen = {tuple(row) for row in cells.tolist()}
    ends = bound.schema.cells(after)[:, [bound.schema.index(name) for name in names]]
    assert all(tuple(row) in seen for row in ends.tolist())
    assert bound.verify().ok


def test_the_young_do_not_get_sixteen_years_of_work():
    after = explained([Observed("age", "work")]).apply(DATA)
    moved = after[after["work"] != DATA.loc[after.index, "work"]]
    assert len(moved)
    assert (moved["age"] > 24).all()
    assert (explained([]).apply(DATA)["age"] <= 24).any()


def test_cells_are_as_without_the_rule_where_the_model_tells_enough_apart():
    deep = DecisionTreeClassifier(max_depth=8, random_state=0).fit(DATA, (AGE * 3 + WORK * 7) % 5 == 0)
    asked = {"reference": DATA, "share": "action"}
    free, bound = (
        OneForMany(deep, max_changes=1, rules=rules, **asked).explain(DATA) for rules in ([], [Observed()])
    )
    assert free.schema == bound.schema
    assert min(len(feature.levels) for feature in free.schema.features) >= 8
