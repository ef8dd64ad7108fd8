"""How often the classifier was asked while a problem was solved, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from oneformany.result.result import Result

__all__ = ["Questions"]


@dataclass(frozen=True)
class Questions:
    """Questions "is there a positive point?", by who answered them.

    Attributes
    ----------
    known : int
        Answered by a point from an earlier answer, without asking.
    points : int
        Answered by a new point.
    proofs : int
        Answered by a proof that there is none.
    left_open : int
        Answered by neither.
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
        """Count the questions of a run: one per distinct row at its start, and those of its search.

        Parameters
        ----------
        result : Result
            What came out of it.
        """
        counters, timings = result.statistics.counters, result.statistics.timings
        codes = [tuple(row) for row in result.problem["codes"]]
        helpless = len({codes[entry.row] for entry in result.unreachable})
        proved = result.status == "infeasible"  # it is "feasible" when a helpless row is not proved to be one
        return cls(
            known=counters.get("questions answered by known points", 0),
            points=counters.get("questions answered by a point", 0) + len(set(codes)) - helpless,
            proofs=counters.get("questions answered by a proof", 0) + (helpless if proved else 0),
            left_open=counters.get("questions left open", 0) + (0 if proved else helpless),
            seconds=timings.get("oracle", 0.0) + timings.get("screening", 0.0),
        )
