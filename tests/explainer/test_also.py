"""Several acceptors: rows count as helped only if all of them, or enough of them, accept them afterwards."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany import Feature, Immutable, OneForMany, Schema
from oneformany.exceptions import InputError, PredictionMismatchError, UnsupportedModelError
from oneformany.robust import refits
from oneformany.verify import Outcome, verify

RNG = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "income": RNG.integers(1, 5, 90) * 10,
        "debt": RNG.integers(0, 4, 90),
        "job": RNG.choice(["none", "part", "full"], 90),
    }
)
LABELS = ((FRAME.income - 8 * FRAME.debt + 15 * (FRAME.job == "full") + RNG.normal(0, 6, 90)) > 22).astype(
    int
)


def piped(last):
    return make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder=StandardScaler()), last
    )


MODEL = piped(LogisticRegression()).fit(FRAME, LABELS)
ROWS = FRAME.head(24)
OTHERS = {
    "refits": refits(MODEL, FRAME, LABELS, 3, seed=1),
    "forest on two columns": [
        RandomForestClassifier(5, max_depth=3, random_state=0).fit(FRAME[["income", "debt"]], LABELS)
    ],
    "isolation forest": [
        IsolationForest(n_estimators=20, contamination=0.1, random_state=0).fit(FRAME[["debt", "income"]])
    ],
    "isolation forest in a pipeline": [
        piped(IsolationForest(n_estimators=20, contamination=0.1, random_state=0)).fit(FRAME)
    ],
    "local outlier factor": [piped(LocalOutlierFactor(contamination=0.05, novelty=True)).fit(FRAME)],
    "policy": [lambda frame: (frame["debt"] < 3).astype(float)],
}
OTHERS["all kinds"] = [some[0] for some in OTHERS.values()]


def says(model, frame):
    if not hasattr(model, "predict"):
        return np.asarray(model(frame) >= 0.5)
    names = getattr(model, "feature_names_in_", frame.columns)
    return np.asarray(model.predict(frame[list(names)]) == 1)


def fewest(rows, accepted, most=2):
    """The fewest advices that help every row which some advice helps, by trying all of them."""
    values = {name: sorted(FRAME[name].unique()) for name in FRAME}
    groups = set()
    for names in combinations(values, most):
        for goal in product(*(values[name] for name in names)):
            moved = rows.assign(**dict(zip(names, goal, strict=True)))
            groups.add(frozenset(np.flatnonzero(accepted(moved)).tolist()))
    helped = frozenset().union(*groups)
    size = 0
    while not any(helped <= frozenset().union(*some) for some in combinations(groups, size)):
        size += 1
    return size, helped


@pytest.mark.parametrize("at_least", [None, 0.6])
@pytest.mark.parametrize("name", OTHERS)
def test_the_fewest_advices_that_every_acceptor_accepts_are_found(name, at_least):
    others = OTHERS[name]
    needed = len(others) if at_least is None else int(np.ceil(at_least * len(others)))

    def accepted(frame):
        return says(MODEL, frame) & (np.sum([says(other, frame) for other in others], axis=0) >= needed)

    explainer = OneForMany(
        MODEL, max_changes=2, share="action", reference=FRAME, also=others, at_least=at_least
    )
    result = explainer.explain(ROWS)
    refused = ROWS[~says(MODEL, ROWS)]
    count, helped = fewest(refused, accepted)
    assert count > 0
    assert (result.status, result.count, result.lower_bound) == ("optimal", count, count)
    assert len(result.unreachable) == len(refused) - len(helped)
    assert accepted(result.apply(ROWS)).all()
    kinds = {member["kind"] for member in result.problem["oracle"]["members"]}
    read = not {"policy", "local outlier factor", "all kinds"} & {name} and "black box" not in kinds
    outcome = verify(result.to_json()).outcome
    assert outcome is (Outcome.CONFIRMED if read else Outcome.UNCONFIRMED)


def test_every_share_has_an_answer_that_all_accept_and_the_minimum_falls():
    counts = []
    for share in ("point", "action", "features"):
        result = OneForMany(
            MODEL, max_changes=2, share=share, reference=FRAME, also=OTHERS["refits"]
        ).explain(ROWS)
        assert result.status == "optimal"
        assert all(says(other, result.apply(ROWS)).all() for other in (MODEL, *OTHERS["refits"]))
        counts.append(result.count)
    assert counts == sorted(counts, reverse=True)


def test_rows_that_the_model_accepts_need_no_help_whatever_others_say():
    plain = OneForMany(MODEL, max_changes=2, reference=FRAME, share="point").explain(ROWS)
    joint = OneForMany(MODEL, max_changes=2, reference=FRAME, also=OTHERS["policy"], share="point").explain(
        ROWS
    )
    assert joint.problem["rows"] == plain.problem["rows"]


def test_a_list_of_models_turns_down_what_one_of_them_does():
    policy = OTHERS["policy"][0]
    result = OneForMany([MODEL, policy], max_changes=2, share="action", reference=FRAME).explain(ROWS)
    assert result.problem["rows"] == np.flatnonzero(~(says(MODEL, ROWS) & says(policy, ROWS))).tolist()
    moved = result.apply(ROWS)
    assert (says(MODEL, moved) & says(policy, moved)).all()


def test_the_record_names_each_acceptor_and_how_many_are_needed():
    explainer = OneForMany(
        MODEL, max_changes=2, reference=FRAME, also=OTHERS["refits"], at_least=0.6, share="point"
    )
    record = explainer.explain(ROWS).problem["model"]
    assert [one["name"] for one in record["acceptors"]] == [
        "the model",
        *(f"also[{number}] (LogisticRegression)" for number in range(3)),
    ]
    assert record["needed"] == 2
    assert record["digest"].startswith("sha256:")
    alone = OneForMany(MODEL, max_changes=2, reference=FRAME, share="point").explain(ROWS).problem["model"]
    assert not {"acceptors", "needed"} & set(alone)


def test_a_row_that_one_acceptor_alone_keeps_from_help_says_which():
    rules = [Immutable("debt")]
    forbids = DecisionTreeClassifier(max_depth=1).fit(FRAME[["debt"]], FRAME["debt"] <= 1)
    explainer = OneForMany(
        MODEL, max_changes=2, share="action", rules=rules, reference=FRAME, also=[*OTHERS["refits"], forbids]
    )
    result = explainer.explain(ROWS)
    blocked = {entry.row: entry for entry in result.unreachable}
    refused = ROWS[~says(MODEL, ROWS)].reset_index()
    stuck = np.flatnonzero(refused["debt"] > 1).tolist()
    assert stuck
    for row in stuck:
        assert "also[3] (DecisionTreeClassifier)" in blocked[row].blocked_by
        assert "also[3] (DecisionTreeClassifier)" in blocked[row].reason
        assert "by itself accepts no allowed point within 2 changes" in blocked[row].reason


def test_new_rows_and_verify_ask_all_acceptors_of_the_explainer():
    explainer = OneForMany(
        MODEL, max_changes=2, share="action", reference=FRAME, also=OTHERS["local outlier factor"]
    )
    result = explainer.explain(ROWS)
    placed = result.assign(FRAME, model=explainer)
    moved = result.apply(FRAME[placed >= 0], explainer)
    assert (placed >= 0).sum() > 10
    assert says(MODEL, moved).all()
    assert says(OTHERS["local outlier factor"][0], moved).all()
    assert set(placed[says(MODEL, FRAME)]) == {-1}
    report = result.verify(model=explainer, frame=ROWS)
    ended = {check.name: check.ok for check in report.checks}
    assert ended["points are positive under the given score"]
    with pytest.raises(InputError, match="pass the explainer"):
        result.assign(FRAME, model=MODEL)


def test_a_result_with_an_acceptor_that_says_otherwise_later_is_wrong():
    explainer = OneForMany(MODEL, max_changes=2, share="action", reference=FRAME, also=OTHERS["refits"])
    result = explainer.explain(ROWS)
    other = OneForMany(
        MODEL, max_changes=2, share="action", reference=FRAME, also=[lambda frame: np.zeros(len(frame))]
    )
    assert result.verify(model=other, frame=ROWS).outcome is Outcome.WRONG


def test_rows_of_a_stream_are_explained_under_all_acceptors():
    others = OTHERS["isolation forest in a pipeline"]
    explainer = OneForMany(MODEL, max_changes=2, share="action", reference=FRAME, also=others)
    streamed = explainer.explain(iter([ROWS.head(10), ROWS.tail(14)]))
    assert (streamed.status, streamed.count) == ("optimal", explainer.explain(ROWS).count)


def test_models_on_the_columns_of_a_schema_have_acceptors_too():
    levels = [Feature(name, ("0", "1"), numbers=(0, 1)) for name in ("job", "own", "old")]
    schema = Schema(tuple(levels))
    rows = pd.DataFrame(list(product("01", repeat=3)), columns=list(schema.names))
    codes = schema.encode(rows)
    one_hot = schema.encoding().encode(codes)
    model = LogisticRegression(C=100).fit(one_hot, codes.sum(axis=1) >= 2)
    other = LogisticRegression(C=100).fit(one_hot, codes[:, 0] == 1)
    explainer = OneForMany(model, max_changes=2, positive=True, also=[other], share="action", cells=schema)
    result = explainer.explain(rows)
    after = schema.encode(result.apply(rows))
    assert result.status == "optimal"
    assert (after[:, 0] == 1).all()
    card = {"job": {"0": 0, "1": 1}}
    with pytest.raises(InputError, match=r"also\[0\] \(dict\) reads the levels of a schema"):
        OneForMany(MODEL, also=[card], share="point").explain(ROWS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"also": MODEL}, "also is a Pipeline; give a list"),
        ({"at_least": 0.5}, "nobody in also="),
        ({"also": [MODEL], "at_least": 2}, "a share above 0, up to 1"),
        ({"also": [MODEL], "at_least": 0}, "a share above 0, up to 1"),
        ({"model": []}, "empty list"),
        ({"model": [MODEL, MODEL], "threshold": 0.4}, "threshold is given for several models"),
    ],
)
def test_acceptors_that_make_no_sense_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        OneForMany(**{"model": MODEL, **given}).explain(ROWS)


def test_an_acceptor_that_cannot_be_used_is_named():
    with pytest.raises(UnsupportedModelError, match="not fitted"):
        OneForMany(MODEL, also=[LogisticRegression()], share="point").explain(ROWS)
    with pytest.raises(InputError, match=r"also\[0\] \(LogisticRegression\)"):
        OneForMany(MODEL, also=[LogisticRegression().fit([[0], [1]], [0, 1])], share="point").explain(ROWS)


def test_an_acceptor_that_was_misread_is_named():
    class Moody:
        classes_ = (0, 1)
        n_features_in_ = 3

        def predict(self, rows):
            self.asked = getattr(self, "asked", 0) + 1
            return np.full(len(rows), int(self.asked > 1))

    with pytest.raises(PredictionMismatchError, match=r"also\[0\] \(Moody\)"):
        OneForMany(MODEL, also=[Moody()], reference=FRAME, share="point").explain(ROWS)


def test_parameters_are_kept_by_get_params_and_clones():
    explainer = OneForMany(MODEL, also=OTHERS["refits"], at_least=0.5, share="point")
    assert explainer.get_params(deep=False)["also"] is OTHERS["refits"]
    assert ofm.OneForMany(**explainer.get_params(deep=False)).at_least == 0.5
