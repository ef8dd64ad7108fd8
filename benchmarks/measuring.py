"""What the scripts of this folder share: parser, clock, memory, and questions about refused rows."""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

import numpy as np

from oneformany.arrays import IntArray
from oneformany.datasets import Dataset
from oneformany.paper.runs.model_kinds import paper_split
from oneformany.problem import Problem, Share
from oneformany.readers.registry import oracle_for

P = ParamSpec("P")
R = TypeVar("R")

FIXED = {
    "german": ("personal_status", "age", "foreign_worker"),
    "compas": ("race", "age_cat", "sex"),
    "adult": ("age", "race", "sex", "native_country"),
    "students": (),
}
"""Personal traits, by data set."""


def script_parser(words: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the script's own description."""
    return argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)


def timed(call: Callable[P, R], *given: P.args, **named: P.kwargs) -> tuple[R, float]:
    """What a call returns, and the seconds it takes."""
    start = perf_counter()
    returned = call(*given, **named)
    return returned, perf_counter() - start


def megabytes() -> int:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def refused(data: Dataset, model: Any, *, test_only: bool = True) -> IntArray:
    """Rows that a model turns down, of the test half or of all."""
    rows = paper_split(data)[1] if test_only else np.arange(len(data.target))
    return rows[~oracle_for(model, data.schema).positive(data.codes[rows])]


def question(
    data: Dataset,
    model: Any,
    rows: IntArray,
    changes: int,
    share: Share = "point",
    fixed: Sequence[str] = (),
) -> Problem:
    """The question about these rows, in which some features cannot change."""
    schema = data.schema
    allowed = [
        np.eye(feature.n_levels, dtype=np.bool_) if feature.name in fixed else None
        for feature in schema.features
    ]
    return Problem(data.codes[rows], schema.levels, oracle_for(model, schema), changes, allowed, share)
