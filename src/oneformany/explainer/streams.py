"""Rows beyond memory: read in batches, keep only the distinct rows that the model refuses, and count them."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError, plain_reason
from oneformany.schema.frames import as_pandas
from oneformany.stop import Stop

BATCH = 200_000
# Distinct refused rows that are kept of a source that can be read again: they take some 100 MB, and an answer
# about them all comes at once, with the least cost. Of more, only a few thousand are kept.
MOST_KEPT = 100_000
AHEAD = (
    1  # batches that are read while one is looked at; pyarrow's own 16 take hundreds of MB, and save nothing
)
LIMITED_BATCH = 50_000  # a time limit is looked at after every batch
LIMITED_PARTITIONS = 16  # or after so many partitions of a Dask frame
PEOPLE = 0  # a column that no frame has, as names are texts here
NOTHING = "there is not a single row to explain: the source is empty"


class TooManyRowsError(Exception):
    """There are more distinct refused rows than are kept."""


def is_stream(source: object) -> bool:
    """Whether rows come from a file, in batches, or from a cluster, and not as one frame."""
    if isinstance(source, (list, tuple)) and source and all(hasattr(part, "columns") for part in source):
        raise InputError(
            f"the rows are a {type(source).__name__} of frames; to have them read in batches, as parts of "
            "one table, give iter(frames), or join them to one frame with pandas.concat(frames)"
        )
    return isinstance(source, (str, os.PathLike)) or is_dask(source) or isinstance(source, Iterator)


def batches_of(
    source: AnyFrame, columns: list[Any] | None = None, size: int = BATCH
) -> Iterator[pd.DataFrame]:
    """Read a Parquet or CSV file in batches; frames in an iterator are batches, cut where they are larger."""
    if is_dask(source):
        yield from (plain_texts(source.get_partition(n).compute()) for n in range(source.npartitions))
        return
    if not isinstance(source, (str, os.PathLike)):
        for given in source:
            batch = as_pandas(given, "the batches")
            yield from (batch.iloc[start : start + size] for start in range(0, len(batch) or 1, size))
        return
    path = Path(source)
    try:
        if path.suffix.lower() in {".parquet", ".pq"} or path.is_dir():
            import pyarrow.dataset

            ahead = {"batch_readahead": AHEAD, "fragment_readahead": 1}
            for part in pyarrow.dataset.dataset(path).to_batches(columns=columns, batch_size=size, **ahead):
                if part.num_rows:
                    yield part.to_pandas()
        else:
            yield from pd.read_csv(path, usecols=columns, chunksize=size)
    except ImportError as error:
        raise InputError("Parquet needs the package pyarrow: pip install 'oneformany[parquet]'") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet or CSV: {plain_reason(error)}") from error


def first_batch(source: AnyFrame) -> tuple[pd.DataFrame, Any]:
    """Take a look at the first rows; return them, and a source that still has them."""
    batches = batches_of(source)
    first = next((batch for batch in batches if len(batch)), None)
    if first is None:
        raise InputError(NOTHING)
    return first.head(BATCH), source if can_be_read_again(source) else chain([first], batches)


def distinct_refused(
    source: AnyFrame,
    refuses: Callable[[pd.DataFrame], BoolArray],
    columns: list[str],
    stop: Stop,
    prepared: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
    most: float = inf,
) -> tuple[pd.DataFrame, IntArray, int, bool]:
    """Keep what the model refuses, each distinct row once.

    Rows are equal when they agree in ``columns``, those that the model reads, after they are ``prepared``.
    Whether to stop is asked before every batch, or wave of partitions, but the first.
    More than ``most`` of them are a :class:`TooManyRowsError`.
    Returns the rows in the order in which they first appeared, how many equal each, how many were read, and
    whether these were all.
    """
    counted = partial(_counted, refuses=refuses, columns=columns, prepared=prepared)
    limited = stop.time_limit is not None
    waves: Iterable[Callable[[], Iterable[tuple[pd.DataFrame, int]]]]
    if is_dask(source):
        import dask

        wanted = source[[label for label in source.columns if str(label) in columns]]
        counting = dask.delayed(counted, traverse=False)  # a model goes to each worker once
        tasks = [dask.delayed(_counted_there)(counting, partition) for partition in wanted.to_delayed()]
        size = LIMITED_PARTITIONS if limited or most < inf else len(tasks)
        waves = (partial(dask.compute, *tasks[at : at + size]) for at in range(0, len(tasks), size))
    else:
        batches = batches_of(source, columns, LIMITED_BATCH if limited or most < inf else BATCH)
        waves = (partial(map, counted, [batch]) for batch in batches)
    kept: list[pd.DataFrame] = []
    read, complete = 0, True
    for count in waves:
        if kept and stop.expired():
            complete = False
            break
        for rows, length in count():
            kept.append(rows)
            read += length
        if len(kept) > 16:
            kept = [_summed(kept, columns)]
        if sum(map(len, kept)) > most:
            kept = [_summed(kept, columns)]
            if len(kept[0]) > most:
                raise TooManyRowsError
    if not kept:
        raise InputError(NOTHING)
    rows = _summed(kept, columns)
    return rows[columns], rows[PEOPLE].to_numpy(dtype=np.int64), read, complete


def _counted_there(counted: Callable[..., Any], rows: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    counts: tuple[pd.DataFrame, int] = counted(plain_texts(rows))
    return counts


def plain_texts(rows: pd.DataFrame) -> pd.DataFrame:
    """Undo what Dask makes of texts: a missing one is not-a-number again, as models were fitted to it."""
    kinds = rows.dtypes.items()
    texts = [name for name, kind in kinds if isinstance(kind, pd.StringDtype) and kind.na_value is pd.NA]
    rows = rows.astype(dict.fromkeys(texts, object))
    for name in texts:
        rows[name] = rows[name].where(rows[name].notna(), np.nan)
    return rows


def _counted(
    batch: pd.DataFrame,
    refuses: Callable[[pd.DataFrame], BoolArray],
    columns: list[str],
    prepared: Callable[[pd.DataFrame], pd.DataFrame] | None,
) -> tuple[pd.DataFrame, int]:
    """Distinct refused rows of one batch with their number, and how many rows there were."""
    batch = batch.set_axis([str(label) for label in batch.columns], axis=1)
    if missing := [column for column in columns if column not in batch.columns]:
        raise InputError(f"the rows lack the column {missing[0]!r}, which the model reads; add it")
    rows = batch[columns] if prepared is None else prepared(batch[columns])
    refused = np.asarray(refuses(rows), dtype=np.bool_) if len(rows) else np.zeros(0, dtype=np.bool_)
    kept = rows[refused].copy()
    kept[PEOPLE] = 1
    return _summed([kept], columns), len(batch)


def typed(rows: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Give columns of texts the categories that they have in another frame; new ones are added to these."""
    for name in map(str, rows.columns):
        kind = like[name].dtype if name in like else None
        if isinstance(kind, pd.CategoricalDtype):
            new = [value for value in rows[name].dropna().unique() if value not in kind.categories]
            values = pd.Categorical(rows[name], [*kind.categories, *new], ordered=bool(kind.ordered))
            rows = rows.assign(**{name: values})
    return rows


def _summed(parts: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    rows = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return rows.groupby(columns, sort=False, dropna=False, observed=True)[PEOPLE].sum().reset_index()


def can_be_read_again(source: object) -> bool:
    """Whether rows come from a file or a cluster; an iterator gives them once."""
    return is_dask(source) or isinstance(source, (str, os.PathLike))


def is_dask(source: object) -> bool:
    """Whether it is a frame of Dask."""
    kind = type(source)
    return kind.__module__.split(".")[0] in {"dask", "dask_expr"} and hasattr(source, "map_partitions")
