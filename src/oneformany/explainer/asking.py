"""A question as it was posed, and how an answer becomes a result: confirmed, named and explained."""

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.arrays import IntArray
from oneformany.exceptions import PredictionMismatchError
from oneformany.explainer.blocking import blocked_rows
from oneformany.explainer.chances import with_probabilities
from oneformany.explainer.posing import Posed, acceptors_of, pose
from oneformany.explainer.ranges import ranges_of
from oneformany.explainer.settings import settled
from oneformany.explainer.wanted import ask_about_wanted, wanted_answer
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.problem import checked_people
from oneformany.readers.acceptors import kind_of
from oneformany.result.explanation import Unreachable
from oneformany.result.facts import Facts, TurnedDownError
from oneformany.result.file import canonical
from oneformany.result.following import follow
from oneformany.result.labels import isolated
from oneformany.result.own_rules import with_words
from oneformany.result.result import Result
from oneformany.result.row_index import RowIndex
from oneformany.schedule import SCHEDULE
from oneformany.schema.feature import plain_value
from oneformany.schema.frames import Table
from oneformany.statistics import Round
from oneformany.stop import Stop, patient_clock

if TYPE_CHECKING:
    from oneformany.explainer.explainer import OneForMany


@dataclass(frozen=True, eq=False)
class Asking:
    """A question that was posed, and how its answers become results: confirmed, named and explained.

    Attributes
    ----------
    asked : OneForMany
        Who asks.
    problem : Problem
        What the engine is asked.
    posed : Posed
        What is known about the rows.
    table : Table
        The rows as they were given.
    stop : Stop
        The clock.
    noted : dict
        What else results say of the question.
    record : dict
        What else they say of the model.
    ranges : bool
        Whether ranges are looked for; otherwise targets are told alone.
    """

    asked: "OneForMany"
    problem: Problem
    posed: Posed
    table: Table
    stop: Stop
    noted: Mapping[str, Any]
    record: Mapping[str, Any]
    ranges: bool = True

    def time_left(self) -> float | None:
        """Seconds for an answer: what is left, and some whatever reading took."""
        limit = self.stop.time_limit
        return None if limit is None else max(self.stop.remaining(), SCHEDULE.solving * limit)

    def facts(self, answer: Result, beyond: tuple[Unreachable, ...] | None = None) -> Facts:
        """Ask the model about every covered row; say why others are beyond help, and which ranges serve.

        ``beyond`` are the rows beyond help with their reasons, where these are known.
        """
        posed, rules, rows = self.posed, self.posed.rules, self.posed.refused
        covered = np.flatnonzero(answer.has_explanation)
        before, after = answer.codes[covered], answer.points[covered]
        moved = follow(posed.schema, self.table.frame.iloc[rows[covered]], before, after, self.table.frame)
        self._confirm(answer, covered, moved)
        if beyond is None:
            blocked = blocked_rows(answer.unreachable, self.problem, posed.schema, rules, self._a_moment())
            beyond = with_probabilities(blocked, posed, self.table)
        told = {
            "rows": rows.tolist(),
            "already_positive": np.flatnonzero(posed.positive).tolist(),
            **self.noted,
            "model": {**_model_record(self.asked, answer.problem["oracle"], posed), **self.record},
            "wanted": wanted_answer(self.asked),
            "rules": [str(rule) for rule in rules],
            "restrictions": with_words(answer.problem["restrictions"], rules),
        }
        ranges = ranges_of(answer, posed, moved, rules, self._a_moment()) if self.ranges else []
        if any(ranges):
            told["ranges"] = ranges
        return Facts(posed.schema, RowIndex.of(self.table.frame.index[rows]), told, beyond)

    def _a_moment(self) -> Stop:
        """For what is said beside the answer: as long as there is time, and at least a moment."""
        limit = math.inf if self.stop.time_limit is None else self.stop.time_limit
        return self.stop.at_least(min(SCHEDULE.telling, limit))

    def _confirm(self, answer: Result, covered: IntArray, moved: pd.DataFrame) -> None:
        """Ask the model itself about every covered row as it is after following.

        About rows at the threshold it may say otherwise than before, as a library may that adds up in another
        order in another company; its oracle knows then what it says of these rows together.
        """
        posed = self.posed
        accepted = posed.decide(moved) if len(moved) else np.ones(0, dtype=np.bool_)
        if accepted.all():
            return
        refused = covered[~accepted]
        after = answer.points[refused]
        if posed.own is not None:
            own = posed.own.values[posed.refused[refused]]  # noqa: PD011 (own values, not those of pandas)
            after = posed.own.follow(own, after, np.ones(after.shape, dtype=np.bool_))
        if hasattr(posed.oracle, "turn_down") and posed.oracle.turn_down(after).all():
            raise TurnedDownError
        row, number = int(refused[0]), answer.assignment[refused[0]]
        changed, features = answer.explanations[number].changed, posed.schema.features
        words = ", ".join(
            f"{isolated(features[f].title or features[f].name)} = "
            f"{isolated(features[f].target_label(int(answer.points[row, f])))}"
            for f in changed
        )
        label = isolated(self.table.frame.index[posed.refused[row]])
        raise PredictionMismatchError(
            f"explanation {number + 1} ({words}): row {label} is not positive by the model's own "
            f"prediction after following it ({(~accepted).sum()} of {len(accepted)} rows); please report "
            "this model"
        )


