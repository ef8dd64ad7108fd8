"""What people call columns and values, wherever they are told about them."""

import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.linear_model import LogisticRegression

import oneformany as ofm
from explainer.raw_rows import FRAME, TARGET, pipeline
from oneformany.report import report_html

LABELS = {
    "age": ("years lived", "years"),
    "income": ofm.Label("monthly income", unit="DM"),
    "job": {"full": "works full time", "none": "does not work"},
}


def explain(**parameters):
    return ofm.OneForMany(pipeline(), max_changes=3, share="action", **parameters).explain(
        FRAME, explanations=3
    )


def test_sentences_and_pictures_name_columns_and_values_as_people_do():
    plain, result = explain(), explain(labels=LABELS)
    assert plain.explanations == result.explanations
    told = result.summary(None)
    assert "monthly income" in told
    assert "works full time" in told
    assert "income  " not in told.replace("monthly income", "")
    assert " DM" in told
    assert "monthly income" in report_html(result)
    assert any("monthly income" in text.get_text() for text in result.plot().figure.findobj(Text))


def test_tables_keep_the_names_of_the_frame():
    result = explain(labels=LABELS)
    assert list(result.to_frame().columns) == list(explain().to_frame().columns)
    assert result.apply(FRAME).columns.tolist() == FRAME.columns.tolist()
    told, usual = (one.assignment_frame().drop(columns="change") for one in (result, explain()))
    assert told.equals(usual)  # "change" is a sentence


def test_labels_are_kept_in_the_file_which_is_confirmed():
    result = explain(labels=LABELS)
    assert ofm.Result.from_json(result.to_json()).summary() == result.summary()
    assert result.verify().outcome == "confirmed"


def test_numbers_that_count_something_have_commas_for_thousands():
    cells = {"ordered": True, "edges": (1000.0, 2400.5), "targets": (730, 1400, 12500.0)}
    amount = ofm.Feature("amount", ("<= 1000", "above 1000 up to 2400.5", "> 2400.5"), **cells, unit="DM")
    assert amount.cell_label(1) == "above 1,000 up to 2,400.5 DM"
    assert amount.target_label(2) == "12,500 DM"
    year = ofm.Feature("year", ("1998", "1999"), numbers=(1998, 1999))
    assert year.cell_label(0) == "1998"


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"agee": "x"}, "did you mean 'age'"),
        ({"age": 3}, "the label of 'age' is 3; give a title"),
        ({"age": ("a", "b", "c")}, "give a title, a pair of title and unit"),
        (
            {"job": {"jester": "fool"}},
            "name the value 'jester', which is in none of its cells",
        ),
        ({"job": {"full": 3}}, "dict of value to text"),
        ("age", "labels must be a dict"),
    ],
)
def test_labels_that_name_nothing_are_told(labels, words):
    with pytest.raises(ofm.InputError, match=words):
        explain(labels=labels)


def test_levels_of_a_schema_can_be_called_otherwise_too():
    schema = ofm.infer_schema(FRAME[["job", "home"]])
    model = LogisticRegression().fit(schema.one_hot(schema.encode(FRAME)), TARGET)
    result = ofm.OneForMany(
        model, max_changes=2, labels={"job": {"full": "works"}}, cells=schema, share="point"
    ).explain(FRAME)
    assert "works" in result.summary()


def test_a_special_code_is_said_by_its_name():
    frame = pd.DataFrame({"late": [0, 1, 98, 2, 98, 0], "income": [3, 1, 1, 1, 2, 4]})
    model = LogisticRegression().fit(frame, [1, 0, 0, 0, 0, 1])
    explainer = ofm.OneForMany(
        model,
        max_changes=1,
        reference=frame,
        cells=ofm.Cells(special={"late": {"no record": [98]}}),
        share="point",
    )
    labels = explainer.explain(frame).labels
    assert labels.value(0, 98) == "no record"
    assert labels.value(0, 2) == "2"
