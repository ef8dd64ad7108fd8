"""Tests that every rule holds what its documentation says: by looking at all changes of all rows.

What a rule means is written down here once more, on the values of a row before and after, as the pages tell
it. The smallest set of explanations by this meaning, and by the model's own predict, has to be what is found.
"""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.explainer.posing import moves_to_targets, pose
from oneformany.result.following import follow
from oneformany.schema.frames import Table
from reference_own import smallest_cover

NO_RECORD = -9


def people(seed, n=60):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, n)
    work = np.where(rng.random(n) < 0.1, NO_RECORD, rng.integers(0, 45, n))
    income = np.where(rng.random(n) < 0.1, np.nan, rng.gamma(2.0, 9.0, n).round(1))
    frame = pd.DataFrame({"age": age, "work": work, "income": income, "rooms": rng.integers(1, 4, n)})
    score = age / 40 + work / 15 + np.nan_to_num(income) / 25 + frame["rooms"] / 3
    return frame, (score + rng.normal(0, 0.3, n) > score.quantile(0.6)).astype(int).to_numpy()


MODELS = {
    "logistic": lambda: make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=6, min_samples_leaf=3),
}


class Change:
    """A row before and after a change, with the cells of its values, and those of the reference data."""

    def __init__(self, before, after, schema, reference):
        self.before, self.after, self.reference = before, after, reference
        self.cell = {feature.name: feature.find for feature in schema.features}
        self.order = {feature.name: feature.n_regular for feature in schema.features}

    def changes(self, name):
        return self.cell[name](self.before[name]) != self.cell[name](self.after[name])

    def steps(self, name):
        """Cells up or down; nothing that can be counted from or to a missing value or a special code."""
        start, end = (self.cell[name](row[name]) for row in (self.before, self.after))
        return end - start if max(start, end) < self.order[name] else None

    def number(self, name):
        """The number afterwards; special codes and missing values are none."""
        return self._number(self.after, name)

    def far(self, name):
        """How far the number goes, in tenths; nothing from or to what is not a number. And what it was."""
        old, new = self._number(self.before, name), self.number(name)
        return None if None in (old, new) else (abs(round(10 * new) - round(10 * old)), round(10 * old))

    def _number(self, row, name):
        value = row[name]
        return None if np.isnan(value) or (name, value) == ("work", NO_RECORD) else value

    def lies(self, name, low, high):
        return self.number(name) is not None and low <= self.number(name) <= high

    def any_changes(self, *names):
        return any(map(self.changes, names))

    def occurrences(self, *names):
        cells = [self.cell[name](self.after[name]) for name in names]
        return (self.reference[list(names)] == cells).all(axis=1).sum()


def ordered(change, name, least, most):
    """A row in a cell without an order stays there; others move so many cells."""
    steps = change.steps(name)
    return not change.changes(name) or (steps is not None and least <= steps <= most)


