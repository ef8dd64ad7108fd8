"""Questions that are rebuilt from results."""

import numpy as np
import pytest

import oneformany as ofm
from explainer.raw_rows import FRAME, pipeline
from oneformany.result.question import question_of


@pytest.mark.parametrize("share", ["point", "action", "features"])
@pytest.mark.parametrize("people", [None, 3])
def test_the_question_of_a_file_has_the_same_answer(share, people):
    rules = [ofm.OnlyIncrease("age"), ofm.Implies({"job": "full"}, {"home": True})]
    costs = {"income": 2.5, "age": "steps"}
    explainer = ofm.OneForMany(pipeline(), max_changes=2, rules=rules, share=share, costs=costs)
    result = explainer.explain(FRAME, people=None if people is None else [people] * len(FRAME))
    read = ofm.Result.from_json(result.to_json())
    again = ofm.solve(question_of(read.problem))
    assert (again.count, again.covered, again.cost, again.status) == (
        result.count,
        result.covered,
        result.cost,
        result.status,
    )
    problem = explainer.problem(FRAME)
    rebuilt = question_of(read.problem)
    assert np.array_equal(problem.codes, rebuilt.codes)
    for ours, theirs in zip(problem.moves, rebuilt.moves, strict=True):
        assert (ours is None) == (theirs is None)
        assert ours is None or np.array_equal(ours, theirs)
