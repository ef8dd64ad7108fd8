"""Refits are copies of the user's own pipeline, on rows and seeds of their own, the same for one seed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oneformany.exceptions import InputError
from oneformany.robust import refits

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame({"a": RNG.normal(size=50), "b": RNG.normal(size=50)}, index=range(100, 150))
LABELS = (ROWS.a + ROWS.b > 0).map({True: "yes", False: "no"})


def weights(models):
    return np.array([model[-1].coef_[0] for model in models])


def test_copies_are_fitted_on_resampled_rows_and_the_model_stays_as_it_is():
    model = make_pipeline(StandardScaler(), LogisticRegression(C=3)).fit(ROWS, LABELS)
    before = model[-1].coef_.copy()
    found = refits(model, ROWS, LABELS, 4, seed=1)
    assert len(np.unique(weights(found), axis=0)) == 4
    assert (model[-1].coef_ == before).all()
    assert [one[-1].C for one in found] == [3] * 4
    assert all(one.classes_.tolist() == ["no", "yes"] for one in found)
    assert (weights(found) == weights(refits(model, ROWS, LABELS, 4, seed=1))).all()
    assert (weights(found) != weights(refits(model, ROWS, LABELS, 4, seed=2))).all()
    assert (weights(found)[:2] == weights(refits(model, ROWS, LABELS, 2, seed=1))).all()


def test_without_a_bootstrap_only_seeds_differ():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3, random_state=0))
    seeds = {one[-1].random_state for one in refits(forest, ROWS, LABELS, 5, bootstrap=False)}
    assert len(seeds) == 5
    plain = refits(make_pipeline(StandardScaler(), LogisticRegression()), ROWS, LABELS, 2, bootstrap=False)
    assert (weights(plain)[0] == weights(plain)[1]).all()


@pytest.mark.parametrize("kind", [np.asarray, lambda data: np.asarray(data).tolist()])
def test_arrays_and_lists_are_taken_too(kind):
    found = refits(LogisticRegression(), kind(ROWS), kind(LABELS), 2)
    assert [one.n_features_in_ for one in found] == [2, 2]


def test_every_copy_sees_every_class():
    rare = np.where(np.arange(50) == 7, "rare", "often")
    assert all(len(one.classes_) == 2 for one in refits(LogisticRegression(), ROWS, rare, 20))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n": 0}, "n is 0"),
        ({"y": LABELS[:-1]}, "one label per row"),
        ({"y": ["yes"] * 50}, "a single class"),
    ],
)
def test_what_cannot_be_fitted_again_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        refits(**{"model": LogisticRegression(), "X": ROWS, "y": LABELS, **given})