RULES = [
    (ofm.Immutable("age"), lambda c: not c.changes("age")),
    (ofm.OnlyIncrease("work"), lambda c: ordered(c, "work", 0, 99)),
    (ofm.OnlyDecrease("income"), lambda c: ordered(c, "income", -99, 0)),
    (ofm.AtMostSteps("age", 1), lambda c: ordered(c, "age", -1, 1)),
    (ofm.Range("income", low=10, high=30), lambda c: not c.changes("income") or c.lies("income", 10, 30)),
    (ofm.Range("work", high=20), lambda c: not c.changes("work") or c.lies("work", -np.inf, 20)),
    (ofm.NeverTarget("rooms", [2, 3]), lambda c: not c.changes("rooms") or c.after["rooms"] == 1),
    (ofm.NeverTarget("age", (30, 50)), lambda c: not c.changes("age") or not c.lies("age", 30, 50)),
    (ofm.NeverTarget("work", "> 15"), lambda c: not c.changes("work") or c.number("work") <= 15),
    (ofm.Forbid("rooms", 1, 3), lambda c: (c.before["rooms"], c.after["rooms"]) != (1, 3)),
    (
        ofm.Implies({"rooms": 3}, {"age": 40}),  # a single number stands for its cell
        lambda c: (
            not c.any_changes("rooms", "age")
            or c.after["rooms"] != 3
            or c.cell["age"](c.after["age"]) == c.cell["age"](40)
        ),
    ),
    (
        ofm.Implies({"rooms": {2, 3}}, {"work": ["no record"]}),
        lambda c: not c.any_changes("rooms", "work") or c.after["rooms"] == 1 or c.number("work") is None,
    ),
    (
        ofm.Implies({"work": "> 10"}, {"age": (30, 60)}),
        lambda c: (
            not c.any_changes("work", "age") or not c.lies("work", 10 + 1e-9, np.inf) or c.lies("age", 30, 60)
        ),
    ),
    (
        ofm.Implies({"age": "< 40", "rooms": 1}, {"income": {"low": 12.5}}),
        lambda c: (
            not c.any_changes("age", "rooms", "income")
            or c.after["age"] >= 40
            or c.after["rooms"] != 1
            or c.lies("income", 12.5, np.inf)
        ),
    ),
    (
        ofm.Implies({"income": ">= 15"}, {"work": "<= 12"}),
        lambda c: (
            not c.any_changes("income", "work")
            or not c.lies("income", 15, np.inf)
            or c.lies("work", -np.inf, 12)
        ),
    ),
    (
        ofm.AtMost("age", by=8),
        lambda c: not c.changes("age") or c.far("age")[0] <= 80,
    ),
    (
        ofm.AtMost("income", by="35%"),
        lambda c: (
            not c.changes("income")
            or (c.far("income") is not None and 100 * c.far("income")[0] <= 35 * c.far("income")[1])
        ),
    ),
    (ofm.Linked("age", "work"), lambda c: c.changes("age") == c.changes("work")),
    (ofm.Linked("work", "rooms", one_way=True), lambda c: not c.changes("work") or c.changes("rooms")),
    (
        ofm.NotTogether("age", "work", "rooms"),
        lambda c: sum(map(c.changes, ("age", "work", "rooms"))) <= 1,
    ),
    (
        ofm.Observed("age", "work", at_least=4),
        lambda c: not c.any_changes("age", "work") or c.occurrences("age", "work") >= 4,
    ),
    (
        ofm.Observed("work", "income", "rooms", at_least=2),
        lambda c: (
            not c.any_changes("work", "income", "rooms") or c.occurrences("work", "income", "rooms") >= 2
        ),
    ),
    (ofm.Observed(), lambda c: not c.any_changes(*c.cell) or c.occurrences(*c.cell) >= 1),
    (
        ofm.AtLeast("age", "work", plus=14),
        lambda c: (
            not c.any_changes("age", "work")
            or (c.number("work") is not None and c.after["age"] >= c.after["work"] + 14)
        ),
    ),
    (
        ofm.AtLeast("income", "work", plus=-2.5),
        lambda c: (
            not c.any_changes("income", "work")
            or (
                None not in (c.number("work"), c.number("income"))
                and 10 * c.after["income"] + 25 >= 10 * c.after["work"]
            )
        ),
    ),
]


def all_changes(posed, given, model, means, reference):
    """For each row and the cells that two changes lead to: whether model and rule, or the model, accept."""
    before, features = posed.codes[posed.refused], posed.schema.features
    ways = [[c for c in range(f.n_levels) if f.target(c) is not None] for f in features]
    after = {}
    for row, cells in enumerate(before.tolist()):
        for some in combinations(range(len(cells)), 2):
            for goal in product(*({*ways[f], cells[f]} for f in some)):
                changed = dict(zip(some, goal, strict=True))
                after[row, tuple(changed.get(f, cell) for f, cell in enumerate(cells))] = None
    rows, ends = (np.array(part) for part in zip(*after, strict=True))
    moved = follow(posed.schema, given.iloc[rows], before[rows], ends)
    pairs = zip(given.iloc[rows].to_dict("records"), moved.to_dict("records"), strict=True)
    held = [bool(means(Change(*pair, posed.schema, reference))) for pair in pairs]
    accepted = (model.predict(moved) == 1).tolist()
    return {key: (yes and kept, yes) for key, yes, kept in zip(after, accepted, held, strict=True)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(RULES)), ids=[str(rule) for rule, _ in RULES])
def test_the_fewest_explanations_are_those_of_the_documented_rule(number):
    rule, means = RULES[number]
    forbidden, (frame, target) = 0, people(number % 5)
    for index, share in enumerate(("point", "action", "features")):
        model = list(MODELS.values())[(number + index) % len(MODELS)]().fit(frame, target)
        refused = model.predict(frame) == 0
        rows = pd.concat([frame[refused].head(8), frame[~refused].head(2)])
        explainer = ofm.OneForMany(
            model,
            max_changes=2,
            rules=[rule],
            share=share,
            reference=frame,
            cells=ofm.Cells(
                bins={"age": 4, "work": 3, "income": 3}, special={"work": {"no record": NO_RECORD}}
            ),
        )
        posed = pose(explainer, Table.of(rows))
        reference = pd.DataFrame(posed.schema.cells(frame), columns=posed.schema.names)
        known = all_changes(posed, rows.iloc[posed.refused], model, means, reference)
        forbidden += sum(yes and not both for both, yes in known.values())

        def accept(numbers, after, _values, known=known):
            keys = zip(numbers.tolist(), map(tuple, after.tolist()), strict=True)
            return np.array([known[key][0] for key in keys])

        free = moves_to_targets(posed.schema, [None] * len(posed.schema.features))
        problem = replace(posed.problem(2, share), allowed=free, restrictions=())
        cover, beyond = smallest_cover(problem, accept)
        result = explainer.explain(rows)
        assert (result.count, result.lower_bound) == (len(cover), len(cover))
        assert tuple(entry.row for entry in result.unreachable) == beyond
        assert result.verify().ok
    assert forbidden  # among what a model accepts
