"""Trees too large for a table of every level: a split asks whether a level lies in a run of levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from oneformany.arrays import BoolArray, FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.oracles.scored import finest_digits
from oneformany.oracles.trees.ensemble import LARGEST_UNITS, LEAF, TreeEnsemble
from oneformany.oracles.trees.run_kernels import LEFT, RIGHT, restricted


@dataclass(frozen=True, eq=False)
class Runs:
    """Sets of levels as runs of neighbours: of a set or, where that takes fewer, of the rest.

    Attributes
    ----------
    starts : (sets + 1,) integer array
        Where the runs of each set begin in ``first`` and ``last``; each set has one at least.
    first, last : (runs,) integer arrays
        The first level of each run, and the one after its last.
    rest : (sets,) boolean array
        Whether the runs are those of the levels that are not in the set.

    Examples
    --------
    >>> import numpy as np
    >>> runs = Runs.of(np.array([[True, True, False], [True, False, True]]))
    >>> runs.first.tolist(), runs.last.tolist(), runs.rest.tolist()
    ([0, 1], [2, 2], [False, True])
    """

    starts: IntArray
    first: IntArray
    last: IntArray
    rest: BoolArray

    @classmethod
    def of(cls, sets: BoolArray) -> Self:
        """Find the runs of some sets, ``(sets, levels)``."""
        wall = np.zeros((len(sets), 1), dtype=np.int8)
        edges = np.diff(np.concatenate([wall, sets.astype(np.int8), wall], axis=1), axis=1)
        count = (edges == 1).sum(axis=1)
        rest = sets[:, 0] & sets[:, -1] & (count > 1)  # one run less
        if rest.any():
            edges[rest] = np.diff(np.concatenate([wall, ~sets, wall], axis=1).astype(np.int8), axis=1)[rest]
        empty = ~edges.any(axis=1)
        which, first = np.nonzero(edges == 1)
        last = np.nonzero(edges == -1)[1]
        order = np.argsort(np.append(which, np.flatnonzero(empty)), kind="stable")
        nothing = np.zeros(int(empty.sum()), dtype=np.int64)
        counts = np.maximum((edges == 1).sum(axis=1), 1)
        starts = np.append(0, np.cumsum(counts)).astype(np.int64)
        return cls(starts, np.append(first, nothing)[order], np.append(last, nothing)[order], rest)

    @classmethod
    def joined(cls, parts: Sequence["Runs"]) -> Self:
        """Put sets one after the other."""
        sizes = np.cumsum([0, *(len(part.first) for part in parts)])
        starts = [part.starts[:-1] + size for part, size in zip(parts, sizes, strict=False)]
        lines = [np.concatenate([vars(part)[name] for part in parts]) for name in ("first", "last", "rest")]
        return cls(np.concatenate([*starts, sizes[-1:]]), *lines)


@dataclass(frozen=True, eq=False)
class RunTrees:
    """What :class:`~oneformany.oracles.trees.ensemble.TreeEnsemble` is, in memory that levels do not add to.

    A split that compares with several runs is several nodes, which may share a child.

    Attributes
    ----------
    levels : tuple of int
        Number of levels of each feature.
    nodes : (nodes, 5) integer array
        The feature, ``LEAF`` for leaves; the first level of the run, and the one after its last; the child of
        levels in the run, and that of all others.
    units : (nodes,) integer array
        What each leaf adds to the score; 0 for other nodes.
    roots : (trees,) integer array
        The root of each tree, which is the first of its nodes.
    intercept : int
        Added to every score, in units.
    digits : int
        Decimal digits of the grid.
    """

    levels: tuple[int, ...]
    nodes: NDArray[np.int32]
    units: IntArray
    roots: IntArray
    intercept: int
    digits: int

    @classmethod
    def grown(
        cls,
        levels: Sequence[int],
        splits: "Splits",
        value: FloatArray,
        roots: IntArray,
        intercept: float = 0.0,
    ) -> Self:
        """Make splits of sets into splits of runs, and put the values of leaves on a grid."""
        leaf = splits.feature == LEAF
        for node in np.flatnonzero(leaf & ~np.isfinite(value))[:1].tolist():
            number = int(np.searchsorted(roots, node, side="right")) - 1
            raise InputError(f"tree {number} has a leaf of value {value[node]}; refit the model")
        value = np.where(leaf, value, 0.0)
        largest = abs(intercept) + float(np.maximum.reduceat(np.abs(value), roots).sum())
        digits = finest_digits(largest, LARGEST_UNITS, "leaf values")
        begin, nodes = splits.nodes()
        units = np.zeros(len(nodes), dtype=np.int64)
        units[begin[:-1][leaf]] = np.rint(value[leaf] * 10**digits).astype(np.int64)
        return cls(
            tuple(int(n) for n in levels), nodes, units, begin[roots], round(intercept * 10**digits), digits
        )

    @classmethod
    def from_ensemble(cls, ensemble: TreeEnsemble) -> Self:
        """Write splits of sets of levels as splits of runs."""
        leaf, inner = ensemble.feature == LEAF, np.flatnonzero(ensemble.feature != LEAF)
        sets = [Runs.of(ensemble.left[[n], : ensemble.levels[ensemble.feature[n]]]) for n in inner.tolist()]
        number = np.zeros(len(leaf), dtype=np.int64)
        number[inner] = np.arange(len(inner))
        runs = Runs.joined(sets) if sets else Runs.of(np.zeros((0, 1), dtype=np.bool_))
        begin, nodes = Splits(ensemble.feature, number, ensemble.children, runs).nodes()
        units = np.zeros(len(nodes), dtype=np.int64)
        units[begin[:-1]] = ensemble.units
        return cls(ensemble.levels, nodes, units, begin[ensemble.roots], ensemble.intercept, ensemble.digits)

    def at(self, levels: Sequence[IntArray]) -> TreeEnsemble:
        """Trees over some levels of each feature, which are numbered anew; splits of no others are left."""
        counts = np.array([len(some) for some in levels], dtype=np.int64)
        starts, all_levels = np.append(0, np.cumsum(counts)), np.concatenate(list(levels)).astype(np.int64)
        node, child, roots = restricted(self.nodes, self.roots, starts, all_levels)
        feature, first, last = self.nodes[node, :3].astype(np.int64).T
        left = np.zeros((len(node), int(counts.max())), dtype=np.bool_)
        for number, some in enumerate(levels):
            which = np.flatnonzero(feature == number)
            inside = (first[which, None] <= some) & (some < last[which, None])
            left[which, : len(some)] = inside
        return TreeEnsemble(
            tuple(counts.tolist()), feature, left, child, self.units[node], roots, self.intercept, self.digits
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data: nodes as lists; of each split the runs of levels that go to the first child."""
        feature, inside, others = self.nodes[:, [0, LEFT, RIGHT]].astype(np.int64).T
        after = np.flatnonzero((feature[1:] != LEAF) & (others[:-1] == np.arange(1, len(feature)))) + 1
        chained = np.zeros(len(feature), dtype=np.bool_)  # the further runs of a split: they share its child
        chained[after] = inside[after] == inside[after - 1]
        first = np.flatnonzero(~chained)
        number, ends = np.cumsum(~chained) - 1, np.append(first[1:], len(feature))
        children = np.column_stack([number[inside[first]], number[others[ends - 1]]])
        leaf = feature[first] == LEAF
        children[leaf] = 0
        runs = self.nodes[feature != LEAF, 1:LEFT]
        return {
            "levels": list(self.levels),
            "feature": feature[first].tolist(),
            "run_starts": np.append(0, np.cumsum(np.where(leaf, 0, ends - first))).tolist(),
            "runs": runs.ravel().tolist(),
            "children": children.tolist(),
            "units": self.units[first].tolist(),
            "roots": number[self.roots].tolist(),
            "intercept": self.intercept,
            "digits": self.digits,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from :meth:`to_dict`."""
        names = "feature", "units", "roots", "run_starts"
        feature, units, roots, starts = (np.array(data[name], dtype=np.int64) for name in names)
        children = np.array(data["children"], dtype=np.int64).reshape(-1, 2)
        first, last = np.array(data["runs"], dtype=np.int64).reshape(-1, 2).T
        splits = np.flatnonzero(feature != LEAF)
        number = np.zeros(len(feature), dtype=np.int64)
        number[splits] = np.arange(len(splits))
        nothing = np.zeros(len(splits), dtype=np.bool_)
        runs = Runs(np.append(starts[splits], starts[-1]), first, last, nothing)
        begin, nodes = Splits(feature, number, children, runs).nodes()
        own = np.zeros(len(nodes), dtype=np.int64)
        own[begin[:-1]] = units
        return cls(
            tuple(data["levels"]), nodes, own, begin[roots], int(data["intercept"]), int(data["digits"])
        )


@dataclass(frozen=True, eq=False)
class Splits:
    """The nodes of trees, each split as the number of a set of levels that go left."""

    feature: IntArray  # ``LEAF`` for leaves
    number: IntArray  # of the set in runs; ignored for leaves
    children: IntArray  # (nodes, 2): left and right
    runs: Runs

    def nodes(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Where the nodes of each split begin, one for each of its runs; and all of these."""
        leaf, runs = self.feature == LEAF, self.runs
        number = np.where(leaf, 0, self.number)
        count = np.ones(len(leaf), dtype=np.int64)
        count[~leaf] = np.diff(runs.starts)[number[~leaf]]
        begin = np.append(0, np.cumsum(count)).astype(np.int64)
        split = np.repeat(np.arange(len(leaf)), count)
        nodes = np.zeros((len(split), 5), dtype=np.int32)
        nodes[:, 0] = self.feature[split]
        inner = np.flatnonzero(~leaf[split])
        of = split[inner]
        run = runs.starts[number[of]] + inner - begin[of]
        nodes[inner, 1], nodes[inner, 2] = runs.first[run], runs.last[run]
        rest = runs.rest[number[of]].astype(np.int64)
        nodes[inner, LEFT] = begin[self.children[of, rest]]
        is_last = inner + 1 == begin[of + 1]
        nodes[inner, RIGHT] = np.where(is_last, begin[self.children[of, 1 - rest]], inner + 1)
        return begin, nodes
