"""Benchmarks in which part of the features cannot change, so that reaching a positive point is hard."""

from __future__ import annotations

from oneformany.arrays import BoolArray
from oneformany.schema.rules import Immutable, allowed_moves
from oneformany.schema.schema import Schema

__all__ = ["IMMUTABLE", "immutable_features", "moves"]

IMMUTABLE = ("none", "half")


def immutable_features(schema: Schema, choice: str) -> tuple[str, ...]:
    """Name the features that cannot change.

    "half" is every second feature in the order of the schema, beginning with the first.

    Parameters
    ----------
    schema : Schema
        The features.
    choice : {"none", "half"}
        How many.
    """
    return schema.names[::2] if choice == "half" else ()


def moves(schema: Schema, choice: str) -> list[BoolArray | None] | None:
    """Allowed moves of each feature, as a problem takes them.

    Parameters
    ----------
    schema : Schema
        The features.
    choice : {"none", "half"}
        How many cannot change.
    """
    rules = [Immutable(name) for name in immutable_features(schema, choice)]
    return allowed_moves(schema, rules) if rules else None
