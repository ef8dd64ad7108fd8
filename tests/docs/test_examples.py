"""Tests that the examples run: scripts from their first line, notebooks cell by cell in one namespace."""

import ast
import json
import runpy
import sys

import pytest
from matplotlib import pyplot as plt

from pages import ROOT

EXAMPLES = ROOT / "examples"
SCRIPTS = {
    "german_credit.py": ["."],
    "large_data.py": ["500", "20"],
    "own_rules.py": [],
}
NOTEBOOKS = ["audit_by_subgroup.ipynb", "network.ipynb", "three_ways_to_share.ipynb"]


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    """No windows, and a folder of one's own."""
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs_and_tells_what_it_found(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, *SCRIPTS[name]])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert "explanation" in capsys.readouterr().out


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_what_it_shows_can_be_shown(name):
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__"}
    shown = [_run("".join(cell["source"]), names, name) for cell in cells if cell["cell_type"] == "code"]
    assert any("<table" in html for html in shown)


def test_every_example_is_run_and_is_on_the_page_of_examples():
    found = {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb"}}
    assert found == {*SCRIPTS, *NOTEBOOKS}
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    assert not [name for name in sorted(found) if name not in page]


def _run(source, names, where):
    """Run a cell; what its last line is, as a notebook would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)  # noqa: S102 (our own notebook)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), where, "eval"), names)  # noqa: S307 (as above)
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)
