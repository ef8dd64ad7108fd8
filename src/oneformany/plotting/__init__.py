"""Plots: one function per file, each draws on given axes or makes its own."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.plotting.changed_features import plot_changed_features
    from oneformany.plotting.explanations import plot_explanations

__all__ = ["plot_changed_features", "plot_explanations"]


def __getattr__(name: str) -> object:
    """Load a plot, and with it matplotlib, when it is first used."""
    if name in __all__:
        return getattr(import_module(f"oneformany.plotting.{name.removeprefix('plot_')}"), name)
    raise AttributeError(f"module 'oneformany.plotting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
