"""The answer as frozen plain data."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from oneformany import files
from oneformany.anything import AnyFrame, AnyModel, AnyValue
from oneformany.arrays import BoolArray, IntArray
from oneformany.problem.goal import Goal
from oneformany.result.explanation import Explanation, Unreachable
from oneformany.result.following import apply, score_on_codes
from oneformany.result.labels import Labels
from oneformany.result.others import Others
from oneformany.result.own_rules import rules_on_codes
from oneformany.result.proof import Cost, Proof
from oneformany.result.row_index import RowIndex
from oneformany.result.squares import Square
from oneformany.result.tables import assign, assignment_frame, to_frame, write_assignment
from oneformany.result.words import result_table, short_words, summarise
from oneformany.schema.schema import Schema
from oneformany.statistics import Statistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    Audit = Any
    Curve = Any
    Letters = Any
    Report = Any

Status = Literal["optimal", "feasible", "infeasible"]
Ended = Literal["proved", "time limit", "interrupted", "limit"]


@dataclass(frozen=True, repr=False)
class Result:
    """The explanations, how few there can be, and the proof of it.

    Attributes
    ----------
    status : {"optimal", "feasible", "infeasible"}
        ``optimal``: the rows that can be helped are covered by the fewest explanations possible, and every
        other row is proved to be beyond help. ``feasible``: something is open, the count (see ``gap``) or
        whether some rows can be helped (see ``undecided``). ``infeasible``: proved that not one row can be
        helped.
    count : int
        Number of explanations.
    lower_bound : int
        Proved: no fewer explanations cover the rows that are known to be helpable.
    explanations : tuple of Explanation
        The answer.
    assignment : tuple of int
        For each given row the index of its explanation; -1 for rows without one.
    unreachable : tuple of Unreachable
        Rows that are proved to be beyond help, with the reason.
    undecided : tuple of int
        Rows for which it is not known whether they can be helped.
    proof : Proof or None
        Why ``lower_bound`` and ``covered_bound`` hold, which :func:`oneformany.verify.verify` checks;
        ``None`` where nothing needs a proof, or nothing is proved.
    problem : dict
        What was asked, see :func:`oneformany.result.build.problem_to_dict`.
    statistics : Statistics
        What happened, round by round.
    versions : dict
        Versions of the software that computed it.
    seed : int
        Seed of the random choices.
    method : str
        Method of :func:`oneformany.solve`.
    schema : Schema or None
        Names and labels; without it, features and levels are named by number.
    index : RowIndex
        What the user calls the given rows: the labels of the frame's index, or 0, 1, 2 and so on.
    ended : {"proved", "time limit", "interrupted", "limit"}
        Why the run ended; at a "limit" other than time, ``statistics.limits`` says at which.
    goal : Goal
        What was wanted: how many explanations may be used, or what share of the rows must be covered.
    covered_bound : int
        Proved: no answer with so many explanations covers more rows; by default all but the unreachable ones.
    cost_proof : Cost or None
        Why ``cost_bound`` holds.
    solver : str or None
        Where there is no proof: the solver whose word ``lower_bound`` is.
    others : Others or None
        People beside the given rows, who were too many to be kept: their numbers. The given rows are then
        those that carry the proof and some more, and people, ``covered`` and bounds are about all together.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
    >>> result = ofm.solve(ofm.Problem([[0, 0, 0], [1, 0, 0]], (2, 2, 2), oracle, max_changes=2))
    >>> result
    Result(optimal: 1 explanation covers 2 of 2 rows, at least 1 is needed)
    """

    status: Status
    count: int
    lower_bound: int
    explanations: tuple[Explanation, ...]
    assignment: tuple[int, ...]
    unreachable: tuple[Unreachable, ...]
    problem: dict[str, Any]
    undecided: tuple[int, ...] = ()
    proof: Proof | None = None
    statistics: Statistics = field(default_factory=Statistics)
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    method: str = "exact"
    schema: Schema | None = None
    index: RowIndex = field(default_factory=lambda: RowIndex(()))
    ended: Ended = "proved"
    goal: Goal = field(default_factory=Goal)
    covered_bound: int | None = None
    cost_proof: Cost | None = None
    solver: str | None = None
    others: Others | None = None

    def __post_init__(self) -> None:
        rows = len(self.assignment)
        object.__setattr__(self, "index", RowIndex.of(self.index if len(self.index) else range(rows)))
        if len(self.index) != rows:
            raise ValueError(f"there are {rows} rows, but the index names {len(self.index)}")
        if self.covered_bound is None:
            object.__setattr__(self, "covered_bound", self.people - self.beyond_help)
        if self.others is not None and len(self.others.by) != self.count:
            raise ValueError(f"other people have {len(self.others.by)} explanations, there are {self.count}")

    @property
    def certificate(self) -> dict[str, Any]:
        """The proved bound with its proof, as plain data; what :func:`oneformany.verify.verify` checks."""
        proofs = {"proof": self.proof, "cost": self.cost_proof}
        told: dict[str, Any] = {name: proof.to_dict() for name, proof in proofs.items() if proof is not None}
        word = {} if self.solver is None else {"solver": self.solver}
        return {"bound": self.lower_bound, "proof": None, **told, **word}

    @property
    def cost_bound(self) -> float | None:
        """Proved: no answer as good in count and coverage costs less; ``None`` where nothing is proved.

        Rows that are the same to the model count as one: they are covered, or left out, together.
        """
        return None if self.cost_proof is None else self._paid(self.cost_proof.bound)

    @property
    def share(self) -> str:
        """What the rows of one explanation have in common: "point", "action" or "features"."""
        return str(self.problem.get("share", "point"))

    @property
    def gap(self) -> float:
        """How far the answer may be from the best: 0 when it is proved, 1 when nothing is.

        The relative distance of ``lower_bound`` and ``count``, where every distinct undecided row counts as
        one explanation more: it might need one of its own. With a given number of explanations, the
        relative distance of ``covered`` and ``covered_bound``.
        """
        if self.goal.explanations is not None and self.covered_bound:
            return (self.covered_bound - self.covered) / self.covered_bound
        rows = self.problem["codes"] if self.problem.get("own") is None else self.problem["own"]["values"]
        most = self.count + len({tuple(rows[row]) for row in self.undecided})
        most += 0 if self.others is None else self.others.undecided
        return (most - self.lower_bound) / most if most else 0.0

    @property
    def cost_gap(self) -> float | None:
        """How far the cost may be above the least: 0 when that is proved; ``None`` where nobody asked.

        The relative distance of ``cost_bound`` and ``cost``, for as many explanations and people.
        """
        if self.cost_proof is None:
            return None
        return (self.cost_units - self.cost_proof.bound) / (self.cost_units or 1)

    @property
    def covered(self) -> int:
        """How many people have an explanation: rows, unless a row stands for several."""
        return int(self.people_of_rows[self.has_explanation].sum()) + self._others("covered")

    @property
    def has_explanation(self) -> BoolArray:
        """Whether each given row has an explanation."""
        return np.array(self.assignment, dtype=np.int64) >= 0

    @cached_property
    def people_of_rows(self) -> IntArray:
        """How many people each given row stands for."""
        return _frozen(self.problem.get("people", [1] * len(self.assignment)))

    @property
    def people(self) -> int:
        """How many people were asked about: rows, unless a row stands for several."""
        return int(self.people_of_rows.sum()) + self._others("people")

    @property
    def beyond_help(self) -> int:
        """How many people are proved to be beyond help."""
        beyond = [entry.row for entry in self.unreachable]
        return int(self.people_of_rows[beyond].sum()) + self._others("unreachable")

    @property
    def beyond_knowledge(self) -> int:
        """How many people are undecided."""
        return int(self.people_of_rows[list(self.undecided)].sum()) + self._others("undecided")

    @property
    def people_left_out(self) -> int:
        """How many people can be helped, but have no explanation."""
        return int(self.people_of_rows[list(self.left_out)].sum()) + self._others("left_out")

    def _others(self, what: str) -> int:
        """One number of the people of whom there are only numbers."""
        return 0 if self.others is None else int(getattr(self.others, what))

    @property
    def left_out(self) -> tuple[int, ...]:
        """Rows that can be helped, but not within the goal, or that its share of the rows does not need."""
        known = {entry.row for entry in self.unreachable}.union(self.undecided)
        return tuple(row for row, number in enumerate(self.assignment) if number < 0 and row not in known)

    @cached_property
    def codes(self) -> IntArray:
        """The level of each given row in each feature, ``(n, p)``."""
        return _frozen(self.problem["codes"])

    @cached_property
    def points(self) -> IntArray:
        """Where each row ends after following its explanation, ``(n, p)``; -1 where it ends nowhere."""
        points = self.codes.copy()
        points[~self.has_explanation] = -1
        for explanation in self.explanations:
            members, changed = list(explanation.members), list(explanation.changed)
            if explanation.ends is not None:
                points[members] = explanation.ends
            elif changed:
                points[np.ix_(members, changed)] = np.array(explanation.point)[changed]
        return _frozen(points)

    @property
    def changes(self) -> BoolArray:
        """Whether each given row changes each feature, ``(n, p)``."""
        return np.asarray((self.codes != self.points) & self.has_explanation[:, None])

    @property
    def cost(self) -> float:
        """What all covered rows together have to change: features, or what the costs that were given say."""
        return self._paid(self.cost_units)

    def _paid(self, units: int) -> float:
        """Units of costs as they were given; an integer unless these have fractions."""
        scale = (self.problem.get("costs") or {}).get("scale", 1)
        return units if scale == 1 else units / scale

    @property
    def cost_units(self) -> int:
        """The cost as the proof counts it, in integers: costs with fractions are scaled up."""
        if self.problem.get("costs") is None:
            return int(self.people_of_rows @ self.changes.sum(axis=1))
        cost, changes = 0, self.changes
        for feature, table in enumerate(self.problem["costs"]["tables"]):
            moved = np.flatnonzero(changes[:, feature])
            paid = Square.read(table).at(self.codes[moved, feature], self.points[moved, feature])
            cost += int(self.people_of_rows[moved] @ paid)
        return cost

    @cached_property
    def labels(self) -> Labels:
        """What to call features, levels and rows."""
        return Labels(self)

    def summary(self, limit: int | None = 20) -> str:
        """Tell the answer and its proof in words.

        Parameters
        ----------
        limit : int or None
            Spell out at most so many explanations; ``None``: all.

        Examples
        --------
        >>> import oneformany as ofm
        >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 1]], threshold=2)
        >>> result = ofm.solve(ofm.Problem([[0, 0, 0], [1, 0, 0]], (2, 2, 2), oracle, max_changes=2))
        >>> print(result.summary().partition("Proof")[0].rstrip())
        1 explanation covers all 2 rows, each changing at most 2 features: proved to be the fewest possible.
        <BLANKLINE>
        Explanation 1 covers 2 rows (rows 0, 1):
            feature 0  -> level 1  (1 from level 0)
            feature 1  -> level 1  (2 from level 0)
        """
        return summarise(self, limit)

    def __repr__(self) -> str:
        return f"Result({short_words(self)})"

    def _repr_html_(self) -> str:
        return result_table(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each explanation changes; see :mod:`oneformany.plotting` for other pictures.

        Parameters
        ----------
        ax : Axes or None
            Where to draw.

        Examples
        --------
        >>> import oneformany as ofm
        >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
        >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
        >>> len(result.plot().texts)
        1
        """
        drawn: Axes = _face("plotting").plot_profiles(self, ax)
        return drawn

    def report(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        audits: Sequence[Audit] = (),
        *,
        curve: Curve | None = None,
        file: str | None = None,
    ) -> None:
        """Write a page for an audit file; see :func:`oneformany.report.write_report`.

        Parameters
        ----------
        path : path
            Where to; an HTML file that needs nothing else.
        title : str, optional
            Heading of the page.
        audits : sequence of Audit
            Comparisons of subgroups to include, see :func:`oneformany.audit`.
        curve : Curve, optional
            Answers for other numbers of explanations, to switch between; see :meth:`OneForMany.curve`.
        file : str, optional
            What the result file is called, for the command that checks it.
        """
        _face("report").write_report(self, path, title, audits, curve=curve, file=file)

    def model_card(
        self, card: AnyValue = None, *, audits: Sequence[Audit] = (), file: str | None = None
    ) -> str:
        """Write the section "recourse" of a model card, in Markdown.

        It says who is refused, who can be helped by how little, what rules were in force, what subgroups
        there are, and what is proved and how to check it.

        Parameters
        ----------
        card : Card of skops, optional
            The section is added to it, too.
        audits : sequence of Audit
            Comparisons of subgroups to include, see :func:`oneformany.audit`.
        file : str, optional
            What the result file is called, for the command that checks it.
        """
        text: str = _face("report").model_card(self, card, audits=audits, file=file)
        return text

    def verify(
        self,
        score: AnyValue = None,
        model: AnyModel = None,
        frame: AnyFrame = None,
        *,
        rules: Sequence[AnyValue] = (),
        reference: AnyFrame = None,
        progress: Callable[[str], None] | None = None,
        **limits: float | None,
    ) -> Report:
        """Check the answer and its proof, with code that shares nothing with the code that found them.

        What is checked is the text that :meth:`to_json` writes; a file is checked by
        :func:`oneformany.verify.verify`, which takes ``score`` and the limits as well.

        Parameters
        ----------
        score : callable, optional
            The classifier's score of each row of an ``(n, p)`` array of codes, for a classifier that a file
            does not hold.
        model, frame : object and frame, optional
            Instead of a score: the model, such as a function of frames, and the very rows that were
            explained; it is asked about every covered row as it is after following. Of a result that holds
            only numbers of some people, the explainer, and rows of the source, drawn at random.
        rules : sequence of rules, optional
            Those that were explained with. A file holds all but your own rules on whole rows; without them,
            what depends on them cannot be confirmed.
        reference : frame, optional
            The reference data, if a rule of your own looks at them.
        progress : callable, optional
            Is told each claim before it is examined; unless given, a line says what is being checked once
            that takes more than a second.
        **limits
            ``time_limit`` in seconds and ``memory_limit`` in gigabytes; ``None``: no limit.

        Returns
        -------
        Report
            One check per claim; ``report.outcome`` is "confirmed", "wrong" or "cannot be confirmed".

        Examples
        --------
        >>> import oneformany as ofm
        >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
        >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
        >>> print(result.verify().outcome)
        confirmed
        """
        sample = None
        if self.others is not None and model is not None and frame is not None:
            sample, model, frame = _face("explainer.visits").sample_of(self, model, frame), None, None
        given, own = score_on_codes(self, score, model, frame), rules_on_codes(self, rules, reference)
        with nullcontext(progress) if progress else _face("progress").Progress("verify") as told:
            known = {"score": given, "rules": own, "progress": told, "sample": sample}
            report: Report = _face("verify").verify(self.to_json(), **known, **limits)
        return report

    def reasons(
        self,
        frame: AnyFrame,
        model: AnyModel = None,
        *,
        codes: AnyValue = None,
        most: int = 4,
        time_limit: float | None = None,
    ) -> DataFrame:
        """Tell for every refused person why, with reasons that they can respond to where there are any.

        A reason is a feature that scored against the person: with another value of it alone the score would
        be higher. It is *responsive* if changing it is part of a change that the rules allow and the
        classifier accepts, with at most ``max_changes`` features; that is asked, feature by feature.
        Of the responsive ones those come first that scored most against the person; only a person without
        any is told of others.

        Parameters
        ----------
        frame : frame
            The very frame that was explained.
        model : OneForMany, optional
            The explainer, if its model is a black box, which no result file holds.
        codes : dict or path, optional
            The lender's own list, by column: a code and a text. Columns with the same code are told once.
        most : int
            How many reasons at most for one person.
        time_limit : float, optional
            Seconds after which what is left is "unknown".

        Returns
        -------
        DataFrame
            One line per person and reason, under the label of the row: ``feature``, ``rank``, ``responsive``
            ("yes", "proved no" or "unknown"), ``gain`` (of the score), ``least_changes`` (of a change that
            uses the feature, if that is proved), ``change`` (such a change in words), with ``codes`` also
            ``code`` and ``text``.
        """
        told: DataFrame = _face("studies.reasons").reasons(
            self, frame, model, codes=codes, most=most, time_limit=time_limit
        )
        return told

    def letters(
        self,
        frame: AnyFrame,
        model: AnyModel = None,
        *,
        template: str | os.PathLike[str] | None = None,
        codes: AnyValue = None,
        time_limit: float | None = None,
    ) -> Letters:
        """Write a letter to every refused person: the reasons, and what would have changed the decision.

        Parameters
        ----------
        frame, model, codes, time_limit
            As in :meth:`reasons`.
        template : path or str, optional
            Another text, in the language of jinja2: a file, or the text itself, about a ``letter``.

        Returns
        -------
        Letters
            One letter per person; ``write(folder)`` saves all of them, ``text(0)`` and ``html()`` show them.
        """
        written: Letters = _face("letters").write_letters(
            self, frame, model, template=template, codes=codes, time_limit=time_limit
        )
        return written

    # Methods that stand in files of their own.
    to_frame = to_frame
    assignment_frame = assignment_frame
    apply = apply
    assign = assign
    write_assignment = write_assignment

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write everything, proof included, as JSON.

        Parameters
        ----------
        path : path or None
            Also write it to this file, in one step: no reader ever sees half of it.

        Returns
        -------
        str
            The text, one line per part.
        """
        from oneformany.result.file import to_text

        text = to_text(self)
        if path is not None:
            files.write_whole(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Result:
        """Read what :meth:`to_json` wrote, exactly.

        Parameters
        ----------
        source : path or str
            A file, or the text itself.

        Raises
        ------
        CertificateError
            The file cannot be read, is half-written, was altered, or is not a result.
        """
        from oneformany.result.file import read_result

        return read_result(source)


def _frozen(numbers: AnyValue) -> IntArray:
    array = np.array(numbers, dtype=np.int64)
    array.flags.writeable = False
    return array


def _face(name: str) -> AnyValue:
    """Load a way to show or check a result; the result itself needs none of them."""
    return import_module(f"oneformany.{name}")
