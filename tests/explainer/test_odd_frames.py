"""Columns, cells and functions that a library would only refuse in words of its own: told with the remedy."""

import decimal

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import oneformany as ofm
from oneformany.exceptions import CertificateError, UnsupportedModelError
from oneformany.problem import OwnValues

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RANDOM.integers(0, 9, 60),
        "debt": RANDOM.normal(size=60).round(1),
        "rooms": RANDOM.integers(0, 3, 60),
    },
    index=[f"p{number}" for number in range(60)],
)
GRANTED = (FRAME.sum(axis=1) > 6).astype(int)
FOREST = RandomForestClassifier(5, random_state=0).fit(FRAME, GRANTED)


def explained(frame=FRAME, model=FOREST, **given):
    result = ofm.OneForMany(model, max_changes=2, **({"share": "point"} | given)).explain(frame)
    assert ofm.verify(result).outcome == "confirmed"
    return result


def with_first(value, dtype=object):
    return FRAME.assign(age=pd.Series([value, *FRAME["age"][1:]], index=FRAME.index, dtype=dtype))


def test_an_integer_of_any_length_is_a_number_or_refused_with_column_row_and_remedy():
    for value in (2**63, 10**30):
        assert explained(with_first(value)).covered > 0
        assert explained(reference=with_first(value)).covered == explained().covered
        assert explained(cells=ofm.Cells(targets={"age": [value, 3]})).covered > 0
    for given in ({"frame": with_first(10**400)}, {"reference": with_first(10**400)}):
        with pytest.raises(
            ofm.InputError, match=r"'age', row p0: the number has more digits than .*; replace it or drop"
        ):
            explained(**given)
    with pytest.raises(ofm.InputError, match=r"targets of 'age' must be numbers, .*, not 10{59}$"):
        explained(cells=ofm.Cells(targets={"age": [10**400]}))
    with pytest.raises(ofm.InputError, match="edges must be finite numbers"):
        explained(cells=ofm.Cells(edges={"age": [10**400]}))


@pytest.mark.parametrize("bins", [10**30, {"age": 10**30}])
def test_bins_without_end_are_refused(bins):
    with pytest.raises(ofm.InputError, match="it must be an integer of at least 2, and at most 1,048,576"):
        explained(cells=ofm.Cells(bins=bins))
    with pytest.raises(ofm.InputError, match="at least 2, and at most 1,048,576"):
        ofm.infer_schema(FRAME, bins=10**30)


def test_numbers_of_more_than_eight_bytes_are_the_numbers_that_they_are():
    long = explained(FRAME.assign(debt=FRAME["debt"].astype(np.longdouble)))
    assert long.to_frame().equals(explained().to_frame())
    assert ofm.Result.from_json(long.to_json()).summary() == long.summary()


def test_a_column_of_nothing_but_decimal_gaps_is_a_column_of_gaps():
    gaps = explained(
        FRAME.assign(debt=pd.Series([decimal.Decimal("NaN")] * 60, index=FRAME.index, dtype=object))
    )
    assert gaps.covered == explained(FRAME.assign(debt=np.nan)).covered


@pytest.mark.parametrize(
    "feature",
    [
        ofm.Feature("age", ("low", "high")),
        ofm.Feature("age", tuple(map(str, range(9)))),
        ofm.Feature("age", ("1", "2", "other"), unseen=True),
    ],
)
def test_cells_of_texts_for_a_column_of_numbers_are_refused_with_what_to_give(feature):
    with pytest.raises(
        ofm.InputError, match=r"column 'age' holds numbers, .* texts such as '\w+'; give the feature edges="
    ):
        explained(cells=ofm.Cells(schema=ofm.Schema([feature])))


def test_a_file_holds_more_than_a_million_different_values_of_a_column():
    values = 2**20 + 2
    shares = np.zeros(values)
    shares[-1] = 1.0
    own = OwnValues([[0], [1]], [np.arange(values) == values - 1], [[-1, values - 1]])
    problem = ofm.Problem([[0], [0]], (2,), ofm.AdditiveOracle([shares], threshold=1), 1, own=own)
    result = ofm.solve(problem)
    assert result.count == 1
    assert ofm.verify(result).outcome == "confirmed"


def test_more_levels_than_a_file_holds_are_refused():
    with pytest.raises(
        ofm.InputError, match=r"a feature has 1,048,577 levels, 1,048,576 are the most; give it fewer"
    ):
        ofm.Problem([[0]], (2**20 + 1,), ofm.AdditiveOracle([np.zeros(2**20 + 1)]), 1)


