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
    """What identifies a run of one cell."""

    dataset: str  # name of the coded data set, as :func:`oneformany.datasets.load` takes it
    model: str
    method: str  # of ``solve``
    protocol: str  # which rows are explained
    rows: int
    max_changes: int
    time_limit: float | None  # seconds allowed for it
    seed: int  # of the method
    threshold: float = 0.5  # least probability of a positive point
    immutable: str = "none"  # none, half: which features cannot change
    solver: str = "highs"  # who solves the mixed-integer programs

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
    """The data and the classifier behind a record."""

    instances: int
    features: int
    columns: int  # one-hot: the paper's extended features
    accuracy: float  # fraction of the test half that the classifier's own ``predict`` gets right
    hidden: tuple[int, ...] = ()  # widths of the hidden layers; empty for other models than networks

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))


@dataclass(frozen=True)
class Questions:
    """Questions "is there a positive point?", by who answered them."""

    known: int = 0  # answered by a point from an earlier answer, without asking
    points: int = 0  # answered by a new point
    proofs: int = 0  # answered by a proof that there is none
    left_open: int = 0
    seconds: float = 0.0  # spent in the classifier's oracle

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
    """What came out of one cell."""

    key: Key  # what was run
    status: str
    count: int
    lower_bound: int
    seconds: float  # wall time of ``solve``
    unreachable: int  # rows that are proved to be beyond help
    confirmed: int  # how many points of the answer the classifier itself predicts as positive
    verified: bool | None  # whether the independent check accepted the result; ``None``: not asked
    peak_megabytes: float | None  # largest memory of the process so far
    published: Published | None  # what the paper prints for the cell
    trained: Trained  # the data and the classifier
    questions: Questions = field(default_factory=Questions)  # how often the classifier was asked
    # proved: no classifier whatsoever allows fewer explanations for these rows; ``None``: not asked
    bound_without_classifier: int | None = None
    undecided: int = 0  # rows of which nobody knows whether they can be helped
    explanations: tuple[Explanation, ...] = ()  # the answer itself
    versions: dict[str, str] = field(default_factory=dict)  # of the software

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
