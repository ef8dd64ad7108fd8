"""Fitted classifiers that nobody can look inside: asked by their own ``predict``, as black boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import FloatArray
from oneformany.readers.callables import BlackBox
from oneformany.readers.inputs import plain_array
from oneformany.readers.verdict import Verdict, class_index

ALMOST = 1 - 2**-20


def as_black_box(
    model: AnyModel, threshold: float | None, positive: object, tried_on: pd.DataFrame | None = None
) -> BlackBox | None:
    """Wrap a fitted classifier as a function of frames: positive, from 0.5 on, is what it accepts itself.

    ``None``: it cannot be asked, or does not answer about the rows that it is tried on.
    """
    if not hasattr(model, "predict") or not hasattr(model, "classes_"):
        return None
    class_index(model, positive)
    box = BlackBox(_Asked(model, threshold, positive).score)
    try:
        if tried_on is not None:
            box.function(tried_on)
    except Exception:  # noqa: BLE001 (whatever a stranger's model raises: it does not read these rows)
        return None
    return box


@dataclass(frozen=True)
class _Asked:
    """A classifier's decisions as numbers; its probabilities only tell a search where to look."""

    model: Any
    threshold: float | None
    positive: object

    def __getattr__(self, name: str) -> AnyValue:
        """Know the columns that the classifier was fitted on."""
        if name in {"feature_names_in_", "n_features_in_"}:
            return getattr(self.model, name)
        raise AttributeError(name)

    def score(self, frame: pd.DataFrame) -> FloatArray:
        """At least 0.5 where the classifier accepts a row, and more the surer it is."""
        names = getattr(self.model, "feature_names_in_", None)
        data = plain_array(frame) if names is None else frame[list(names)]
        index = class_index(self.model, self.positive)
        chances = self._chances(data)
        own = getattr(type(self.model), "predict", None)
        if self.threshold is None and own is RandomForestClassifier.predict:
            accepted = chances.argmax(axis=1) == index  # which is what a forest does, and takes half the time
        else:
            accepted = Verdict(self.model, lambda rows: rows, self.threshold, self.positive)(data)
        return np.asarray((accepted + np.clip(chances[:, index], 0, ALMOST)) / 2)

    def _chances(self, data: AnyFrame) -> FloatArray:
        if not hasattr(self.model, "predict_proba"):
            return np.zeros((len(data), len(self.model.classes_)))
        return np.asarray(self.model.predict_proba(data))
