"""Results made by hand, of any size, for what only shows them."""

from __future__ import annotations

import numpy as np

from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.statistics import Round, Statistics

HOSTILE = (
    "<script>document.title='owned'</script>",
    "</script><img src=x onerror=document.title='owned'>",
    "{{ 7 * 7 }} {% raw %}",
    "a\x1b[31m\u202eb\u2028c",
    "'\"><svg onload=document.title='owned'>",
)


def made_result(explanations=3, rows=12, names=("income", "job", "town", "age"), hostile=False):
    """Every row moves from level 0 to level 1 of two features; the last two rows have no explanation."""
    width = len(names)
    texts = list(HOSTILE) if hostile else ["low", "middle", "high", "very high", "none"]
    features = tuple(
        Feature(HOSTILE[i % 5] + str(i) if hostile else name, tuple(f"{t} {i}" for t in texts))
        for i, name in enumerate(names)
    )
    codes = np.zeros((rows, width), dtype=np.int64)
    codes[:, -1] = np.arange(rows) % 5
    assignment = np.arange(rows) % explanations
    assignment[-2:] = -1
    made = []
    for number in range(explanations):
        changed = (number % (width - 1), (number + 1) % (width - 1))
        point = [0] * width
        for feature in changed:
            point[feature] = 1
        made.append(Explanation(tuple(point), changed, tuple(np.flatnonzero(assignment == number))))
    return Result(
        status="feasible",
        count=explanations,
        lower_bound=max(1, explanations - 1),
        explanations=tuple(made),
        assignment=tuple(assignment.tolist()),
        unreachable=(Unreachable(rows - 2, texts[0] if hostile else "no positive point within 2 changes"),),
        undecided=(rows - 1,),
        problem={
            "codes": codes.tolist(),
            "levels": [5] * width,
            "max_changes": 2,
            "allowed": None,
            "oracle": {},
            "share": "point",
            "model": {
                "kind": texts[0] if hostile else "Tree",
                "threshold": 0.5,
                "positive": 1,
                "date": "2026-01-02",
            },
            "rules": [texts[1]] if hostile else ["age cannot change"],
        },
        statistics=Statistics(
            rounds=[
                Round("start", 1, 4, 3.0, 1, explanations + 2, 0.1),
                Round("cover", 2, 9, 3.0, max(1, explanations - 1), explanations, 0.4),
            ]
        ),
        versions={"oneformany": texts[2] if hostile else "0.1.0"},
        schema=Schema(features),
        index=[f"{HOSTILE[i % 5]} {i}" if hostile else f"row-{i}" for i in range(rows)],
        ended="time limit",
    )
