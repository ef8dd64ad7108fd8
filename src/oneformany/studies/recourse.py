"""Measures of recourse that auditors know, by group: over all advice there is, not over one answer alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations

import numpy as np
import pandas as pd

from oneformany.arrays import FloatArray, IntArray
from oneformany.problem import Problem
from oneformany.result.labels import shown
from oneformany.schema.schema import html_table
from oneformany.stop import Stop

MEASURES = {
    "accepted": "are accepted as they are",
    "effectiveness": "of those refused can be helped",
    "within_budget": "of those refused can be helped within the budget",
    "choices": "pieces of advice each help enough of those refused",
    "cost_of_effectiveness": "is the cost at which enough of those refused can be helped",
    "mean_recourse": "is the mean of the least costs of those who can be helped",
    "mean_changes": "features are changed on average under this answer",
}
SHARES = ("accepted", "effectiveness", "within_budget")
BETTER_LOW = ("cost_of_effectiveness", "mean_recourse", "mean_changes")  # else more is better
ENOUGH = 0.5  # of the refused people of a group, unless told: half of them
Z = 1.959964  # of a 95 % interval
RESAMPLES = 2_000
NEVER = np.iinfo(np.int64).max
PAIRS = 1 << 22  # of a row and a piece of advice at a time: tens of megabytes


@dataclass(frozen=True, eq=False)
class Recourse:
    """Measures of recourse, in the shape that ``MetricFrame`` of fairlearn has.

    Attributes
    ----------
    by_group : DataFrame
        One line per group: ``people`` and ``refused``; ``accepted``, the share that the model accepts;
        ``effectiveness``, the share of the refused whom some advice helps; ``within_budget``, at no more than
        the budget; ``choices``, how many pieces of advice help ``enough`` of the refused;
        ``cost_of_effectiveness``, what it costs at least to help ``enough`` of them; ``mean_recourse``, the
        mean of the least costs of those who can be helped; ``mean_changes`` of those whom the answer covers.
    overall : Series
        The same of all groups together.
    intervals : DataFrame
        ``low`` and ``high`` of the 95 % interval of each share and mean of each group.
    budget, enough : float
        What was asked.
    advice : int
        How many pieces of advice were looked at.
    complete : bool
        Whether these are all that there are; otherwise shares are at least, and costs at most, what is told.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]})
    >>> model = DecisionTreeClassifier().fit(frame, [0, 0, 0, 1])
    >>> result = ofm.OneForMany(model, max_changes=1).explain(frame)
    >>> told = ofm.audit(result, frame.assign(sex=["f", "m", "f", "m"]), by="sex", recourse=True)
    >>> told.recourse.by_group["effectiveness"].tolist(), told.recourse.difference()["effectiveness"]
    ([0.5, 1.0], np.float64(0.5))
    """

    by_group: pd.DataFrame
    overall: pd.Series
    intervals: pd.DataFrame
    budget: float
    enough: float
    advice: int
    complete: bool

    def difference(self) -> pd.Series:
        """Give the largest difference between two groups, by measure."""
        return (self.by_group.max() - self.by_group.min())[list(MEASURES)]

    def ratio(self) -> pd.Series:
        """Give the smallest ratio of two groups, by measure; of ``accepted`` this is the impact ratio."""
        most = self.by_group.max()
        return (self.by_group.min() / most.where(most != 0))[list(MEASURES)]

    def disadvantaged(self, measure: str) -> object:
        """Name the group that is worst off by a measure."""
        values = self.by_group[measure].dropna()
        return values.idxmax() if measure in BETTER_LOW else values.idxmin()

    def summary(self) -> str:
        """Tell each measure, with the group that is worst off as the subject."""
        end = ": all that there are." if self.complete else ", not all that there are."
        head = (
            f"Budget {self.budget:,.6g}; enough: {self.enough:.0%}. "
            f"Looked at {self.advice:,} pieces of advice{end}"
        )
        return "\n".join([head, *map(self._sentence, self._told())])

    def _repr_html_(self) -> str:
        lines = ((name, *map(_number, line)) for name, *line in self.by_group.itertuples())
        table = html_table((str(self.by_group.index.name), *self.by_group.columns), lines)
        return f"<div>{table}<pre>{escape(self.summary())}</pre></div>"

    def _told(self) -> Iterator[str]:
        for measure in MEASURES:
            if len(self.by_group[measure].dropna()) > 1 and self.difference()[measure]:
                yield measure

    def _sentence(self, measure: str) -> str:
        worst = self.disadvantaged(measure)
        values = self.by_group[measure].dropna()
        best = values.idxmin() if measure in BETTER_LOW else values.idxmax()
        ends = sorted(values, reverse=measure in BETTER_LOW)
        one, other = (f"{x:.1%}" if measure in SHARES else f"{x:,.4g}" for x in (ends[0], ends[-1]))
        ratio = self.ratio()[measure]
        return (
            f"    {shown(worst)}: {one} {MEASURES[measure]}, against {other} of {shown(best)} "
            f"(ratio {ratio:.2f})."
        )


def measured(
    problem: Problem,
    groups: pd.Categorical,
    counts: tuple[IntArray, IntArray, IntArray],
    changes: IntArray,
    *,
    budget: float | None,
    enough: float,
    stop: Stop,
    seed: int,
) -> Recourse:
    """Measure recourse.

    Parameters
    ----------
    problem : Problem
        The question, with one given row per refused row.
    groups : Categorical
        The group of each row of the frame.
    counts : tuple of arrays
        How many people each row of the frame stands for, and each refused row; where these stand there.
    changes : array
        How many features each refused row changes under the answer; -1 for those without one.
    """
    people, refused, where = counts
    names = groups.categories
    inside = np.asarray(groups.codes)[where] == np.arange(len(names))[:, None]
    scale = 1 if problem.costs is None else problem.costs.scale
    advice = _all_advice(problem, inside * refused, enough, stop)
    least = advice.least[problem.row_of] / scale
    least[advice.least[problem.row_of] == NEVER] = np.inf
    if budget is None:
        helped = np.isfinite(least)
        budget = _quantile(least[helped], refused[helped], 0.5) if helped.any() else 0.0
    everybody = np.asarray(groups.codes) == np.arange(len(names))[:, None]
    lines, ranges, random = [], [], np.random.default_rng(seed)
    for group in (*range(len(names)), None):
        mine = refused if group is None else refused * inside[group]
        total = people.sum() if group is None else people[everybody[group]].sum()
        line, ends = _line(total, mine, least, changes, budget, enough, random)
        if mine.any():
            line["choices"] = advice.choices[-1 if group is None else group]
        lines.append(line)
        ranges.append(ends)
    frame = pd.DataFrame(lines, columns=["people", "refused", *MEASURES])
    index = pd.Index(list(names), name="group", tupleize_cols=False)
    overall = frame.iloc[-1].rename("overall")
    columns = pd.MultiIndex.from_tuples(list(ranges[0]), names=["measure", "end"])
    intervals = pd.DataFrame([list(ends.values()) for ends in ranges[:-1]], index=index, columns=columns)
    by_group = frame.iloc[:-1].set_axis(index)
    return Recourse(by_group, overall, intervals, float(budget), enough, advice.looked_at, advice.complete)


@dataclass(frozen=True, eq=False)
class _Advice:
    """What all advice together does: the least cost of each distinct row, and how many help enough."""

    least: IntArray
    choices: IntArray
    looked_at: int
    complete: bool


def _all_advice(problem: Problem, people: IntArray, enough: float, stop: Stop) -> _Advice:
    """Ask about every piece of advice: every set of features that may change, and all their targets."""
    from oneformany.engine.listing.batches import Batches, OutOfTimeError
    from oneformany.engine.listing.ground import Ground

    ground = Ground.of(problem)
    batches, n = Batches(ground, stop), len(ground.rows)
    rows, least = np.arange(n, dtype=np.int32), np.full(n, NEVER)
    counts = np.zeros(
        (len(people) + 1, n), dtype=np.int64
    )  # people of each group, and of all, by distinct row
    for group, mine in enumerate([*people, people.sum(axis=0)]):
        np.add.at(counts[group], problem.row_of, mine)
    needed, choices, looked_at = enough * counts.sum(axis=1), np.zeros(len(counts), dtype=np.int64), 0
    try:
        for size in range(1, ground.size + 1):
            for chosen in combinations(ground.changeable.tolist(), size):
                features = np.array(chosen, dtype=np.int64)
                goals = ground.choices(chosen, ground.goals)
                width = max(1, PAIRS // n)
                for begin in range(0, len(goals), width):
                    some = goals[begin : begin + width]
                    accepted = batches.accepted(features, rows, some)
                    paid = _paid(ground.price, ground.begin, ground.rows, features, some)
                    least = np.minimum(least, np.where(accepted, paid, NEVER).min(axis=1, initial=NEVER))
                    helped = counts @ accepted
                    choices += ((helped >= needed[:, None]) & (helped > 0)).sum(axis=1)
                    looked_at += len(some)
                    if stop.expired():
                        return _Advice(least, choices, looked_at, complete=False)
    except OutOfTimeError:
        return _Advice(least, choices, looked_at, complete=False)
    return _Advice(least, choices, looked_at, complete=True)


def _paid(price: IntArray, begin: IntArray, cells: IntArray, features: IntArray, goals: IntArray) -> IntArray:
    """What each row pays for each choice of goals: nothing for a feature in whose goal it already is."""
    paid = np.zeros((len(cells), len(goals)), dtype=np.int64)
    for column, feature in enumerate(features.tolist()):
        goal = goals[:, column]
        elsewhere = cells[:, feature][:, None] != goal
        paid += np.where(elsewhere, price[begin[:, feature][:, None] + goal], 0)
    return paid


def _line(
    total: int,
    mine: IntArray,
    least: FloatArray,
    changes: IntArray,
    budget: float,
    enough: float,
    random: np.random.Generator,
) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """All measures of a group but one, and the intervals of its shares and means."""
    refused = int(mine.sum())
    helped, cheap, covered = np.isfinite(least), least <= budget, changes >= 0
    counted = {
        "accepted": (int(total) - refused, int(total)),
        "effectiveness": (int(mine[helped].sum()), refused),
        "within_budget": (int(mine[cheap].sum()), refused),
    }
    means = {
        "mean_recourse": (least[helped], mine[helped]),
        "mean_changes": (changes[covered].astype(np.float64), mine[covered]),
    }
    line: dict[str, float] = {"people": int(total), "refused": refused}
    line |= {measure: hits / of if of else np.nan for measure, (hits, of) in counted.items()}
    line["cost_of_effectiveness"] = _quantile(least, mine, enough) if refused else np.nan
    line |= {measure: _mean(values, weights) for measure, (values, weights) in means.items()}
    ends = {measure: _wilson(hits, of) for measure, (hits, of) in counted.items()}
    ends |= {measure: _resampled(values, weights, random) for measure, (values, weights) in means.items()}
    intervals: dict[tuple[str, str], float] = {}
    for measure, (low, high) in ends.items():
        intervals |= {(measure, "low"): low, (measure, "high"): high}
    return line, intervals


def _quantile(values: FloatArray, people: IntArray, share: float) -> float:
    """The least value that so large a share of the people do not exceed."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(people[order])
    return float(values[order][np.searchsorted(reached, share * people.sum())])


def _mean(values: FloatArray, people: IntArray) -> float:
    return float(np.average(values, weights=people)) if people.sum() else np.nan


def _wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    if not of:
        return np.nan, np.nan
    share, square = hits / of, Z**2 / of
    middle, half = share + square / 2, Z * np.sqrt(share * (1 - share) / of + square / (4 * of))
    return max(0.0, float((middle - half) / (1 + square))), min(1.0, float((middle + half) / (1 + square)))


def _resampled(values: FloatArray, people: IntArray, random: np.random.Generator) -> tuple[float, float]:
    """A bootstrap interval of a mean: as many people drawn with replacement."""
    if not people.sum():
        return np.nan, np.nan
    kinds, kind = np.unique(values, return_inverse=True)
    counts = np.bincount(kind, people).astype(np.int64)
    drawn = random.multinomial(counts.sum(), counts / counts.sum(), RESAMPLES) @ kinds / counts.sum()
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return low, high


def _number(number: float) -> str:
    return "" if np.isnan(number) else f"{number:,.4g}"
