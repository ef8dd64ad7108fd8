import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.oracles import blackbox
from oneformany.oracles.blackbox import BlackBoxOracle, check_probabilities
from oneformany.oracles.protocol import Question
from oneformany.problem import Problem
from oneformany.stop import Stop
from reference_points import brute_force_points
from strategies import random_problem
from tree_questions import all_points, questions, usable

LEVELS = (2, 3, 2, 4)


class Listening:
    """A random function of codes that remembers what it was asked."""

    def __init__(self, levels, seed):
        self.levels = levels
        self.chances = np.random.default_rng(seed).random(levels)
        self.calls = []

    def __call__(self, codes):
        self.calls.append(codes)
        return self.chances[tuple(codes.T)]

    def asked(self):
        return [tuple(point) for call in self.calls for point in call.tolist()]


@settings(deadline=None)
@given(st.data(), st.integers(0, 2**32), st.floats(0.5, 0.999))
def test_answers_are_those_of_full_enumeration(data, seed, threshold):
    question = data.draw(questions(LEVELS))
    function = Listening(LEVELS, seed)
    oracle = BlackBoxOracle(function, LEVELS, threshold)
    points = all_points(LEVELS)
    candidates = points[usable(question, points)]
    answer = oracle.reach(question)
    if answer.point is None:
        assert answer.proved_none
        assert not (function.chances[tuple(candidates.T)] >= threshold).any()
    else:
        assert answer.point.tolist() in candidates.tolist()
        assert function.chances[tuple(answer.point)] >= threshold
    asked = function.asked()
    assert oracle.upper_bound(question.domain) == (np.inf if question.domain.any(axis=1).all() else -np.inf)
    assert function.asked() == asked


@settings(deadline=None)
@given(st.data(), st.integers(0, 2**32), st.integers(0, 30))
def test_what_is_not_asked_about_is_never_excluded(data, seed, budget):
    question = data.draw(questions(LEVELS))
    function = Listening(LEVELS, seed)
    oracle = BlackBoxOracle(function, LEVELS, 0.95, max_calls=budget)
    points = all_points(LEVELS)
    candidates = {tuple(point) for point in points[usable(question, points)].tolist()}
    answer = oracle.reach(question)
    assert oracle.asked == len(function.asked()) <= budget
    if answer.proved_none:
        assert candidates <= {*function.asked()}
    elif answer.point is None:
        assert oracle.unanswered == 1
    else:
        assert tuple(answer.point.tolist()) in candidates


def test_no_point_is_asked_about_twice():
    function = Listening(LEVELS, 0)
    oracle = BlackBoxOracle(function, LEVELS, 0.99)
    points = all_points(LEVELS)
    oracle.score(np.vstack([points[:7], points[:7]]))
    for anchor in points:
        oracle.reach(Question(anchor, np.zeros(4, np.bool_), 4, np.ones((4, 4), np.bool_) & exists()))
    asked = function.asked()
    assert len(asked) == len(set(asked)) == oracle.asked == len(points)
    assert oracle.batches == len(function.calls) < 60
    assert (oracle.score(points) == function.chances.ravel()).all()


def exists():
    return np.arange(4) < np.array(LEVELS)[:, None]


def test_large_boxes_are_searched_and_a_failure_is_no_proof():
    levels = (2,) * 20
    anything = Question(np.zeros(20, np.int64), np.zeros(20, np.bool_), 20, np.ones((20, 2), np.bool_))
    hill = BlackBoxOracle(lambda codes: codes.mean(axis=1), levels, 0.9)
    assert hill.positive(hill.reach(anything).point[None]).all()
    assert hill.asked < 1000
    flat = BlackBoxOracle(lambda codes: np.full(len(codes), 0.2), levels, 0.9)
    answer = flat.reach(anything)
    assert (answer.point, answer.proved_none, flat.unanswered) == (None, False, 1)
    assert flat.upper_bound(anything.domain) == np.inf


def test_no_question_is_asked_only_to_say_why_a_row_cannot_be_helped():
    function = Listening(LEVELS, 0)
    oracle = BlackBoxOracle(function, LEVELS, 0.999999)
    result = solve(Problem(np.zeros((1, len(LEVELS)), dtype=int), LEVELS, oracle, 1))
    assert result.status == "infeasible"
    assert len(function.asked()) == 1 + sum(n - 1 for n in LEVELS)


def drawn(small, seed, quantile):
    """Draw a function for a problem, with a threshold and what brute force makes of it."""
    function = Listening(tuple(small.levels), seed)
    threshold = float(np.quantile(function.chances, quantile))
    answer = brute_force_points(
        small.codes,
        small.levels,
        lambda point: function.chances[point] >= threshold,
        small.max_changes,
        small.allowed,
    )
    return function, threshold, *answer


