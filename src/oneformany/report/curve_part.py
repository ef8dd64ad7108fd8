"""The part of the page that switches between the answers for 1, 2, 3, ... explanations."""

from typing import Any

from oneformany.report.content import BOTTOM as FLOOR
from oneformany.report.content import LEFT, RIGHT, TOP, Part, line_chart, round_ticks
from oneformany.result.labels import many
from oneformany.result.words import changes_of
from oneformany.studies.how_many import Curve

MOST_LISTED = 20  # explanations of one answer: the control is to compare answers, not to read long ones


def curve_part(curve: Curve) -> Part:
    """Pictures, the answers, and which of them is shown first: where the curve bends."""
    labels, points = curve.results[0].labels, curve.points
    several = labels.several
    paid = "changes" if curve.results[0].problem.get("costs") is None else "cost"
    helped = [(float(p.explanations), float(p.covered)) for p in points]
    most = [(float(p.explanations), float(p.covered_bound)) for p in points]
    spent = [(float(p.explanations), float(p.cost)) for p in points]
    least = [(float(p.explanations), float(p.cost_bound)) for p in points if p.cost_bound is not None]
    spent_lines = [(f"{paid} of all together", "value", spent)]
    if least:
        spent_lines.append(("proved: no less for these", "bound", least))
    return {
        "summary": curve.summary(),
        "paid": paid,
        "several": several,
        "chosen": curve.elbow,
        "charts": [
            _chart(
                f"{several.capitalize()} helped",
                [("found", "value", helped), ("proved: no more", "bound", most)],
                several,
            ),
            _chart(f"{paid.capitalize()} of all together", spent_lines, paid),
        ],
        "answers": [_answer(curve, index) for index in range(len(points))],
    }


def _chart(title: str, lines: list[tuple[str, str, list[tuple[float, float]]]], y_label: str) -> Part:
    """A picture with a mark for each answer, of which the chosen one is shown."""
    values = lines[0][2]
    told = ", ".join(f"{x:g}: {y:,.10g}" for x, y in values)
    chart = line_chart(title, f"{title} by number of explanations: {told}", lines, "explanations", y_label)
    xs = round_ticks(max(x for x, _ in values), min(x for x, _ in values), integers=True)
    top = round_ticks(max(y for _, _, points in lines for _, y in points), integers=True)[-1]
    across = (RIGHT - LEFT) / (xs[-1] - xs[0])
    chart["marks"] = [
        (int(x), LEFT + across * (x - xs[0]), FLOOR - (FLOOR - TOP) * y / top, f"{y:,.10g}")
        for x, y in values
    ]
    return chart


def _answer(curve: Curve, index: int) -> Part:
    """What one answer says, in short."""
    point, result = curve.points[index], curve.results[index]
    listed: list[dict[str, Any]] = []
    order = sorted(range(result.count), key=lambda number: -result.labels.sizes[number])
    for number in order[:MOST_LISTED]:
        changes = [f"{name} \u2192 {new}" for name, new, _ in changes_of(result, number)]
        listed.append(
            {
                "number": number + 1,
                "people": f"{result.labels.sizes[number]:,}",
                "changes": "; ".join(changes) or "nothing: already accepted",
            }
        )
    return {
        "number": point.explanations,
        "heading": many(point.explanations, "explanation"),
        "covered": point.covered,
        "covered_bound": point.covered_bound,
        "share": f"{point.covered / max(1, curve.people):.1%}",
        "cost": f"{point.cost:,.10g}",
        "cost_bound": "" if point.cost_bound is None else f"{point.cost_bound:,.10g}",
        "each": f"{point.cost / point.covered:.2f}" if point.covered else "",
        "proved": point.proved,
        "listed": listed,
        "more": result.count - len(listed),
    }
