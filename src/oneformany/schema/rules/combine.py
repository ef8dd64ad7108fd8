"""What rules are; rules together: checked, read from a file, put on a schema as moves and restrictions."""

import os
import warnings
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, Protocol, runtime_checkable

import numpy as np

from oneformany.anything import AnyValue
from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.files import read_by_hand
from oneformany.schema.feature import Feature, suggestion
from oneformany.schema.rules import compared, moves, rows
from oneformany.schema.rules.compared import NumberRule
from oneformany.schema.rules.distance import AtMost
from oneformany.schema.rules.moves import Immutable, OnlyDecrease, OnlyIncrease
from oneformany.schema.rules.rows import CellRule, Linked, NotTogether
from oneformany.schema.schema import Schema


@runtime_checkable
class Rule(Protocol):
    """A rule on one feature.

    Examples
    --------
    >>> from oneformany import Immutable
    >>> rule: Rule = Immutable("housing")
    >>> rule.feature
    'housing'
    """

    @property
    def feature(self) -> Hashable:
        """Name of the feature."""
        ...

    def allowed(self, feature: Feature) -> BoolArray:
        """Say for each pair of levels whether a row may move ``[from, to]``."""
        ...


@runtime_checkable
class RowRule(Protocol):
    """A rule on whole changed rows.

    Examples
    --------
    >>> from oneformany import Linked
    >>> rule: RowRule = Linked("job", "income")
    """

    @property
    def features(self) -> tuple[Hashable, ...]:
        """Names of the features it is about; none: all."""
        ...

    def restriction(self, schema: Schema, reference: IntArray) -> CellRule:
        """Write the rule in cells; ``reference`` holds the cells of the reference data."""
        ...


@runtime_checkable
class ComparingRule(Protocol):
    """A rule on whole changed rows that looks at numbers, of which a cell may hold several.

    Examples
    --------
    >>> from oneformany import AtLeast
    >>> rule: ComparingRule = AtLeast("age", "work", plus=14)
    >>> rule.compared
    ('age', 'work')
    """

    @property
    def compared(self) -> tuple[Hashable, ...]:
        """Names of the features whose numbers it compares; perhaps none."""
        ...

    def restriction(
        self, schema: Schema, reference: IntArray, numbers: Mapping[int, FloatArray] | None = None
    ) -> CellRule | NumberRule:
        """Write the rule in cells and ``numbers``: for each of these features one for each of its values."""
        ...


AnyRule = Rule | RowRule
FEATURES = "a list of features is needed"
BY_FEATURE = "one table is needed, begun by [...], with a line for each feature"
TABLES = "a list of tables is needed, each begun by [[...]]"
PARTS: dict[str, tuple[str, type[Any]]] = {  # of a TOML file
    "immutable": (FEATURES, Immutable),
    "only_increase": (FEATURES, OnlyIncrease),
    "only_decrease": (FEATURES, OnlyDecrease),
    "at_most_steps": (BY_FEATURE, moves.AtMostSteps),
    "range": (BY_FEATURE, moves.Range),
    "never_target": (BY_FEATURE, moves.NeverTarget),
    "forbid": (TABLES, moves.Forbid),
    "implies": (TABLES, rows.Implies),
    "linked": (TABLES, Linked),
    "not_together": (TABLES, NotTogether),
    "observed": (TABLES, rows.Observed),
    "at_least": (TABLES, compared.AtLeast),
    "at_most": (BY_FEATURE, AtMost),
}
LOOKING = {
    "never_target",
    "forbid",
    "implies",
    "observed",
    "at_least",
    "at_most",
}  # at values, not only at whether they move
MOVES_ALONE = tuple(made for kind, (_, made) in PARTS.items() if kind not in LOOKING)


