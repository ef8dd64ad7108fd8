"""Tests of the measures of recourse: against a plain recomputation that asks the model about every advice."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import InputError

COSTS = {"a": 3, "b": 1, "c": 2}


def asked(seed, **more):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, (80, 3)), columns=list("abc"))
    target = (frame.sum(axis=1) + rng.integers(0, 2, 80) > 3).astype(int)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, target)
    explainer = ofm.OneForMany(model, max_changes=2, share="action", reference=frame, costs=COSTS, **more)
    people = frame.assign(sex=rng.choice(["f", "m"], 80), race=rng.choice(["x", "y"], 80))
    return explainer, frame, people


def recomputed(explainer, frame, group, budget, enough):
    """By asking the model about every row after every advice of at most two columns."""
    model = explainer.model
    before = model.predict(frame) == 1
    refused = frame[~before]
    offers = {name: sorted(frame[name].unique()) for name in frame.columns}
    least, effective = np.full(len(refused), np.inf), []
    for size in (1, 2):
        for names in combinations(frame.columns, size):
            for goals in product(*(offers[name] for name in names)):
                goal = dict(zip(names, goals, strict=True))
                after = refused.assign(**goal)
                accepted = model.predict(after) == 1
                paid = sum(COSTS[name] * (refused[name] != goal[name]) for name in names).to_numpy()
                least = np.where(accepted, np.minimum(least, paid), least)
                effective.append(accepted)
    told = {}
    for name in sorted(set(group)):
        mine = (group == name)[~before]
        helped = np.isfinite(least[mine])
        told[name] = {
            "accepted": before[group == name].mean(),
            "effectiveness": helped.mean(),
            "within_budget": (least[mine] <= budget).mean(),
            "choices": sum(one[mine].mean() >= enough and one[mine].any() for one in effective),
            "cost_of_effectiveness": np.sort(least[mine])[int(np.ceil(enough * mine.sum())) - 1],
            "mean_recourse": least[mine][helped].mean(),
        }
    return pd.DataFrame(told).T


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", ["sex", ["sex", "race"]])
def test_every_measure_is_what_a_plain_recomputation_finds(seed, by):
    explainer, frame, people = asked(seed)
    result = explainer.explain(frame)
    found = ofm.audit(result, people, by, recourse=True, budget=3, enough=0.4).recourse
    group = people["sex"] if by == "sex" else people["sex"] + " & " + people["race"]
    wanted = recomputed(explainer, frame, group.to_numpy(), 3, 0.4)
    assert found.complete
    pd.testing.assert_frame_equal(
        found.by_group[wanted.columns], wanted, check_names=False, check_dtype=False
    )
    assert found.difference()["effectiveness"] == pytest.approx(np.ptp(wanted["effectiveness"]))
    ratio = wanted["accepted"].min() / wanted["accepted"].max()
    assert found.ratio()["accepted"] == pytest.approx(ratio)
    again = ofm.audit(result, people, by, recourse=True, budget=3, enough=0.4, model=explainer).recourse
    pd.testing.assert_frame_equal(again.by_group, found.by_group)


def test_the_group_that_is_worst_off_is_the_subject_and_intervals_hold_their_shares():
    explainer, frame, people = asked(1)
    found = ofm.audit(explainer.explain(frame), people, "sex", recourse=True).recourse
    worst = found.by_group["accepted"].idxmin()
    assert found.disadvantaged("accepted") == worst
    assert found.disadvantaged("mean_recourse") == found.by_group["mean_recourse"].idxmax()
    assert (
        f"    {worst}: {found.by_group.loc[worst, 'accepted']:.1%} are accepted as they are"
        in found.summary()
    )
    for measure in ("accepted", "effectiveness", "within_budget", "mean_recourse", "mean_changes"):
        ends = found.intervals[measure]
        assert (ends["low"] <= found.by_group[measure]).all()
        assert (found.by_group[measure] <= ends["high"]).all()
    assert "<pre>Budget" in found._repr_html_()


def test_where_time_is_up_that_is_said():
    explainer, frame, people = asked(1)
    found = ofm.audit(explainer.explain(frame), people, "sex", recourse=True, time_limit=0.0).recourse
    assert not found.complete
    assert "not all that there are" in found.summary()


def test_a_black_box_is_asked_through_its_explainer():
    _, frame, people = asked(2)
    box = ofm.OneForMany(
        lambda rows: (rows["a"] + rows["b"] > 2) * 1.0, max_changes=2, share="action", reference=frame
    )
    result = box.explain(frame)
    with pytest.raises(InputError, match="pass the explainer as model="):
        ofm.audit(result, people, "sex", recourse=True)
    assert ofm.audit(result, people, "sex", recourse=True, model=box).recourse.complete
