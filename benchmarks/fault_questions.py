"""Questions that are asked while something goes wrong: ten small ones, with every way to ask among them.

Each is a call that gives a result; what it gives when nothing goes wrong is the truth for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm

ROWS = 80
Question = Callable[[], ofm.Result]


def frame_of_rows(rows: int = ROWS) -> pd.DataFrame:
    """Rows of four columns, integers and decimals."""
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": random.integers(0, 9, rows),
            "debt": random.normal(size=rows).round(1),
            "home": random.integers(0, 2, rows),
            "years": random.integers(0, 5, rows),
        }
    )


def granted(frame: pd.DataFrame) -> Any:
    """Who is accepted in the data that models are fitted on."""
    noise = np.random.default_rng(1).normal(size=len(frame))
    return (frame @ [1, 2, 1, 1] + noise > 9).astype(int)


def questions() -> dict[str, Question]:
    """All ten, by name."""
    frame = frame_of_rows()
    target = granted(frame)
    line = LogisticRegression().fit(frame, target)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame, target)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, target)
    boosted = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0).fit(frame, target)
    network = MLPClassifier((4,), max_iter=3000, tol=1e-3, random_state=0).fit(frame, target)

    def asked(model: Any, share: Any = "point", changes: int = 2, **given: Any) -> ofm.OneForMany:
        rules = [ofm.Immutable("age")]
        return ofm.OneForMany(model, max_changes=changes, share=share, rules=rules, positive=1, **given)

    problem = asked(line).problem(frame)
    return {
        "a sum": lambda: asked(line).explain(frame),
        "a sum, advice": lambda: asked(line, "action").explain(frame),
        "a sum, least cost": lambda: asked(line, "action", costs={"debt": 2.5}).explain(frame),
        "a tree, to-do lists": lambda: asked(tree, "features").explain(frame),
        "a forest": lambda: asked(forest).explain(frame),
        "a forest, the most rows": lambda: asked(forest, "features").explain(frame, explanations=2),
        "boosting, a share": lambda: asked(boosted, "action").explain(frame, coverage=0.5),
        "a network": lambda: asked(network).explain(frame),
        "a black box": lambda: asked(lambda rows: forest.predict_proba(rows)[:, 1]).explain(frame),
        "a problem on codes": lambda: ofm.solve(problem),
    }
