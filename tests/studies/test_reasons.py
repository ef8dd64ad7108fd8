"""Why people were refused, and which of it they can respond to, against trying every change."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from explainer.raw_rows import FRAME, pipeline
from oneformany.stop import Stop
from oneformany.studies.additive_reasons import AdditiveReasons
from oneformany.studies.reasons import reasons_of
from reference_sharing import cost_of_joining


def changes_with(problem, row, feature):
    """How many features each accepted change of a row has that moves a feature."""
    sizes = []
    for size in range(1, problem.max_changes + 1):
        for changed in combinations(range(problem.n_features), size):
            if feature not in changed:
                continue
            goals = product(*(range(problem.levels[f]) for f in changed))
            moved = (goal for goal in goals if all(problem.rows[row][list(changed)] != goal))
            if any(cost_of_joining(problem, row, changed, goal) is not None for goal in moved):
                sizes.append(size)
    return sizes


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS))
def test_a_reason_is_responsive_if_an_allowed_change_with_it_is_accepted(seed, kind):
    problem = draw_problem(np.random.default_rng(seed), kind, "action")
    for row in range(len(problem.rows)):
        for reason in reasons_of(problem, problem, row, Stop()):
            sizes = changes_with(problem, row, reason.feature)
            assert reason.responsive is not None or kind not in {"additive", "trees"}
            if reason.responsive is not None:
                assert reason.responsive == bool(sizes)
            if reason.responsive:
                moved = np.flatnonzero(problem.rows[row] != reason.end)
                assert reason.feature in moved
                assert len(moved) <= problem.max_changes
                goal = tuple(reason.end[f] for f in moved)
                assert cost_of_joining(problem, row, tuple(moved.tolist()), goal) is not None
                assert reason.least_changes in {None, min(sizes)}


def explained(**parameters):
    rules = [ofm.Immutable("age")]
    explainer = ofm.OneForMany(pipeline(), max_changes=2, share="action", rules=rules, **parameters)
    return explainer, explainer.explain(FRAME)


def test_reasons_of_people_need_no_model_and_are_those_of_the_model():
    explainer, result = explained()
    read = ofm.Result.from_json(result.to_json())
    told = read.reasons(FRAME)
    pd.testing.assert_frame_equal(told, result.reasons(FRAME, explainer))
    assert told.columns.tolist() == ["feature", "rank", "responsive", "gain", "least_changes", "change"]
    assert (told.groupby(level=0)["rank"].max() <= 4).all()
    helped = told.loc[told.index.isin(FRAME.index[np.array(result.problem["rows"])[result.has_explanation]])]
    assert set(helped["responsive"]) == {"yes"}
    assert "age" not in set(helped["feature"])  # nobody can change it
    assert helped["change"].str.contains(" -> ").all()


def test_a_person_without_a_way_out_is_told_what_scored_against_them():
    explainer = ofm.OneForMany(
        pipeline(), max_changes=1, share="action", rules=[ofm.Immutable(n) for n in ("age", "job")]
    )
    result = explainer.explain(FRAME)
    stuck = [result.index[entry.row] for entry in result.unreachable]
    told = result.reasons(FRAME).loc[stuck]
    assert stuck
    assert set(told["responsive"]) == {"proved no"}
    assert (told["gain"] > 0).all()
    assert told["change"].isna().all()


def test_a_lender_has_reasons_of_its_own(tmp_path):
    _, result = explained()
    codes = tmp_path / "codes.toml"
    codes.write_text(
        '[codes]\nincome = { code = "3", text = "Insufficient income" }\n'
        'job = { code = "3", text = "Insufficient income" }\nhome = ["9", "Other"]\n'
    )
    told = result.reasons(FRAME, codes=codes)
    assert not told.set_index("code", append=True).index.duplicated().any()
    assert set(told["text"]) <= {"Insufficient income", "Other"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"codes": {"incom": ("1", "x")}}, "did you mean 'income'"),
        ({"codes": {"income": 3}}, "the reason of column 'income' is 3; give a code and a text"),
        ({"most": 0}, "most is 0; it must be an integer of at least 1"),
    ],
)
def test_what_cannot_be_used_is_told(options, words):
    _, result = explained()
    with pytest.raises(ofm.InputError, match=words):
        result.reasons(FRAME, **options)


def test_black_boxes_are_asked_again_and_time_that_is_up_is_told():
    explainer = ofm.OneForMany(
        lambda frame: pipeline().predict_proba(frame)[:, 1], max_changes=1, share="action"
    )
    result = explainer.explain(FRAME.head(20))
    with pytest.raises(ofm.InputError, match="pass the explainer as model="):
        result.reasons(FRAME.head(20))
    assert "yes" in set(result.reasons(FRAME.head(20), explainer)["responsive"])
    assert set(result.reasons(FRAME.head(20), explainer, time_limit=0)["responsive"]) <= {
        "unknown",
        "proved no",
    }


@pytest.mark.parametrize("seed", range(15))
def test_reasons_of_all_rows_at_once_are_those_of_each_row_alone(seed):
    rng = np.random.default_rng(seed)
    levels = tuple(rng.integers(2, 5, 4).tolist())
    tables = [rng.integers(-4, 5, n).astype(float) for n in levels]
    oracle = ofm.AdditiveOracle(tables, threshold=float(rng.integers(2, 9)))
    codes = np.stack([rng.integers(0, n, 12) for n in levels], axis=1)
    refused = codes[~oracle.positive(codes)]
    if not len(refused):
        return
    allowed = [None, *(np.eye(n, dtype=bool) | (rng.random((n, n)) < 0.6) for n in levels[1:])]
    problem = ofm.Problem(refused, levels, oracle, int(rng.integers(1, 4)), allowed)
    together = AdditiveReasons(problem, oracle)
    assert together.possible
    for row in range(len(problem.rows)):
        alone = reasons_of(problem, problem, row, Stop())
        assert [one.feature for one in alone] == list(together.features(row))
        for one in alone:
            least = together.least[row, one.feature]
            assert one.responsive == (least > 0)
            assert one.gain == pytest.approx(together.gains[row, one.feature])
            if least:
                assert one.least_changes == least
                end = np.array(together.end(row, one.feature))
                assert oracle.positive(end[None])[0]
                moved = np.flatnonzero(end != problem.rows[row])
                assert one.feature in moved
                assert len(moved) == least
                assert all(
                    problem.moves[f] is None or problem.moves[f][problem.rows[row, f], end[f]] for f in moved
                )
