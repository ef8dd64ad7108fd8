"""Probabilities instead of scores in the words about rows that cannot be helped."""

import re
from dataclasses import replace

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import OneForManyError
from oneformany.explainer.posing import Posed
from oneformany.readers.verdict import Verdict, class_index, said
from oneformany.result.explanation import Unreachable
from oneformany.schema.frames import Table

NOW = re.compile(r": score \S+ now, needed [^;]*")
EVER = re.compile(r": score \S+ now, at most \S+ with every feature free, needed [^;]*")
HALF = 0.5  # what a classifier of two classes needs that predicts the likelier one


def with_probabilities(
    unreachable: tuple[Unreachable, ...], posed: Posed, table: Table
) -> tuple[Unreachable, ...]:
    """Tell the model's own probability of a row beyond help, where it has one, instead of a score."""
    rows = [entry.row for entry in unreachable]
    if not rows or not any(": score " in entry.reason for entry in unreachable):
        return unreachable
    chances = _probabilities(posed, table, posed.refused[rows])
    if chances is None:
        return unreachable
    least = _needed(posed)
    told = []
    for entry, chance in zip(unreachable, chances.tolist(), strict=True):
        needed = "" if least is None or chance >= least else f", {least:g} needed"
        now = f": probability {_rounded(chance, least)} now{needed}"
        reason = EVER.sub(f"{now}, and too small with every feature free", entry.reason)
        told.append(replace(entry, reason=NOW.sub(now, reason)))
    return tuple(told)


def _probabilities(posed: Posed, table: Table, rows: IntArray) -> FloatArray | None:
    """The model's probability of the wanted answer; ``None`` where it has none, or is not alone."""
    inputs = posed.inputs
    if inputs is None or not isinstance(inputs.decide, Verdict):
        return None
    verdict = inputs.decide
    if not hasattr(verdict.model, "predict_proba"):
        return None
    frame = replace(table, frame=table.frame.iloc[:0]).named(table.frame.iloc[rows][list(inputs.names)])
    try:
        found = said(verdict.model, "predict_proba", verdict.inputs(frame))
        return np.asarray(found[:, class_index(verdict.model, verdict.positive)], dtype=np.float64)
    except OneForManyError:  # such as of a hinge loss, which has no probabilities although it has the method
        return None


def _needed(posed: Posed) -> float | None:
    """The least probability that is accepted; ``None`` where the model has a rule of its own."""
    verdict = posed.inputs.decide if posed.inputs is not None else None
    if not isinstance(verdict, Verdict):
        return None
    if verdict.threshold is not None:
        return float(verdict.threshold)
    own = hasattr(verdict.model, "best_threshold_") or hasattr(verdict.model, "threshold")
    return None if own or len(verdict.model.classes_) != 2 else HALF


def _rounded(chance: float, least: float | None) -> str:
    """Two digits, or as many as tell it from what is needed."""
    for digits in range(2, 17):
        told = f"{chance:.{digits}g}"
        if least is None or chance >= least or float(told) < least:
            return told
    return repr(chance)
