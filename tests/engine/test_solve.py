"""The front of the engine: known answers are used, and what cannot be asked for is refused."""

from __future__ import annotations

from dataclasses import replace

from engine.problems import refused_rows
from oneformany.engine.run import Options
from oneformany.engine.solve import solve_exact


def test_a_search_starts_from_a_known_answer_with_fewer_changes():
    problem = refused_rows()
    few = solve_exact(problem, options=Options(way="search"))
    more = solve_exact(
        replace(problem, max_changes=4), options=Options(way="search", max_rounds=1), start=few.explanations
    )
    assert more.count <= few.count
