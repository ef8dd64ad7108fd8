"""What came out of one run of one cell, as plain data."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from oneformany.paper.runs.cells import Published
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result

__all__ = ["Key", "Questions", "Record", "Trained"]

STATUSES = ("optimal", "feasible", "infeasible")


@dataclass(frozen=True)
class Key:
    """What identifies a run of one cell.

    Attributes
    ----------
    dataset : str
        Name of the coded data set, as :func:`oneformany.datasets.load` takes it.
    model, method, protocol : str
        Classifier, method of ``solve``, and which rows are explained.
    rows, max_changes : int
        Size of the problem.
    time_limit : float or None
        Seconds allowed for it.
    seed : int
        Of the method.
    threshold : float
        Least probability of a positive point.
    immutable : {"none", "half"}
        Which features cannot change.
    solver : str
        Who solves the mixed-integer programs.
    """

    dataset: str
    model: str
    method: str
    protocol: str
    rows: int
    max_changes: int
    time_limit: float | None
    seed: int
    threshold: float = 0.5
    immutable: str = "none"
    solver: str = "highs"

    @property
    def as_published(self) -> bool:
        """Whether rows and question are those of the paper's tables."""
        asked = (self.protocol, self.threshold, self.immutable) == ("published", 0.5, "none")
        return (
            asked
            and self.model in ("lr", "nn")
            and self.dataset in ("compas", "german", "students-published")
        )


@dataclass(frozen=True)
class Trained:
    """The data and the classifier behind a record.

    Attributes
    ----------
    instances, features, columns : int
        Rows, original features, and one-hot columns ("extended features").
    accuracy : float
        Fraction of the test half that the classifier's own ``predict`` gets right.
    hidden : tuple of int
        Widths of the hidden layers; empty for other models than networks.
    """

    instances: int
    features: int
    columns: int
    accuracy: float
    hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))


@dataclass(frozen=True)
class Questions:
    """Questions "is there a positive point?", by who answered them.

    Attributes
    ----------
    known : int
        Answered by a point from an earlier answer, without asking.
    points, proofs, left_open : int
        Answered by a new point, by a proof that there is none, by neither.
    seconds : float
        Spent in the classifier's oracle.
    """

    known: int = 0
    points: int = 0
    proofs: int = 0
    left_open: int = 0
    seconds: float = 0.0

    @property
    def asked(self) -> int:
        """Questions that reached the oracle."""
        return self.points + self.proofs + self.left_open

    @classmethod
    def of(cls, result: Result) -> Questions:
        """Count the questions of a run: one per distinct row at its start, and those of its search."""
        counters, timings = result.statistics.counters, result.statistics.timings
        codes = [tuple(row) for row in result.problem["codes"]]
        proofs = len({codes[entry.row] for entry in result.unreachable})
        left_open = len({codes[row] for row in result.undecided})
        return cls(
            known=counters.get("questions answered by known points", 0),
            points=counters.get("questions answered by a point", 0) + len(set(codes)) - proofs - left_open,
            proofs=counters.get("questions answered by a proof", 0) + proofs,
            left_open=counters.get("questions left open", 0) + left_open,
            seconds=timings.get("oracle", 0.0) + timings.get("screening", 0.0),
        )


@dataclass(frozen=True)
class Record:
    """What came out of one cell.

    Attributes
    ----------
    key : Key
        What was run.
    status, count, lower_bound : str, int, int
        As in the result.
    seconds : float
        Wall time of ``solve``.
    unreachable : int
        Rows that are proved to be beyond help.
    confirmed : int
        How many points of the answer the classifier itself predicts as positive.
    verified : bool or None
        Whether the independent check accepted the result; ``None``: not asked.
    peak_megabytes : float or None
        Largest memory of the process so far.
    published : Published or None
        What the paper prints for the cell.
    trained : Trained
        The data and the classifier.
    questions : Questions
        How often the classifier was asked.
    bound_without_classifier : int or None
        Proved: no classifier whatsoever allows fewer explanations for these rows; ``None``: not asked.
    undecided : int
        Rows of which nobody knows whether they can be helped.
    explanations : tuple of Explanation
        The answer itself.
    versions : dict
        Of the software.
    """

    key: Key
    status: str
    count: int
    lower_bound: int
    seconds: float
    unreachable: int
    confirmed: int
    verified: bool | None
    peak_megabytes: float | None
    published: Published | None
    trained: Trained
    questions: Questions = field(default_factory=Questions)
    bound_without_classifier: int | None = None
    undecided: int = 0
    explanations: tuple[Explanation, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is {self.status!r}")
        for name in ("count", "lower_bound", "unreachable", "confirmed"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} is {getattr(self, name)!r}")

    @property
    def proved(self) -> bool:
        """Whether it is proved that no smaller set covers the rows, and that no other row can be helped."""
        return self.status != "feasible" and self.count == self.lower_bound

    @property
    def paper_seconds(self) -> float | None:
        """Time of the paper's run of the same method: its MIP for "mip", else its column generation."""
        if self.published is None:
            return None
        return self.published.mip_seconds if self.key.method == "mip" else self.published.cg_seconds

    def to_line(self) -> str:
        """One flat JSON object on one line."""
        data = asdict(self)
        return json.dumps({**data.pop("key"), **data})

    @classmethod
    def from_line(cls, line: str) -> Record:
        """Rebuild from :meth:`to_line`."""
        data: dict[str, Any] = json.loads(line)
        key = Key(**{part.name: data.pop(part.name) for part in fields(Key)})
        published = data.pop("published")
        return cls(
            key=key,
            published=None if published is None else Published(**published),
            trained=Trained(**data.pop("trained")),
            questions=Questions(**data.pop("questions")),
            explanations=tuple(Explanation(**entry) for entry in data.pop("explanations")),
            **data,
        )
