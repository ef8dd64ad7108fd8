import gzip

import numpy as np
import pandas as pd
import pytest

from oneformany.datasets import NAMES, load
from oneformany.exceptions import DataUnavailableError, InputError

YES_NO = ("schoolsup", "famsup", "paid", "activities", "nursery", "higher", "internet", "romantic")
COMPAS_HEAD = (
    "id,sex,age_cat,race,priors_count,days_b_screening_arrest,c_charge_degree,is_recid,"
    "decile_score,decile_score,score_text,priors_count,two_year_recid\n"
)
COMPAS_ROWS = (
    "1,Male,Greater than 45,Other,0,-1,F,0,1,1,Low,0,0\n"
    "2,Female,25 - 45,African-American,2,30,M,1,3,3,Low,2,1\n"
    "3,Male,Less than 25,Caucasian,4,31,F,0,1,1,Low,4,0\n"
    "4,Male,Less than 25,Caucasian,4,,F,0,1,1,Low,4,0\n"
    "5,Male,Less than 25,Caucasian,4,0,O,0,1,1,Low,4,0\n"
    "6,Male,Less than 25,Caucasian,4,0,F,-1,1,1,Low,4,0\n"
    "7,Male,Less than 25,Caucasian,4,0,F,0,1,1,N/A,4,0\n"
    "8,Male,Less than 25,Asian,9,-30,F,0,1,1,High,9,0\n"
)
ADULT_DATA = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, "
    "2174, 0, 40, United-States, <=50K\n"
    "17, ?, 7, 11th, 7, Never-married, ?, Own-child, Black, Female, 0, 1000, 12, ?, >50K\n\n"
)
ADULT_TEST = (
    "|1x3 Cross validator\n"
    "66, Private, 8, Doctorate, 16, Married-civ-spouse, Sales, Wife, Other, Female, "
    "99999, 0, 45, Cuba, >50K.\n\n"
)


@pytest.mark.parametrize(
    ("name", "rows", "features", "columns", "positives"),
    [("german", 1000, 20, 59, 700), ("students", 395, 30, 85, 162), ("students-published", 395, 30, 85, 162)],
)
def test_the_embedded_data_have_the_shape_of_the_paper(name, rows, features, columns, positives):
    data = load(name)
    assert data.name == name
    assert data.codes.shape == (rows, features)
    assert data.one_hot.shape == (rows, columns)
    assert (set(data.target), data.target.sum()) == ({0, 1}, positives)
    assert "CC BY 4.0" in data.attribution
    assert tuple(data.frame.columns) == data.schema.names


def test_the_first_german_applicant_reads_well():
    row = load("german").frame.iloc[0]
    assert row["checking_account"] == "below 0 DM"
    assert row["purpose"] == "radio or television"
    assert (row["duration"], row["amount"], row["age"]) == (6, 1169, 67)


def test_german_columns_are_coded_as_in_the_paper():
    data = load("german")
    columns = dict(zip(data.schema.one_hot_names, data.one_hot.T, strict=True))
    for name, cut in (("duration", "18"), ("amount", "2319.5"), ("age", "33"), ("residence", "3")):
        expected = data.frame[name].to_numpy() > float(cut)
        assert (columns[f"{name}=> {cut}"] == expected).all()
    assert columns["telephone=yes"].sum() == 404
    assert columns["foreign_worker=yes"].sum() == 963


def test_only_the_yes_no_features_are_constant_in_the_published_students():
    correct, published = load("students"), load("students-published")
    differ = {name for name in correct.schema.names if not correct.frame[name].equals(published.frame[name])}
    assert differ == set(YES_NO)
    places = [published.schema.index(name) for name in YES_NO]
    assert (published.codes[:, places] == 0).all()
    assert published.schema == correct.schema


@pytest.mark.parametrize("name", ["german", "students"])
def test_no_level_of_the_embedded_data_is_without_rows(name):
    data = load(name)
    for place, levels in enumerate(data.schema.levels):
        assert set(data.codes[:, place]) == set(range(levels))


@pytest.mark.parametrize("folder", [".", "compas"])
@pytest.mark.parametrize("packed", [False, True])
def test_compas_is_read_from_a_named_folder_and_filtered_as_by_propublica(tmp_path, folder, packed):
    place = tmp_path / folder
    place.mkdir(exist_ok=True)
    content = (COMPAS_HEAD + COMPAS_ROWS).encode()
    if packed:
        (place / "compas-scores-two-years.csv.gz").write_bytes(gzip.compress(content))
    else:
        (place / "compas-scores-two-years.csv").write_bytes(content)
    data = load("compas", tmp_path)
    assert data.codes.tolist() == [[5, 2, 0, 0, 1], [0, 1, 2, 1, 0], [1, 0, 3, 0, 1]]
    assert data.target.tolist() == [1, 0, 1]
    assert data.frame["c_charge_degree"].tolist() == ["felony", "misdemeanor", "felony"]
    assert len(data.schema.one_hot_names) == 15


def test_adult_is_read_from_both_of_its_files(tmp_path, monkeypatch):
    (tmp_path / "adult").mkdir()
    (tmp_path / "adult" / "adult.data").write_text(ADULT_DATA)
    (tmp_path / "adult.test.gz").write_bytes(gzip.compress(ADULT_TEST.encode()))
    monkeypatch.setenv("ONEFORMANY_DATA", str(tmp_path))
    data = load("adult")
    assert data.target.tolist() == [0, 1, 1]
    words = data.schema.decode(data.codes)
    assert words["age"].tolist() == ["36-45", "<= 25", "> 65"]
    assert words["workclass"].tolist() == ["state government", "unknown", "private"]
    assert words["capital_gain"].tolist() == ["1-5000", "none", "> 5000"]
    assert words["capital_loss"].tolist() == ["none", "some", "none"]
    assert words["hours_per_week"].tolist() == ["40", "<= 34", "41-50"]
    assert words["native_country"].tolist() == ["United States", "unknown", "elsewhere"]
    assert np.diff(data.codes[:, data.schema.index("education")]).tolist() == [-6, 9]


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("compas", {"compas-scores-two-years.csv": "a,b\n1,2\n"}, "no column 'race'"),
        ("compas", {"compas-scores-two-years.csv": ""}, "two-years.csv has no table .*replace it by"),
        (
            "compas",
            {"compas-scores-two-years.csv": COMPAS_HEAD + "1,Male,25 - 45,Other,0,0,X,0,1,1,Low,0,0\n"},
            "column 'c_charge_degree', row 0: 'X' is not one of the codes M, F",
        ),
        ("adult", {"adult.data": "1,2\n", "adult.test": ADULT_TEST}, "adult.data has 2 columns, not 15"),
        (
            "adult",
            {"adult.data": ADULT_DATA.replace("White", "Green"), "adult.test": ADULT_TEST},
            "column 'race', row 0: 'Green'",
        ),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path, name, files, words):
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    with pytest.raises(DataUnavailableError, match=words):
        load(name, tmp_path)


def test_a_data_set_tells_its_size_and_not_its_rows():
    told = repr(load("german"))
    assert told == "Dataset('german': 1,000 rows, 20 features, 'good credit risk' is positive)"


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="no data set 'iris'; there are german, students"):
        load("iris")
    assert NAMES == ("german", "students", "students-published", "compas", "adult", "credit")


def test_the_schema_takes_the_words_it_gives():
    data = load("german")
    decoded = data.schema.decode(data.codes)
    assert isinstance(decoded, pd.DataFrame)
    assert (data.schema.encode(decoded) == data.codes).all()
