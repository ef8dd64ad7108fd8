"""The question as frozen plain data: rows as codes, a classifier, a budget of changes, allowed moves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import Argument, InputError
from oneformany.oracles.protocol import Oracle, Question
from oneformany.problem.costs import Costs
from oneformany.problem.goal import MOST_PEOPLE
from oneformany.problem.own import OwnValues
from oneformany.problem.slack import NOTHING, Alone, Slack
from oneformany.schema.encoding import as_table, code_faults
from oneformany.schema.feature import is_integer

Share = Literal["point", "action", "features"]

MOST_LEVELS = 2**20  # of a feature: what a result file carries
LARGEST_SUM = 2**62  # sums of integers stay below, with room for one more step


class Restriction(Protocol):
    """A rule on the whole of a changed row, beyond what one feature may do.

    Examples
    --------
    >>> import numpy as np
    >>> class OnlyOne:
    ...     def holds(self, before, after):
    ...         return (before != after).sum(axis=1) <= 1
    >>> rule: Restriction = OnlyOne()
    >>> rule.holds(np.array([[0, 0]]), np.array([[1, 1]])).tolist()
    [False]
    """

    def holds(self, before: IntArray, after: IntArray) -> BoolArray:
        """Whether each row of ``(n, p)`` cells may become what it is afterwards."""
        ...


@runtime_checkable
class NumberRestriction(Protocol):
    """A rule on the whole of a changed row that looks at numbers too, of which a cell may hold several.

    Examples
    --------
    >>> import numpy as np
    >>> class AtMostTen:
    ...     numbers = {0: np.array([5.0, 10.0, 15.0])}
    ...
    ...     def holds(self, before, after, numbers):
    ...         return numbers[0] <= 10
    >>> isinstance(AtMostTen(), NumberRestriction)
    True
    """

    @property
    def numbers(self) -> Mapping[int, FloatArray]:
        """For each feature that it looks at the number of each value that the classifier reads."""
        ...

    def holds(self, before: IntArray, after: IntArray, numbers: Mapping[int, FloatArray]) -> BoolArray:
        """Whether each row of ``(n, p)`` cells may become what it is then, with these numbers.

        A rule whose ``looks_back`` is true is given the numbers before as well.
        """
        ...


AnyRestriction = Restriction | NumberRestriction


@dataclass(frozen=True, eq=False)
class Problem:
    """Cover every row with as few explanations as possible.

    Parameters
    ----------
    codes : (n, p) array of integers
        The rows to explain, one level per feature.
    levels : sequence of p integers
        Number of levels of each feature.
    oracle : Oracle
        The classifier on codes.
    max_changes : int
        How many features one explanation may change.
    allowed : sequence of p matrices or None
        ``allowed[l][from, to]``: a row at level ``from`` of feature ``l`` may move to ``to``; ``None``
        for a feature, or for all, allows every move. Staying is always allowed.
    share : {"point", "action", "features"}
        What the rows of one explanation have in common.
    own : OwnValues or None
        The rows' own values, where ``codes`` are cells that hold several; the oracle then reads values.
    costs : Costs or None
        What a change costs; ``None``: one per changed feature of a row.
    restrictions : sequence of Restriction or NumberRestriction
        Rules on the whole of a changed row.
    people : (n,) array of integers or None
        How many people each given row stands for; ``None``: one.
    slack : float, str, Slack or None
        A row follows an explanation only if that costs it so much more at most than its cheapest way alone;
        ``None``: whatever it costs.
    alone : Alone or None
        These cheapest ways, where there is a slack and they are known; ``solve`` finds them.

    Attributes
    ----------
    rows : (d, p) array
        The distinct rows: no two have the same values.
    values : (d, p) array
        Their own values as the oracle reads them; the same as ``rows`` without own values.
    row_of : (n,) array
        For each given row its index in ``rows``.
    multiplicity : (d,) array
        How many people each distinct row stands for.
    moves : tuple of p boolean matrices or None
        ``moves[l][from, to]``, with staying allowed; ``None`` for a feature all of whose moves are allowed.

    Examples
    --------
    >>> from oneformany import AdditiveOracle, solve
    >>> oracle = AdditiveOracle([[0, 1], [0, 1], [0, 1]], intercept=-2)
    >>> problem = Problem([[0, 0, 0], [0, 0, 1], [0, 1, 0]], (2, 2, 2), oracle, max_changes=2)
    >>> solve(problem).count
    1
    """

    codes: IntArray
    levels: tuple[int, ...]
    oracle: Oracle
    max_changes: int
    allowed: Sequence[ArrayLike | None] | None = None
    share: Share = "point"
    own: OwnValues | None = None
    costs: Costs | None = None
    restrictions: Sequence[AnyRestriction] = ()
    people: ArrayLike | None = None
    slack: Slack | float | str | None = None
    alone: Alone | None = None
    rows: IntArray = field(init=False, repr=False)
    values: IntArray = field(init=False, repr=False)
    row_of: IntArray = field(init=False, repr=False)
    multiplicity: IntArray = field(init=False, repr=False)
    moves: tuple[BoolArray | None, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for fault in self._faults_of_types():
            raise InputError(fault)
        levels, codes = tuple(int(n) for n in self.levels), as_table(self.codes, "codes")
        for fault in self._faults(codes, levels):
            raise InputError(fault)
        if self.share not in get_args(Share):
            one_of = ", ".join(get_args(Share))
            raise InputError(Argument("share", bare=True), f" is {self.share!r}; it must be one of {one_of}")
        codes = codes.astype(np.int64)
        own = codes if self.own is None else self.own.values
        first, row_of = _distinct(own)
        people = checked_people(self.people, len(codes))
        multiplicity = np.zeros(len(first), dtype=np.int64)
        np.add.at(multiplicity, row_of, 1 if people is None else people)
        allowed = (None,) * len(levels) if self.allowed is None else self.allowed
        frozen = {
            "codes": codes,
            "levels": levels,
            "max_changes": checked_changes(self.max_changes, len(levels)),
            "restrictions": tuple(self.restrictions),
            "people": people,
            "slack": Slack.of(self.slack),
            "rows": np.ascontiguousarray(codes[first]),
            "values": np.ascontiguousarray(own[first]),
            "row_of": row_of,
            "multiplicity": multiplicity,
            "moves": tuple(map(_moves, range(len(levels)), allowed, levels)),
        }
        for name, value in frozen.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)
        if multiplicity.sum() > MOST_PEOPLE:
            raise InputError(
                f"people are {multiplicity.sum():,} together, {MOST_PEOPLE:,} are the most; count them in "
                "larger units, such as thousands"
            )
        if self.most_cost >= LARGEST_SUM:
            raise InputError(
                f"all people together could pay {self.most_cost:.2g}, which is too much to be added exactly; "
                "give costs in larger units, or fewer people"
            )

    @property
    def most_cost(self) -> float:
        """What everybody together pays at most: a sum that everything else stays below."""
        dearest = [1] * len(self.levels)
        if self.costs is not None:
            dearest = sorted((int(table.max(initial=0)) for table in self.costs.tables), reverse=True)
        people = len(self.codes) if self.people is None else np.sum(self.people, dtype=np.float64)
        return float(sum(dearest[: self.max_changes])) * float(people)

    def _faults_of_types(self) -> Iterator[str]:
        if not isinstance(self.levels, Iterable) or not all(is_integer(n, 0) for n in self.levels):
            yield f"levels must be a list of integers, one per feature, not {self.levels!r}"
        elif max(self.levels, default=0) > MOST_LEVELS:
            yield f"a feature has {max(self.levels):,} levels, {MOST_LEVELS:,} are the most; give it fewer"
        if not hasattr(self.oracle, "levels"):
            found = type(self.oracle).__name__
            yield f"oracle must be an Oracle, not {found}; oracle_for(model, schema) makes one of a model"
        for name, kind in (("own", OwnValues), ("costs", Costs)):
            if not isinstance(value := getattr(self, name), (kind, NoneType)):
                yield f"{name} must be {kind.__name__} or None, not {type(value).__name__}"

    def _faults(self, codes: IntArray, levels: tuple[int, ...]) -> Iterator[str]:
        yield from code_faults(codes, levels, range(len(levels)))
        own, costs = self.own, self.costs
        read = levels if own is None else tuple(len(cells) for cells in own.cell_of)
        if tuple(self.oracle.levels) != read:
            yield f"the classifier reads levels {tuple(self.oracle.levels)}, the problem has {read}"
        if own is not None:
            if own.values.shape != codes.shape or tuple(len(targets) for targets in own.targets) != levels:
                yield "own values must describe the same rows, features and cells as the codes"
            for row, feature in np.argwhere(own.cells != codes).tolist():
                yield f"row {row}, feature {feature}: the own value does not lie in the row's cell"
        sizes = levels if costs is None else tuple(len(table) for table in costs.tables)
        if sizes != levels:
            yield f"costs are for features of {sizes} levels, the problem has features of {levels}"
        if self.allowed is not None and len(self.allowed) != len(levels):
            yield f"allowed has {len(self.allowed)} matrices for {len(levels)} features"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.levels)

    @property
    def width(self) -> int:
        """Largest number of levels of a feature."""
        return max(self.levels)

    @property
    def plain(self) -> bool:
        """Whether rows share a point, are what their cells are, and no rule looks at whole rows."""
        return self.share == "point" and self.own is None and not self.restrictions and self.slack is None

    @property
    def restricted(self) -> bool:
        """Whether moves and the classifier alone do not say who may follow an explanation."""
        return len(self.restrictions) > 0 or self.most_paid is not None

    @property
    def cost_matters(self) -> bool:
        """Whether the least cost is of interest unasked: costs are given, or rows go to different points."""
        return self.costs is not None or self.share != "point"

    @cached_property
    def most_paid(self) -> IntArray | None:
        """What each distinct row pays at most for following an explanation, where that is limited."""
        alone = self.alone
        if alone is None or not isinstance(self.slack, Slack):
            return None
        scale = 1 if self.costs is None else self.costs.scale
        most = self.slack.most(self.paid(self.rows, alone.ends), scale)
        return np.where(alone.known, most, NOTHING)

    @property
    def unasked(self) -> BoolArray:
        """Distinct rows of which it is not known what they pay at least: they follow nothing, undecided."""
        if self.alone is None:
            return np.zeros(len(self.rows), dtype=np.bool_)
        return ~(self.alone.known | self.alone.beyond)

    def paid(self, before: IntArray, after: IntArray) -> IntArray:
        """What rows pay for moving from ``(m, p)`` cells to others."""
        return (before != after).sum(axis=1) if self.costs is None else self.costs.of(before, after)

    @cached_property
    def ruled(self) -> BoolArray:
        """Which features have a rule: some move between existing levels is forbidden."""
        return np.array([matrix is not None for matrix in self.moves])

    @cached_property
    def by_feature(self) -> IntArray:
        """The distinct rows, feature by feature and in small integers: quick to compare with one level."""
        return np.ascontiguousarray(self.rows.T.astype(np.min_scalar_type(self.width)))

    @cached_property
    def exists(self) -> BoolArray:
        """``(p, max levels)``: which levels each feature has."""
        return np.arange(self.width) < np.array(self.levels)[:, None]

    def may_move(self, rows: IntArray, point: IntArray) -> BoolArray:
        """Which features of ``(m, p)`` rows may take the level that the point, or their own, has there."""
        may = np.ones(rows.shape, dtype=np.bool_)
        for feature, matrix in enumerate(self.moves):
            if matrix is not None:
                may[:, feature] = matrix[rows[:, feature], point[..., feature]]
        return may

    def permits(
        self, rows: IntArray, after: IntArray, restrictions: Sequence[AnyRestriction] | None = None
    ) -> BoolArray:
        """Whether distinct rows may go to ``(m, p)`` cells by rules on whole rows, and for what they pay.

        ``restrictions`` are others than those of the problem.
        """
        before, held = self.rows[rows], np.ones(len(rows), dtype=np.bool_)
        if self.most_paid is not None:
            held &= self.paid(before, after) <= self.most_paid[rows]
        ends: IntArray | None = None
        for rule in self.restrictions if restrictions is None else restrictions:
            if not isinstance(rule, NumberRestriction):
                held &= rule.holds(before, after)
                continue
            if ends is None:
                ends = after
                if self.own is not None:
                    ends = self.own.follow(self.values[rows], after, np.array(True))
            numbers = {feature: of[ends[:, feature]] for feature, of in rule.numbers.items()}
            told: list[Any] = [numbers]
            if getattr(rule, "looks_back", False):
                own = self.values[rows]
                told.append({feature: of[own[:, feature]] for feature, of in rule.numbers.items()})
            held &= rule.holds(before, after, *told)
        return held

    def domain(self, anchor: IntArray) -> BoolArray:
        """``(p, max levels)``: the levels that each feature of a row may take."""
        domain = self.exists.copy()
        for feature, matrix in enumerate(self.moves):
            if matrix is not None:
                domain[feature, : len(matrix)] = matrix[anchor[feature]]
        return domain

    def targets(self, row: int, moves: Sequence[BoolArray | None] | None = None) -> BoolArray:
        """``(p, values)``: what each feature of a distinct row may take, its own value or a cell's target.

        ``moves`` are allowed moves between cells other than those of the problem.
        """
        domain = np.zeros((self.n_features, max(self.oracle.levels)), dtype=np.bool_)
        for feature, cell in enumerate(self.rows[row].tolist()):
            matrix = (self.moves if moves is None else moves)[feature]
            there = np.arange(self.levels[feature]) if matrix is None else np.flatnonzero(matrix[cell])
            there = there[there != cell]
            values = there if self.own is None else self.own.targets[feature][there]
            domain[feature, values[values >= 0]] = True
        domain[np.arange(self.n_features), self.values[row]] = True
        return domain

    def cells_of(self, values: IntArray) -> IntArray:
        """The cells of a point that an oracle gave in values."""
        if self.own is None:
            return values
        return np.array([of[value] for of, value in zip(self.own.cell_of, values, strict=True)])

    def question(self, row: int) -> Question:
        """Ask for a positive point near a distinct row, with all changes to spend."""
        free = np.zeros(self.n_features, dtype=np.bool_)
        return Question(self.values[row], free, self.max_changes, self.targets(row))


def checked_problem(given: object) -> Problem:
    """Refuse what is not a problem."""
    if not isinstance(given, Problem):
        raise InputError(
            f"problem must be a Problem, not {type(given).__name__}; an explainer makes one of a frame: "
            "explainer.problem(frame)"
        )
    return given


def checked_changes(max_changes: int, n_features: int | None = None) -> int:
    """Refuse a number of changes that is not an integer of at least 1, or is more than so many features."""
    if not is_integer(max_changes, 1) or (n_features is not None and max_changes > n_features):
        span = "of at least 1" if n_features is None else f"from 1 to {n_features}, the number of features"
        raise InputError(
            Argument("max_changes", bare=True), f" is {max_changes!r}; it must be an integer {span}"
        )
    return int(max_changes)


def checked_people(people: ArrayLike | None, n_rows: int) -> IntArray | None:
    """Refuse numbers of people that are not one integer of at least 1 per row."""
    if people is None:
        return None
    counts = as_table(people, "people")
    if counts.shape != (n_rows,) or not np.issubdtype(counts.dtype, np.integer) or (counts < 1).any():
        raise InputError(f"people must be {n_rows} integers of at least 1, one per row")
    if (counts > MOST_PEOPLE).any():
        row = int((counts > MOST_PEOPLE).argmax())
        raise InputError(
            f"people of row {row} are {counts[row]:,}, and {MOST_PEOPLE:,} are the most of all together; "
            "count them in larger units, such as thousands"
        )
    return counts.astype(np.int64)


def _distinct(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Where each distinct row appears first, and which of them each row is."""
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[inverse.ravel()]


def _moves(feature: int, given: ArrayLike | None, n: int) -> BoolArray | None:
    """The allowed moves of one feature, with staying; ``None`` when that forbids nothing."""
    if given is None:
        return None
    matrix = np.asarray(given)
    if matrix.shape != (n, n):
        raise InputError(f"allowed[{feature}] has shape {matrix.shape}; feature {feature} needs ({n}, {n})")
    if matrix.dtype != np.bool_ and not np.isin(matrix, (0, 1)).all():
        raise InputError(f"allowed[{feature}] must hold only true and false")
    if matrix.dtype != np.bool_ or not _frozen(matrix) or not matrix.diagonal().all():
        matrix = matrix.astype(np.bool_)
        np.fill_diagonal(matrix, val=True)
        matrix.flags.writeable = False
    return None if matrix.all() else matrix


def _frozen(array: object) -> bool:
    """Whether nobody can change this array, or one whose memory it shows: it need not be copied."""
    while hasattr(array, "base"):
        if hasattr(array, "flags") and array.flags.writeable:
            return False
        array = array.base
    return array is None
