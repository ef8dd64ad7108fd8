"""Tests that kernels compile with what a release of numba has, and mean the same."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys

import numba
import numpy as np
import pytest
from numba.core.caching import CacheImpl, IndexDataCacheFile
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


def test_without_a_folder_kernels_are_compiled_in_memory_and_one_warning_names_the_remedy(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    compiled = loaded()
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR") as told:
        assert sums(compiled) == [10.0] * 4
    assert len(told) == 1


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Where numba keeps what it compiles."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def kept(folder):
    return {path: path.read_bytes() for path in folder.rglob("*.nb?")}


def test_a_full_disk_costs_nothing_but_the_warning(folder, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    compiled = loaded()
    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    with pytest.warns(UserWarning, match=r"No space left on device.*NUMBA_CACHE_DIR") as told:
        assert sums(compiled) == [10.0] * 4
    assert len(told) == 1
    monkeypatch.undo()
    assert not any(path.suffix == ".nbc" for path in kept(folder))
    assert sums(loaded()) == [10.0] * 4


def test_damaged_files_are_compiled_and_written_anew(folder):
    assert sums(loaded()) == [10.0] * 4
    whole = kept(folder)
    for path, content in whole.items():
        path.write_bytes(content[: len(content) // 2])
    assert sums(loaded()) == [10.0] * 4
    assert sorted(map(len, kept(folder).values())) == sorted(map(len, whole.values()))
    compiled = loaded().outer(add_up)
    assert compiled(np.arange(5.0)) == 10.0
    assert sum(compiled.stats.cache_hits.values()) == 1