JOBS = FRAME.assign(job=["none", "part", "full", "gone"] * 15)
UNKNOWN = [
    OneHotEncoder(handle_unknown="ignore"),
    OneHotEncoder(handle_unknown="infrequent_if_exist"),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
]


@pytest.mark.parametrize("encoder", UNKNOWN, ids=lambda encoder: encoder.handle_unknown)
def test_a_category_that_a_pipeline_passes_over_is_told_with_its_row(encoder):
    columns = make_column_transformer((make_pipeline(encoder), ["job"]), remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(JOBS, GRANTED)
    explained(JOBS, model)
    slips = JOBS.assign(job=["fulll", *JOBS["job"][1:7], "nonee", *JOBS["job"][8:]])
    with pytest.warns(
        UserWarning, match=r"'job', row p0 \(and 1 more row\): .* not fitted on 'fulll', .* misspelled"
    ):
        explained(slips, model)


def test_a_booster_without_training_is_told():
    with pytest.raises(UnsupportedModelError, match=r"Booster is not trained: call xgboost.train first"):
        explained(model=xgboost.Booster())


@pytest.mark.parametrize("tables", [None, 5, [["a"]], [[10**400]], [[1j]]])
def test_tables_that_are_not_numbers_are_refused(tables):
    with pytest.raises(ofm.InputError, match="tables must hold a list of numbers for each feature"):
        ofm.AdditiveOracle(tables)


def test_a_file_that_gives_a_name_twice_is_not_read(tmp_path):
    text = explained().to_json()
    twice = text.replace('"status":', '"status": "feasible",\n"status":', 1)
    for read in (ofm.Result.from_json, ofm.verify):
        with pytest.raises(CertificateError, match="the field 'status' is given twice"):
            read(twice)
    (tmp_path / "rules.json").write_text('{"immutable": ["age"], "immutable": ["debt"]}')
    with pytest.raises(ofm.InputError, match="the field 'immutable' is given twice"):
        ofm.rules_from_toml(tmp_path / "rules.json")


@pytest.mark.parametrize("source", [None, 5, b"{}", {}])
def test_what_is_not_a_file_is_not_read(source):
    with pytest.raises(CertificateError, match="cannot be read"):
        ofm.Result.from_json(source)


class KnowsItsRowsOnly:
    """Fails about rows that it has not seen."""

    def __init__(self, answer):
        self.answer, self.rows = answer, set(FRAME.itertuples(index=False, name=None))
        self.classes_ = (0, 1)

    def __call__(self, frame):
        if set(frame.itertuples(index=False, name=None)) <= self.rows:
            return FOREST.predict_proba(frame)[:, 1]
        return self.answer(frame)

    def predict(self, frame):
        return (self(frame) >= 0.5).astype(int)


def fails(_frame):
    raise KeyError("shop 7")


ANSWERS = {
    "fails": (fails, "the function fails: KeyError 'shop 7'"),
    "no number": (lambda frame: np.full(len(frame), np.nan), "the function returns NaN"),
    "labels": (lambda frame: ["no"] * len(frame), "the function returns 'no'"),
    "beyond 1": (lambda frame: np.full(len(frame), 2.0), "the function returns 2; a probability"),
}


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_function_that_fails_about_a_changed_row_is_told_with_the_row(answer, share):
    function, words = ANSWERS[answer]
    known = KnowsItsRowsOnly(function)
    with pytest.raises((ofm.InputError, UnsupportedModelError), match=words) as told:
        ofm.OneForMany(known.__call__, max_changes=2, share=share).explain(FRAME)
    row = str(told.value).rpartition("such as ")[2]
    values = tuple(float(part.partition("=")[2]) for part in row.split(", "))
    assert len(values) == 3
    assert values not in known.rows


def test_a_classifier_that_fails_about_a_changed_row_is_told_with_the_row():
    with pytest.raises(
        ofm.InputError, match=r"the function fails: KeyError 'shop 7'; it must answer .* such as age="
    ):
        ofm.OneForMany(KnowsItsRowsOnly(fails), max_changes=2, share="point").explain(FRAME)


def test_memory_that_is_not_there_is_not_the_functions_fault():
    def greedy(_frame):
        raise MemoryError

    with pytest.raises(MemoryError):
        ofm.OneForMany(KnowsItsRowsOnly(greedy).__call__, max_changes=2, share="point").explain(FRAME)


def test_a_sum_of_numbers_too_large_to_add_is_refused_with_the_remedy():
    model = LogisticRegression().fit(FRAME, GRANTED)
    with pytest.raises(ofm.InputError, match=r"too large: .* scale the columns before the model is fitted"):
        explained(with_first(10**30), model)
