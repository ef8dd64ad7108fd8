"""Subgroups side by side: who is refused, who can be helped, how much they must change, with intervals."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneformany.anything import AnyFrame
from oneformany.arrays import FloatArray, IntArray
from oneformany.exceptions import InputError
from oneformany.result.labels import shown
from oneformany.result.result import Result
from oneformany.schema.frames import as_pandas
from oneformany.schema.schema import html_table
from oneformany.stop import Stop
from oneformany.studies.reasons import asked_again
from oneformany.studies.recourse import ENOUGH, Recourse, measured
from oneformany.studies.subgroups import crossed, people_of_rows, positions, read_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from oneformany.explainer.explainer import OneForMany

RESAMPLES = 2_000
RARE = 0.1
MEASURES = {
    "refused": "refused",
    "beyond_help": "beyond help, of those refused",
    "mean_changes": "changes per covered row",
    "needs_rare": "under a rare explanation, of those covered",
}
COLUMNS = ("value", "others", "difference", "low", "high")
SHARES = {"refused": 0, "beyond_help": 1, "needs_rare": 2}  # of which column: all, refused, covered


@dataclass(frozen=True)
class Difference:
    """One measure of a subgroup and of all others.

    Attributes
    ----------
    subgroup : object
        Which.
    measure : {"refused", "beyond_help", "mean_changes", "needs_rare"}
        What is compared: shares, or a mean.
    value, others, difference : float
        Of the subgroup, of all others, and the first less the second.
    low, high : float
        A 95 % interval of the difference.

    Examples
    --------
    >>> Difference("f", "refused", value=0.5, others=0.3, difference=0.2, low=0.1, high=0.3).difference
    0.2
    """

    subgroup: object
    measure: str
    value: float
    others: float
    difference: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, eq=False)
class Audit:
    """Subgroups of a result.

    Attributes
    ----------
    by : str
        What the subgroups are made by.
    table : DataFrame
        One line per subgroup: ``rows`` in the frame (``people`` where rows stand for several), ``refused``,
        ``covered``, ``beyond_help`` (proved), ``undecided``, ``mean_changes`` of the covered rows,
        ``explanations`` in use, and ``needs_rare``: how
        many of the covered rows are under one of the rare explanations. A row that stands for several
        people counts as that many rows.
    differences : DataFrame
        One line per subgroup and measure: the subgroup's own ``value``, the value of all ``others``, their
        ``difference``, and ``low`` and ``high`` of its 95 % interval: Newcombe's for shares, which holds for
        few rows too, and a bootstrap for the mean number of changes.
    rare : tuple of int
        The rare explanations, counted from 1: the smallest ones, which together cover at most a tenth of the
        covered rows.
    recourse : Recourse or None
        Measures of recourse by group, if they were asked for.

    Examples
    --------
    >>> import pandas as pd
    >>> Audit("sex", pd.DataFrame({"rows": [3]}, index=["f"]), pd.DataFrame(), rare=()).table.loc["f", "rows"]
    np.int64(3)
    """

    by: str
    table: pd.DataFrame
    differences: pd.DataFrame
    rare: tuple[int, ...]
    recourse: Recourse | None = None

    def told(self) -> Iterator[Difference]:
        """Give the differences worth telling; of two subgroups the first one's, which the second mirrors."""
        for (subgroup, measure), *numbers in self.differences[list(COLUMNS)].itertuples(name=None):
            if len(self.table) > 2 or subgroup == self.table.index[0]:
                yield Difference(subgroup, measure, *numbers)

    def words(self, measure: str) -> str:
        """Say what a measure counts: rows, or people where rows stand for several."""
        told = MEASURES[measure]
        return told.replace("row", "person") if self.table.columns[0] == "people" else told

    def summary(self) -> str:
        """Tell in words which differences are clear of chance.

        Returns
        -------
        str
            A sentence per difference whose interval leaves out 0.
        """
        clear = [f"    {_sentence(line, self.words(line.measure))}" for line in self.told() if line.clear]
        if not clear:
            return f"By {shown(self.by)}: no difference between a subgroup and the others is clear of chance."
        return "\n".join([f"By {shown(self.by)}, clear of chance:", *clear])

    def _repr_html_(self) -> str:
        head = (self.by, *(str(name).replace("_", " ") for name in self.table.columns))
        lines = ((name, *map(_told, line)) for name, *line in self.table.itertuples())
        return f"<div>{html_table(head, lines)}<p>{escape(self.summary())}</p></div>"

    def plot(self, ax: "Axes | None" = None, measure: str = "refused") -> "Axes":
        """Draw one measure of the subgroups; see :func:`oneformany.plotting.plot_subgroups`.

        Parameters
        ----------
        ax : Axes or None
            Where to draw.
        measure : {"refused", "beyond_help", "mean_changes", "needs_rare"}
            What to compare.
        """
        drawn: Axes = import_module("oneformany.plotting").plot_subgroups(self, ax, measure=measure)
        return drawn


