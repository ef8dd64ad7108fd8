"""A question as it was posed, and how an answer becomes a result: confirmed, named and explained."""

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from oneformany.anything import AnyFrame, AnyValue
from oneformany.exceptions import PredictionMismatchError
from oneformany.explainer.blocking import with_reasons
from oneformany.explainer.chances import with_probabilities
from oneformany.explainer.posing import Posed, acceptors_of, pose
from oneformany.explainer.ranges import with_ranges
from oneformany.explainer.wanted import ask_about_wanted, wanted_answer
from oneformany.problem import Problem
from oneformany.problem.goal import Goal
from oneformany.problem.problem import checked_people
from oneformany.readers.acceptors import kind_of
from oneformany.result.file import canonical
from oneformany.result.following import apply
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
    """

    asked: "OneForMany"
    problem: Problem
    posed: Posed
    table: Table
    stop: Stop
    noted: dict[str, Any]

    def confirmed(self, result: Result, *, reasons: bool = True, ranges: bool = True) -> Result | None:
        """Have the model confirm an answer, and add what the engine does not know.

        ``None``: the model said otherwise than before about rows at the threshold; ask again. Without
        ``reasons`` rows beyond help keep those that they have; without ``ranges`` targets are told alone.
        """
        asked, posed, stop = self.asked, self.posed, self.stop
        if reasons:
            result = with_reasons(result, self.problem, posed.schema, asked.rules, with_a_moment(stop))
            result = with_probabilities(result, posed, self.table)
        # Which rows of the frame these are, and what an auditor asks for.
        known = {
            **result.problem,
            "rows": posed.refused.tolist(),
            "already_positive": np.flatnonzero(posed.positive).tolist(),
            **self.noted,
            "model": _model_record(asked, result.problem["oracle"], posed),
            "wanted": wanted_answer(asked),
            "rules": [str(rule) for rule in asked.rules],
            "restrictions": with_words(result.problem["restrictions"], asked.rules),
        }
        index = RowIndex.of(self.table.frame.index[posed.refused])
        result = replace(result, schema=posed.schema, problem=known, index=index)
        moved = _confirmed(result, posed, apply(result, self.table.frame))
        if moved is None:
            return None
        if not ranges:
            return result
        return with_ranges(result, posed, moved, asked.rules, with_a_moment(stop))


def asking(asked: "OneForMany", frame: AnyFrame, stop: Stop, people: AnyValue = None) -> Asking:
    """Pose the question of an explainer about a frame, for those who answer it in their own way."""
    table = Table.of(frame)
    posed = pose(asked, table, stop)
    ask_about_wanted(asked, posed)
    counts = checked_people(people, len(posed.positive))
    return Asking(asked, posed.problem(asked.max_changes, asked.share, counts), posed, table, stop, {})


def with_a_moment(stop: Stop) -> Stop:
    """For what is said beside the answer: as long as there is time, and at least a moment."""
    most = math.inf if stop.time_limit is None else stop.time_limit
    return stop.at_least(min(SCHEDULE.telling, most))


def first_answer(
    problem: Problem,
    stop: Stop,
    explanations: int | None,
    coverage: float | None,
    progress: Callable[[Round], None] | None,
) -> Result:
    """Work a moment beyond the limit, for whom one batch of questions can help.

    That is a moment of work: where others have the processor, no time was left for any.
    """
    from oneformany.engine.solve import solve_exact  # compiled parts are loaded when they are needed

    moment = min(SCHEDULE.first, stop.time_limit or 0.0)
    goal = Goal(explanations, coverage)
    return solve_exact(problem, time_limit=moment, clock=patient_clock(), progress=progress, goal=goal)


def _confirmed(result: Result, posed: Posed, moved: pd.DataFrame) -> pd.DataFrame | None:
    """Ask the model itself about every covered row as it is after following.

    ``None``: about rows at the threshold it said otherwise than before, as a library may that adds up
    in another order in another company; its oracle knows now what it says of these rows together.
    """
    accepted = posed.decide(moved) if len(moved) else np.ones(0, dtype=np.bool_)
    refused = np.flatnonzero(result.has_explanation)[~accepted]
    after = result.points[refused]
    if posed.own is not None:
        own = posed.own.values[posed.refused[refused]]  # noqa: PD011 (own values, not those of pandas)
        after = posed.own.follow(own, after, np.ones(after.shape, dtype=np.bool_))
    if len(refused) and hasattr(posed.oracle, "turn_down") and posed.oracle.turn_down(after).all():
        return None
    for row in refused[:1].tolist():
        number, labels, point = result.assignment[row], result.labels, result.points[row].tolist()
        changed = result.explanations[number].changed
        words = ", ".join(f"{labels.feature(f)} = {labels.target(f, point[f])}" for f in changed)
        raise PredictionMismatchError(
            f"explanation {number + 1} ({words}): row {labels.row(row)} is not positive by the model's own "
            f"prediction after following it ({(~accepted).sum()} of {len(accepted)} rows); please report "
            "this model"
        )
    return moved


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
