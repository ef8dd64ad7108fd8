"""Random rows, models fitted on them and questions, for a judge of the words that answers are told in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

import oneformany as ofm

JOBS = ["none", "part", "full"]
NUMBERS = ("amount", "rate", "rooms")
NO_CODE = -9


@dataclass(frozen=True)
class Asked:
    """A question, with what a judge needs to know of it."""

    frame: pd.DataFrame
    decide: Callable[[pd.DataFrame], np.ndarray]  # the model's own answer, asked without this package
    explainer: ofm.OneForMany
    positive: object
    threshold: float | None
    limits: dict[str, Any]  # rules that the judge reads in its own way: kind to what it is given
    costs: dict[str, float] | None
    people: list[int] | None
    goal: dict[str, Any] = field(default_factory=dict)
    cuts: tuple[float, ...] = ()  # numbers that the model compares with, as far as its library says
    name: str = ""


def random_asked(seed: int) -> Asked:
    """Draw a question; the same seed gives the same one."""
    rng = np.random.default_rng(seed)
    frame = _rows(rng, int(rng.integers(24, 46)))
    kind = str(rng.choice([*MODELS]))
    frame = frame[["amount", "rate", *_some(rng, ["rooms", "job"])]]
    if kind in {"tree", "forest", "histogram", "naive", "straight", "scaled tree"}:
        frame = frame.drop(columns="job", errors="ignore")
    score = frame["amount"] / 1500 + frame["rate"] * rng.choice([-0.3, 0.3]) + rng.normal(0, 0.3, len(frame))
    target = (score > score.quantile(rng.choice([0.4, 0.6, 0.8]))).astype(int).to_numpy()
    classes = [(0, 1), ("no", "yes"), (False, True)][rng.integers(3)]
    if kind == "xgboost":  # which numbers its classes
        frame, classes = frame.drop(columns="job", errors="ignore"), (0, 1)
    made, positive = MODELS[kind](), classes[1]
    threshold = float(rng.choice([0.4, 0.7])) if rng.random() < 0.3 else None
    if kind == "function":
        model, decide, cuts = _function(rng)
        positive, threshold = 1, None
    else:
        model = made.fit(frame, np.array(classes)[target])
        decide, cuts = _decision(model, positive, threshold), _cuts(model)
    if decide(frame).all() or (kind != "function" and len(set(target)) < 2):
        return random_asked(seed + 1_000_003)
    names, costs = list(frame.columns), None
    limits = {
        "immutable": str(rng.choice(names)),
        "increase": "amount",
        "range": ("amount", float(rng.choice([-np.inf, 600])), float(rng.choice([np.inf, 2600]))),
        "apart": ("amount", "rate"),
    }
    limits = {rule: given for rule, given in limits.items() if rng.random() < 0.2}
    if rng.random() < 0.25:
        costs = {name: float(rng.choice([1, 2, 2.5])) for name in _some(rng, names)}
    edges = special = None
    if rng.random() < 0.4:
        edges = {"amount": [600, 1500, 2400], "rate": [2.5, 5.0, 7.5]}
    if rng.random() < 0.2:
        special = {"amount": [NO_CODE]}
        frame.iloc[:2, 0] = NO_CODE
    explainer = ofm.OneForMany(
        model,
        max_changes=int(rng.integers(1, 4)),
        threshold=threshold,
        positive=positive,
        share=str(rng.choice(["point", "action", "features"])),
        rules=_rules(limits),
        costs=costs,
        reference=frame.iloc[::2] if rng.random() < 0.3 else None,
        cells=ofm.Cells(edges=edges, bins=None if edges else 4, special=special),
    )
    people = rng.integers(1, 5, len(frame)).tolist() if rng.random() < 0.25 else None
    goal = [{}, {}, {"explanations": int(rng.integers(1, 4))}, {"coverage": 0.7}][rng.integers(4)]
    frame.index = [pd.RangeIndex(len(frame)), [f"p{n}" for n in range(len(frame))]][rng.integers(2)]
    told = f"seed {seed}, {kind}"
    return Asked(frame, decide, explainer, positive, threshold, limits, costs, people, goal, cuts, told)


def _rows(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "amount": rng.integers(3, 31, n) * int(rng.choice([100, 37])),
            "rate": rng.uniform(0, 10, n).round(int(rng.choice([1, 2]))),
            "rooms": rng.integers(1, 5, n),
            "job": rng.choice(JOBS, n),
        }
    )


def _some(rng: np.random.Generator, names: list[str]) -> list[str]:
    return [name for name in names if rng.random() < 0.5]


def _rules(limits: dict[str, Any]) -> list[Any]:
    makers = {
        "immutable": ofm.Immutable,
        "increase": ofm.OnlyIncrease,
        "range": lambda given: ofm.Range(*given),
        "apart": lambda given: ofm.NotTogether(*given),
    }
    return [makers[rule](given) for rule, given in limits.items()]


def _numbers_and_texts(numbers: Any) -> Any:
    texts = OneHotEncoder(handle_unknown="ignore")
    return make_column_transformer((numbers, _numeric), (texts, _textual))


def _numeric(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if name in NUMBERS]


def _textual(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if name not in NUMBERS]


MODELS: dict[str, Callable[[], Any]] = {
    "straight": lambda: LogisticRegression(max_iter=5000),
    "pipeline": lambda: make_pipeline(_numbers_and_texts(StandardScaler()), LogisticRegression()),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": lambda: RandomForestClassifier(5, max_depth=4, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=4),
    "tree of a pipeline": lambda: make_pipeline(
        _numbers_and_texts("passthrough"), DecisionTreeClassifier(max_depth=4, random_state=0)
    ),
    "scaled tree": lambda: make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4)),
    "naive": GaussianNB,
    "xgboost": lambda: XGBClassifier(n_estimators=6, max_depth=2),
    "function": lambda: None,
}


def _decision(model: Any, positive: object, threshold: float | None) -> Callable[[pd.DataFrame], np.ndarray]:
    if threshold is None:
        return lambda rows: np.asarray(model.predict(rows) == positive)
    column = list(model.classes_).index(positive)
    return lambda rows: np.asarray(model.predict_proba(rows)[:, column] >= threshold)


def _function(
    rng: np.random.Generator,
) -> tuple[Any, Callable[[pd.DataFrame], np.ndarray], tuple[float, ...]]:
    """Accept from an amount on, but for holes that nobody sees who tries some numbers only."""
    least, hole = int(rng.integers(5, 25)) * 100, int(rng.integers(2_000, 20_000))
    width = float(rng.choice([0.004, 0.2]))

    def function(rows: pd.DataFrame) -> np.ndarray:
        amount, rate = rows["amount"].to_numpy(float), rows["rate"].to_numpy(float)
        missed = (amount % hole == hole // 2 + 1) | (np.abs(rate - 4.3333) < width)
        return np.where((amount >= least) & ~missed | (rate > 9), 0.9, 0.1)

    return function, lambda rows: function(rows) >= 0.5, (4.3333, float(least), float(hole // 2 + 1))


def _cuts(model: Any) -> tuple[float, ...]:
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if hasattr(model, "steps") and not hasattr(last, "tree_"):
        return ()
    members = getattr(last, "estimators_", [last])
    found = [member.tree_.threshold for member in members if hasattr(member, "tree_")]
    return tuple(np.unique(np.concatenate(found)).tolist()) if found else ()
