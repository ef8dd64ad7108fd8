"""Frameworks that a machine may lack: their tests are then left out, visibly, never skipped in silence.

A test module named after such a framework is collected when it can be imported, or when it is asked for by
``--torch``; then a missing framework is an error.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

OPTIONAL = ("torch",)


# The checks of a change give the same verdict every time; runs elsewhere go on looking for new cases.
settings.register_profile("checks", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("checks")


def pytest_addoption(parser: pytest.Parser) -> None:
    for name in OPTIONAL:
        parser.addoption(f"--{name}", action="store_true", help=f"insist on the tests of {name}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.suffix == ".py" and not collection_path.name.startswith(("test_", "conftest")):
        return True  # helpers of the tests hold no examples
    left_out = (name for name in OPTIONAL if not _wanted(name, config))
    return True if any(collection_path.name.startswith(f"test_{name}_") for name in left_out) else None


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"optional frameworks: {_state(name, config)}" for name in OPTIONAL]


def _wanted(name: str, config: pytest.Config) -> bool:
    return find_spec(name) is not None or bool(config.getoption(f"--{name}"))


def _state(name: str, config: pytest.Config) -> str:
    if find_spec(name) is not None:
        return f"{name} {version(name)}, tested"
    if _wanted(name, config):
        return f"{name} is missing, but asked for by --{name}"
    return f"{name} is not installed, its tests are LEFT OUT (--{name} insists on them)"
