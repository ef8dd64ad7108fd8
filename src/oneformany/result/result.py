"""The answer as frozen plain data, and its exact round trip through a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.files import write_whole
from oneformany.statistics import Statistics

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.problem import Problem
    from oneformany.schema.schema import Schema

__all__ = ["Explanation", "Result", "Status", "Unreachable", "problem_to_dict"]

Status = Literal["optimal", "feasible", "infeasible"]

FORMAT = "oneformany-result"
VERSION = 1
STATUSES = ("optimal", "feasible", "infeasible")


@dataclass(frozen=True)
class Explanation:
    """One positive point for many rows.

    Attributes
    ----------
    point : tuple of int
        A full vector of levels, classified positive.
    changed : tuple of int
        The features its rows may change to get there; outside of these, all rows agree with the point.
    members : tuple of int
        The given rows assigned to it.
    """

    point: tuple[int, ...]
    changed: tuple[int, ...]
    members: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("point", "changed", "members"):
            object.__setattr__(self, name, _integers(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"point": list(self.point), "changed": list(self.changed), "members": list(self.members)}


@dataclass(frozen=True)
class Unreachable:
    """A row that no explanation can help, and why.

    Attributes
    ----------
    row : int
        The given row.
    reason : str
        What the proof says.
    """

    row: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"row": self.row, "reason": self.reason}


@dataclass(frozen=True)
class Result:
    """The explanations, how few there can be, and the proof of it.

    Attributes
    ----------
    status : {"optimal", "feasible", "infeasible"}
        No smaller set exists; or one may exist (see ``gap``); or some rows cannot be helped, which
        ``unreachable`` names while the explanations still cover all others.
    count : int
        Number of explanations.
    lower_bound : int
        Proved: no fewer explanations cover the rows that can be helped.
    explanations : tuple of Explanation
        The answer.
    assignment : tuple of int
        For each given row its place in ``explanations``; -1 for rows that cannot be helped.
    unreachable : tuple of Unreachable
        Rows that cannot be helped.
    certificate : dict
        The proof of ``lower_bound``, which :func:`oneformany.verify.verify` checks.
    problem : dict
        What was asked, see :func:`problem_to_dict`.
    statistics : Statistics
        What happened, round by round.
    versions : dict
        Versions of the software that computed it.
    seed : int
        Seed of the random choices.
    method : str
        Method of :func:`oneformany.solve`.
    schema : Schema or None
        Names and labels; without it features and levels are told by number.
    """

    status: Status
    count: int
    lower_bound: int
    explanations: tuple[Explanation, ...]
    assignment: tuple[int, ...]
    unreachable: tuple[Unreachable, ...]
    certificate: dict[str, Any]
    problem: dict[str, Any]
    statistics: Statistics = field(default_factory=Statistics)
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    method: str = "exact"
    schema: Schema | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", index(self.count))
        object.__setattr__(self, "lower_bound", index(self.lower_bound))
        object.__setattr__(self, "explanations", tuple(self.explanations))
        object.__setattr__(self, "assignment", _integers(self.assignment))
        object.__setattr__(self, "unreachable", tuple(self.unreachable))

    @property
    def gap(self) -> float:
        """Relative distance of ``count`` and ``lower_bound``: 0 when the answer is proved minimal."""
        return (self.count - self.lower_bound) / self.count if self.count else 0.0

    def summary(self, limit: int | None = 20) -> str:
        """Tell the answer and its proof in words.

        Parameters
        ----------
        limit : int or None
            Spell out at most so many explanations; ``None``: all.
        """
        from oneformany.result.words import summarise

        return summarise(self, limit)

    def to_frame(self) -> pd.DataFrame:
        """One row per explanation: how many rows it covers, what changes, and the whole point."""
        from oneformany.result.tables import explanation_frame

        return explanation_frame(self)

    def assignment_frame(self) -> pd.DataFrame:
        """One row per given row: its explanation, and the new label of each feature it has to change."""
        from oneformany.result.tables import assignment_frame

        return assignment_frame(self)

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
        parts = {
            "format": FORMAT,
            "version": VERSION,
            "status": self.status,
            "count": self.count,
            "lower_bound": self.lower_bound,
            "method": self.method,
            "seed": self.seed,
            "versions": self.versions,
            "problem": self.problem,
            "explanations": [explanation.to_dict() for explanation in self.explanations],
            "assignment": list(self.assignment),
            "unreachable": [entry.to_dict() for entry in self.unreachable],
            "certificate": self.certificate,
            "statistics": _statistics_to_dict(self.statistics),
            "schema": None if self.schema is None else self.schema.to_dict(),
        }
        lines = [f"{json.dumps(name)}: {_dump(part)}" for name, part in parts.items()]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        if path is not None:
            write_whole(path, text)
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
            The file cannot be read, is half-written, or is not a result.
        """
        text, place = _read(source)
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise CertificateError(
                f"{place} is not whole JSON ({error}); it may be half-written: save the result again"
            ) from error
        _check_header(data, place)
        try:
            return _from_dict(cls, data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CertificateError(
                f"{place} is no complete result: {type(error).__name__} {error}; save the result again"
            ) from error


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Write down what was asked, as plain data from which the answer can be checked.

    Parameters
    ----------
    problem : Problem
        Rows, levels, classifier, budget and allowed moves.
    """
    allowed = None
    if problem.allowed is not None:
        allowed = [
            None if matrix is None else problem.moves[feature, :n, :n].astype(int).tolist()
            for feature, (matrix, n) in enumerate(zip(problem.allowed, problem.levels, strict=True))
        ]
    return {
        "codes": problem.codes.tolist(),
        "levels": list(problem.levels),
        "max_changes": problem.max_changes,
        "allowed": allowed,
        "oracle": problem.oracle.describe(),
    }


def _integers(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(index(number) for number in numbers)


def _dump(part: object) -> str:
    return json.dumps(part, separators=(",", ":"), default=_plain, allow_nan=False)


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a result holds plain data only, not {type(value).__name__}")


def _statistics_to_dict(statistics: Statistics) -> dict[str, Any]:
    """Strict JSON has no infinity, which is the value of a relaxation that was never solved."""
    data = statistics.to_dict()
    for record in data["rounds"]:
        if not math.isfinite(record["value"]):
            record["value"] = str(float(record["value"]))
    return data


def _statistics_from_dict(data: dict[str, Any]) -> Statistics:
    rounds = [{**record, "value": float(record["value"])} for record in data.get("rounds", [])]
    return Statistics.from_dict({**data, "rounds": rounds})


def _read(source: str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return source, "the text"
    try:
        return Path(source).read_text(encoding="utf-8"), str(source)
    except (OSError, UnicodeDecodeError) as error:
        raise CertificateError(f"{source} cannot be read: {error}") from error


def _check_header(data: object, place: str) -> None:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError(f'{place} is no result: its "format" is not "{FORMAT}"')
    if data.get("version") != VERSION:
        raise CertificateError(
            f"{place} has version {data.get('version')!r}, this package reads version {VERSION}; "
            "install the release that wrote it"
        )
    if data.get("status") not in STATUSES:
        raise CertificateError(f"{place} has the unknown status {data.get('status')!r}")


def _from_dict(cls: type[Result], data: dict[str, Any]) -> Result:
    schema = None
    if data["schema"] is not None:
        from oneformany.schema.schema import Schema

        schema = Schema.from_dict(data["schema"])
    for name, kind in (("problem", dict), ("certificate", dict), ("versions", dict), ("method", str)):
        if not isinstance(data[name], kind):
            raise TypeError(f'"{name}" is not of type {kind.__name__}')
    result = cls(
        status=cast("Status", data["status"]),
        count=data["count"],
        lower_bound=data["lower_bound"],
        explanations=tuple(
            Explanation(entry["point"], entry["changed"], entry["members"]) for entry in data["explanations"]
        ),
        assignment=tuple(data["assignment"]),
        unreachable=tuple(
            Unreachable(index(entry["row"]), str(entry["reason"])) for entry in data["unreachable"]
        ),
        certificate=data["certificate"],
        problem=data["problem"],
        statistics=_statistics_from_dict(data["statistics"]),
        versions=data["versions"],
        seed=index(data["seed"]),
        method=data["method"],
        schema=schema,
    )
    _check_sizes(result)
    return result


def _check_sizes(result: Result) -> None:
    """Check what tables and summary rely on; whether the claims hold is for ``verify`` to say."""
    asked, width = len(result.problem["codes"]), len(result.problem["levels"])
    if result.count != len(result.explanations):
        raise ValueError(f"the count is {result.count}, there are {len(result.explanations)} explanations")
    if len(result.assignment) != asked or len(result.problem.get("rows", result.assignment)) != asked:
        raise ValueError(f"{asked} rows were asked, but not as many are assigned or named")
    for explanation in result.explanations:
        if len(explanation.point) != width:
            raise ValueError(f"a point has {len(explanation.point)} features, the problem {width}")
        if not all(0 <= row < asked for row in explanation.members):
            raise ValueError(f"an explanation covers rows other than 0 to {asked - 1}")
    if not all(-1 <= place < result.count for place in result.assignment):
        raise ValueError(f"rows are assigned to explanations other than 0 to {result.count - 1}")
