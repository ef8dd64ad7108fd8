"""What whoever asks a question knows beside what was found: the one way for it to get into a result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from oneformany.result.explanation import Unreachable
from oneformany.result.result import Result
from oneformany.result.row_index import RowIndex
from oneformany.schema.schema import Schema


class TurnedDownError(Exception):
    """The model turned down an answer that its own reading accepts; what it said is known from now on."""


@dataclass(frozen=True, eq=False)
class Facts:
    """What is told of an answer beside what was found and proved.

    Attributes
    ----------
    schema : Schema or None
        Names and labels.
    index : RowIndex
        What the given rows are called.
    problem : dict
        More about the question: which rows of the frame it is about, the model, rules in words, ranges.
    unreachable : tuple of Unreachable or None
        The rows beyond help with more about why; ``None``: there is nothing more to say.
    """

    schema: Schema | None = None
    index: RowIndex = field(default_factory=lambda: RowIndex(()))
    problem: Mapping[str, Any] = field(default_factory=dict)
    unreachable: tuple[Unreachable, ...] | None = None


class Asker(Protocol):
    """Whoever asks a question about data that the engine does not see."""

    def facts(self, answer: Result) -> Facts:
        """Look at an answer before it is given out, and add to it.

        Raises
        ------
        TurnedDownError
            It has to be answered again.
        """
        ...