def asking(
    asked: "OneForMany",
    frame: AnyFrame,
    stop: Stop,
    people: AnyValue = None,
    record: Mapping[str, Any] | None = None,
) -> Asking:
    """Pose the question of an explainer about a frame, for those who answer it in their own way."""
    asked, table = settled(asked), Table.of(frame)
    posed = pose(asked, table, stop)
    ask_about_wanted(asked, posed)
    counts = checked_people(people, len(posed.positive))
    problem = posed.problem(asked.max_changes, asked.share, counts)
    return Asking(asked, problem, posed, table, stop, {}, record or {})


def first_answer(
    question: Asking,
    explanations: int | None,
    coverage: float | None,
    progress: Callable[[Round], None] | None,
) -> Result:
    """Work a moment beyond the limit, for whom one batch of questions can help.

    That is a moment of work: where others have the processor, no time was left for any.
    """
    from oneformany.engine.solve import solve_exact  # compiled parts are loaded when they are needed

    return solve_exact(
        question.problem,
        time_limit=min(SCHEDULE.first, question.stop.time_limit or 0.0),
        clock=patient_clock(),
        progress=progress,
        goal=Goal(explanations, coverage),
        asker=question,
    )


def _model_record(asked: "OneForMany", oracle: dict[str, Any], posed: Posed) -> dict[str, Any]:
    """Say what an auditor wants to know about the model: which one it was, decided how, and when.

    ``digest`` is the SHA-256 of the oracle's description in canonical JSON, ``None`` where nobody can look
    inside; ``ignores`` names the columns on which nothing depends, ``unread`` says why the model was not
    read but asked as a black box, ``beyond_data`` which values rows may be sent to that lie beyond all data,
    ``acceptors`` who else has to accept a row, ``needed`` how many of those beside the model are enough;
    these are left out otherwise.
    """
    acceptors = acceptors_of(asked)
    first, *others = acceptors.every
    several = [
        {"name": one.name, "kind": kind_of(one.model), "positive": _plain(one.positive)}
        for one in acceptors.every
    ]
    told = {
        "ignores": posed.ignored,
        "unread": posed.unread,
        "beyond_data": "; ".join(posed.beyond),
        "acceptors": several if others else None,
        "needed": acceptors.needed if acceptors.needed < len(acceptors.also) else None,
    }
    return {
        "kind": kind_of(first.model),
        "digest": _digest(oracle),
        "threshold": None if asked.threshold is None else float(asked.threshold),
        "positive": _plain(first.positive),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    } | {name: said for name, said in told.items() if said}


def _digest(oracle: dict[str, Any]) -> str | None:
    if "black box" in _kinds(oracle):
        return None
    return f"sha256:{hashlib.sha256(canonical(oracle).encode()).hexdigest()}"


def _kinds(oracle: dict[str, Any]) -> Iterator[str | None]:
    """The kinds of classifiers that a description holds; what has no kind is as good as a black box."""
    yield oracle.get("kind", "black box")
    for member in oracle.get("members", ()):
        yield from _kinds(member)


def _plain(positive: object) -> AnyValue:
    plain = plain_value(positive)
    return plain if isinstance(plain, (bool, int, float, str)) else str(plain)
