"""Problems refuse what cannot be meant, naming the place."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from oneformany import AtMostSteps, Feature, Immutable, OnlyIncrease, Schema
from oneformany.exceptions import InputError
from oneformany.oracles.additive import AdditiveOracle
from oneformany.problem import Problem
from oneformany.schema import allowed_moves

ORACLE = AdditiveOracle([[0, 1], [0, 1, 2]], threshold=2)


def make(**changes):
    arguments = {"codes": [[0, 0], [1, 2], [0, 0]], "levels": (2, 3), "oracle": ORACLE, "max_changes": 1}
    return Problem(**(arguments | changes))


def test_equal_rows_become_one_with_its_multiplicity():
    problem = make()
    assert problem.rows.tolist() == [[0, 0], [1, 2]]
    assert problem.row_of.tolist() == [0, 1, 0]
    assert problem.multiplicity.tolist() == [2, 1]


def test_a_problem_cannot_be_changed():
    problem = make()
    with pytest.raises(ValueError, match="read-only"):
        problem.codes[0, 0] = 1


def test_the_arrays_of_the_caller_stay_writable():
    codes = np.array([[0, 0], [1, 2]])
    make(codes=codes)
    codes[0, 0] = 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"codes": []}, "at least one row"),
        ({"codes": np.zeros((0, 2), dtype=int)}, "at least one row"),
        ({"codes": [[0, 0, 0]]}, "3 features"),
        ({"codes": [[0, 3]]}, "row 0 has code 3 in feature 1"),
        ({"codes": [[0, -1]]}, "row 0 has code -1 in feature 1"),
        ({"codes": [[0.5, 1]]}, "integers"),
        ({"codes": [[np.nan, 1]]}, "integers"),
        ({"codes": [["a", "b"]]}, "integers"),
        ({"codes": [[0, 0], [1]]}, "codes must be a table whose lines are equally long"),
        ({"people": [[1], [1, 2], 3]}, "people must be a table whose lines are equally long"),
        ({"levels": 3}, "levels must be a list of integers, one per feature, not 3"),
        ({"levels": (2, 2.5)}, "levels must be a list of integers, one per feature"),
        ({"oracle": None}, "oracle must be an Oracle, not NoneType"),
        ({"costs": [1, 2]}, "costs must be Costs or None, not list"),
        ({"own": 3}, "own must be OwnValues or None, not int"),
        ({"levels": ()}, "at least one feature"),
        ({"levels": (2, 0)}, "feature 1 has 0 levels"),
        ({"levels": (3, 3)}, "classifier reads levels"),
        ({"max_changes": 0}, "from 1 to 2"),
        ({"max_changes": 3}, "from 1 to 2"),
        ({"max_changes": -1}, "from 1 to 2"),
        ({"max_changes": 1.5}, "integer"),
        ({"max_changes": True}, "integer"),
        ({"allowed": [None]}, "1 matrices for 2 features"),
        ({"allowed": [np.ones((3, 3)), None]}, r"allowed\[0\] has shape"),
        ({"allowed": [np.full((2, 2), 0.5), None]}, "true and false"),
    ],
)
def test_bad_input_is_refused_with_its_place(changes, words):
    with pytest.raises(InputError, match=words):
        make(**changes)


def test_input_errors_are_value_errors():
    with pytest.raises(ValueError, match="max_changes"):
        make(max_changes=0)


def test_staying_is_always_allowed():
    problem = make(allowed=[np.zeros((2, 2)), None])
    assert problem.moves[0].astype(int).tolist() == [[1, 0], [0, 1]]
    assert problem.moves[1] is None
    assert problem.ruled.tolist() == [True, False]


@pytest.mark.parametrize("rule", [Immutable("sum"), OnlyIncrease("sum"), AtMostSteps("sum", 3)])
def test_a_rule_on_twenty_thousand_numbers_takes_no_matrix_of_their_square(rule):
    many = 20_000
    numbers = tuple(range(many))
    schema = Schema([Feature("sum", tuple(map(str, numbers)), ordered=True, numbers=numbers)])
    oracle = AdditiveOracle([np.zeros(many)], threshold=1)
    tracemalloc.start()
    problem = Problem([[7], [9]], (many,), oracle, 1, allowed=allowed_moves(schema, [rule]))
    able = [problem.may_move(problem.rows, np.array([level]))[:, 0].tolist() for level in (7, 9, many - 1)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1000 * many  # a matrix would take 20,000 bytes for each number
    assert able[0][0]
    assert able[1] == [not isinstance(rule, Immutable), True]
    assert able[2] == [isinstance(rule, OnlyIncrease)] * 2
    assert problem.domain(problem.rows[0])[0].sum() == {Immutable: 1, AtMostSteps: 7}.get(
        type(rule), many - 7
    )


def test_moves_that_somebody_could_still_change_are_copied():
    matrix = np.eye(2, dtype=bool)
    view = matrix[::-1][::-1]
    view.flags.writeable = False
    problem = make(allowed=[view, None])
    matrix[0, 1] = True
    assert problem.moves[0].tolist() == [[True, False], [False, True]]
