"""Tests that PyTorch modules are read as they compute; for machines with torch, see conftest."""

import copy
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from oneformany import OneForMany
from oneformany.datasets import load
from oneformany.exceptions import InputError, UnsupportedModelError
from oneformany.readers.networks.graphs import class_probabilities, read_network
from oneformany.schema.encoding import Encoding
from tree_questions import all_points, questions, usable

HEADS = {
    "logit": (1, []),
    "sigmoid": (1, [nn.Sigmoid()]),
    "two logits": (2, []),
    "softmax": (2, [nn.Softmax(dim=1)]),
    "log softmax": (2, [nn.LogSoftmax(dim=1)]),
}


def sequential(width, hidden, n_outputs, head=(), seed=0, scale=1.0):
    """Make linear layers with ReLU between them, with weights drawn from a seed."""
    torch.manual_seed(seed)
    widths = (width, *hidden)
    layers = []
    for a, b in pairwise(widths):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(widths[-1], n_outputs), *head).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_().mul_(scale)
    return model


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("head", list(HEADS))
def test_probabilities_are_the_modules_own_on_every_row(head, dtype):
    data = load("german")
    n_outputs, end = HEADS[head]
    model = sequential(data.one_hot.shape[1], (20, 20), n_outputs, end, scale=0.3).to(dtype)
    own = class_probabilities(model, data.one_hot)
    for positive in (0, 1):
        oracle = read_network(model, data.schema.encoding(), positive=positive)
        scores = oracle.score(data.codes)
        assert np.abs(1 / (1 + np.exp(-scores)) - own[:, positive]).max() < 2e-6
        assert (own[oracle.positive(data.codes), positive] > 0.5).all()
        clear = np.abs(scores) > oracle.margin
        assert (oracle.positive(data.codes) == (own[:, positive] > 0.5))[clear].all()
        assert clear.mean() > 0.9


def test_with_three_classes_a_point_is_positive_when_the_class_is_predicted():
    data = load("german")
    model = sequential(data.one_hot.shape[1], (20,), 3, scale=0.3)
    own = class_probabilities(model, data.one_hot).argmax(axis=1)
    for positive in range(3):
        oracle = read_network(model, data.schema.encoding(), positive=positive)
        clear = np.abs(oracle.score(data.codes)) > oracle.margin
        assert (oracle.positive(data.codes) == (own == positive))[clear].all()


ENCODING = Encoding.from_blocks([np.eye(3), [[0.0], [1.0]], [[-1.5], [0.1], [2.0], [7.0]], np.eye(2)])


@st.composite
def models(draw):
    n_outputs, end = HEADS[draw(st.sampled_from(list(HEADS)))]
    return sequential(
        ENCODING.width,
        draw(st.sampled_from([(), (1,), (4,), (3, 3), (2, 4, 2)])),
        n_outputs,
        end,
        seed=draw(st.integers(0, 2**31)),
        scale=draw(st.sampled_from([1.0, 1.0, 1e-12, 1e3])),
    )


@settings(max_examples=60, deadline=None)
@given(models(), questions(ENCODING.levels), st.integers(0, 10**6))
def test_points_are_positive_for_the_module_and_a_no_means_none(model, question, place):
    points = all_points(ENCODING.levels)
    own = class_probabilities(model, ENCODING.encode(points))[:, 1]
    threshold = min(max(float(own[place % len(points)]), 1e-3), 1 - 1e-3)  # where rounding decides
    oracle = read_network(model, ENCODING, threshold)
    positive = oracle.positive(points)
    assert (own[positive] >= threshold).all()
    answer = oracle.reach(question)
    expected = positive & usable(question, points)
    assert answer.proved_none == (not expected.any())
    if expected.any():
        assert (points[expected] == answer.point).all(axis=1).any()


