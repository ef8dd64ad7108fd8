"""Subgroups side by side: who is refused, who can be helped, how much they must change, with intervals."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.result.result import Result

__all__ = ["Audit", "audit"]

RESAMPLES = 2_000
LEVEL = 0.95
MOST_GROUPS = 20
RARE = 0.1


@dataclass(frozen=True, eq=False)
class Audit:
    """Subgroups of a result.

    Attributes
    ----------
    by : str
        What the subgroups are made by.
    table : DataFrame
        One line per subgroup: ``rows`` in the frame, ``refused``, ``covered``, ``beyond_help`` (proved),
        ``undecided``, ``mean_changes`` of the covered rows, ``explanations`` in use, and ``needs_rare``: how
        many of the covered rows are under one of the rare explanations.
    differences : DataFrame
        One line per subgroup and measure: the subgroup's own ``value``, the value of all ``others``, their
        ``difference``, and ``low`` and ``high`` of its 95 % interval.
    rare : tuple of int
        The rare explanations, counted from 1: the smallest ones, which together cover at most a tenth of the
        covered rows.
    """

    by: str
    table: pd.DataFrame
    differences: pd.DataFrame
    rare: tuple[int, ...]

    def summary(self) -> str:
        """Tell in words which differences cannot be chance alone.

        Returns
        -------
        str
            A sentence per difference whose interval leaves out 0.
        """
        clear = self.differences[(self.differences["low"] > 0) | (self.differences["high"] < 0)]
        if clear.empty:
            return f"By {self.by}: no difference between a subgroup and the others is clear of chance."
        lines = [
            f"    {group}, {WORDS[measure]}: {_shown(measure, line['value'])} against "
            f"{_shown(measure, line['others'])} of the others (difference {_shown(measure, line['difference'])}, "
            f"95 % interval {_shown(measure, line['low'])} to {_shown(measure, line['high'])})"
            for (group, measure), line in clear.iterrows()
        ]
        return "\n".join([f"By {self.by}, clear of chance:", *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw the subgroups; see :func:`oneformany.plotting.plot_subgroups`.

        Parameters
        ----------
        ax : Axes or None
            Where to draw.
        """
        from oneformany.plotting.subgroups import plot_subgroups

        return plot_subgroups(self, ax)


WORDS = {
    "refused": "refused",
    "beyond_help": "beyond help, of those refused",
    "mean_changes": "changes per covered row",
    "needs_rare": "under a rare explanation, of those covered",
}


def audit(result: Result, frame: pd.DataFrame, by: Hashable, seed: int = 0) -> Audit:
    """Compare subgroups of the rows that were asked about.

    Parameters
    ----------
    result : Result
        From :meth:`OneForMany.explain`.
    frame : DataFrame
        The very frame that was explained; it may have further columns, such as a protected attribute that
        the model does not read.
    by : hashable
        Column of the frame; each of its values is a subgroup.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Audit
        Tables, a plot, and words.

    Raises
    ------
    InputError
        The frame is not the one that was explained, or the column does not make subgroups.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> model = DecisionTreeClassifier().fit(frame, [0, 0, 0, 1])
    >>> result = ofm.OneForMany(model, max_changes=2).explain(frame)
    >>> ofm.audit(result, frame.assign(sex=["f", "m", "f", "m"]), by="sex").table["refused"].tolist()
    [2, 1]
    """
    import pandas as pd

    groups = _groups(frame, by)
    asked = _positions(result, frame)
    assignment = np.array(result.assignment, dtype=np.int64)
    unreachable = np.zeros(len(assignment), dtype=np.bool_)
    unreachable[[entry.row for entry in result.unreachable]] = True
    undecided = np.zeros(len(assignment), dtype=np.bool_)
    undecided[list(result.undecided)] = True
    changes = _changes(result)
    rare = _rare(assignment, result.count)
    lines = []
    for name in groups.categories:
        mine = (groups == name)[asked]
        covered = mine & (assignment >= 0)
        lines.append(
            {
                "rows": int((groups == name).sum()),
                "refused": int(mine.sum()),
                "covered": int(covered.sum()),
                "beyond_help": int((mine & unreachable).sum()),
                "undecided": int((mine & undecided).sum()),
                "mean_changes": float(changes[covered].mean()) if covered.any() else np.nan,
                "explanations": len(np.unique(assignment[covered])),
                "needs_rare": int(np.isin(assignment[covered], rare).sum()),
            }
        )
    table = pd.DataFrame(lines, index=pd.Index(groups.categories, name=str(by)))
    differences = _differences(table, groups, asked, assignment, changes, seed)
    return Audit(str(by), table, differences, tuple(int(number) + 1 for number in rare))


