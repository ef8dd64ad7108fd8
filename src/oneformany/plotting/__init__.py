"""Plots: one function per file, each draws on given axes or makes its own.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("agg")
>>> import oneformany as ofm
>>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], intercept=-1)
>>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
>>> axes = ofm.plotting.plot_group_sizes(result)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.plotting.bounds import plot_bounds
    from oneformany.plotting.change_counts import plot_change_counts
    from oneformany.plotting.changed_features import plot_changed_features
    from oneformany.plotting.coverage import plot_coverage
    from oneformany.plotting.explanations import plot_explanations
    from oneformany.plotting.frontier import plot_frontier
    from oneformany.plotting.group_sizes import plot_group_sizes
    from oneformany.plotting.one_hot import plot_one_hot
    from oneformany.plotting.profiles import plot_profiles
    from oneformany.plotting.subgroups import plot_subgroups

__all__ = [
    "plot_bounds",
    "plot_change_counts",
    "plot_changed_features",
    "plot_coverage",
    "plot_explanations",
    "plot_frontier",
    "plot_group_sizes",
    "plot_one_hot",
    "plot_profiles",
    "plot_subgroups",
]


def __getattr__(name: str) -> object:
    """Load a plot, and with it matplotlib, when it is first used."""
    if name in __all__:
        return getattr(import_module(f"oneformany.plotting.{name.removeprefix('plot_')}"), name)
    raise AttributeError(f"module 'oneformany.plotting' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
