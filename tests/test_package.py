"""Tests that the package has its public names and stays quick to import."""

import doctest
import re
import subprocess
import sys
from importlib import import_module
from inspect import getmodule, ismodule
from pathlib import Path

import pytest

import oneformany

# The compiled form of a network; how the engine and an oracle speak of all actions of a row
PRIVATE = {"Arrays", "Actions", "AdditiveJudge", "Narrowed", "Part", "TreePolynomial"}
HEAVY = ("highspy", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn", "torch")


@pytest.mark.parametrize("name", oneformany.__all__)
def test_every_public_name_is_there(name):
    assert getattr(oneformany, name) is not None


@pytest.mark.parametrize("name", sorted(set(oneformany.__all__) - {"__version__"}))
def test_every_public_name_has_an_example_that_runs(name):
    thing = getattr(oneformany, name)
    examples = doctest.DocTestFinder(recurse=False).find(thing, name, globs={})
    assert [example for found in examples for example in found.examples], f"{name} has no example"
    home = {} if ismodule(thing) else vars(getmodule(thing))
    runner = doctest.DocTestRunner(verbose=False)
    for found in examples:
        found.globs = dict(home)
        assert runner.run(found).failed == 0


def test_the_one_list_of_names_has_each_name_once_with_a_home_that_has_it():
    lines = Path(oneformany.__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    names = [line.split()[3] for line in lines if line.startswith("from ")]
    assert sorted([*names, "__version__"]) == sorted(oneformany.__all__)
    for name, home in oneformany.HOMES.items():
        assert home == "oneformany" or hasattr(import_module(home), name)


def test_everything_a_public_signature_names_is_public():
    hidden = set()
    for name in set(oneformany.__all__) - {"__version__", "datasets", "plotting", "verify"}:
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
