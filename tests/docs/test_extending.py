"""Tests that the code on the page for who extends the package runs as it stands."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import oneformany as ofm
from oneformany.readers.registry import READERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
SECTIONS = ["A rule", "A model kind", "An oracle", "A plot", "A command"]


@pytest.fixture(scope="module")
def names():
    """Everything that the page defines, section by section."""
    mpl.use("agg")
    first, *sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    defined = {}
    for text in (first, *(part for part in sections if part.partition("\n")[0] in SECTIONS)):
        for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
            exec(block, defined)  # noqa: S102 (our own page)
    yield defined
    own = {"points of another library", "rules of thumb"}
    READERS[:] = [reader for reader in READERS if reader.kind not in own]


def test_a_rule_of_ones_own_is_a_rule(names):
    feature = ofm.Feature("savings", ("none", "some", "much"), ordered=True)
    allowed = names["NeighboursOnly"]("savings").allowed(feature)
    assert allowed.tolist() == [[True, True, False], [True, True, True], [False, True, True]]


def test_a_model_kind_of_ones_own_is_read_and_explained(names):
    result = names["explainer"].explain(names["refused"])
    assert (result.status, result.count) == ("optimal", 1)
    assert result.explanations[0].point == (2, 1)


def test_a_library_in_one_file_is_read_and_proved_beside_another_model(names):
    result, frame = names["result_of_both"], names["people"]
    assert result.status == "optimal"
    assert "unread" not in result.problem["model"]
    assert result.problem["rows"] == np.flatnonzero(names["thumbs"].predict(frame) == 0).tolist()
    alone = ofm.OneForMany(names["thumbs"], max_changes=2, share="action", positive=0).explain(frame)
    assert (names["thumbs"].predict(alone.apply(frame)) == 0).all()
    assert ofm.verify(alone.to_json()).ok


@pytest.mark.parametrize(("max_changes", "count", "beyond_help"), [(1, 2, [0]), (2, 1, [])])
def test_an_oracle_of_ones_own_gets_a_proved_answer(names, max_changes, count, beyond_help):
    codes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    result = ofm.solve(ofm.Problem(codes, (2, 2, 2), names["AtLeastTwo"](3), max_changes))
    assert [entry.row for entry in result.unreachable] == beyond_help
    assert result.count == result.lower_bound == count


def test_a_plot_of_ones_own_draws_a_bar_per_explanation(names):
    ax = names["plot_members"](names["result"].explanations)
    assert len(ax.patches) == names["result"].count


def test_a_command_of_ones_own_counts(names, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    path.write_text("a\n1\n2\n")
    names["rows"](str(path))
    assert capsys.readouterr().out == "2\n"