def audit(
    result: Result,
    frame: AnyFrame,
    by: Hashable | Sequence[Hashable],
    seed: int = 0,
    people: ArrayLike | None = None,
    *,
    recourse: bool = False,
    budget: float | None = None,
    enough: float = ENOUGH,
    model: "OneForMany | None" = None,
    time_limit: float | None = None,
) -> Audit:
    """Compare subgroups of the rows that were asked about.

    Parameters
    ----------
    result : Result
        From :meth:`OneForMany.explain`.
    frame : frame
        The very frame that was explained, in any order if its index names each row; it may have further
        columns, such as a protected attribute that the model does not read.
    by : hashable or list of hashable
        Column of the frame; each of its values is a subgroup. Of several columns, each combination is one.
    seed : int
        Of the bootstrap.
    people : sequence of int, optional
        How many people each row of the frame stands for, as it was given to ``explain``; needed where it was
        given, unless all rows were refused.
    recourse : bool
        Also look at all advice that there is, whatever this answer uses, and measure recourse by group.
    budget : float, optional
        For these measures: what recourse may cost; by default the median of what it costs at least.
    enough : float
        For these measures: the share of the refused people of a group that has to be helped.
    model : OneForMany, optional
        For these measures: the explainer, if its model is a black box, which no result holds.
    time_limit : float, optional
        For these measures: seconds, after which what was looked at so far is told.

    Returns
    -------
    Audit
        Tables, a plot, and words.

    Raises
    ------
    InputError
        The frame is not the one that was explained, the column does not make subgroups, or it is not known
        how many people the accepted rows stand for.

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
    if not isinstance(result, Result):
        raise InputError(f"result must be a Result, as explain gives it, not {type(result).__name__}")
    frame = as_pandas(frame, "the rows")
    columns = by if isinstance(by, list) else [by]
    named = " & ".join(map(str, columns))
    subgroups = crossed(frame, columns)
    asked = positions(result, frame)
    size = people_of_rows(result, people, asked, len(frame))
    names = subgroups.categories
    inside = subgroups.codes == np.arange(len(names))[:, None]  # (subgroups, rows of the frame)
    counted = inside[:, asked] * result.people_of_rows  # (subgroups, explained rows): people
    assignment = np.array(result.assignment, dtype=np.int64)
    sizes = np.array(result.labels.sizes, dtype=np.int64)
    smallest = np.argsort(sizes, kind="stable")
    rare = np.sort(smallest[np.cumsum(sizes[smallest]) <= RARE * sizes.sum()])
    covered = assignment >= 0
    changes = result.changes.sum(axis=1)[:, None] == np.arange(int(result.problem["max_changes"]) + 1)
    by_changes = counted @ (changes & covered[:, None])  # (subgroups, changes): people
    rows = np.arange(len(asked))
    table = pd.DataFrame(
        {
            result.labels.several: inside @ size,
            "refused": counted.sum(axis=1),
            "covered": counted @ covered,
            "beyond_help": counted @ np.isin(rows, [entry.row for entry in result.unreachable]),
            "undecided": counted @ np.isin(rows, result.undecided),
            "mean_changes": list(map(_mean, by_changes)),
            "explanations": [len(np.unique(assignment[covered & (mine > 0)])) for mine in counted],
            "needs_rare": counted @ np.isin(assignment, rare),
        },
        index=pd.Index(list(names), name=named, tupleize_cols=False),
    )
    random = np.random.default_rng(seed)
    differences: dict[tuple[object, str], tuple[float, ...]] = {}
    for number, name in enumerate(names):
        own = table.iloc[number]
        others = table.sum() - own
        for measure, base in SHARES.items():
            counts = [of for line in (own, others) for of in (line[measure], line.iloc[base])]
            differences[name, measure] = _shares(*counts)
        elsewhere = by_changes.sum(axis=0) - by_changes[number]
        differences[name, "mean_changes"] = _means(by_changes[number], elsewhere, random)
    index = pd.MultiIndex.from_tuples(list(differences), names=["subgroup", "measure"])
    lines = pd.DataFrame(list(differences.values()), index=index, columns=list(COLUMNS))
    measures = None
    if recourse:
        problem = asked_again(result, read_columns(result, frame), model)
        moved = np.where(covered, result.changes.sum(axis=1), -1)
        people_counted = size, result.people_of_rows, asked
        measures = measured(
            problem,
            subgroups,
            people_counted,
            moved,
            budget=budget,
            enough=enough,
            stop=Stop(time_limit),
            seed=seed,
        )
    return Audit(named, table, lines, tuple((rare + 1).tolist()), measures)


def measure_words(measure: str, number: float) -> str:
    """Write a value of a measure: a share in percent, a mean with two digits."""
    if measure == "mean_changes":
        return f"{round(number, 2) + 0.0:.2f}"  # adding zero leaves no "-0.00"
    return f"{round(number, 3) + 0.0:.1%}"


def _told(number: float) -> str:
    """Write a cell of the table: a count, or a mean with two digits."""
    if isinstance(number, float):
        return "" if np.isnan(number) else f"{number:.2f}"
    return f"{number:,}"


def difference_words(measure: str, number: float) -> str:
    """Write a difference: of shares in percentage points."""
    if measure == "mean_changes":
        return measure_words(measure, number)
    points = round(100 * number, 1) + 0.0
    return f"{points:.1f} percentage point{'' if abs(points) == 1 else 's'}"


def interval_words(one: Difference) -> str:
    """Write the interval of a difference."""
    ends = [difference_words(one.measure, end) for end in (one.low, one.high)]
    return f"{ends[0].partition(' ')[0]} to {ends[1]}"


def _shares(hits: float, n: float, other_hits: float, other_n: float) -> tuple[float, ...]:
    """Difference of two shares with Newcombe's interval (1998, method 10), made of two of Wilson's."""
    from scipy.stats import binomtest

    if n == 0 or other_n == 0:
        return (np.nan,) * len(COLUMNS)
    one, other = hits / n, other_hits / other_n
    (low, high), (other_low, other_high) = (
        binomtest(int(k), int(of)).proportion_ci(method="wilson")
        for k, of in ((hits, n), (other_hits, other_n))
    )
    least = one - other - np.hypot(one - low, other_high - other)
    most = one - other + np.hypot(high - one, other - other_low)
    return one, other, one - other, float(least), float(most)


def _means(mine: IntArray, others: IntArray, random: np.random.Generator) -> tuple[float, ...]:
    """Difference of two means with a bootstrap interval; each side says how many change 0, 1, ... features.

    As Agresti and Caffo do with shares, each side is drawn from with one row more at either end, 0 and the
    most changes allowed: a few rows that happen to be alike do not make a narrow interval.
    """
    if not mine.any() or not others.any():
        return (np.nan,) * len(COLUMNS)
    one, other = _mean(mine), _mean(others)
    drawn = _resampled(mine, random) - _resampled(others, random)
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return one, other, one - other, min(low, one - other), max(high, one - other)


def _mean(counts: IntArray) -> float:
    return float(np.average(np.arange(len(counts)), weights=counts)) if counts.any() else np.nan


def _resampled(counts: IntArray, random: np.random.Generator) -> FloatArray:
    """Means of as many numbers drawn with replacement; only how often each occurs matters."""
    more = counts.copy()
    more[[0, -1]] += 1
    drawn = random.multinomial(more.sum(), more / more.sum(), RESAMPLES)
    return np.asarray(drawn @ np.arange(len(more)) / more.sum(), dtype=np.float64)


def _sentence(one: Difference, measure: str) -> str:
    value, others = (measure_words(one.measure, number) for number in (one.value, one.others))
    return (
        f"{shown(one.subgroup)}, {measure}: {value} against {others} of the others (difference "
        f"{difference_words(one.measure, one.difference)}, 95 % interval {interval_words(one)})."
    )