def check_rules(rules: Sequence[AnyRule], names: Sequence[str] | None = None) -> None:
    """Refuse what is not a rule, names a feature that is not one of these, or contradicts another rule."""
    if isinstance(rules, (Rule, RowRule, str)) or not isinstance(rules, Sequence):
        raise InputError(f"rules must be a list of rules, not {rules!r}")
    for rule in rules:
        if isinstance(rule, type) or not isinstance(rule, (Rule, RowRule)):
            *others, last = (made.__name__ for _, made in PARTS.values())
            raise InputError(
                f'{rule!r} is not a rule; use {", ".join(others)} or {last}, such as Immutable("age")'
            )
    up, down = (
        {str(rule.feature) for rule in rules if isinstance(rule, way)} for way in (OnlyIncrease, OnlyDecrease)
    )
    if both := sorted(up & down):
        raise InputError(
            f"feature {both[0]!r} may only increase and only decrease; if it shall stay, make it immutable"
        )
    for rule in rules:
        for name in _about(rule):
            if names is not None and name not in names:
                several = isinstance(getattr(rule, "feature", None), (list, tuple, set))
                hint = "; give one rule for each feature" if several else suggestion(name, names)
                raise InputError(f'the rule "{rule}": there is no feature {name!r}{hint}')


def named_by_value(rules: Sequence[AnyRule], names: Collection[str] = ()) -> frozenset[str]:
    """Name the features of which rules, one's own too, look at values, which must not share a cell then.

    A rule that names no features is about all of these ``names``.
    """
    looking = [rule for rule in rules if not isinstance(rule, MOVES_ALONE)]
    return frozenset(name for rule in looking for name in _about(rule) or names)


def compared_names(rules: Sequence[object]) -> frozenset[str]:
    """Name the features whose numbers rules compare, which must not share a value then."""
    comparing = (rule for rule in rules if isinstance(rule, ComparingRule))
    return frozenset(str(name) for rule in comparing for name in rule.compared)


def _about(rule: AnyRule) -> list[str]:
    """Name the features of a rule, by texts as schemas do, also where columns are numbered."""
    return list(map(str, (rule.feature,) if isinstance(rule, Rule) else rule.features))


def allowed_moves(schema: Schema, rules: Sequence[AnyRule]) -> list[BoolArray | None]:
    """Combine rules on single features into one matrix ``[from, to]`` each; ``None`` where there is no rule.

    A matrix may be a view that cannot be written to; copy it to change it.

    Parameters
    ----------
    schema : Schema
        The features.
    rules : sequence of rules
        All of them hold; those on whole rows are left to :func:`restrictions_of`.

    Raises
    ------
    InputError
        A rule names an unknown feature or level, orders what has no order, or contradicts another.

    Examples
    --------
    >>> from oneformany import Feature, Immutable, Schema
    >>> schema = Schema((Feature("sex", ("f", "m")), Feature("housing", ("rent", "own"))))
    >>> allowed_moves(schema, [Immutable("sex")])
    [array([[ True, False],
           [False,  True]]), None]
    """
    check_rules(rules)
    combined: list[BoolArray | None] = [None] * len(schema.features)
    for rule in rules:
        if not isinstance(rule, Rule):
            continue
        at = schema.index(rule.feature)
        n, before = schema.levels[at], combined[at]
        matrix = np.asarray(rule.allowed(schema.features[at]), dtype=np.bool_)
        if matrix.shape != (n, n):
            raise InputError(f'the rule "{rule}" allows moves of shape {matrix.shape}; {n} x {n} are needed')
        combined[at] = matrix = matrix if before is None else before & matrix
        left, words = _n_moves(matrix), ""
        chooses = isinstance(rule, moves.Range) and schema.features[at].binned  # the numbers that bins offer
        if left == (n * (n - 1) if before is None else _n_moves(before)) and not chooses:
            words = f'the rule "{rule}" has no effect: it forbids nothing more; drop it'
        elif not left and not isinstance(rule, Immutable):
            words = (
                f'by the rule "{rule}", {rule.feature} has nowhere to go; if that is meant, make it immutable'
            )
        if words and n > 1:
            warnings.warn(words, UserWarning, stacklevel=2)
    return combined


def restrictions_of(
    schema: Schema,
    rules: Sequence[AnyRule],
    reference: IntArray,
    allowed: Sequence[BoolArray | None],
    numbers: Mapping[int, FloatArray] | None = None,
) -> tuple[CellRule | NumberRule, ...]:
    """Write the rules on whole rows in cells, given those of the reference data and the allowed moves.

    ``numbers`` are those of the values of compared features; without them levels stand for numbers. Rules
    that meet only features which cannot move are named in a warning.
    """
    still = {
        name
        for name, n, matrix in zip(schema.names, schema.levels, allowed, strict=True)
        if n == 1 or (matrix is not None and not _n_moves(matrix))
    }
    found = list[CellRule | NumberRule]()
    for rule in rules:
        if isinstance(rule, RowRule) and not isinstance(rule, Rule):
            if isinstance(rule, ComparingRule):
                found.append(rule.restriction(schema, reference, numbers))
            else:
                found.append(rule.restriction(schema, reference))
            if words := _effect(rule, still):
                warnings.warn(words, UserWarning, stacklevel=2)
    return tuple(found)


