"""The proof as plain data, in the numbering of the rows as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.engine.pricing.pricer import Priced
from oneformany.engine.tree.column_generation import Node

__all__ = ["branch_proof", "dual_proof", "enumeration_proof", "trivial_proof"]


def _given_rows(node: Node) -> IntArray:
    """For each row of the arena the first given row that equals it."""
    _, first = np.unique(node.run.arena.problem.row_of, return_index=True)
    return np.asarray(first[node.run.arena.places])


def _given(node: Node) -> IntArray:
    """For each item the first given row that it stands for."""
    return np.asarray(_given_rows(node)[node.items.first])


def _weights(node: Node, priced: Priced) -> list[int]:
    weights = np.zeros(len(node.run.arena.problem.codes), dtype=np.int64)
    weights[_given(node)] = priced.weights
    return [int(weight) for weight in weights]


def trivial_proof(node: Node) -> dict[str, Any]:
    """At least one explanation is needed."""
    weights = [0] * len(node.run.arena.problem.codes)
    weights[int(_given(node)[0])] = 1
    return {"kind": "dual", "weights": weights, "capacity": 1, "bound": 1}


def dual_proof(node: Node, priced: Priced) -> dict[str, Any]:
    """No column weighs more than the capacity."""
    return {
        "kind": "dual",
        "weights": _weights(node, priced),
        "capacity": priced.capacity,
        "bound": priced.bound,
    }


def enumeration_proof(
    node: Node, priced: Priced, target: int, groups: list[IntArray], tree: dict[str, Any]
) -> dict[str, Any]:
    """No ``target`` of all columns that could be part of such a cover do cover everything."""
    given = _given_rows(node)
    item_of = node.items.item_of
    return {
        "kind": "enumeration",
        "weights": _weights(node, priced),
        "capacity": priced.capacity,
        "target": target,
        "columns": [given[np.isin(item_of, group)].tolist() for group in groups],
        "cover": _renumbered(tree, _given(node)),
        "bound": target + 1,
    }


def _renumbered(tree: dict[str, Any], given: IntArray) -> dict[str, Any]:
    renumbered: dict[str, Any] = {
        "filters": [[[given[items].tolist(), weight] for items, weight in pairs] for pairs in tree["filters"]]
    }
    if "item" in tree:
        renumbered["row"] = int(given[tree["item"]])
        renumbered["columns"] = tree["columns"]
        renumbered["parts"] = [_renumbered(part, given) for part in tree["parts"]]
    return renumbered


def branch_proof(
    pair: tuple[int, int], node: Node, together: dict[str, Any], apart: dict[str, Any]
) -> dict[str, Any]:
    """Two rows share an explanation, or they do not."""
    given = _given(node)
    rows = sorted(int(given[node.items.item_of[row]]) for row in pair)
    return {
        "kind": "branch",
        "pair": rows,
        "together": together,
        "apart": apart,
        "bound": min(together["bound"], apart["bound"]),
    }
