"""Rows that can be read again, in parts: of files, or of a cluster, whose workers look at them there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.exceptions import InputError, plain_reason
from oneformany.explainer.streams import AHEAD, batches_of, is_dask, plain_texts

T = TypeVar("T")

# Rows that are looked at together: some 10 to 50 MB, and a time limit is looked at in between. With half of
# them a model's own overhead per question is a tenth of the time.
BATCH = 50_000
# Partitions whose answers are waited for together: four for each of two workers, which takes seconds, and
# after which it is seen whether enough was found.
PARTITIONS = 8
PARQUET = {".parquet", ".pq"}

Look = Callable[[int, Iterator[pd.DataFrame]], T]
"""What is done with the part of a number, batch by batch; the index of a batch says what rows are called."""


class Parts(Protocol):
    """Where rows stay: each part can be read any number of times."""

    @property
    def rows(self) -> int:
        """How many there are, or 0 where nobody knows before they are read."""
        ...

    def __len__(self) -> int: ...

    def look(
        self, look: Callable[[], Look[T]], order: Sequence[int], columns: list[str]
    ) -> Iterator[tuple[int, T]]:
        """Look at some parts in an order, as long as whoever asked takes what was found there.

        How to look is asked for whenever there is something to look at: it depends on the time that is left.
        """
        ...

    def each(self, look: Callable[[pd.DataFrame], T], columns: list[str]) -> Iterator[T]:
        """Look at every batch, in order."""
        ...


def parts_of(source: AnyFrame) -> Parts | None:
    """See a source as parts that can be read again; ``None`` for an iterator, whose rows are gone then."""
    if is_dask(source):
        return Partitions(source)
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    if path.suffix.lower() not in PARQUET and not path.is_dir():
        return Files((WholeFile(path),))
    try:
        import pyarrow.dataset

        found, first = list[RowGroup](), 0
        for fragment in pyarrow.dataset.dataset(path).get_fragments():
            for group in fragment.split_by_row_group():
                found.append(RowGroup(group, first, sum(one.num_rows for one in group.row_groups)))
                first += found[-1].rows
    except ImportError as error:
        raise InputError("Parquet needs the package pyarrow: pip install 'oneformany[parquet]'") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as Parquet or CSV: {plain_reason(error)}") from error
    return Files(tuple(found))


@dataclass(frozen=True, eq=False)
class RowGroup:
    """A row group of a Parquet file; its rows are called by their number in the whole source."""

    fragment: Any  # of pyarrow
    first: int
    rows: int

    def batches(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """Read it."""
        start, names = self.first, [name for name in self.fragment.physical_schema.names if name in columns]
        for part in self.fragment.to_batches(columns=names, batch_size=BATCH, batch_readahead=AHEAD):
            if part.num_rows:
                frame = part.to_pandas(ignore_metadata=True)
                yield frame.set_axis(pd.RangeIndex(start, start + len(frame)), axis=0)
                start += len(frame)


@dataclass(frozen=True, eq=False)
class WholeFile:
    """A file that can only be read from its beginning."""

    path: Path
    rows: int = 0

    def batches(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """Read it."""
        start = 0
        for frame in batches_of(self.path, columns, BATCH):
            yield frame.set_axis(pd.RangeIndex(start, start + len(frame)), axis=0)
            start += len(frame)


@dataclass(frozen=True, eq=False)
class Files:
    """Parts of files, which this process looks at one after the other; a model may use all cores."""

    parts: Sequence[RowGroup | WholeFile]

    @property
    def rows(self) -> int:
        """All that there are."""
        return sum(part.rows for part in self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def look(
        self, look: Callable[[], Look[T]], order: Sequence[int], columns: list[str]
    ) -> Iterator[tuple[int, T]]:
        """Look at some parts in an order."""
        for part in order:
            yield part, look()(part, self.parts[part].batches(columns))

    def each(self, look: Callable[[pd.DataFrame], T], columns: list[str]) -> Iterator[T]:
        """Look at every batch, in order."""
        for part in self.parts:
            yield from map(look, part.batches(columns))


class Partitions:
    """Partitions of a Dask frame, which Dask's workers look at, a few at once."""

    rows = 0

    def __init__(self, frame: AnyFrame) -> None:
        self._frame, self._delayed, self._columns = frame, list[Any](), list[str]()

    def __len__(self) -> int:
        return int(self._frame.npartitions)

    def look(
        self, look: Callable[[], Look[T]], order: Sequence[int], columns: list[str]
    ) -> Iterator[tuple[int, T]]:
        """Look at some parts in an order."""
        import dask

        if columns != self._columns:
            wanted = self._frame[[label for label in self._frame.columns if str(label) in columns]]
            self._delayed, self._columns = wanted.to_delayed(), columns
        for first in range(0, len(order), PARTITIONS):
            some = order[first : first + PARTITIONS]
            sent = dask.delayed(look(), traverse=False)  # a model goes to each worker once
            yield from zip(
                some,
                dask.compute(*(dask.delayed(_looked)(sent, part, self._delayed[part]) for part in some)),
                strict=True,
            )

    def each(self, look: Callable[[pd.DataFrame], T], columns: list[str]) -> Iterator[T]:
        """Look at every batch, in order."""
        for _, found in self.look(lambda: _Each(look), range(len(self)), columns):
            yield from found


@dataclass(frozen=True, eq=False)
class _Each:
    """Looks at the batches of a part one by one."""

    look: Callable[[pd.DataFrame], Any]

    def __call__(self, _part: int, batches: Iterator[pd.DataFrame]) -> list[Any]:
        return [self.look(batch) for batch in batches]


def _looked(look: Look[T], part: int, rows: pd.DataFrame) -> T:
    """Look at a partition where it is."""
    rows = plain_texts(rows)
    return look(part, (rows.iloc[first : first + BATCH] for first in range(0, len(rows), BATCH)))
