"""Tests that what only the digest binds has types at least: wrong ones are said to be unreadable."""

import json

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from certificates import sealed
from oneformany.exceptions import CertificateError
from oneformany.verify import verify

FRAME = pd.DataFrame({"income": [1.0, 2, 3, 4, 5, 6], "debt": [1, 1, 2, 2, 1, 2]})
MODEL = DecisionTreeClassifier().fit(FRAME, [0, 0, 0, 1, 1, 0])
RESULT = ofm.OneForMany(MODEL, max_changes=2, share="action", rules=[ofm.OnlyIncrease("income")]).explain(
    FRAME
)
WRONG = {
    "wanted": [5, [], {}, {"answer": [], "for": None, "threshold": None, "measure": None}],
    "ranges": [
        [[{"feature": 0, "low": "x", "high": []}]],
        5,
        "x",
        [5],
        [["income"]],
        [[0.5]],
        {"0": [0]},
        [None],
    ],
    "rules": [5, "x", [5], [None], {"a": "b"}],
    "model": [5, "x", [], ["kind"]],
    "read_to_the_end": [5, "x", []],
    "rows_read": ["x", [], 1.5, True],
    "rows": [5, "x", [["a"]], [0.5]],
    "already_positive": [5, "x", [None]],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_wrong_type_is_unreadable_for_both_readers(name, value):
    content = json.loads(RESULT.to_json())
    content["problem"][name] = value
    text = json.dumps(sealed(content))
    with pytest.raises(CertificateError, match=f"problem.{name}"):
        ofm.Result.from_json(text)
    with pytest.raises(CertificateError, match=f"problem.{name}"):
        verify(text)


def test_what_only_the_digest_binds_is_named_in_the_verdict():
    detail = RESULT.verify().checks[0].detail
    for what in ("labels", "reasons", "ranges", "rules in words", "the model"):
        assert what in detail
