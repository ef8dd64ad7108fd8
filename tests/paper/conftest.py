"""Records that say something, without running anything; scripts of the benchmarks folder."""

import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from oneformany.paper.runs.cells import Published
from oneformany.paper.runs.records import Key, Questions, Record, Trained
from oneformany.result.explanation import Explanation

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
KEY = Key("german", "lr", "exact", "published", 50, 10, None, 0)
RECORD = Record(
    key=KEY,
    status="optimal",
    count=12,
    lower_bound=12,
    seconds=0.5,
    unreachable=0,
    confirmed=12,
    verified=None,
    peak_megabytes=210.5,
    published=Published(15, -35, 3600.0, 3600.0),
    trained=Trained(1000, 20, 59, 0.724),
    questions=Questions(known=5, points=50, proofs=3, left_open=1, seconds=0.25),
    explanations=(Explanation((0,) * 20, (0, 3), (4, 7)),),
    versions={"numpy": "2"},
)


@pytest.fixture
def make_record():
    """A record with some parts changed; parts of its key are changed by their own names."""

    def make(**changes):
        names = set(KEY.__dataclass_fields__)
        key = replace(KEY, **{name: value for name, value in changes.items() if name in names})
        rest = {name: value for name, value in changes.items() if name not in names}
        return replace(RECORD, key=key, **rest)

    return make


@pytest.fixture
def script(monkeypatch):
    """Import a file of the benchmarks folder."""
    monkeypatch.syspath_prepend(BENCHMARKS)

    def load(name):
        spec = spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return load


def pytest_collection_modifyitems(items):
    """Mark all tests of the paper's room, so that they can be left out while developing."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("paper")
