"""Tests that rows from files, iterators and clusters get the answer that they get as one frame in memory."""

import warnings

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pytest
from distributed import Client, LocalCluster
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany
from oneformany.explainer.explainer import _read
from oneformany.explainer.streams import batches_of, distinct_refused, first_batch, is_stream
from oneformany.schema.frames import Table
from oneformany.stop import Stop


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.choice([20, 30, 40, 50], n),
            "income": rng.choice([500.0, 900.5, 1500.0, 2500.0, np.nan], n),
            "job": rng.choice(["none", "part", "full"], n),
        }
    )


FRAME = rows()
TARGET = (FRAME["income"].fillna(0) / 1500 + FRAME["age"] / 50 + (FRAME["job"] == "full") > 2.2).astype(int)
FULL = FRAME.dropna().reset_index(drop=True)
FULL_TARGET = TARGET[FRAME["income"].notna()].to_numpy()


@pytest.fixture(scope="module")
def model():
    steps = make_column_transformer(
        (StandardScaler(), ["age", "income"]), (OneHotEncoder(sparse_output=False), ["job"])
    )
    return make_pipeline(steps, LogisticRegression()).fit(FULL, FULL_TARGET)


@pytest.fixture(scope="module")
def in_memory(model):
    return OneForMany(model, max_changes=2, reference=FULL, share="point").explain(FULL)


def answer(result):
    """What does not depend on how often a row is listed."""
    return result.status, result.count, result.lower_bound, result.covered, result.people


def batches(frame, size=70):
    return (frame.iloc[start : start + size] for start in range(0, len(frame), size))


def test_an_iterator_of_frames_gives_the_same_answer(model, in_memory):
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(batches(FULL))
    assert answer(result) == answer(in_memory)
    assert result.problem["rows_read"] == len(FULL)
    assert result.problem["read_to_the_end"]
    assert len(result.assignment) < len(in_memory.assignment)


def test_frames_of_polars_are_batches_too(model, in_memory):
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(
        pl.from_pandas(part) for part in batches(FULL)
    )
    assert answer(result) == answer(in_memory)


@pytest.mark.parametrize("ending", ["parquet", "pq", "csv", "csv.gz"])
def test_a_file_gives_the_same_answer(model, in_memory, tmp_path, ending):
    path = tmp_path / f"rows.{ending}"
    write = FULL.to_parquet if ending in {"parquet", "pq"} else FULL.to_csv
    write(path, index=False)
    for source in (path, str(path)):
        assert answer(
            OneForMany(model, max_changes=2, reference=FULL, share="point").explain(source)
        ) == answer(in_memory)


def test_a_folder_of_parquet_files_gives_the_same_answer(model, in_memory, tmp_path):
    for number, part in enumerate(batches(FULL)):
        part.to_parquet(tmp_path / f"part{number}.parquet", index=False)
    assert answer(
        OneForMany(model, max_changes=2, reference=FULL, share="point").explain(tmp_path)
    ) == answer(in_memory)


PATIENT = {
    "distributed.comm.timeouts.connect": "10m",
    "distributed.comm.timeouts.tcp": "10m",
    "distributed.scheduler.worker-ttl": None,
    "distributed.deploy.lost-worker-timeout": "10m",
}
"""A busy machine may take minutes to start two processes; nothing here is about how long that takes."""


@pytest.fixture
def two_workers():
    shape = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": None, "dashboard_address": None}
    with dask.config.set(PATIENT), LocalCluster(**shape) as cluster, Client(cluster, timeout="10m") as client:
        client.wait_for_workers(2, timeout=600)
        yield


@pytest.mark.usefixtures("two_workers")
def test_a_cluster_of_two_workers_gives_the_same_answer(model, in_memory):
    spread = dask.dataframe.from_pandas(FULL, npartitions=5)
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(spread)
    assert answer(result) == answer(in_memory)
    assert result.problem["rows_read"] == len(FULL)


