"""Records that say something, without running anything; scripts of the benchmarks folder."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
RECORD = {
    "dataset": "german", "model": "lr", "method": "exact", "protocol": "published", "rows": 50,
    "max_changes": 10, "time_limit": None, "seed": 0, "threshold": 0.5, "immutable": "none",
    "solver": "highs", "status": "optimal", "count": 12, "lower_bound": 12, "seconds": 0.5,
    "unreachable": 0, "confirmed": 12, "verified": None, "peak_megabytes": 210.5,
    "published": {"explanations": 15, "gap_to_mip": -35, "cg_seconds": 3600.0, "mip_seconds": 3600.0},
    "trained": {"instances": 1000, "features": 20, "columns": 59, "accuracy": 0.724, "hidden": []},
    "questions": {"points": 50, "proofs": 3, "left_open": 1, "seconds": 0.25},
    "bound_without_classifier": None, "undecided": 0,
    "explanations": [{"point": [0] * 20, "changed": [0, 3], "members": [4, 7], "ends": None}],
    "versions": {"numpy": "2"},
}  # fmt: skip


@pytest.fixture
def make_record():
    """A record with some parts changed."""

    def make(**changes):
        assert changes.keys() <= RECORD.keys()
        return {**RECORD, **changes}

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
