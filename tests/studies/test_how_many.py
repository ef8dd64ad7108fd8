"""Tests of answers for 1, 2, 3, ... explanations: against brute force, and what is said and drawn of them."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany.exceptions import InputError
from oneformany.report import report_html
from oneformany.studies import Curve, CurvePoint
from oneformany.studies.how_many import _no_worse


def asked(seed):
    """A random tree on three columns, and the rows that it refuses."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, (40, 3)), columns=list("abc"))
    target = (frame.sum(axis=1) + rng.integers(0, 2, 40) > 4).astype(int)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, target)
    explainer = ofm.OneForMany(model, max_changes=2, share="action", reference=frame)
    return explainer, frame, frame[model.predict(frame) == 0]


def advices(explainer, frame, rows):
    """Whom each piece of advice helps, and what each of them pays: every advice of two columns at most."""
    offers = {name: [None, *sorted(frame[name].unique())] for name in frame.columns}
    table = []
    for goals in product(*offers.values()):
        if sum(goal is not None for goal in goals) > 2 or not any(goal is not None for goal in goals):
            continue
        after = rows.assign(**{n: g for n, g in zip(frame.columns, goals, strict=True) if g is not None})
        accepted = explainer.model.predict(after) == 1
        table.append(np.where(accepted, (after != rows).sum(axis=1), 99))
    return np.unique(np.array(table), axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_people_and_cost_of_every_number_are_what_brute_force_finds(seed):
    explainer, frame, rows = asked(seed)
    table = advices(explainer, frame, rows)
    curve = explainer.curve(frame, most=3)
    for point in curve.points:
        paid = [table[list(some)].min(axis=0) for some in combinations(range(len(table)), point.explanations)]
        best = min((-(one < 99).sum(), one[one < 99].sum()) for one in paid)
        assert (point.covered, point.cost) == (-best[0], best[1])
        assert (point.covered_bound, point.cost_bound) == (point.covered, point.cost)
        assert point.proved


def test_each_answer_is_a_whole_result_that_can_be_checked():
    explainer, frame, _ = asked(1)
    curve = explainer.curve(frame, most=3)
    alone = explainer.explain(frame, explanations=2)
    two = curve.result(2)
    assert (two.covered, two.cost, two.problem["model"]["kind"]) == (
        alone.covered, alone.cost, alone.problem["model"]["kind"],
    )  # fmt: skip
    assert two.verify().ok
    assert [entry.reason for entry in two.unreachable] == [entry.reason for entry in alone.unreachable]
    with pytest.raises(InputError, match="this curve has the answers for 1 to 3"):
        curve.result(4)
    with pytest.raises(InputError, match="most is 0; it must be an integer of at least 1"):
        explainer.curve(frame, most=0)


def test_more_explanations_never_help_fewer_however_little_time_there_is():
    explainer, frame, _ = asked(1)
    curve = explainer.curve(frame, most=3)
    one, two, three = curve.results
    assert (one.covered, -one.cost) < (two.covered, -two.cost)
    cut = replace(three, explanations=one.explanations, assignment=one.assignment, count=one.count)
    kept = _no_worse(cut, two)
    assert (kept.covered, kept.cost, kept.goal.explanations) == (two.covered, two.cost, 3)
    assert kept.covered_bound == three.covered_bound
    assert _no_worse(three, two) is three
    assert kept.verify().ok


def made(*numbers, proved=True):
    points = [
        CurvePoint(k, k, covered, covered, cost, cost if proved else None, 0.1)
        for k, (covered, cost) in enumerate(numbers, start=1)
    ]
    result = asked(1)[0].explain(asked(1)[1], explanations=1)
    return Curve(tuple(points), (result,) * len(points))


def test_the_curve_bends_after_the_last_explanation_that_brings_more_than_a_little():
    people = made((1, 1.0)).people
    flat = made((people, 27.0), (people, 20.0), (people, 19.9), (people, 19.8))
    assert flat.elbow == 2
    assert (
        "From 2 on, another one helps fewer than 2% of the rows more and saves less than 2% of"
        in flat.summary()
    )
    assert flat.summary().endswith(": proved.")
    assert made((people, 27.0), (people, 26.9), proved=False).summary().endswith("as far as was found.")
    rising = made((people - 2, 9.0), (people, 12.0))
    assert rising.elbow == 2
    assert "ask about more (most=)" in rising.summary()


def test_the_page_switches_between_the_answers_without_a_script():
    explainer, frame, _ = asked(1)
    curve = explainer.curve(frame, most=3)
    page = report_html(curve.result(2), curve=curve)
    for number in (1, 2, 3):
        assert f'<input type="radio" name="k" id="k{number}"' in page
        assert f"#k{number}:checked~.answers .k{number}{{display:block}}" in page
        assert f'class="answer k{number}"' in page
    assert page.count(" checked>") == 1
    assert f'id="k{curve.elbow}" checked' in page
    assert "<td>" in curve._repr_html_()
