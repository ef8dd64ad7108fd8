"""What an explanation is, for the paper's compact model and its pricing problem, and what may be chosen.

Numbers in parentheses are the paper's. ``x`` are its ``v``, the one-hot columns of the point; ``member`` its
``a`` (compact model) or ``z`` (pricing); ``changed`` its ``f``.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.engine.columns import Column
from oneformany.engine.pricing.space import SearchSpace
from oneformany.exceptions import InputError, SolverError
from oneformany.paper.methods.embeddings import Embedding, require_positive
from oneformany.paper.methods.model import Model

ENTRIES = 13  # coefficients of the compact model per explanation, row and one-hot column; others are few
Pricing = Literal["published", "compact"]


@dataclass(frozen=True)
class CompactOptions:
    """Parameters of the compact model; the defaults add no constraint to the published ones."""

    break_symmetry: bool = False  # number the explanations by their first row, used ones first
    # Do not declare d, xi and gamma binary, as the paper does: values of the other variables that have a
    # solution have one in which these are integers.
    relax_implied: bool = True
    merge_initial: bool = True  # rows share each other's points at the start: the paper's K is smaller
    # Share of its work that HiGHS spends on looking for solutions, from 0 to 1; None: 0.05, its own choice.
    effort: float | None = 0.5
    solver: str = "highs"  # who solves: highs, gurobi, scip

    def __post_init__(self) -> None:
        if self.effort is not None and not 0.0 <= self.effort <= 1.0:
            raise InputError(f"effort is {self.effort}; it must be a share from 0 to 1, or None")


@dataclass(frozen=True)
class CgOptions:
    """Parameters of column generation; the defaults are the paper with all its refinements."""

    pricing: Pricing = "published"  # as printed, or "compact": a single constraint per row and feature
    fix_point: bool = True  # look for the largest group of the point just found
    fix_members: bool = True  # look for a point for the group just found, and as many rows more as possible
    all_solutions: bool = True  # take every violating column that the solver meets, not only its last
    pool: bool = True  # keep columns that do not violate yet, and look there first under other duals
    stop_at: float | None = None  # end the solver at a column of this weight, above 1; None: solve to the end
    merge_initial: bool = True  # rows share each other's points at the start
    solver: str = "highs"  # who solves the pricing problems and the final cover

    def __post_init__(self) -> None:
        if self.pricing not in get_args(Pricing):
            raise InputError(f'pricing is {self.pricing!r}; it must be "published" or "compact"')
        if self.stop_at is not None and not self.stop_at > 1.0:
            raise InputError(f"stop_at is {self.stop_at}; a column is of use only above 1")


class Explanations:
    """``count`` explanations of the rows of a space in a program, without bounds on their changes.

    Positive points (2) with one level per feature (6), and members that may move there.
    """

    def __init__(self, space: SearchSpace, embedding: Embedding, count: int = 1) -> None:
        self.space, self.embedding, self.model = space, embedding, Model()
        self.x = embedding.one_hot.add_point(self.model, count)  # (K, columns): one-hot columns of the points
        self.member = self.model.add_variables(count, len(space.rows))  # (K, n): whether a row is explained
        hidden = []
        for point in self.x:
            first = self.model.size
            score = embedding.add(self.model, point)
            hidden.append(np.arange(first, self.model.size))
            require_positive(self.model, score, embedding.threshold)
        self.hidden = np.array(hidden)  # (K, ...): variables inside the classifiers
        self._forbid_moves()
        # (K, p): whether a feature changes
        self.changed = self.model.add_variables(count, space.problem.n_features)

    def _forbid_moves(self) -> None:
        """``member_i <= [x_l is a level where row i may go]`` wherever there is a rule."""
        one_hot, space = self.embedding.one_hot, self.space
        for feature in one_hot.variable:
            if (moves := space.problem.moves[feature]) is not None:
                for member, x in zip(self.member, self.x, strict=True):
                    one_hot.add_rows(self.model, member, 1.0, x, feature, moves[space.rows[:, feature]])

    def column(self, values: FloatArray, k: int = 0) -> Column | None:
        """Read an explanation off a solution; ``None`` when the classifier itself turns its point down."""
        problem = self.space.problem
        point, group = self.point(values, k), np.flatnonzero(values[self.member[k]] > 0.5)
        if not problem.oracle.positive(point[None])[0]:
            return None
        given = self.space.rows[group]
        changed = (given != point).any(axis=0)
        if changed.sum() > problem.max_changes or not problem.may_move(given, point).all():
            raise SolverError(
                f"the solver explains rows {self.space.helpable[group].tolist()} by the point "
                f"{point.tolist()}, which breaks its own constraints; try another solver"
            )
        return Column(point, changed, group)

    def point(self, values: FloatArray, k: int = 0) -> IntArray:
        """Read a point off a solution."""
        return self.embedding.one_hot.decode(values[self.x[k]])

    def exclude(self, point: IntArray) -> None:
        """Forbid one point to each explanation: at least one feature takes another level."""
        one_hot = self.embedding.one_hot
        taken = (one_hot.variable, point[one_hot.variable])
        upper = len(one_hot.variable) - 1 - float(one_hot.offset[taken].sum())
        self.model.add_rows(self.x, one_hot.level[taken].sum(axis=0), upper=upper)


class CompactExplanation(Explanations):
    """One explanation with a single constraint per row and feature.

    A member keeps its level or the feature changes: ``member_i <= [x_l is i's level] + changed_l``.
    """

    def __init__(self, space: SearchSpace, embedding: Embedding) -> None:
        super().__init__(space, embedding)
        one_hot = embedding.one_hot
        for feature in one_hot.variable:
            own = space.rows[:, [feature]] == np.arange(one_hot.levels[feature])
            columns = np.stack(np.broadcast_arrays(self.member[0], self.changed[0, feature]), axis=1)
            one_hot.add_rows(self.model, columns, [1.0, -1.0], self.x[0], feature, own)


class PublishedExplanations(Explanations):
    """Explanations as published: (2), (3) as linearised by (11)-(14), (4), (6), (9), (10).

    ``integer`` declares ``d``, ``xi`` and ``gamma`` binary, as published; they are integers without it.
    """

    def __init__(
        self, space: SearchSpace, embedding: Embedding, count: int = 1, *, integer: bool = True
    ) -> None:
        super().__init__(space, embedding, count)
        model, one_hot = self.model, embedding.one_hot
        shape = (count, len(space.rows), one_hot.width)
        # (K, columns), the paper's d: a column changes for some member
        self.used = model.add_variables(count, one_hot.width, integer=integer)
        # (K, n, columns), its xi and gamma: row and point differ in a column; and the row is a member
        self.differs = differs = model.add_variables(*shape, integer=integer)
        self.both = both = model.add_variables(*shape, integer=integer)

        def flat(*arrays: IntArray) -> IntArray:
            return np.stack([np.broadcast_to(array, shape).ravel() for array in arrays], axis=1)

        points, members, columns = self.x[:, None, :], self.member[:, :, None], self.used[:, None, :]
        given = np.broadcast_to(one_hot.encode(space.rows), shape).ravel()
        # (9), (10): differs >= |given - x|
        model.add_rows(flat(points, differs), [1.0, 1.0], lower=given)
        model.add_rows(flat(points, differs), [1.0, -1.0], upper=given)
        # (11)-(14): used >= both = differs and member
        model.add_rows(flat(columns, both), [1.0, -1.0], lower=0.0)
        model.add_rows(flat(both, differs), [1.0, -1.0], upper=0.0)
        model.add_rows(flat(both, members), [1.0, -1.0], upper=0.0)
        model.add_rows(flat(both, differs, members), [1.0, -1.0, -1.0], lower=-1.0)
        # (4): |T_l| changed_l >= sum of used over the columns of l
        for feature in one_hot.variable:
            block = np.flatnonzero(one_hot.feature == feature)
            coefficients = np.append(-np.ones(len(block)), float(len(block)))
            every = np.column_stack([self.used[:, block], self.changed[:, feature]])
            model.add_rows(every, coefficients, lower=0.0)


class CompactModel(PublishedExplanations):
    """The compact model (1)-(14), with as many explanations as a known solution has, to start from."""

    def __init__(
        self, space: SearchSpace, known: list[Column], embedding: Embedding, options: CompactOptions
    ) -> None:
        self.known, count, most = known, len(known), float(space.problem.max_changes)
        super().__init__(space, embedding, count, integer=not options.relax_implied)
        model, member = self.model, self.member
        self.active = active = model.add_variables(count)
        # (5): at most max_changes features per explanation, none for an unused one
        budget = np.append(np.ones(space.problem.n_features), -most)
        model.add_rows(np.column_stack([self.changed, active]), budget, upper=0.0)
        # (7), (8): every row has an explanation, and only one that is used
        model.add_rows(member.T, 1.0, lower=1.0)
        owners = np.repeat(active, len(space.rows))
        model.add_rows(np.column_stack([member.ravel(), owners]), [1.0, -1.0], upper=0.0)
        if options.break_symmetry:
            self.known = sorted(known, key=lambda column: int(column.rows[0]))
            model.add_rows(np.column_stack([active[:-1], active[1:]]), [1.0, -1.0], lower=0.0)
            model = model.fixed(member[np.arange(len(space.rows)) < np.arange(count)[:, None]], 0.0)
        # (1): as few as possible
        self.model = model.towards(active, 1.0)

    def start(self) -> FloatArray:
        """Write the known solution in the variables; all others are 0."""
        values, encode = np.zeros(self.model.size), self.embedding.one_hot.encode
        given = encode(self.space.rows)
        values[self.active] = 1.0
        for k, column in enumerate(self.known):
            point = encode(column.point)[0]
            member = np.isin(np.arange(len(self.space.rows)), column.rows)
            differs = np.abs(given - point)
            values[self.x[k]] = point
            values[self.hidden[k]] = self.embedding.hidden(column.point)
            values[self.member[k]] = member
            values[self.changed[k]] = column.changed
            values[self.differs[k]] = differs
            values[self.both[k]] = differs * member[:, None]
            values[self.used[k]] = (differs * member[:, None]).max(axis=0)
        return values

    def columns(self, values: FloatArray) -> list[Column] | None:
        """Read a solution; ``None``, and the point excluded, when the classifier turns a point down."""
        found: list[Column] = []
        for k in np.flatnonzero(values[self.active] > 0.5).tolist():
            column = self.column(values, k)
            if column is None:
                self.exclude(self.point(values, k))
                return None
            found.append(column)
        return found
