"""Line charts as numbers for an SVG box: no drawing library is needed to read them."""

import math
from collections.abc import Sequence
from typing import Any

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
) -> dict[str, Any]:
    """Scale lines of a name, a kind and points to the box; with steps, a value holds until the next point.

    Axes that are ``counted`` have integers as marks. Heights begin at 0; the other axis begins with the
    lines, because work that had nothing to show yet may have taken longer than all the rest. The summary is
    for readers who do not see the picture.
    """
    xs, ys = ([point[axis] for _, _, points in lines for point in points] for axis in (0, 1))
    x_ticks = round_ticks(max(xs), min(xs), integers="x" in counted)
    y_ticks = round_ticks(max(ys), integers="y" in counted)
    first, width, height = x_ticks[0], x_ticks[-1] - x_ticks[0] or 1.0, y_ticks[-1] or 1.0

    def across(x: float) -> float:
        return LEFT + (RIGHT - LEFT) * (x - first) / width

    def up(y: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * y / height

    def drawn(points: Sequence[tuple[float, float]]) -> str:
        kept = min(len(points), MOST_POINTS)  # the first and the last among them: a page needs no more
        step = (len(points) - 1) / max(kept - 1, 1)
        thin = [points[round(i * step)] for i in range(kept)]
        if steps:
            until = [x for x, _ in thin[1:]] + [thin[-1][0]]
            thin = [pair for (x, y), after in zip(thin, until, strict=True) for pair in ((x, y), (after, y))]
        return " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in thin)

    return {
        "title": title,
        "summary": summary,
        "series": [(name, kind, drawn(points)) for name, kind, points in lines],
        "x_ticks": [(across(x), f"{x:,g}") for x in x_ticks],
        "y_ticks": [(up(y), f"{y:,g}") for y in y_ticks],
        "x_label": x_label,
        "y_label": y_label,
    }


def round_ticks(high: float, low: float = 0.0, *, integers: bool = False) -> list[float]:
    """Choose about five round numbers, from just below ``low`` to just above ``high``."""
    if high <= low:
        return [low]
    size = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(size * factor for factor in (1, 2, 5, 10) if (high - low) / (size * factor) <= 5)
    step = max(step, 1.0) if integers else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]
