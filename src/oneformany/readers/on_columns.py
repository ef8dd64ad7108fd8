"""A fitted classifier that reads columns of numbers, opened once for all that is asked about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from oneformany.anything import AnyModel
from oneformany.oracles.protocol import Oracle
from oneformany.readers.registry import load
from oneformany.readers.trees.forest import Forest
from oneformany.readers.trees.libraries import forest_of
from oneformany.schema.encoding import Encoding


@dataclass(frozen=True, eq=False)
class OnColumns:
    """A classifier behind a pipeline's steps, if any; called with an encoding, it gives an oracle."""

    classifier: AnyModel
    read: str | Callable[..., Any]  # what turns it into an oracle
    threshold: float | None
    positive: object

    @cached_property
    def forest(self) -> Forest | None:
        """Its trees, where it is made of trees: listed once, for its splits and for its oracle."""
        return forest_of(self.classifier, self.positive)

    def __call__(self, encoding: Encoding) -> Oracle:
        """Read it on the numbers of an encoding."""
        trees = {} if self.forest is None else {"forest": self.forest}
        oracle: Oracle = load(self.read)(self.classifier, encoding, self.threshold, self.positive, **trees)
        return oracle
