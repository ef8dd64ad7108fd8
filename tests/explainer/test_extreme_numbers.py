"""Numbers that are far too large, far too small or of another library: right, or refused with what to do."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import oneformany as ofm
from oneformany.problem import Costs, Goal

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RANDOM.integers(0, 9, 60),
        "debt": RANDOM.normal(size=60).round(1),
        "rooms": RANDOM.integers(0, 3, 60),
    }
)
GRANTED = (FRAME.sum(axis=1) > 6).astype(int)
SUM = LogisticRegression().fit(FRAME, GRANTED)
FOREST = RandomForestClassifier(5, random_state=0).fit(FRAME, GRANTED)
BOOSTED = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(FRAME, GRANTED)
HISTOGRAM = HistGradientBoostingClassifier(max_iter=5).fit(FRAME, GRANTED)
NETWORK = MLPClassifier((3,), max_iter=500, tol=1e-2, random_state=0).fit(FRAME, GRANTED)
XGBOOST = XGBClassifier(n_estimators=5).fit(FRAME, GRANTED)
FEW = {"age": (3.0,), "debt": (0.0,), "rooms": (1.0,)}


def explained(model=SUM, frame=FRAME, people=None, explanations=None, coverage=None, **given):
    result = ofm.OneForMany(model, max_changes=2, **({"share": "point"} | given)).explain(
        frame, explanations, coverage, people=people
    )
    assert ofm.verify(result).outcome == "confirmed"
    return result


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.uint8, np.uint64])
@pytest.mark.parametrize(("model", "share"), [(SUM, "point"), (FOREST, "action"), (FOREST, "features")])
def test_the_number_of_explanations_may_be_of_any_kind_of_integer(kind, model, share):
    found = explained(model, share=share, explanations=kind(2))
    assert found.covered == explained(model, share=share, explanations=2).covered


def test_more_explanations_than_people_are_possible_are_refused():
    assert explained(explanations=2**40).covered == explained().covered
    with pytest.raises(ofm.InputError, match=r"explanations is 10{30}; more than 1,099,511,627,776 rows"):
        explained(explanations=10**30)


@pytest.mark.parametrize("share", [1e-300, 5e-324, 1e-12])
def test_however_small_a_share_of_the_rows_is_it_is_somebody(share):
    result = explained(coverage=share)
    assert (result.count, result.covered) == (1, 1)
    assert Goal(coverage=share).needed(0) == 0


@pytest.mark.parametrize("threshold", [5e-324, 1e-310, 1e-17, 1e-16])
@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_a_threshold_next_to_0_asks_what_the_model_says(threshold, positive, scale):
    model = LogisticRegression().fit(FRAME, GRANTED)
    model.coef_, model.intercept_ = model.coef_ * scale, model.intercept_ * scale
    accepted = model.predict_proba(FRAME)[:, positive] >= threshold
    explainer = ofm.OneForMany(model, max_changes=2, threshold=threshold, positive=positive, share="point")
    if accepted.all():
        with pytest.raises(ofm.InputError, match="calls all 60 rows positive"):
            explainer.explain(FRAME)
    else:
        result = explainer.explain(FRAME)
        assert result.covered + len(result.unreachable) + len(result.undecided) == (~accepted).sum() > 0


@pytest.mark.parametrize("threshold", [5e-324, 1e-320, 1 - 1e-16])
@pytest.mark.parametrize("model", [BOOSTED, HISTOGRAM, NETWORK, XGBOOST], ids=lambda one: type(one).__name__)
def test_a_threshold_that_no_sum_tells_from_0_or_1_is_what_the_model_says_of_it(model, threshold):
    accepted = model.predict_proba(FRAME)[:, 1] >= threshold
    explainer = ofm.OneForMany(model, max_changes=2, threshold=threshold, share="point")
    if accepted.all():
        with pytest.raises(ofm.InputError, match="calls all 60 rows positive"):
            explainer.explain(FRAME)
    else:
        result = explainer.explain(FRAME, time_limit=2)
        assert result.covered + len(result.unreachable) + len(result.undecided) == (~accepted).sum() > 0


@pytest.mark.parametrize("given", [{"threshold": 10**400}, {"threshold": -(10**400)}])
def test_integers_of_hundreds_of_digits_are_not_thresholds(given):
    with pytest.raises(ofm.InputError, match="it must be a number such as"):
        explained(**given)


@pytest.mark.parametrize("limit", [10**400, True, float("nan")])
def test_what_cannot_be_counted_down_is_not_a_time_limit(limit):
    with pytest.raises(ofm.InputError, match="give seconds, 0 or more"):
        ofm.OneForMany(SUM, max_changes=2, share="point").explain(FRAME, time_limit=limit)


@pytest.mark.parametrize("limit", [10**300, float("inf")])
def test_all_the_time_in_the_world_is_one(limit):
    assert (
        ofm.OneForMany(SUM, max_changes=2, share="point").explain(FRAME, time_limit=limit).status == "optimal"
    )
    result = explained()
    assert ofm.verify(result, time_limit=10**400, memory_limit=10**400).outcome == "confirmed"


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (
            {"age": 2.0**31},
            r"'age' go up to 2,147,483,648, and the most is 1,073,741,824; write all costs in larger",
        ),
        (
            {"age": 107375.0001},
            r"go up to 107,375.0001, and the most is 107,374 with so many digits .*; write fewer",
        ),
        (
            {"age": 2**30 - 1, "debt": 0.5},
            r"'age' go up to 1,073,741,823, and the most is 107,374,182 with so many",
        ),
        ({"age": 10**400}, r"'age' must be a number of at least 0, .*, not 10{59}\.\.\.$"),
        (
            {"age": np.ones((3, 3))},
            r"a table of 2 x 2 such numbers .*, not 3 x 3 numbers; the cells are '<= 3', '> 3'",
        ),
        ({"age": [[0, 1], [-2, 0]]}, r"not -2 from '> 3' to '<= 3'$"),
        ({"age": [[0, np.inf], [2, 0]]}, r"not inf from '<= 3' to '> 3'$"),
        ({"age": [[0, 1], [2, 5]]}, r"not 5 for staying at '> 3'$"),
        ({"age": [["a" * 200] * 2] * 2}, r"not \[\['a{57}\.\.\.$"),
    ],
)
def test_costs_that_cannot_be_taken_are_told_in_a_line_with_the_cell_and_the_remedy(costs, words):
    with pytest.raises(ofm.InputError, match=words) as told:
        explained(costs=costs, cells=ofm.Cells(edges=FEW))
    assert len(str(told.value)) < 250


def test_the_largest_costs_are_added_exactly_and_verified():
    at_most = explained(costs={"age": 2**30, "debt": 2**30 - 1, "rooms": 1}, cells=ofm.Cells(edges=FEW))
    assert at_most.cost_bound == at_most.cost
    assert explained(costs={"age": 107374.1824, "debt": 1.0001}, cells=ofm.Cells(edges=FEW)).cost_bound > 0
    with pytest.raises(
        ofm.InputError, match="feature 0 go up to 1,073,741,825, and 1,073,741,824 is the most"
    ):
        Costs([[[0, 2**30 + 1], [1, 0]]])


def test_a_cost_that_would_be_rounded_to_nothing_is_told():
    with pytest.warns(UserWarning, match="rounded to four digits"):
        explained(costs={"age": 1e-10}, cells=ofm.Cells(edges=FEW))


def test_as_many_people_as_a_file_carries():
    refused = int((SUM.predict(FRAME) == 0).sum())
    most = [2**40 // refused] * 60
    assert explained(people=most).covered == 2**40 // refused * refused
    for people, words in (
        (
            [2**40] * 60,
            r"people are [\d,]+ together, 1,099,511,627,776 are the most; count them in larger units",
        ),
        (
            [1] * 59 + [2**62],
            r"people of row 59 are 4,611,686,018,427,387,904, .*; count them in larger units",
        ),
        (np.full(60, 2**63, dtype=np.uint64), r"people of row 0 are 9,223,372,036,854,775,808"),
    ):
        with pytest.raises(ofm.InputError, match=words):
            explained(people=people)


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        (LogisticRegression(), 1e-300),
        (DecisionTreeClassifier(random_state=0), 5e-323),
        (RandomForestClassifier(4, random_state=0), 1e-300),
        (GradientBoostingClassifier(n_estimators=4), 1e30),
    ],
    ids=["a sum", "a tree", "a forest", "boosting"],
)
def test_a_program_that_wants_errors_of_rounding_gets_the_same_answer(kind, scale):
    frame = FRAME.astype(float).assign(debt=FRAME["debt"] * scale)
    model = kind.fit(frame, GRANTED)
    explainer = ofm.OneForMany(model, max_changes=2, share="point")
    plain = explainer.explain(frame)
    with np.errstate(all="raise"):
        result = explainer.explain(frame, progress=lambda _: None)
        assert (
            result.assign(frame.tail(9), model=explainer).tolist()
            == plain.assign(frame.tail(9), explainer).tolist()
        )
        problem = explainer.problem(frame)
        assert ofm.nearest_change(problem, 0) == ofm.nearest_change(problem, 0)
        assert [point.value for point in ofm.frontier_of_frame(explainer, frame).points][-1] == plain.count
        assert ofm.verify(result).outcome == "confirmed"
        assert np.geterr()["over"] == "raise"
    assert result.summary() == plain.summary()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ofm.Range("age", 0, 10**400),
        lambda: ofm.Range("age", -(10**400)),
        lambda: ofm.AtLeast("age", "rooms", plus=10**400),
        lambda: ofm.AtLeast("age", "rooms", plus=float("nan")),
        lambda: ofm.Implies({"age": (0, 10**400)}, {"rooms": 1}).restriction(
            ofm.infer_schema(FRAME), np.zeros((0, 3), dtype=np.int64)
        ),
        lambda: ofm.Implies({"age": ">= 1e400"}, {"rooms": 1}).restriction(
            ofm.infer_schema(FRAME), np.zeros((0, 3), dtype=np.int64)
        ),
        lambda: ofm.AdditiveOracle([[0, 1]], threshold=10**400),
    ],
)
def test_rules_and_thresholds_refuse_numbers_that_no_decimal_number_comes_near(make):
    with pytest.raises(ofm.InputError, match=r"range|number|decimal"):
        make()
