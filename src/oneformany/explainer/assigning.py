"""Which explanation each row of a source has, told batch by batch, or written to a Parquet file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyModel
from oneformany.exceptions import InputError
from oneformany.explainer.parts import Parts, parts_of
from oneformany.explainer.streams import batches_of, can_be_read_again
from oneformany.explainer.visits import Fates, bare, fates_of, placed_quietly
from oneformany.result.following import NONE_FITS, OUTCOMES, UNREAD
from oneformany.result.result import Result
from oneformany.result.tables import assign, numbered
from oneformany.stop import Stop

BEYOND, LEFT_OUT, UNDECIDED = "cannot be helped", "left out", "undecided"


def assigned(
    result: Result, source: AnyFrame, model: AnyModel, first: Literal[0, 1]
) -> Iterator[pd.Series[int]]:
    """As ``result.assign``, for each batch of a source."""
    look = _Assign(bare(result), model, first)
    if not can_be_read_again(source):
        return map(look, batches_of(source))
    return _parts(source).each(look, _columns(result))


@dataclass(frozen=True, eq=False)
class _Assign:
    """Puts a batch under explanations."""

    result: Result
    model: AnyModel
    first: Literal[0, 1]

    def __call__(self, batch: pd.DataFrame) -> pd.Series[int]:
        told: pd.Series[int] = assign(self.result, batch, self.model, first=self.first)
        return told


def write_assigned(
    result: Result, path: str | os.PathLike[str], source: AnyFrame, model: AnyModel
) -> dict[str, int]:
    """Write which explanation each row of a source has; as ``result.write_assignment``."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputError("Parquet needs the package pyarrow: pip install 'oneformany[parquet]'") from error
    look, writer, counts = _Tell(bare(result), model), None, dict[str, int]()
    batches = _parts(source).each(look, _columns(result)) if can_be_read_again(source) else None
    for told in map(look, batches_of(source)) if batches is None else batches:
        for outcome, number in told["outcome"].value_counts().items():
            counts[str(outcome)] = counts.get(str(outcome), 0) + int(number)
        table = pa.Table.from_pandas(told, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table.cast(writer.schema))
    if writer is None:
        raise InputError("there is not a single row to assign: the source is empty")
    writer.close()
    return counts


@dataclass(frozen=True, eq=False)
class _Tell:
    """Tells of each row of a batch its explanation, and what becomes of it."""

    result: Result
    model: AnyModel  # where it is an explainer with reference data, it says who cannot be helped

    def __call__(self, batch: pd.DataFrame) -> pd.DataFrame:
        batch = batch.set_axis([str(label) for label in batch.columns], axis=1)
        placed = placed_quietly(self.result, batch, self.model)
        outcomes = np.array(placed.outcomes, dtype=object)
        missed = np.flatnonzero((outcomes == OUTCOMES[NONE_FITS]) | (outcomes == OUTCOMES[UNREAD]))
        if len(missed) and getattr(self.model, "reference", None) is not None:
            found = _decided(batch.iloc[missed], self.model)
            outcomes[missed[found.unreachable]] = BEYOND
            outcomes[missed[found.helpable]] = LEFT_OUT
            outcomes[missed[found.open]] = UNDECIDED
        told: dict[str, Any] = {"row": batch.index, "explanation": numbered(placed.numbers).array}
        return pd.DataFrame({**told, "outcome": outcomes.astype(str)})


def _decided(missed: pd.DataFrame, explainer: AnyModel) -> Fates:
    """Who of those whom nothing helps could be helped."""
    return fates_of(explainer, missed, len(missed), Stop())


def _parts(source: AnyFrame) -> Parts:
    parts = parts_of(source)
    if parts is None:
        raise AssertionError("only what can be read again has parts")
    return parts


def _columns(result: Result) -> list[str]:
    """What the model reads."""
    if result.schema is None:
        raise InputError("the result has no schema, so it knows no frames; OneForMany(...).explain gives one")
    return list(result.schema.names)
