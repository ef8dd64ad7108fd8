"""The engine finds what brute force finds, proves it, and the verifier accepts the proof."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from agreement import disagreement
from strategies import SmallProblem, random_problem, small_problems

CHUNKS, PROBLEMS_PER_CHUNK = 10, 240


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_problems_are_solved_to_the_proved_optimum(chunk: int) -> None:
    rng = np.random.default_rng([2, chunk])
    for _ in range(PROBLEMS_PER_CHUNK):
        problem = random_problem(rng)
        wrong = disagreement(problem)
        assert not wrong, f"{problem}: {wrong}"


@settings(max_examples=200, deadline=None)
@given(small_problems())
def test_any_small_problem_is_solved_to_the_proved_optimum(problem: SmallProblem) -> None:
    assert not disagreement(problem)
