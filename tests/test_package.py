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

# Switches of the engine; the compiled form of a network; how engine and oracle speak of all actions of a row
PRIVATE = {
    "Arrays",
    "Actions",
    "AdditiveJudge",
    "AskingJudge",
    "NetworkJudge",
    "Narrowed",
    "Part",
    "TableOptions",
    "TreePolynomial",
}
HEAVY = ("highspy", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn", "torch")


# Modules with public names of their own, for those who write readers, oracles, proofs, or work with results
MODULES = "exceptions oracles problem proofs readers report result schema statistics studies"
ROOMS = {name: import_module(f"oneformany.{name}") for name in MODULES.split()}
PUBLIC = {name for room in (oneformany, *ROOMS.values()) for name in room.__all__}
EVERYTHING = sorted(
    {(room.__name__, name) for room in (oneformany, *ROOMS.values()) for name in room.__all__}
    - {("oneformany", "__version__")}
)
# What documentation calls by a name, and Python by none of its own
ALIASES = {"AnyRestriction", "Share"}


def test_the_top_has_what_a_user_types():
    assert len(oneformany.__all__) <= 40
    noted = "AdditiveOracle OneForMany Problem solve verify"  # which others build on
    assert set(noted.split()) <= set(oneformany.__all__)


@pytest.mark.parametrize(("room", "name"), EVERYTHING)
def test_every_public_name_is_there(room, name):
    assert getattr(import_module(room), name) is not None


@pytest.mark.parametrize(("room", "name"), [pair for pair in EVERYTHING if pair[1] not in ALIASES])
def test_every_public_name_has_an_example_that_runs(room, name):
    thing = getattr(import_module(room), name)
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


@pytest.mark.parametrize("name", oneformany.MOVED)
def test_an_old_name_works_for_one_release_and_tells_the_new_one(name):
    home = oneformany.MOVED[name]
    with pytest.warns(DeprecationWarning, match=rf"oneformany\.{name} is now {home}\.{name}; the old name"):
        old = getattr(oneformany, name)
    assert old is getattr(import_module(home), name)
    assert name not in oneformany.__all__


def test_everything_a_public_signature_names_is_public():
    hidden = set()
    rooms = {"datasets", "plotting", "robust", "verify", "__version__"}
    for room, name in (pair for pair in EVERYTHING if pair[1] not in rooms):
        thing = getattr(import_module(room), name)
        if not hasattr(thing, "__dict__"):
            continue
        members = [thing, *(value for key, value in vars(thing).items() if not key.startswith("_"))]
        for member in (getattr(member, "__func__", member) for member in members):
            notes = getattr(member, "__annotations__", {}) if callable(member) else {}
            for word in re.findall(r"\b[A-Z]\w+", " ".join(map(str, notes.values()))):
                home = getattr(sys.modules.get(getattr(member, "__module__", "")), word, None)
                if getattr(home, "__module__", "").startswith("oneformany.") and isinstance(home, type):
                    hidden |= {word} - PUBLIC
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
