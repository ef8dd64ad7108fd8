"""The paper's logistic-regression tables on the embedded data: proved, and never above what was published."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.methods import solve
from oneformany.paper.runs.prepare import prepare
from oneformany.paper.runs.records import PUBLISHED_CELLS, choose
from oneformany.verify import verify

CODING = {"german": "german", "students": "students-published"}


@pytest.mark.parametrize("cell", choose(("lr",), tuple(CODING)), ids=lambda cell: " ".join(map(str, cell)))
def test_a_published_cell_is_solved_and_proved(cell):
    prepared = prepare(CODING[cell.dataset], "lr")
    result = solve(prepared.problem("published", cell.rows, cell.max_changes))
    assert result.status == "optimal"
    assert result.count <= PUBLISHED_CELLS[cell]["explanations"]
    if PUBLISHED_CELLS[cell]["cg_seconds"] < 3600:  # at which the paper's runs were stopped
        assert result.count == PUBLISHED_CELLS[cell]["explanations"]
    points = np.array([explanation.point for explanation in result.explanations])
    assert (prepared.classifier.predict(prepared.dataset.schema.one_hot(points)) == 1).all()
    verify(result.to_json()).raise_if_rejected()
