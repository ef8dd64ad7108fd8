"""What every reader owes: the reading says what the library says, of every point, at ties as well."""

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from model_kinds import KINDS, LEVELS, POINTS, rows
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.methods import solve
from oneformany.problem import Problem
from oneformany.readers.registry import READERS, reader_for
from reference_points import brute_force_points
from tree_questions import random_question, usable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def asked(kind, model, scores, positive, choice):
    """A threshold to ask for, and what the library answers: often the score of some point itself."""
    attainable = np.unique(scores[:, positive])
    threshold = [None, 0.5, 0.3, float(attainable[choice % len(attainable)])][choice % 4]
    has_probabilities = hasattr(model, "predict_proba") or kind.chances is not None
    if has_probabilities and threshold is not None and not 0 < threshold < 1 - 1e-6:
        threshold = None
    if threshold is None and kind.needs_threshold:
        threshold = 0.5
    if threshold is None:
        return threshold, kind.predicted(model) == positive
    return threshold, scores[:, positive] >= scores.dtype.type(threshold)


def same_alone(reading, truth):
    """Whether the library says the same of points alone as among others: its sums may change their order."""
    return all(reading.verdict(point[None])[0] == said for point, said in zip(POINTS, truth, strict=True))


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**16), positive=st.sampled_from([0, 1]), choice=st.integers(0, 2**16))
def test_a_reading_agrees_with_the_library_on_all_points(name, seed, positive, choice):
    kind = KINDS[name]
    positive = positive if positive in kind.classes else kind.classes[0]
    model = kind.fit(*rows(seed), seed)
    threshold, truth = asked(kind, model, kind.scores(model), positive, choice)
    reading = kind.read(model, threshold, positive)
    assert tuple(reading.oracle.levels) == LEVELS
    assert reading.verdict(POINTS).tolist() == truth.tolist()
    assume(same_alone(reading, truth))
    assert reading.oracle.positive(POINTS).tolist() == truth.tolist()
    rng = np.random.default_rng(seed)
    relaxation = reading.oracle.relaxation()
    if relaxation is not None:
        bounds = relaxation.intercept + relaxation.units[np.arange(len(LEVELS)), POINTS].sum(axis=1)
        assert not (truth & (bounds < relaxation.threshold)).any()
        assert not relaxation.exact or ((bounds >= relaxation.threshold) == truth).all()
    for _ in range(4):
        question = random_question(rng, LEVELS)
        answer = reading.oracle.reach(question)
        hopeful = usable(question, POINTS) & truth
        assert answer.proved_none == (not hopeful.any())
        assert answer.proved_none or answer.point.tolist() in POINTS[hopeful].tolist()


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**16), positive=st.sampled_from([0, 1]), choice=st.integers(0, 2**16))
def test_the_optimum_is_that_of_brute_force_with_the_library_itself(name, seed, positive, choice):
    kind = KINDS[name]
    positive = positive if positive in kind.classes else kind.classes[0]
    model = kind.fit(*rows(seed), seed)
    threshold, truth = asked(kind, model, kind.scores(model), positive, choice)
    refused = POINTS[~truth]
    if not len(refused):
        return
    rng = np.random.default_rng(seed)
    codes = refused[rng.integers(len(refused), size=6)]
    positive_points = {tuple(point) for point in POINTS[truth].tolist()}
    reading = kind.read(model, threshold, positive)
    assume(same_alone(reading, truth))
    result = solve(Problem(codes, LEVELS, reading.oracle, 2))
    count, unreachable = brute_force_points(
        codes.tolist(), LEVELS, lambda point: tuple(point) in positive_points, 2
    )
    assert result.count == result.lower_bound == count
    assert tuple(entry.row for entry in result.unreachable) == unreachable


def test_every_reader_is_held_to_this():
    readers = {reader_for(kind.fit(*rows(0), 0)).kind for kind in KINDS.values()}
    missing = {reader.kind for reader in READERS} - readers
    assert not {kind for kind in missing if "PyTorch" not in kind or find_spec("torch")}


WITH_LABELS = [name for name, kind in KINDS.items() if kind.chances is None]


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.unfitted])
def test_a_model_that_is_not_fitted_is_refused(name):
    kind = KINDS[name]
    with pytest.raises((UnsupportedModelError, InputError), match="not fitted"):
        kind.read(kind.unfitted(), None, 1)


@pytest.mark.parametrize("name", WITH_LABELS)
def test_a_class_that_the_model_does_not_know_is_refused_with_those_it_knows(name):
    kind = KINDS[name]
    model = kind.fit(*rows(0), 0)
    with pytest.raises(InputError, match=r"'good' is not one of the model's classes 0 and 1"):
        kind.read(model, None, "good")


@pytest.mark.parametrize("name", [name for name in KINDS if name != "function"])
@pytest.mark.parametrize("threshold", ["high", float("nan")])
def test_a_threshold_that_is_not_a_number_is_refused(name, threshold):
    kind = KINDS[name]
    model = kind.fit(*rows(0), 0)
    with pytest.raises(InputError, match="threshold is"):
        kind.read(model, threshold, 1)
