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

    Axes that are ``counted`` have integers as marks. Heights begin at 0; the other axis begins with the
    lines, because work that had nothing to show yet may have taken longer than all the rest.
    """
    xs = [x for _, _, points in lines for x, _ in points]
    ys = [y for _, _, points in lines for _, y in points]
    x_ticks = round_ticks(max(xs), min(xs), integers="x" in counted)
    y_ticks = round_ticks(max(ys), integers="y" in counted)
    first, width = x_ticks[0], x_ticks[-1] - x_ticks[0] or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (RIGHT - LEFT) * (x - first) / width, BOTTOM - (BOTTOM - TOP) * y / (y_ticks[-1] or 1.0)

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
        tuple((at(first, y)[1], f"{y:,g}") for y in y_ticks),
        x_label,
        y_label,
    )


def round_ticks(high: float, low: float = 0.0, wanted: int = 5, *, integers: bool = False) -> list[float]:
    """Choose about as many round numbers as wanted, from just below ``low`` to just above ``high``."""
    if high <= low:
        return [low]
    size = 10.0 ** math.floor(math.log10((high - low) / wanted))
    step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= wanted)
    step = max(step, 1.0) if integers else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep some hundred points, the first and the last among them: a page needs no more."""
    if len(points) <= MOST_POINTS:
        return list(points)
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(i * step)] for i in range(MOST_POINTS)]
