"""What splitting a network at its units buys: proofs of "none", with and without it, side by side.

    python benchmarks/network_proofs.py                       # a few minutes
    python benchmarks/network_proofs.py --quick               # seconds

The questions are those that a run on the students data, threshold 0.9, answers by a proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unittest.mock import patch

from measuring import script_parser, show, timed
from oneformany.methods import solve
from oneformany.oracles.network import search as network_search
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import Answer, Question
from oneformany.paper.runs.prepare import prepare


def refuted_questions(rows: int, max_changes: int) -> tuple[NetworkOracle, list[Question]]:
    """Solve a problem and note what was answered by a proof."""
    problem = prepare("students-published", "nn", threshold=0.9).problem("negatives", rows, max_changes)
    oracle, reach = problem.oracle, problem.oracle.reach
    refuted: list[Question] = []

    def noting(question: Question) -> Answer:
        answer = reach(question)
        if answer.proved_none:
            refuted.append(question)
        return answer

    with patch.object(oracle, "reach", noting):
        solve(problem)
    return oracle, refuted


def seconds(oracle: NetworkOracle, question: Question, probes: int) -> float:
    """Time one proof."""
    with patch.object(network_search, "PROBES", probes):
        answer, took = timed(oracle.reach, question)
    if not answer.proved_none:
        raise AssertionError("the same question has another answer")
    return took


def lines(times: Sequence[tuple[float, ...]]) -> Iterator[dict[str, str]]:
    """One line per question, and their sum."""
    total = tuple(map(sum, zip(*times, strict=True)))
    for number, (both, alone) in enumerate([*sorted(times, key=max), total], start=1):
        yield {
            "question": str(number) if number <= len(times) else "all",
            "units and features": f"{both:.3f}",
            "features alone": f"{alone:.3f}",
            "ratio": f"{alone / both:.1f}",
        }


def main() -> None:
    """Compare."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--max-changes", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="10 rows, 10 changes: seconds")
    options = parser.parse_args()
    size = (10, 10) if options.quick else (options.rows, options.max_changes)
    oracle, questions = refuted_questions(*size)
    probes = (network_search.PROBES, 0)
    times = [tuple(seconds(oracle, question, n) for n in probes) for question in questions]
    title = "Seconds per proof that a network has no positive point"
    show(title, list(lines(times)), form=options.format)


if __name__ == "__main__":
    main()
