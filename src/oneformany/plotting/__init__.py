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

from oneformany.plotting.charts import plot_bounds as plot_bounds
from oneformany.plotting.charts import plot_change_counts as plot_change_counts
from oneformany.plotting.charts import plot_changed_features as plot_changed_features
from oneformany.plotting.charts import plot_coverage as plot_coverage
from oneformany.plotting.charts import plot_curve as plot_curve
from oneformany.plotting.charts import plot_frontier as plot_frontier
from oneformany.plotting.charts import plot_group_sizes as plot_group_sizes
from oneformany.plotting.charts import plot_subgroups as plot_subgroups
from oneformany.plotting.maps import plot_explanations as plot_explanations
from oneformany.plotting.maps import plot_one_hot as plot_one_hot
from oneformany.plotting.maps import plot_profiles as plot_profiles

__all__ = [name for name in dir() if name.startswith("plot_")]