@pytest.mark.parametrize("seed", range(40))
def test_small_problems_are_solved_as_by_brute_force(seed):
    small = random_problem(np.random.default_rng(seed))
    function, threshold, count, unreachable = drawn(small, seed, 0.9)
    oracle = BlackBoxOracle(function, small.levels, threshold)
    problem = Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)
    result = solve(problem)
    status = "infeasible" if len(unreachable) == len(small.codes) else "optimal"
    assert (result.status, result.count) == (status, count)
    assert result.lower_bound == count
    assert tuple(entry.row for entry in result.unreachable) == unreachable


@pytest.mark.parametrize("budget", [0, 3, 10, 30, 100])
@pytest.mark.parametrize("seed", range(8))
def test_with_a_budget_the_bound_holds_and_nothing_unproved_is_claimed(seed, budget):
    small = random_problem(np.random.default_rng(seed))
    function, threshold, count, unreachable = drawn(small, seed, 0.8)
    oracle = BlackBoxOracle(function, small.levels, threshold, max_calls=budget)
    problem = Problem(np.array(small.codes), tuple(small.levels), oracle, small.max_changes, small.allowed)
    result = solve(problem)
    beyond_help = {entry.row for entry in result.unreachable}
    assert beyond_help <= {*unreachable} <= beyond_help | {*result.undecided}
    assert result.lower_bound <= count
    assert all(function.chances[explanation.point] >= threshold for explanation in result.explanations)
    if result.status == "feasible":
        assert oracle.unanswered
    else:
        assert result.count == count
        assert beyond_help == {*unreachable}


def test_an_open_question_makes_the_answer_feasible_not_optimal():
    codes = np.zeros((1, 20), np.int64)
    oracle = BlackBoxOracle(lambda codes: codes.mean(axis=1), (2,) * 20, 0.5, max_calls=5)
    result = solve(Problem(codes, (2,) * 20, oracle, 15))
    assert (result.status, result.ended, result.gap) == ("feasible", "limit", 1.0)
    assert (result.unreachable, result.undecided) == ((), (0,))
    assert result.problem["oracle"] == {"kind": "black box", "threshold": 0.5, "asked": 1, "unanswered": 1}


def test_a_function_may_return_decisions():
    oracle = BlackBoxOracle(lambda codes: codes.sum(axis=1) >= 2, (2, 2, 2))
    assert oracle.positive(np.array([[0, 0, 1], [0, 1, 1]])).tolist() == [False, True]
    problem = Problem([[0, 0, 0], [0, 0, 1]], (2, 2, 2), oracle, 2)
    assert (solve(problem).status, solve(problem).count) == ("optimal", 1)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (np.array([0, 1, 1]), r"returns 0 \(int64\), which is not a probability; .* not labels"),
        (np.array(["yes", "no", "no"]), "returns 'yes' .* not labels"),
        (np.array([0.1, 0.2]), r"shape \(2,\) for 3 rows"),
        (np.zeros((3, 2, 2)), r"shape \(3, 2, 2\) for 3 rows"),
        (0.5, r"shape \(\) for 3 rows"),
        (np.array([0.1, np.nan, 0.2]), "NaN for row 1 of 3"),
        (np.array([0.1, 3.5, 0.2]), "returns 3.5; a probability lies between 0 and 1, as predict_proba"),
        (None, r"returns None \(object\), which is not a probability"),
    ],
)
def test_functions_that_do_not_return_probabilities_are_refused(output, words):
    oracle = BlackBoxOracle(lambda _: output, (2, 2))
    with pytest.raises(UnsupportedModelError, match=words):
        oracle.score(np.array([[0, 0], [0, 1], [1, 0]]))


