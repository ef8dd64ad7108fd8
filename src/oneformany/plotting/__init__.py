"""Plots: each function draws on given axes or makes its own.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("agg")
>>> import oneformany as ofm
>>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], intercept=-1)
>>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
>>> axes = ofm.plotting.plot_group_sizes(result)
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oneformany.plotting.charts import (
        plot_bounds,
        plot_change_counts,
        plot_changed_features,
        plot_coverage,
        plot_frontier,
        plot_group_sizes,
        plot_subgroups,
    )
    from oneformany.plotting.maps import plot_explanations, plot_one_hot, plot_profiles

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
    """Load the plots, and with them matplotlib, when one is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'oneformany.plotting' has no attribute {name!r}")
    homes = (import_module(f"oneformany.plotting.{home}") for home in ("charts", "maps"))
    return next(getattr(home, name) for home in homes if hasattr(home, name))


def __dir__() -> list[str]:
    return sorted(__all__)
