"""Tests that every kind of classifier can be trained, read and explained."""

import pytest

from oneformany.exceptions import InputError
from oneformany.paper.runs.cells import Cell
from oneformany.paper.runs.model_kinds import MODEL_KINDS, ModelKind, model_kind
from oneformany.paper.runs.run import Settings, plan, run
from oneformany.progress import Progress

HERE = [kind.name for kind in MODEL_KINDS if kind.installed]


@pytest.mark.parametrize("name", HERE)
def test_each_installed_kind_gets_an_optimum_that_its_own_predict_confirms(name):
    settings = Settings(protocol="negatives", time_limit=30.0)
    (record,) = run(plan([Cell("german", name, 4, 5)], settings), settings, Progress)
    assert record.status == "optimal"
    assert 1 <= record.count <= 4
    assert record.confirmed == record.count
    assert record.trained.accuracy > 0.65


def test_an_unknown_kind_is_told_with_those_there_are():
    with pytest.raises(
        InputError, match=r"cannot train the model 'oracle'; it can train lr, svm, .*pipeline"
    ):
        model_kind("oracle")


def test_a_kind_without_its_library_is_told_with_the_remedy(monkeypatch):
    monkeypatch.setattr(
        "oneformany.paper.runs.model_kinds.MODEL_KINDS",
        (ModelKind("rare", "rare model", list, package="no_such_package"),),
    )
    with pytest.raises(InputError, match="pip install no_such_package"):
        model_kind("rare")
