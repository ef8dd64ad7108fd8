"""What was asked, in words: what the rows of a group share, and the rules in force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.result.labels import Labels, labels_of, shown

if TYPE_CHECKING:
    from oneformany.result.result import Result

__all__ = ["rule_words", "share_words"]

SHARES = {
    "point": "one profile: the changed features, their new values, and the cells of all other features",
    "action": "one advice: the changed features and their new values",
    "features": "one to-do list: the changed features; the new values are each row's own",
}


def share_words(result: Result) -> str:
    """Say what the rows of one explanation have in common.

    Parameters
    ----------
    result : Result
        What to tell.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> share_words(ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1)))
    'one profile: the changed features, their new values, and the cells of all other features'
    """
    return SHARES.get(result.share, shown(result.share))


def rule_words(result: Result) -> list[str]:
    """Say which rules were in force: as the user gave them, or as far as the file's matrices show.

    Parameters
    ----------
    result : Result
        What to tell.

    Examples
    --------
    >>> import numpy as np, oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> problem = ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1, allowed=[np.eye(2, dtype=bool), None])
    >>> rule_words(ofm.solve(problem))
    ['feature 0 cannot change']
    """
    if "rules" in result.problem:
        return [shown(rule) for rule in result.problem["rules"]]
    labels = labels_of(result)
    restrictions = result.problem.get("restrictions") or ()
    return [*_moves(result, labels), *(_restriction(entry, labels) for entry in restrictions)]


def _moves(result: Result, labels: Labels) -> Iterator[str]:
    for feature, moves in enumerate(result.problem.get("allowed") or ()):
        if moves is None:
            continue
        matrix = np.array(moves, dtype=np.bool_) | np.eye(len(moves), dtype=np.bool_)
        if not matrix.all():
            yield f"{labels.feature(feature)} {_kind(matrix)}"


def _kind(matrix: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    n = len(matrix)
    if (matrix == np.eye(n, dtype=np.bool_)).all():
        return "cannot change"
    if (matrix == np.triu(np.ones((n, n), dtype=np.bool_))).all():
        return "can only go up"
    if (matrix == np.tril(np.ones((n, n), dtype=np.bool_))).all():
        return "can only go down"
    return f"may make {int(matrix.sum()) - n} of its {n * (n - 1)} moves"


def _restriction(entry: dict[str, Any], labels: Labels) -> str:
    kind = entry.get("kind")
    if kind == "implies":
        before, after = (
            " and ".join(
                f"{labels.feature(feature)} is {' or '.join(labels.word(feature, level) for level in levels)}"
                for feature, levels in entry[part]
            )
            for part in ("if", "then")
        )
        return f"after a change, if {before}, then {after}"
    names = [labels.feature(feature) for feature in entry.get("features", ())]
    if kind == "linked" and entry["one_way"]:
        return f"{names[0]} changes only together with {' and '.join(names[1:])}"
    if kind == "linked":
        return f"{' and '.join(names)} change only together"
    if kind == "not_together":
        return f"of {', '.join(names)}, no row changes more than one"
    if kind == "observed":
        often = "a row" if entry["at_least"] == 1 else f"{entry['at_least']} rows"
        return f"new values of {', '.join(names)} occur together in at least {often} of the reference data"
    return f"a rule of the kind {shown(kind)} on {', '.join(names) or 'whole rows'}"
