"""Whom a row has to convince: the model, and others beside it; each is read by itself, then put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyModel, AnyValue
from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.oracles.conjunction import conjunction
from oneformany.oracles.protocol import Oracle
from oneformany.readers.callables import as_black_box
from oneformany.readers.inputs import Inputs, inputs_of
from oneformany.readers.registry import read_model, reads_levels
from oneformany.readers.verdict import Reading, is_detector, positive_class
from oneformany.readers.wrappers import model_name
from oneformany.schema.frames import Table
from oneformany.schema.schema import Schema

SLACK = 1e-9  # of a share, so that 0.9 of 20 are 18
Decide = Callable[[pd.DataFrame], BoolArray]


@dataclass(frozen=True, eq=False)
class Acceptor:
    """A classifier that a row has to convince."""

    name: str  # what to call it in messages
    model: Any
    threshold: float | None
    positive: object
    unread: str | None = None  # why it is not read but asked as a black box

    def asked(self, error: UnsupportedModelError) -> Acceptor:
        """Ask it as a black box, as it cannot be read; the error is raised where that is not possible."""
        box = None if self.unread else as_black_box(self.model, self.threshold, self.positive)
        if box is None:
            raise error
        return replace(self, model=box, threshold=None, positive=1, unread=str(error).split(";")[0])


class UnreadError(Exception):
    """An acceptor that cannot be read: which one, and why."""

    def __init__(self, number: int, reason: UnsupportedModelError) -> None:
        super().__init__(str(reason))
        self.number, self.reason = number, reason


@dataclass(frozen=True, eq=False)
class Acceptors:
    """All classifiers that a row has to convince.

    Those in ``deciding`` make the decision that is explained: a row is turned down when one of them does so.
    Of the others beside them at least ``needed`` have to accept a row as it is afterwards.
    """

    deciding: tuple[Acceptor, ...]
    also: tuple[Acceptor, ...] = ()
    needed: int = 0

    @classmethod
    def of(
        cls,
        model: AnyModel,
        threshold: float | None = None,
        positive: object = None,
        also: AnyValue = (),
        at_least: float | None = None,
    ) -> Acceptors:
        """Name the classifiers, and find the positive class of each."""
        several = isinstance(model, (list, tuple))
        models = list(model) if several else [model]
        if not models:
            raise InputError("model is an empty list; give at least one classifier")
        if not isinstance(also, (list, tuple)):
            raise InputError(
                f"also is a {type(also).__name__}; give a list of classifiers, such as also=[it]"
            )
        if several and threshold is not None and len(models) > 1:
            raise InputError(
                "threshold is given for several models; leave it out, or wrap the one that it is for in "
                "FixedThresholdClassifier"
            )
        deciding = tuple(
            Acceptor(_name(f"model[{number}]" if several else "the model", one), one, threshold, chosen)
            for number, one in enumerate(models)
            for chosen in [_positive(one, positive, "model")]
        )
        beside = tuple(
            Acceptor(_name(f"also[{number}]", one), one, None, _positive(one, positive, f"also[{number}]"))
            for number, one in enumerate(also)
        )
        return cls(deciding, beside, _needed(at_least, len(beside)))

    @property
    def every(self) -> tuple[Acceptor, ...]:
        """All of them, one after the other."""
        return (*self.deciding, *self.also)

    @property
    def single(self) -> bool:
        """Whether there is only one."""
        return len(self.every) == 1

    def but(self, number: int, acceptor: Acceptor) -> Acceptors:
        """Replace one of them."""
        every = [*self.every]
        every[number] = acceptor
        split = len(self.deciding)
        return replace(self, deciding=tuple(every[:split]), also=tuple(every[split:]))

    def decided(self, decides: Sequence[Decide]) -> Decide:
        """Ask those that decide, given the decision of each of all."""
        deciding = decides[: len(self.deciding)]
        return lambda frame: _all_of(deciding, frame)

    def accepted(self, decides: Sequence[Decide]) -> Decide:
        """Ask all that a row has to convince, given the decision of each of them."""
        if not self.also:
            return self.decided(decides)
        deciding, beside, needed = (*_split(decides, len(self.deciding)), self.needed)

        def accept(frame: pd.DataFrame) -> BoolArray:
            counts = np.sum([decide(frame) for decide in beside], axis=0)
            return np.asarray(_all_of(deciding, frame) & (counts >= needed))

        return accept

    def joined(self, oracles: Sequence[Oracle]) -> Oracle:
        """Put together what all of them are to the engine."""
        if self.single:
            return oracles[0]
        names = [acceptor.name for acceptor in self.every]
        if self.needed == len(self.also):
            return conjunction(oracles, names=names)
        split = len(self.deciding)
        beside = conjunction(oracles[split:], self.needed, names[split:])
        share = f"at least {self.needed} of the {len(self.also)} in also="
        return conjunction([*oracles[:split], beside], names=[*names[:split], share])

    def read_levels(self, schema: Schema | None) -> bool:
        """Whether they read the levels of a schema; :class:`UnreadError` tells which one cannot be read."""
        found = []
        for number, one in enumerate(self.every):
            try:
                found.append(reads_levels(one.model, schema))
            except UnsupportedModelError as error:
                raise UnreadError(number, error) from error
        for one, levels in zip(self.every, found, strict=True):
            if levels and not found[0]:
                raise InputError(
                    f"{one.name} reads the levels of a schema, and {self.every[0].name} the columns of the "
                    "frame; fit both on the same columns"
                )
        return found[0]

    def readings(self, schema: Schema, frame: pd.DataFrame) -> list[Reading]:
        """Read all of them on the levels of a schema."""
        found = []
        for number, one in enumerate(self.every):
            try:
                found.append(read_model(one.model, schema, one.threshold, one.positive, frame))
            except UnsupportedModelError as error:
                raise UnreadError(number, error) from error
        return found

    def decisions(self, schema: Schema, own: Schema | None, table: Table) -> list[Decide]:
        """Ask each of them itself about rows of a frame, by the cells of a schema if they read these."""
        if self.read_levels(own):
            verdicts = [reading.verdict for reading in self.readings(schema, table.frame)]
            return [partial(decide_levels, verdict, schema) for verdict in verdicts]
        return [one.decision(table) for one in self.inputs(table)]

    def inputs(self, table: Table) -> list[Inputs]:
        """See how each of them reads a frame; :class:`UnreadError` tells which one cannot be read."""
        found = []
        for number, one in enumerate(self.every):
            try:
                found.append(inputs_of(one.model, table, one.threshold, one.positive))
            except UnsupportedModelError as error:
                raise UnreadError(number, error) from error
            except InputError as error:
                if self.single:
                    raise
                raise InputError(f"{one.name}: ", *error.parts) from error
        return found


def names_of(inputs: Sequence[Inputs]) -> tuple[str, ...]:
    """The columns that some model reads, those of the first one first."""
    return tuple(dict.fromkeys(name for one in inputs for name in one.names))


def read_names(inputs: Sequence[Inputs]) -> list[str]:
    """Those of the columns that some model does not drop at once."""
    return [
        name
        for name in names_of(inputs)
        if any(name in one.names and name not in one.unread for one in inputs)
    ]


def known_to_all(inputs: Sequence[Inputs]) -> dict[str, frozenset[object]]:
    """Categories that every model knows which says what it was fitted on, by column."""
    known: dict[str, frozenset[object]] = {}
    for one in inputs:
        for name, values in one.known.items():
            known[name] = known.get(name, values) & values
    return known


def decide_levels(verdict: Callable[[IntArray], BoolArray], schema: Schema, frame: pd.DataFrame) -> BoolArray:
    """Ask about rows of a frame by their levels."""
    return verdict(schema.encode(frame))


def _all_of(decides: Sequence[Decide], frame: pd.DataFrame) -> BoolArray:
    return np.asarray(np.all([decide(frame) for decide in decides], axis=0))


def _split(decides: Sequence[Decide], at: int) -> tuple[Sequence[Decide], Sequence[Decide]]:
    return decides[:at], decides[at:]


def kind_of(model: AnyModel) -> str:
    """Say what a model is, and what a pipeline ends in."""
    kind = ""
    while isinstance(getattr(model, "steps", None), list) and model.steps:
        kind, model = f"{kind}{type(model).__name__} that ends in ", model.steps[-1][1]
    return kind + model_name(model)


def _name(where: str, model: AnyModel) -> str:
    """Name an acceptor for people: where it was given, and what it is or ends in."""
    return where if where == "the model" else f"{where} ({kind_of(model).split(' ')[-1]})"


def _positive(model: AnyModel, positive: object, where: str) -> object:
    """The class of a model that counts as accepted: 1 where it has no labels of its own."""
    if is_detector(model):
        if where == "model" and positive is not None:
            return positive
        return 1
    if where == "model" or hasattr(model, "classes_"):
        return positive_class(model, positive)
    return 1  # of a function, or of a network


def _needed(at_least: float | None, count: int) -> int:
    """How many of those beside the model have to accept."""
    if at_least is None:
        return count
    number = isinstance(at_least, Real) and not isinstance(at_least, bool)
    if not number or not 0 < at_least <= 1:
        raise InputError(f"at_least is {at_least!r}; it must be a share above 0, up to 1, such as 0.9")
    if not count:
        raise InputError("at_least is given, but there is nobody in also=; name them, or leave it out")
    return max(1, ceil(at_least * count - SLACK))
