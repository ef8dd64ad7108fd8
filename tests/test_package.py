"""Tests that the package has its public names and stays quick to import."""

import subprocess
import sys

import pytest

import oneformany

HEAVY = ("highspy", "matplotlib", "numba", "numpy", "pandas", "scipy", "sklearn", "torch")


@pytest.mark.parametrize("name", oneformany.__all__)
def test_every_public_name_is_there(name):
    assert getattr(oneformany, name) is not None


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
