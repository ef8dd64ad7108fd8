"""Rules on a schema: allowed moves, restrictions on rows, contradictions and rules without effect."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from oneformany.arrays import BoolArray, IntArray
from oneformany.exceptions import InputError
from oneformany.schema.rules.moves import AtMostSteps, Immutable, OnlyDecrease, OnlyIncrease, Range
from oneformany.schema.rules.rows import Linked, NotTogether, Observed
from oneformany.schema.rules.rule import CellRule, RowRule, Rule
from oneformany.schema.schema import Schema, suggestion

MOVES_ALONE = (Immutable, OnlyIncrease, OnlyDecrease, AtMostSteps, Range, Linked, NotTogether, Observed)
KNOWN = (
    "Immutable, OnlyIncrease, OnlyDecrease, Forbid, AtMostSteps, Range, NeverTarget, Implies, Linked, "
    "NotTogether or Observed"
)


def check_rules(rules: Sequence[Rule | RowRule], names: Sequence[str] | None = None) -> None:
    """Check what can be checked before anything is known about cells.

    Raises
    ------
    InputError
        Something is not a rule, names a feature that is none of ``names``, or contradicts another rule.
    """
    if isinstance(rules, (Rule, RowRule, str)) or not isinstance(rules, Sequence):
        raise InputError(f"rules must be a list of rules, not {rules!r}")
    for rule in rules:
        if isinstance(rule, type) or not isinstance(rule, (Rule, RowRule)):
            raise InputError(f"{rule!r} is not a rule; use {KNOWN}")
    up = {rule.feature for rule in rules if isinstance(rule, OnlyIncrease)}
    down = {rule.feature for rule in rules if isinstance(rule, OnlyDecrease)}
    if both := sorted(up & down):
        raise InputError(
            f"feature {both[0]!r} may only increase and only decrease; if it shall not change, say Immutable"
        )
    if names is None:
        return
    for rule in rules:
        about = (rule.feature,) if isinstance(rule, Rule) else rule.features
        for name in about:
            if name not in names:
                raise InputError(
                    f"{rule!r}: there is no feature {name!r}{suggestion(str(name), list(names))}"
                )


def named_by_value(rules: Sequence[Rule | RowRule]) -> frozenset[str]:
    """Name the features of which rules may name single values, which then must not share a cell.

    All rules but those that speak of moves alone count, rules of one's own too.
    """
    named: set[str] = set()
    for rule in rules:
        if not isinstance(rule, MOVES_ALONE):
            named.update((rule.feature,) if isinstance(rule, Rule) else rule.features)
    return frozenset(named)


def allowed_moves(schema: Schema, rules: Sequence[Rule | RowRule]) -> list[BoolArray | None]:
    """Combine rules on single features into one matrix ``[from, to]`` each; ``None`` where there is no rule.

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
    moves: list[BoolArray | None] = [None] * len(schema.features)
    for rule in rules:
        if not isinstance(rule, Rule):
            continue
        index = schema.index(rule.feature)
        feature = schema.features[index]
        matrix = np.asarray(rule.allowed(feature), dtype=np.bool_)
        before = moves[index]
        combined = matrix if before is None else before & matrix
        moves[index] = combined
        n = feature.n_levels
        if n > 1 and _n_moves(combined) == (n * (n - 1) if before is None else _n_moves(before)):
            warnings.warn(
                f"the rule {rule!r} has no effect: it forbids nothing more; drop it",
                UserWarning,
                stacklevel=2,
            )
    return moves


def restrictions_of(
    schema: Schema,
    rules: Sequence[Rule | RowRule],
    reference: IntArray,
    allowed: Sequence[BoolArray | None] | None = None,
) -> tuple[CellRule, ...]:
    """Write the rules on whole rows in cells, given those of the reference data.

    With ``allowed`` moves, rules that meet only features which cannot move are named in a warning.
    """
    found = []
    for rule in rules:
        if isinstance(rule, RowRule) and not isinstance(rule, Rule):
            found.append(rule.restriction(schema, reference))
            _warn_of_stuck(schema, rule, allowed)
    return tuple(found)


def _warn_of_stuck(schema: Schema, rule: RowRule, allowed: Sequence[BoolArray | None] | None) -> None:
    stuck = [name for name in rule.features if _is_stuck(schema, schema.index(name), allowed)]
    free = [name for name in rule.features if name not in stuck]
    if isinstance(rule, NotTogether) and len(free) < 2:
        warnings.warn(
            f"the rule {rule!r} has no effect: {', '.join(map(repr, stuck))} cannot change anyway; drop it",
            UserWarning,
            stacklevel=3,
        )
    if isinstance(rule, Linked) and stuck and free:
        held = [rule.features[0]] if rule.one_way else free
        if any(name in free for name in held):
            warnings.warn(
                f"by the rule {rule!r}, {', '.join(map(repr, held))} cannot change either, as {stuck[0]!r} "
                "cannot; say Immutable if that is meant",
                UserWarning,
                stacklevel=3,
            )


def _is_stuck(schema: Schema, index: int, allowed: Sequence[BoolArray | None] | None) -> bool:
    matrix = None if allowed is None else allowed[index]
    return schema.levels[index] == 1 or (matrix is not None and not _n_moves(matrix))


def _n_moves(matrix: BoolArray) -> int:
    """Count what is allowed, but for staying in a level; without a matrix beside this one."""
    return int(np.count_nonzero(matrix)) - int(np.count_nonzero(matrix.diagonal()))