class Tower(nn.Module):
    """A module of its own, with functions, methods and modules in modules."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(7)
        self.first = nn.Sequential(nn.Linear(7, 5, bias=False), nn.Sequential(nn.ReLU(), nn.Dropout(0.5)))
        self.second = nn.Linear(5, 4)
        self.plain = nn.BatchNorm1d(4, affine=False)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        x = torch.flatten(self.norm(x.view(-1, 7)), 1)
        x = nn.functional.relu(self.second(self.first(x)))
        x = nn.functional.dropout(self.plain(x), training=self.training)
        return torch.sigmoid(self.last(x.relu()).squeeze(1))


def tower():
    torch.manual_seed(3)
    model = Tower()
    with torch.no_grad():
        for _ in range(20):
            model(torch.randn(50, 7))
    return model


def test_functions_methods_and_nested_modules_are_read():
    model = tower().eval()
    points = all_points(ENCODING.levels)
    own = class_probabilities(model, ENCODING.encode(points))[:, 1]
    scores = read_network(model, ENCODING).score(points)
    assert np.abs(1 / (1 + np.exp(-scores)) - own).max() < 1e-6
    assert len(np.unique(own)) > 5


def test_reading_leaves_the_module_alone():
    model = sequential(7, (3,), 1)
    before = copy.deepcopy(model.state_dict())
    read_network(model, ENCODING)
    assert not model.training
    assert all(torch.equal(before[name], weight) for name, weight in model.state_dict().items())


def test_training_mode_is_refused_where_it_matters():
    with pytest.raises(UnsupportedModelError, match=r"batchnorm1d is random: call eval\(\) first"):
        read_network(tower().train(), ENCODING)
    read_network(sequential(7, (3,), 1).train(), ENCODING)


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 1)

    def forward(self, x):
        return self.layer(x) if x.sum() > 0 else -self.layer(x)


class Residual(Branching):
    def forward(self, x):
        y = self.layer(x)
        return y + y.relu()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (nn.Sequential(nn.Linear(7, 2), nn.Tanh(), nn.Linear(2, 1)), "contains tanh; read are Linear"),
        (nn.Sequential(nn.Linear(7, 2), nn.LeakyReLU(), nn.Linear(2, 1)), "contains leakyrelu"),
        (nn.Sequential(nn.Linear(7, 1), nn.Sigmoid(), nn.ReLU()), "goes on with relu after sigmoid"),
        (nn.Sequential(nn.Linear(7, 2), nn.Sigmoid()), "sigmoid over 2 outputs"),
        (nn.Sequential(nn.Linear(7, 1), nn.Softmax(dim=1)), "softmax over 1 outputs"),
        (nn.Sequential(nn.ReLU()), "no layer with weights"),
        (nn.Linear(7, 1).half(), "computes in torch.float16"),
        (Branching(), "cannot be traced"),
        (Residual(), "not a chain of layers: see 'add'"),
    ],
)
def test_other_modules_are_refused(model, message):
    with pytest.raises(UnsupportedModelError, match=message):
        read_network(model, ENCODING)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0.0}, "strictly between 0 and 1"),
        ({"threshold": 1.0}, "strictly between 0 and 1"),
        ({"positive": 2}, "has the classes 0 to 1; 2 is not one of them"),
        ({"positive": "good"}, "numbered from 0"),
    ],
)
def test_thresholds_and_classes_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        read_network(nn.Linear(7, 1), ENCODING, **arguments)


def test_other_columns_and_nan_weights_are_refused():
    with pytest.raises(InputError, match="was fitted on 5 columns, the schema gives 7"):
        read_network(nn.Linear(5, 1), ENCODING)
    model = nn.Linear(7, 1)
    with torch.no_grad():
        model.weight[0, 0] = torch.nan
    with pytest.raises(InputError, match="layer 0 has a weight that is nan; train"):
        read_network(model, ENCODING)


def test_a_missing_value_is_named_and_not_taken_for_a_weight():
    frame = pd.DataFrame({"a": [0.0, np.nan, 1.0], "b": [1.0, 0.0, 1.0]})
    with pytest.raises(InputError, match="column 'a', row 1: the value is missing, and the model does not"):
        OneForMany(sequential(2, (3,), 1), share="point").explain(frame)


def test_a_module_without_weights_is_refused():
    frame = pd.DataFrame({"a": [0.0, 1.0]})
    with pytest.raises(UnsupportedModelError, match="Sequential has no layer with weights"):
        OneForMany(nn.Sequential(nn.ReLU()), share="point").explain(frame)