def test_missing_texts_of_a_dask_frame_are_those_that_the_model_knows():
    frame = FRAME.assign(job=FRAME["job"].where(FRAME["age"] > 20), income=FRAME["income"].fillna(0))
    imputed = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    steps = make_column_transformer((imputed, ["job"]), remainder=StandardScaler())
    model = make_pipeline(steps, LogisticRegression()).fit(frame, TARGET)
    spread = dask.dataframe.from_pandas(frame, npartitions=3)
    with warnings.catch_warnings(), dask.config.set(scheduler="synchronous"):
        warnings.simplefilter("error", UserWarning)  # Dask's own, about the first rows
        for reference in (frame, None):
            result = OneForMany(
                model, max_changes=2, reference=reference, share="action", positive=1
            ).explain(spread)
            assert (result.status, result.people) == ("optimal", (model.predict(frame) == 0).sum())


def test_columns_that_the_model_does_not_read_make_no_rows_distinct(model, in_memory):
    wide = FULL.assign(name=[f"n{i}" for i in range(len(FULL))])
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(batches(wide))
    assert answer(result) == answer(in_memory)


def test_without_reference_data_the_first_batch_is_the_reference(model):
    first = next(iter(batches(FULL)))
    one = OneForMany(model, max_changes=2, share="point").explain(batches(FULL))
    other = OneForMany(model, max_changes=2, reference=first, share="point").explain(FULL)
    assert answer(one) == answer(other)


def test_batches_without_refused_rows_or_without_rows_are_passed_over(model, in_memory):
    accepted = FULL[model.predict(FULL) == 1]
    refused = FULL[model.predict(FULL) == 0]
    parts = [FULL.head(0), accepted.head(5), accepted.iloc[5:], FULL.head(0), refused, accepted.head(0)]
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(iter(parts))
    assert answer(result) == answer(in_memory)


def test_missing_values_are_values_like_others():
    frame = FRAME[["age", "income"]]
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, TARGET)
    whole = OneForMany(model, max_changes=2, reference=frame, share="point").explain(frame)
    assert answer(
        OneForMany(model, max_changes=2, reference=frame, share="point").explain(batches(frame))
    ) == answer(whole)


def test_categories_of_the_reference_data_are_those_of_a_file(tmp_path):
    typed = FULL.astype({"job": "category"})
    model = LGBMClassifier(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1).fit(typed, FULL_TARGET)
    FULL.to_csv(tmp_path / "rows.csv", index=False)
    whole = OneForMany(model, max_changes=2, reference=typed, share="point").explain(typed)
    read = OneForMany(model, max_changes=2, reference=typed, share="point").explain(tmp_path / "rows.csv")
    assert answer(read) == answer(whole)


def test_columns_may_be_called_by_numbers():
    frame = FRAME[["age", "income"]].fillna(0.0).set_axis([0, 1], axis=1)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame.to_numpy(), TARGET)
    whole = OneForMany(model, max_changes=2, reference=frame, share="point").explain(frame)
    assert answer(
        OneForMany(model, max_changes=2, reference=frame, share="point").explain(batches(frame))
    ) == answer(whole)


def test_columns_may_have_any_name():
    frame = FRAME[["age", "income"]].fillna(0.0).set_axis(["people", "__people__"], axis=1)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, TARGET)
    whole = OneForMany(model, max_changes=2, reference=frame, share="point").explain(frame)
    assert answer(
        OneForMany(model, max_changes=2, reference=frame, share="point").explain(batches(frame))
    ) == answer(whole)


def test_people_of_rows_that_are_counted_are_refused(model):
    with pytest.raises(InputError, match="read in batches are counted there; leave out people="):
        OneForMany(model, max_changes=2, share="point").explain(batches(FULL), people=[2] * len(FULL))


def test_new_batches_are_placed_under_the_explanations(model):
    explainer = OneForMany(model, max_changes=2, reference=FULL, share="point")
    result = explainer.explain(batches(FULL))
    refused = FULL[model.predict(FULL) == 0]
    placed = pd.concat([result.assign(part, model) for part in batches(refused)])
    assert (placed >= 0).sum() == result.covered


def test_rows_are_counted_until_time_is_up():
    clock = iter(range(100))
    stop = Stop(3.5, clock=lambda: float(next(clock)))
    _, people, read, complete = distinct_refused(batches(FULL, 50), every_row, ["age", "job"], stop)
    assert not complete
    assert 0 < people.sum() == read < len(FULL)


def test_a_result_says_that_not_everything_was_read(model):
    result = OneForMany(model, max_changes=2, reference=FULL, share="point").explain(
        batches(FULL, 20), time_limit=0
    )
    assert not result.problem["read_to_the_end"]
    assert result.problem["rows_read"] == 20
    assert "Reading ended after 20 rows." in result.summary()
    assert (
        "Time was up" not in OneForMany(model, max_changes=2, share="point").explain(batches(FULL)).summary()
    )


