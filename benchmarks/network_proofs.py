"""What splitting a network at its units buys: proofs of "none", with and without it, side by side.

    python benchmarks/network_proofs.py                       # a few minutes
    python benchmarks/network_proofs.py --quick               # seconds

The questions are those that a run on the students data, threshold 0.9, answers by a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

from measuring import script_parser, timed
from oneformany.methods import solve
from oneformany.oracles.network import search as network_search
from oneformany.oracles.network.oracle import NetworkOracle
from oneformany.oracles.protocol import Answer, Question
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.tables.table import FORMATS, Columns, TextTable, make_table


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


def table(times: Sequence[tuple[float, ...]]) -> TextTable:
    """One line per question, and their sum."""
    total = tuple(map(sum, zip(*times, strict=True)))
    lines = [*sorted(times, key=max), total]
    columns: Columns = {
        "question": [*range(1, len(lines)), "all"],
        "units and features": [f"{both:.3f}" for both, _ in lines],
        "features alone": [f"{alone:.3f}" for _, alone in lines],
        "ratio": [f"{alone / both:.1f}" for both, alone in lines],
    }
    return make_table("network-proofs", "Seconds per proof that a network has no positive point", columns)


def main() -> None:
    """Compare."""
    parser = script_parser(__doc__)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--max-changes", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="10 rows, 10 changes: seconds")
    parser.add_argument("--format", choices=list(FORMATS), default="text")
    options = parser.parse_args()
    size = (10, 10) if options.quick else (options.rows, options.max_changes)
    oracle, questions = refuted_questions(*size)
    probes = (network_search.PROBES, 0)
    times = [tuple(seconds(oracle, question, n) for n in probes) for question in questions]
    print(FORMATS[options.format].write(table(times)))


if __name__ == "__main__":
    main()
