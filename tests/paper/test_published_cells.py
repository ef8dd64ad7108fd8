"""The paper's logistic-regression tables on the embedded data: proved, and never above what was published."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np
import pytest

from oneformany.datasets import load
from oneformany.methods import solve
from oneformany.paper.runs.split import paper_model, paper_rows
from oneformany.problem import Problem
from oneformany.readers.linear import read_linear
from oneformany.verify import verify

CODING = {"german": "german", "students": "students-published"}
LIMIT = 3600


def published():
    table = files("oneformany.paper.runs").joinpath("published.csv").read_text(encoding="utf-8")
    for cell in csv.DictReader(table.splitlines()):
        if cell["model"] == "lr" and cell["dataset"] in CODING:
            yield pytest.param(cell, id=f"{cell['dataset']}-{cell['max_changes']}-{cell['rows']}")


def make_problem(cell):
    dataset = load(CODING[cell["dataset"]])
    model = paper_model(dataset)
    rows = paper_rows(dataset, model, "published", int(cell["rows"]))
    oracle = read_linear(model, dataset.schema.encoding(), 0.5)
    problem = Problem(dataset.codes[rows], dataset.schema.levels, oracle, int(cell["max_changes"]))
    return dataset, model, problem


@pytest.mark.parametrize("cell", list(published()))
def test_a_published_cell_is_solved_and_proved(cell):
    dataset, model, problem = make_problem(cell)
    result = solve(problem)
    assert result.status == "optimal"
    assert result.count <= int(cell["explanations"])
    if float(cell["cg_seconds"]) < LIMIT:
        assert result.count == int(cell["explanations"])
    points = np.array([explanation.point for explanation in result.explanations])
    assert (model.predict(dataset.schema.one_hot(points)) == 1).all()
    verify(result.to_json()).raise_if_rejected()