def every_row(part):
    return np.ones(len(part), dtype=bool)


def test_partitions_of_a_cluster_are_counted_until_time_is_up():
    spread = dask.dataframe.from_pandas(FULL, npartitions=20)
    with dask.config.set(scheduler="synchronous"):
        _, some, read, complete = distinct_refused(spread, every_row, ["age", "job"], Stop(0))
        _, every, all_read, whole = distinct_refused(spread, every_row, ["age", "job"], Stop(1000))
    assert (complete, whole) == (False, True)
    assert 0 < some.sum() == read < len(FULL)
    assert every.sum() == all_read == len(FULL)


def test_a_large_frame_of_an_iterator_is_cut_so_that_time_can_end_within_it(monkeypatch):
    monkeypatch.setattr("oneformany.explainer.streams.LIMITED_BATCH", 50)
    kept = distinct_refused(iter([FULL]), every_row, ["age", "job"], Stop(0))
    assert kept[2:] == (50, False)


def test_time_that_ends_with_the_last_batch_has_read_everything():
    kept = distinct_refused(iter([FULL]), every_row, ["age", "job"], Stop(0))
    assert kept[3]


def test_time_is_left_to_explain_what_was_read(model):
    """Each batch takes a tenth of the limit; reading all the time would leave all rows undecided."""
    now = [0.0]
    stop = Stop(10.0, clock=lambda: now[0])

    def slow():
        for part in batches(FULL, 10):
            now[0] += 1.0
            yield part

    first, source = first_batch(slow())
    *_, noted = _read(
        OneForMany(model, max_changes=2, reference=FULL, share="point"), Table.of(first), source, stop
    )
    assert not noted["read_to_the_end"]
    assert stop.remaining() >= 1


def test_a_file_that_lacks_a_column_is_refused(model, tmp_path):
    FULL.drop(columns="job").to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(InputError, match="lacks 'job'"):
        OneForMany(model, max_changes=2, share="point").explain(tmp_path / "rows.csv")


def test_a_later_batch_that_lacks_a_column_is_refused(model):
    parts = [FULL.head(50), FULL.drop(columns="job")]
    with pytest.raises(InputError, match="the rows lack the column 'job'"):
        OneForMany(model, max_changes=2, share="point").explain(iter(parts))


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere.parquet", "empty.csv", "wrong.parquet"])
def test_a_file_that_cannot_be_read_is_named(model, tmp_path, name):
    if not name.startswith("nowhere"):
        (tmp_path / name).write_text("" if name.startswith("empty") else "no parquet")
    with pytest.raises(InputError, match=name):
        OneForMany(model, max_changes=2, share="point").explain(tmp_path / name)


def test_a_source_without_rows_is_refused(model):
    with pytest.raises(InputError, match="not a single row"):
        OneForMany(model, max_changes=2, share="point").explain(iter([]))
    with pytest.raises(InputError, match="not a single row"):
        OneForMany(model, max_changes=2, share="point").explain(iter([FULL.head(0)]))


def test_a_source_without_refused_rows_is_refused(model):
    accepted = FULL[model.predict(FULL) == 1]
    with pytest.raises(InputError, match=f"all {len(accepted)} rows positive"):
        OneForMany(model, max_changes=2, share="point").explain(batches(accepted))


def test_a_file_is_read_in_batches_of_a_given_size(tmp_path):
    FULL.head(5).to_csv(tmp_path / "rows.csv", index=False)
    assert [len(batch) for batch in batches_of(tmp_path / "rows.csv", size=2)] == [2, 2, 1]


def test_what_is_a_stream_and_what_is_not():
    assert is_stream("rows.csv")
    assert is_stream(iter([FULL]))
    assert is_stream(dask.dataframe.from_pandas(FULL, npartitions=2))
    assert not is_stream(FULL)
    with pytest.raises(InputError, match=r"give iter\(frames\)"):
        is_stream([FULL])


def test_a_look_at_the_first_rows_loses_none():
    first, rest = first_batch(iter([FULL.head(0), FULL.head(10), FULL.iloc[10:20]]))
    assert len(first) == 10
    assert sum(len(part) for part in batches_of(rest)) == 20