def test_columns_are_classes():
    chances = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
    assert check_probabilities(chances, 2, 2).tolist() == [0.5, 0.1]
    assert check_probabilities(chances[:, :1], 2, 1).tolist() == [0.2, 0.1]
    assert check_probabilities([0.25, 1.0], 2, 0).tolist() == [0.75, 0.0]
    for positive in (3, -1, True, "yes"):
        with pytest.raises(InputError, match="classes are 0 to 2"):
            check_probabilities(chances, 2, positive)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"threshold": float("nan")}, "strictly between 0 and 1"),
        ({"max_calls": -1}, "max_calls is -1"),
        ({"largest_box": 2.5}, "largest_box is 2.5"),
        ({"max_calls": True}, "max_calls is True"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        BlackBoxOracle(np.mean, (2, 2), **arguments)
    with pytest.raises(UnsupportedModelError, match="a black box is a function, not a str"):
        BlackBoxOracle("model", (2, 2))


def test_answers_are_remembered_as_long_as_they_fit(monkeypatch):
    monkeypatch.setattr(blackbox, "MOST_KNOWN", 3)
    oracle = BlackBoxOracle(lambda rows: rows[:, 0] / 10.0, (10,))
    for first in (0, 2, 4, 4, 0):
        assert oracle.score([[first], [first + 1]]).tolist() == [first / 10, (first + 1) / 10]
    assert len(oracle._known) <= 5
    assert oracle.asked == 8  # 0 and 1 again, after they were forgotten


def test_between_two_batches_the_clock_is_looked_at():
    seconds = iter([0.0, 0.0])
    stop = Stop(1.0, clock=lambda: next(seconds, 2.0))
    oracle = BlackBoxOracle(lambda rows: np.zeros(len(rows)), (6,) * 6, 0.5, largest_box=60_000)
    free = np.ones(6, dtype=np.bool_)
    answer = oracle.reach(Question(np.zeros(6, dtype=np.int64), free, 0, np.ones((6, 6), np.bool_), stop))
    assert not answer.proved_none
    assert oracle.asked < 10_000


def test_a_positive_point_of_the_first_batch_ends_the_questions():
    oracle = BlackBoxOracle(
        lambda rows: np.where((rows[:, :2] == (2, 2)).all(axis=1), 1.0, 0.0),
        (6,) * 6,
        0.5,
        largest_box=60_000,
    )
    free = np.ones(6, dtype=np.bool_)
    answer = oracle.reach(Question(np.zeros(6, dtype=np.int64), free, 0, np.ones((6, 6), np.bool_)))
    assert answer.point is not None
    assert oracle.asked < 10_000


def lonely(**options):
    """Nobody is positive, and four points have to be asked about to know."""
    oracle = BlackBoxOracle(lambda codes: np.full(len(codes), 0.1), (4, 2), **options)
    domain = np.array([[True] * 4, [True, False, False, False]])
    return oracle, Question(np.zeros(2, np.int64), np.zeros(2, np.bool_), 1, domain)


@pytest.mark.parametrize(("budget", "proved"), [(3, False), (4, True)])
def test_the_last_call_is_made(budget, proved):
    oracle, question = lonely(max_calls=budget)
    assert oracle.reach(question).proved_none is proved
    assert oracle.asked <= budget


def test_what_a_limited_black_box_said_is_not_forgotten(monkeypatch):
    monkeypatch.setattr(blackbox, "MOST_KNOWN", 1)
    oracle, question = lonely(max_calls=4)
    for _ in range(2):
        assert oracle.reach(question).proved_none
    assert oracle.asked == 4


class SlowBox:
    """Takes so many seconds of a clock for each point."""

    def __init__(self, seconds, positive):
        self.now, self.seconds, self.positive = 0.0, seconds, positive

    def __call__(self, points):
        self.now += self.seconds * len(points)
        return np.where(self.positive(points), 0.9, 0.1 + 1e-3 * (points > 0).sum(axis=1))


@pytest.mark.parametrize("seconds", [1e-4, 5e-3, 0.05])
def test_a_slow_function_is_not_asked_long_after_the_time_is_up(seconds):
    box = SlowBox(seconds, lambda points: np.zeros(len(points), dtype=bool))
    levels = (8,) * 200
    oracle = BlackBoxOracle(box, levels)
    stop = Stop(5, clock=lambda: box.now)
    everything = np.ones((200, 8), dtype=bool)
    question = Question(np.zeros(200, dtype=np.int64), np.ones(200, dtype=bool), 0, everything, stop)
    assert oracle.reach(question).point is None
    assert box.now <= 5.5 + 64 * seconds


def test_a_positive_point_that_was_seen_when_time_is_up_is_the_answer():
    box = SlowBox(5e-3, lambda points: (points[:, :100] == 3).any(axis=1))
    levels = (8,) * 200
    oracle = BlackBoxOracle(box, levels)
    stop = Stop(1, clock=lambda: box.now)
    everything = np.ones((200, 8), dtype=bool)
    question = Question(np.zeros(200, dtype=np.int64), np.ones(200, dtype=bool), 0, everything, stop)
    assert (oracle.reach(question).point == 3).sum() == 1
    assert box.now <= 1.5


def test_where_time_is_short_a_search_goes_on_from_the_best_of_some_moves():
    both = SlowBox(5e-3, lambda points: (points > 0).sum(axis=1) >= 3)  # 8 s to try all first moves
    oracle, stop = BlackBoxOracle(both, (8,) * 200), Stop(5, clock=lambda: both.now)
    everything = np.ones((200, 8), dtype=bool)
    question = Question(np.zeros(200, dtype=np.int64), np.zeros(200, dtype=bool), 3, everything, stop)
    point = oracle.reach(question).point
    assert (point > 0).sum() == 3
    assert both.now <= 5.5


def test_what_was_not_asked_about_is_never_a_proof_of_none():
    never = SlowBox(5e-3, lambda points: np.zeros(len(points), dtype=bool))
    oracle, stop = BlackBoxOracle(never, (8,) * 4), Stop(5, clock=lambda: never.now)  # 4,096 points: 20 s
    everything = np.ones((4, 8), dtype=bool)
    question = Question(np.zeros(4, dtype=np.int64), np.ones(4, dtype=bool), 0, everything, stop)
    answer = oracle.reach(question)
    assert answer.point is None
    assert not answer.proved_none
