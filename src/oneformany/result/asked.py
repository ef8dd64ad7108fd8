"""What was asked: as plain data from which the answer can be checked, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.exceptions import InputError
from oneformany.plain import written
from oneformany.problem import Problem
from oneformany.result.labels import Labels, labels_of, shown
from oneformany.schema.rules.rows import Implies, Linked, NotTogether, Observed

if TYPE_CHECKING:
    from oneformany.result.result import Result

SHARES = {
    "point": "one profile: the changed features, their new values, and the cells of all other features",
    "action": "one advice: the changed features and their new values",
    "features": "one to-do list: the changed features; the new values are each row's own",
}

NAMED: dict[str, Any] = {"linked": Linked, "not_together": NotTogether, "observed": Observed}


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Write down a problem as plain data, the classifier included; see ``docs/format.md``."""
    rules = []
    for restriction in problem.restrictions:
        if not hasattr(restriction, "to_dict"):
            raise InputError(
                f"the rule {type(restriction).__name__} cannot be written down: give it a method to_dict()"
            )
        rules.append(dict(restriction.to_dict()))
    moves = (None if matrix is None else matrix.astype(np.int8).tolist() for matrix in problem.moves)
    people = {} if problem.people is None else {"people": np.asarray(problem.people).tolist()}
    return {
        "codes": problem.codes.tolist(),
        "levels": list(problem.levels),
        "max_changes": problem.max_changes,
        "allowed": None if problem.allowed is None else list(moves),
        "oracle": problem.oracle.describe(),
        "share": problem.share,
        "own": written(problem.own),
        "costs": written(problem.costs),
        "restrictions": rules,
        **people,
    }


def share_words(result: Result) -> str:
    """Say what the rows of one explanation have in common."""
    return SHARES.get(result.share, shown(result.share))


def rule_words(result: Result) -> list[str]:
    """Say which rules were in force: as the user gave them, or as far as the file's matrices show."""
    if "rules" in result.problem:
        return [shown(rule) for rule in result.problem["rules"]]
    labels = labels_of(result)
    restrictions = result.problem.get("restrictions") or ()
    return [*_moves(result, labels), *(_restriction_words(entry, labels) for entry in restrictions)]


def _moves(result: Result, labels: Labels) -> Iterator[str]:
    for feature, moves in enumerate(result.problem.get("allowed") or ()):
        if moves is None:
            continue
        matrix = np.array(moves, dtype=np.bool_) | np.eye(len(moves), dtype=np.bool_)
        if not matrix.all():
            yield f"{labels.feature(feature)} {_kind(matrix)}"


def _kind(matrix: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    n = len(matrix)
    for known, words in (
        (np.eye(n), "cannot change"),
        (np.triu(np.ones((n, n))), "can only go up"),
        (np.tril(np.ones((n, n))), "can only go down"),
    ):
        if np.array_equal(matrix, known):
            return words
    return f"may make {int(matrix.sum()) - n} of its {n * (n - 1)} moves"


def _restriction_words(entry: dict[str, Any], labels: Labels) -> str:
    """Let the rule itself say its sentence, with labels as names."""
    kind = entry.get("kind")
    names = [labels.feature(feature) for feature in entry.get("features", ())]
    if kind == "implies":
        before, after = (
            {labels.feature(f): [labels.word(f, level) for level in levels] for f, levels in entry[part]}
            for part in ("if", "then")
        )
        return str(Implies(before, after))
    if kind in NAMED:
        options = {name: entry[name] for name in ("one_way", "at_least") if name in entry}
        return str(NAMED[kind](*names, **options))
    return f"a rule of the kind {shown(kind)} on {', '.join(names) or 'whole rows'}"