def _effect(rule: RowRule, still: set[str]) -> str | None:
    """Say what a rule does to nobody, or to features that could change without it."""
    names = _about(rule)
    stuck, free = ([name for name in names if (name in still) == there] for there in (True, False))
    if isinstance(rule, compared.AtLeast) and not free:
        return f'the rule "{rule}" has no effect: neither of them can change; drop it'
    if isinstance(rule, AtMost) and not free:
        return f'the rule "{rule}" has no effect: it cannot change; drop it'
    if isinstance(rule, NotTogether) and len(free) < 2:
        return f'the rule "{rule}" has no effect: {", ".join(stuck)} cannot change anyway; drop it'
    if isinstance(rule, Linked) and stuck and free and (not rule.one_way or names[0] in free):
        held = free[:1] if rule.one_way else free
        return (
            f'by the rule "{rule}", {", ".join(held)} cannot change either, as {stuck[0]} cannot; '
            "if that is meant, make it immutable"
        )
    return None


def _n_moves(matrix: BoolArray) -> int:
    """Count what is allowed, but for staying in a level; without a matrix beside this one."""
    return int(np.count_nonzero(matrix)) - int(np.count_nonzero(matrix.diagonal()))


def rules_from_toml(path: str | os.PathLike[str]) -> list[AnyRule]:
    """Read rules from a TOML file.

    Parameters
    ----------
    path : path
        For example::

            immutable = ["sex", "age"]
            only_increase = ["education"]
            at_most_steps = { savings = 1 }
            range = { amount = { low = 250, high = 10000 } }
            never_target = { job = ["unemployed"] }
            forbid = [{ feature = "housing", from = "own", to = "rent" }]
            implies = [{ if = { job = "unemployed" }, then = { income = "none" } }]
            linked = [{ features = ["amount", "duration"] }]
            not_together = [{ features = ["job", "housing"] }]
            observed = [{ features = ["job", "housing"], at_least = 5 }]
            at_least = [{ features = ["age", "work"], plus = 14 }]
            at_most = { income = 500, rent = "20%" }

    Raises
    ------
    InputError
        The file cannot be read, or holds something that is not a rule.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "rules.toml"
    >>> _ = file.write_text('immutable = ["sex"]')
    >>> rules_from_toml(file)
    [Immutable(feature='sex')]
    """
    rules: list[AnyRule] = []
    for kind, part in read_by_hand(path, "rules").items():
        if kind not in PARTS:
            raise InputError(f"{path}: {kind!r} is not a kind of rule{suggestion(kind, list(PARTS))}")
        try:
            rules += _read(part, *PARTS[kind])
        except InputError as error:
            raise InputError(f"{path}: the part {kind!r} cannot be read: {error}") from error
    return rules


def _read(part: AnyValue, needed: str, made: type[Any]) -> Iterator[AnyRule]:
    """Make the rules of a part of a TOML file; what a table may hold are the fields of its rule."""
    if not isinstance(part, Mapping if needed == BY_FEATURE else list):
        raise InputError(needed)
    known = {field.name.rstrip("_"): field for field in fields(made)}
    for entry in part.items() if isinstance(part, Mapping) else part:
        table = {"feature": entry} if needed == FEATURES else entry
        if needed == BY_FEATURE:
            name, value = entry
            if made is moves.Range and not isinstance(value, Mapping):
                raise InputError(f"{name} needs low = ... or high = ..., in braces")
            table = {"feature": name, **(value if isinstance(value, Mapping) else {list(known)[-1]: value})}
        if not isinstance(table, Mapping):
            raise InputError(needed)
        for key in table:
            if key not in known:
                raise InputError(f"{key!r} is not known there{suggestion(key, list(known))}")
        for key, field in known.items():
            if key not in table and field.default is MISSING:
                there = ", ".join(f"{name} = {value}" for name, value in table.items())
                raise InputError(f"{key!r} is missing beside {there}; it needs {' and '.join(known)}")
        given = {known[key].name: value for key, value in table.items()}
        yield made(*given.pop("features", ()), **given)
