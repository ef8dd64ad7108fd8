"""Tests of the front door with PyTorch modules, which have neither classes nor predict."""

import numpy as np
import pandas as pd
import pytest
import torch

from oneformany.datasets import load
from oneformany.exceptions import InputError
from oneformany.explainer import OneForMany

GERMAN = load("german")
ROWS = GERMAN.frame.head(40)


def trained(n_outputs):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(59, 8), torch.nn.ReLU(), torch.nn.Linear(8, n_outputs))
    data = torch.tensor(GERMAN.one_hot, dtype=torch.float32)
    target = torch.tensor(GERMAN.target)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(40):
        optimiser.zero_grad()
        if n_outputs == 1:
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(data)[:, 0], target.float())
        else:
            loss = torch.nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimiser.step()
    return model.eval()


def logits(model, codes):
    with torch.no_grad():
        return model(torch.tensor(GERMAN.schema.one_hot(codes), dtype=torch.float32)).numpy()


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_module_is_explained_with_proof(n_outputs):
    model = trained(n_outputs)
    result = OneForMany(model, max_changes=4, cells=GERMAN.schema, share="point").explain(ROWS)
    points = np.array([explanation.point for explanation in result.explanations])
    refused = logits(model, GERMAN.codes[:40])
    positive = logits(model, points)
    if n_outputs == 1:
        refused, positive = (np.hstack([np.zeros_like(values), values]) for values in (refused, positive))
    assert result.status == "optimal"
    assert result.problem["rows"] == np.flatnonzero(refused[:, 1] < refused[:, 0]).tolist()
    assert (positive[:, 1] >= positive[:, 0]).all()


def test_the_classes_of_a_module_are_numbers():
    with pytest.raises(InputError, match="positive is 'good'"):
        OneForMany(trained(2), max_changes=4, positive="good", cells=GERMAN.schema, share="point").explain(
            ROWS
        )


def test_of_three_outputs_the_positive_one_has_to_be_named():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3)).eval()
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    with pytest.raises(InputError, match="3 classes apart"):
        OneForMany(model, max_changes=1, share="point").explain(frame)
    assert OneForMany(model, max_changes=1, positive=2, share="point").explain(frame).covered


def test_a_module_of_other_columns_says_how_many_it_reads():
    model = torch.nn.Sequential(torch.nn.Linear(4, 1)).eval()
    with pytest.raises(InputError, match="reads 4 numbers, and the rows have 2 columns"):
        OneForMany(model, max_changes=1, share="point").explain(
            pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
        )
