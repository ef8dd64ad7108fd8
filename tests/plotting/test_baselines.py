"""Tests that every plot looks as it did when somebody looked at it.

After a change that is meant, write the pictures anew with ``python tests/plotting/test_baselines.py``, and
look at them.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.testing.compare import compare_images

from oneformany import plotting
from oneformany.result.explanation import Explanation
from oneformany.result.result import Result
from oneformany.schema.feature import Feature
from oneformany.schema.schema import Schema
from oneformany.statistics import Round, Statistics
from oneformany.studies.audit import audit
from oneformany.studies.how_many import Curve, CurvePoint

mpl.use("agg")

BASELINE = Path(__file__).parent / "baseline"
SCHEMA = Schema(
    (
        Feature("amount", ("<= 1500", "1501-4000", "> 4000"), ordered=True, unit="$"),
        Feature("checking_account", ("none", "below 0", "0 or more")),
        Feature("housing", ("rent", "own", "for free")),
        Feature("job", ("no", "yes")),
    )
)


def made():
    """Twelve rows under three explanations of 6, 4 and 2 rows."""
    codes = np.array([[2, 0, row % 3, 0] for row in range(12)])
    explanations = (
        Explanation((0, 2, 0, 0), (0, 1, 2), (0, 1, 2, 3, 4, 5)),
        Explanation((2, 1, 1, 1), (1, 2, 3), (6, 7, 8, 9)),
        Explanation((1, 0, 2, 1), (0, 2, 3), (10, 11)),
    )
    rounds = [
        Round("start", 1, 5, 6.0, 1, 6, 0.1),
        Round("columns", 2, 9, 4.0, 2, 5, 0.7),
        Round("cover", 3, 9, 3.0, 3, 3, 1.4),
    ]
    problem = {
        "codes": codes.tolist(),
        "levels": [3, 3, 3, 2],
        "max_changes": 3,
        "allowed": None,
        "oracle": {},
    }
    return Result(
        "optimal", 3, 3, explanations, (0,) * 6 + (1,) * 4 + (2,) * 2, (), problem,
        statistics=Statistics(rounds=rounds), schema=SCHEMA,
    )  # fmt: skip


def compared():
    frame = pd.DataFrame({"who": ["a", "b", "c"] * 4})
    return audit(made(), frame, by="who")


def made_curve():
    numbers = [(6, 7, 12.0, 10.0), (10, 10, 20.0, 20.0), (12, 12, 25.0, 24.0), (12, 12, 22.0, 22.0)]
    points = [CurvePoint(k, k, *both, seconds=0.1) for k, both in enumerate(numbers, start=1)]
    return Curve(tuple(points), (made(),) * 4)


PICTURES = {
    "bounds": lambda: plotting.plot_bounds(made()),
    "change_counts": lambda: plotting.plot_change_counts(made().explanations, SCHEMA),
    "changed_features": lambda: plotting.plot_changed_features(made()),
    "coverage": lambda: plotting.plot_coverage(made()),
    "curve": lambda: plotting.plot_curve(made_curve()),
    "explanations": lambda: plotting.plot_explanations(made()),
    "frontier": lambda: plotting.plot_frontier(
        pd.DataFrame({"explanations": [1, 2, 3], "covered": [6, 9, 12], "bound": [7, 10, 12]})
    ),
    "group_sizes": lambda: plotting.plot_group_sizes(made()),
    "one_hot": lambda: plotting.plot_one_hot(made()),
    "profiles": lambda: made().plot(),
    "subgroups": lambda: plotting.plot_subgroups(compared(), measure="mean_changes"),
}


def draw(name, path):
    with mpl.rc_context(mpl.rcParamsDefault):
        mpl.use("agg")
        figure = PICTURES[name]().figure
        figure.savefig(path, dpi=45)
        plt.close("all")


@pytest.mark.parametrize("name", PICTURES)
def test_a_plot_looks_as_it_did(name, tmp_path):
    draw(name, tmp_path / f"{name}.png")
    assert compare_images(BASELINE / f"{name}.png", tmp_path / f"{name}.png", tol=12) is None


@pytest.mark.parametrize(
    "name", ["bounds", "changed_features", "coverage", "group_sizes", "one_hot", "profiles"]
)
def test_a_plot_of_a_result_draws_on_given_axes(name):
    _, ax = plt.subplots()
    assert getattr(plotting, f"plot_{name}")(made(), ax=ax) is ax
    plt.close("all")


def test_every_public_plot_has_a_picture():
    assert {f"plot_{name}" for name in PICTURES} == set(plotting.__all__)


def test_names_with_dollars_and_control_characters_are_drawn_as_they_are():
    from oneformany.plotting.canvas import plain

    assert plain("a $x$ b") == r"a \$x\$ b"
    assert plain("red\x1b[31m") == r"red\x1b[31m"
    assert plain("x" * 99, 10) == "x" * 9 + "…"


if __name__ == "__main__":
    for picture in PICTURES:
        draw(picture, BASELINE / f"{picture}.png")
