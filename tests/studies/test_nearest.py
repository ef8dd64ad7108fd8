"""The nearest change of one row, and alternatives, against all changes there are."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.listing.sharing_problems import KINDS, draw_problem
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany
from oneformany.studies.nearest import alternatives, alternatives_of_frame, nearest_change
from reference_sharing import cost_of_joining


def all_changes(problem, row):
    """Every accepted change: its features, and the least it costs."""
    distinct = int(problem.row_of[row])
    before = problem.rows[distinct]
    for size in range(problem.max_changes + 1):
        for changed in combinations(range(problem.n_features), size):
            goals = product(*(range(problem.levels[feature]) for feature in changed))
            moves = [
                goal
                for goal in goals
                if all(before[f] != cell for f, cell in zip(changed, goal, strict=True))
            ]
            costs = [
                cost
                for goal in moves
                if (cost := cost_of_joining(problem, distinct, changed, goal)) is not None
            ]
            if costs:
                yield changed, min(costs)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 4))
def test_each_alternative_is_the_cheapest_that_includes_no_earlier_one(kind, seed, count):
    problem = draw_problem(np.random.default_rng(seed), kind, "point")
    row = seed % len(problem.codes)
    found = alternatives(problem, row, count)
    open_changes = dict(all_changes(problem, row))
    for one in found:
        assert one.cost == min(open_changes.values())
        assert open_changes[one.changed] == one.cost
        distinct = int(problem.row_of[row])
        goal = tuple(one.point[feature] for feature in one.changed)
        assert cost_of_joining(problem, distinct, one.changed, goal) == one.cost
        open_changes = {
            changed: cost for changed, cost in open_changes.items() if not set(one.changed) <= set(changed)
        }
    assert len(found) == count or not open_changes
    assert nearest_change(problem, row) == (found[0] if found else None)


def test_rows_and_counts_that_do_not_exist_are_refused():
    problem = draw_problem(np.random.default_rng(1), "additive", "point")
    with pytest.raises(InputError, match="row is"):
        nearest_change(problem, len(problem.codes))
    for row in (-1, "0", True):
        with pytest.raises(InputError, match=r"row is .*; it must be an integer from 0 to"):
            nearest_change(problem, row)
    for count in (0, "3", 1.5):
        with pytest.raises(InputError, match=r"count is .*; it must be an integer of at least 1"):
            alternatives(problem, 0, count)


def test_a_row_of_any_integer_type_is_told_as_a_plain_number():
    problem = draw_problem(np.random.default_rng(1), "additive", "point")
    assert {type(found.row) for found in alternatives(problem, np.int64(0))} <= {int}


def people():
    frame = pd.DataFrame(
        {"job": [0, 0, 1, 1] * 5, "rooms": [1.5, 2.5, 1.5, 2.5] * 5, "pet": ["cat", "dog"] * 10},
        index=[f"person {n}" for n in range(20)],
    )

    def score(rows):
        return (rows["job"] + rows["rooms"] - (rows["pet"] == "cat") >= 2.5).astype(float)

    return frame, score


def test_alternatives_of_a_row_of_a_frame_have_its_names_and_values_and_are_accepted():
    frame, score = people()
    explainer = OneForMany(score, max_changes=3, costs={"pet": 0.5}, share="point")
    found = alternatives_of_frame(explainer, frame, "person 0")
    assert found.index.tolist() == [1, 2, 3]
    told = [line.dropna().to_dict() for _, line in found.iterrows()]
    assert {"cost": 1.5, "rooms": 2.5, "pet": "dog"} in told[:2]
    assert {"cost": 1.5, "job": 1.0, "pet": "dog"} in told[:2]
    assert told[2] == {"cost": 2.0, "job": 1.0, "rooms": 2.5}
    for values in (line.dropna().drop("cost").to_dict() for _, line in found.iterrows()):
        assert score(frame.loc[["person 0"]].assign(**values)).eq(1).all()


def test_where_no_change_helps_a_row_of_a_frame_the_table_is_empty():
    frame, score = people()
    found = alternatives_of_frame(OneForMany(score, max_changes=1, share="point"), frame, "person 0")
    assert found.empty
    assert found.columns.tolist() == ["cost"]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("person 20", "no row labelled 'person 20'"),
        ("twice", "2 rows labelled 'twice'"),
        ("person 3", "accepts it already"),
    ],
)
def test_labels_that_are_not_one_refused_row_are_told(label, words):
    frame, score = people()
    frame.index = [*frame.index[:18], "twice", "twice"]
    with pytest.raises(InputError, match=words):
        alternatives_of_frame(OneForMany(score, max_changes=2, share="point"), frame, label)
