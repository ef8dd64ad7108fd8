"""Line charts as numbers for an SVG box: no drawing library is needed to read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from oneformany.report.page import Chart

LEFT, RIGHT, TOP, BOTTOM = 60.0, 612.0, 12.0, 250.0
MOST_POINTS = 400


def line_chart(
    title: str,
    summary: str,
    lines: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    x_label: str,
    y_label: str,
    *,
    steps: bool = False,
    counted: str = "xy",
) -> Chart:
    """Scale lines of a name, a kind and points to the box; with steps, a value holds until the next point.

    Axes that are ``counted`` have integers as marks.
    """
    xs = [x for _, _, points in lines for x, _ in points]
    ys = [y for _, _, points in lines for _, y in points]
    x_ticks = round_ticks(max(xs), integers="x" in counted)
    y_ticks = round_ticks(max(ys), integers="y" in counted)
    x_most, y_most = max(x_ticks[-1], *xs), max(y_ticks[-1], *ys)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (RIGHT - LEFT) * x / x_most, BOTTOM - (BOTTOM - TOP) * y / y_most

    def drawn(points: Sequence[tuple[float, float]]) -> str:
        thin = _thinned(points)
        if steps:
            thin = [
                pair
                for (x, y), (after, _) in zip(thin, [*thin[1:], thin[-1]], strict=True)
                for pair in ((x, y), (after, y))
            ]
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in (at(x, y) for x, y in thin))

    return Chart(
        title,
        summary,
        tuple((name, kind, drawn(points)) for name, kind, points in lines),
        tuple((at(x, 0)[0], f"{x:,g}") for x in x_ticks),
        tuple((at(0, y)[1], f"{y:,g}") for y in y_ticks),
        x_label,
        y_label,
    )


def round_ticks(high: float, wanted: int = 5, *, integers: bool = False) -> list[float]:
    """Choose round numbers from 0 to a little above ``high``, about as many as wanted."""
    if high <= 0:
        return [0.0]
    size = 10.0 ** math.floor(math.log10(high / wanted))
    step = next(size * factor for factor in (1, 2, 5, 10) if high / (size * factor) <= wanted)
    step = max(step, 1.0) if integers else step
    return [step * i for i in range(math.ceil(high / step - 1e-9) + 1)]


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep some hundred points, the first and the last among them: a page needs no more."""
    if len(points) <= MOST_POINTS:
        return list(points)
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(i * step)] for i in range(MOST_POINTS)]
