"""Tests that the package has its public names and stays quick to import."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import oneformany

PRIVATE = {"Arrays"}  # the compiled form of a network
HEAVY = ("highspy", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn", "torch")


@pytest.mark.parametrize("name", oneformany.__all__)
def test_every_public_name_is_there(name):
    assert getattr(oneformany, name) is not None


def test_the_lists_of_names_agree():
    imported = {
        alias.name
        for node in ast.walk(ast.parse(Path(oneformany.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("oneformany")
        for alias in node.names
    }
    assert imported | {"__version__"} == set(oneformany.__all__)
    lazy = {*oneformany.MODULES, *oneformany.SUBPACKAGES}
    assert lazy | {"__version__"} == set(oneformany.__all__) - set(vars(oneformany.exceptions))
    assert sum(len(names) for names in oneformany.HOMES.values()) == len(oneformany.MODULES)


def test_everything_a_public_signature_names_is_public():
    hidden = set()
    for name in set(oneformany.__all__) - {"__version__", *oneformany.SUBPACKAGES}:
        thing = getattr(oneformany, name)
        members = [thing, *(value for key, value in vars(thing).items() if not key.startswith("_"))]
        for member in (getattr(member, "__func__", member) for member in members):
            notes = getattr(member, "__annotations__", {}) if callable(member) else {}
            for word in re.findall(r"\b[A-Z]\w+", " ".join(map(str, notes.values()))):
                home = getattr(sys.modules.get(getattr(member, "__module__", "")), word, None)
                if getattr(home, "__module__", "").startswith("oneformany.") and isinstance(home, type):
                    hidden |= {word} - set(oneformany.__all__)
    assert hidden <= PRIVATE


def test_names_are_listed_before_they_are_used():
    assert set(oneformany.__all__) <= set(dir(oneformany))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = oneformany.nothing


@pytest.mark.parametrize("module", ["oneformany", "oneformany.cli.app"])
def test_importing_loads_no_heavy_library(module):
    script = f"import sys, {module}; print(*[name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