def _groups(frame: pd.DataFrame, by: Hashable) -> pd.Categorical:
    import pandas as pd

    if by not in frame.columns:
        raise InputError(
            f"the frame has no column {by!r} to make subgroups by; it has {', '.join(map(str, frame.columns))}"
        )
    column = frame[by]
    if column.isna().any():
        column = column.astype(object).where(column.notna(), "missing")
    groups = pd.Categorical(column)
    if not 2 <= len(groups.categories) <= MOST_GROUPS:
        raise InputError(
            f"the column {by!r} has {len(groups.categories)} values; subgroups need 2 to {MOST_GROUPS}: "
            "put numbers into ranges first, for example with pandas.cut"
        )
    return groups


def _positions(result: Result, frame: pd.DataFrame) -> IntArray:
    """Where the explained rows stand in the frame, checked by their labels."""
    rows = np.array(result.problem.get("rows", range(len(result.assignment))), dtype=np.int64)
    total = len(rows) + len(result.problem.get("already_positive", ()))
    labels = list(result.index)
    if len(frame) != total or [_plain(label) for label in frame.index[rows]] != [
        _plain(label) for label in labels
    ]:
        raise InputError(
            f"the result is about a frame of {total} rows, and this one has {len(frame)} rows or other labels; "
            "pass the very frame that was explained"
        )
    return rows


def _plain(label: object) -> object:
    return label.item() if isinstance(label, np.generic) else label


def _changes(result: Result) -> IntArray:
    """How many features each row really changes; 0 for rows without an explanation."""
    codes = np.array(result.problem["codes"])
    points = np.asarray(result.points)
    return np.where(points >= 0, codes != points, False).sum(axis=1)


def _rare(assignment: IntArray, count: int) -> IntArray:
    sizes = np.bincount(assignment[assignment >= 0], minlength=count)
    order = np.argsort(sizes, kind="stable")
    return np.sort(order[np.cumsum(sizes[order]) <= RARE * sizes.sum()])


def _differences(
    table: pd.DataFrame,
    groups: pd.Categorical,
    asked: IntArray,
    assignment: IntArray,
    changes: IntArray,
    seed: int,
) -> pd.DataFrame:
    import pandas as pd

    random = np.random.default_rng(seed)
    lines: dict[tuple[object, str], dict[str, float]] = {}
    for name in groups.categories:
        mine = (groups == name)[asked]
        others = table.drop(index=name).sum()
        own = table.loc[name]
        for measure, whole in (("refused", "rows"), ("beyond_help", "refused"), ("needs_rare", "covered")):
            lines[name, measure] = _rates(own[measure], own[whole], others[measure], others[whole], random)
        covered = assignment >= 0
        lines[name, "mean_changes"] = _means(changes[mine & covered], changes[~mine & covered], random)
    index = pd.MultiIndex.from_tuples(lines, names=[str(table.index.name), "measure"])
    return pd.DataFrame(list(lines.values()), index=index)


def _rates(
    hits: float, n: float, other_hits: float, other_n: float, random: np.random.Generator
) -> dict[str, float]:
    """Difference of two rates; resampling rows with replacement makes their hits binomial."""
    if n == 0 or other_n == 0:
        return _interval(np.nan, np.nan, np.array([np.nan]))
    drawn = random.binomial(int(n), hits / n, RESAMPLES) / n
    others = random.binomial(int(other_n), other_hits / other_n, RESAMPLES) / other_n
    return _interval(hits / n, other_hits / other_n, drawn - others)


def _means(mine: IntArray, others: IntArray, random: np.random.Generator) -> dict[str, float]:
    """Difference of two means; only how often each number of changes occurs matters for resampling."""
    if len(mine) == 0 or len(others) == 0:
        return _interval(np.nan, np.nan, np.array([np.nan]))
    return _interval(mine.mean(), others.mean(), _resampled(mine, random) - _resampled(others, random))


def _resampled(numbers: IntArray, random: np.random.Generator) -> FloatArray:
    values, counts = np.unique(numbers, return_counts=True)
    return np.asarray(
        random.multinomial(len(numbers), counts / len(numbers), RESAMPLES) @ values / len(numbers)
    )


def _interval(value: float, others: float, drawn: FloatArray) -> dict[str, float]:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {"value": value, "others": others, "difference": value - others, "low": low, "high": high}


def _shown(measure: str, number: float) -> str:
    return f"{number:.2f}" if measure == "mean_changes" else f"{number:.1%}"
