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
