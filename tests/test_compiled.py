"""Tests that kernels compile with what a release of numba has, and mean the same."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest
from numba.core.cpu import CPUTargetOptions

import oneformany.compiled

PRIVATE = ["_nrt", "no_cfunc_wrapper", "no_cpython_wrapper"]


def add_up(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


def loaded():
    """The module as a new process would load it."""
    spec = importlib.util.find_spec(oneformany.compiled.__name__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def forget(monkeypatch, name):
    """Make numba refuse an option, as a release without it does."""
    (owner,) = (kind for kind in CPUTargetOptions.__mro__ if name in vars(kind))
    monkeypatch.delattr(owner, name)


def sums(compiled):
    numbers = np.arange(5.0)
    decorators = [compiled.outer, compiled.inlined, compiled.lean(), compiled.lean(reorder=True)]
    return [decorate(add_up)(numbers) for decorate in decorators]


def test_the_options_in_use_are_those_that_this_numba_has():
    compiled = loaded()
    assert compiled.NO_COUNTING == {"_nrt": False}
    assert compiled.NO_DOORS == {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    assert sums(compiled) == [10.0] * 4


@pytest.mark.parametrize("name", PRIVATE)
def test_without_an_option_that_numba_never_promised_kernels_compile_all_the_same(name, monkeypatch):
    forget(monkeypatch, name)
    compiled = loaded()
    assert name not in compiled.NO_C | compiled.NO_DOORS | compiled.NO_COUNTING
    assert sums(compiled) == [10.0] * 4
    inner = compiled.inner(add_up)

    @compiled.outer
    def twice(numbers):
        return 2 * inner(numbers)

    assert twice(np.arange(5.0)) == 20.0


def test_without_a_list_of_options_only_documented_ones_are_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba.core.cpu", None)
    assert loaded()._known(_nrt=False, no_cfunc_wrapper=True) == {}
