"""What the page lists and draws of a result; its own sentences stand in the template."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np

from oneformany.result.beyond import rows_by_reason
from oneformany.result.labels import shown
from oneformany.result.result import Result
from oneformany.result.tables import changes_by_feature, coverage_curve, outcomes, shown_rounds
from oneformany.result.words import changes_of, left_out_words, undecided_words
from oneformany.studies.audit import Audit, difference_words, interval_words, measure_words

Part = dict[str, Any]
MOST_COMMON = 12  # values on a card: as many as fill it
MOST_CELLS = 30  # of a column: who wants to know of more reads the result file
LEFT, RIGHT, TOP, BOTTOM = 60.0, 612.0, 12.0, 250.0
MOST_POINTS = 400  # of a line: a page needs no more
SLOW = 1.0  # seconds between the first answer and the last: quicker runs have nothing to tell of their way


def changed_features(result: Result) -> list[tuple[str, int, float]]:
    """Bars, longest first: a feature, how many people change it, and its part of the longest."""
    moved = changes_by_feature(result)
    order = [feature for feature in np.argsort(-moved, kind="stable").tolist() if moved[feature]]
    return [(result.labels.feature(f), int(moved[f]), moved[f] / moved.max()) for f in order]


def cards(result: Result) -> Iterator[Part]:
    """Each explanation: what changes, what else its rows have in common, and who they are."""
    labels, codes, most = result.labels, result.codes, max(result.labels.sizes, default=1)
    for number, (explanation, size) in enumerate(zip(result.explanations, labels.sizes, strict=True)):
        mine = codes[list(explanation.members)]
        same = np.flatnonzero((mine == mine[0]).all(axis=0)).tolist() if len(mine) else []
        told = [f for f in same if f not in explanation.changed and labels.schema.features[f].n_levels > 1]
        common = told[:MOST_COMMON]
        yield {
            "number": number + 1,
            "people": labels.counted(size),
            "changes": list(changes_of(result, number)),
            "common": [(labels.feature(f), labels.level(f, int(mine[0, f]))) for f in common],
            "members": labels.rows(explanation.members),
            "share": size / most,
        }


def lines_of_rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Names of columns, then each given row: what becomes of it, for how many people, and what it changes."""
    labels, points, outcome = result.labels, result.points, outcomes(result)
    people = "people" in result.problem
    yield "row", "explanation", "changes", *["people"] * people, "what it changes, or why not"
    reasons = {entry.row: shown(entry.reason) for entry in result.unreachable}
    for row, moves in enumerate(result.changes):
        told = (outcome[row], "", reasons.get(row, ""))
        if (number := result.assignment[row]) >= 0:
            moved = np.flatnonzero(moves).tolist()
            does = [f"{labels.feature(f)} → {labels.target(f, int(points[row, f]))}" for f in moved]
            told = (str(number + 1), str(len(moved)), "; ".join(does) or "nothing")
        yield labels.row(row), *told[:2], *[f"{labels.people([row]):,}"] * people, told[2]


def charts(result: Result) -> Iterator[Part]:
    """How far the largest groups reach, and how the answer and its bound met."""
    several, (rounds, counted, proved) = result.labels.several, shown_rounds(result)
    if result.count > 1:
        reached = coverage_curve(result)
        half = int(np.searchsorted(reached, reached[-1] / 2))
        yield line_chart(
            f"How many {several} the largest explanations reach together",
            f"{half:,} of {result.count:,} explanations {'covers' if half == 1 else 'cover'} at least half "
            f"of the covered {several}",
            [("", "value", list(enumerate(reached)))],
            "explanations, largest first",
            f"% of the {several}",
        )
    if rounds and rounds[-1].seconds - rounds[0].seconds >= SLOW:
        first, last = rounds[0], rounds[-1]
        yield line_chart(
            "Best answer and proved bound while solving",
            f"{counted}: {first.count:,} at first, with a bound of {first.bound:,}; {last.count:,} after "
            f"{last.seconds:.3g} seconds, with a bound of {last.bound:,}",
            [
                ("best answer so far", "value", [(step.seconds, step.count) for step in rounds]),
                (proved, "bound", [(step.seconds, step.bound) for step in rounds]),
            ],
            "seconds",
            counted,
            steps=True,
            counted="y",
        )


def line_chart(
    title: str,
    summary: str,
    lines: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    x_label: str,
    y_label: str,
    *,
    steps: bool = False,
    counted: str = "xy",
) -> Part:
    """Scale lines of a name, a kind and points to the box; with steps, a value holds until the next point.

    Axes that are ``counted`` have integers as marks. Heights begin at 0; the other axis begins with the
    lines, because work that had nothing to show yet may have taken longer than all the rest. The summary is
    for readers who do not see the picture.
    """
    xs, ys = ([point[axis] for _, _, points in lines for point in points] for axis in (0, 1))
    x_ticks = round_ticks(max(xs), min(xs), integers="x" in counted)
    y_ticks = round_ticks(max(ys), integers="y" in counted)

    def across(x: float) -> float:
        return LEFT + (RIGHT - LEFT) * (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])

    def up(y: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * y / y_ticks[-1]

    def drawn(points: Sequence[tuple[float, float]]) -> str:
        kept = np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).round().astype(int)
        xs, ys = np.array(points)[kept].T
        if steps:
            xs, ys = np.repeat(xs, 2)[1:], np.repeat(ys, 2)[:-1]
        return " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in zip(xs, ys, strict=True))

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
    from matplotlib.ticker import MaxNLocator

    high = high if high > low else low + 1
    marks = MaxNLocator(5, integer=integers, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [round(float(mark), 12) for mark in marks]


def columns(result: Result) -> list[Part]:
    """Each column: whether the model reads it, what its values are put into, and where rows can be sent."""
    labels, ignored = result.labels, result.problem.get("model", {}).get("ignores", ())
    found = []
    for index, feature in enumerate(labels.schema.features):
        read = feature.name not in ignored
        levels = range(min(feature.n_levels, MOST_CELLS))
        own = result.problem.get("own") is not None and feature.targets is not None
        goals = [level for level in levels if not own or feature.target(level) is not None]
        rest = feature.n_levels - len(levels)
        more = f" and {rest:,} more" if rest else ""
        found.append(
            {
                "name": labels.feature(index),
                "read": read,
                "cells": "; ".join(labels.level(index, level) for level in levels) + more if read else "",
                "targets": "; ".join(labels.target(index, level) for level in goals) + more if read else "",
            }
        )
    return found


def without_explanation(result: Result) -> list[tuple[str, str, list[int]]]:
    """Rows without an explanation, by the reason: what becomes of them, why, and who."""
    reasons = sorted(rows_by_reason(result).items(), key=lambda item: -result.labels.people(item[1]))
    found = [("Cannot be helped", shown(reason), rows) for reason, rows in reasons]
    found += [("Undecided", undecided_words(result), list(result.undecided))]
    found += [("Left out", left_out_words(result), list(result.left_out))]
    return [(what, why, rows) for what, why, rows in found if rows]


def audit_part(audit: Audit) -> Part:
    """A comparison of subgroups: counts, and differences with a small picture each."""
    told, differences = [line for line in audit.told() if not isnan(line.low)], []
    for line in told:
        alike = [other for other in told if other.measure == line.measure]
        least = min(0.0, *(other.low for other in alike))
        width = max(0.0, *(other.high for other in alike)) - least or 1.0
        named = shown(line.subgroup), audit.words(line.measure)
        texts = [measure_words(line.measure, x) for x in (line.value, line.others)]
        texts.append(difference_words(line.measure, line.difference))
        ends = interval_words(line)
        drawn = {"low": line.low, "value": line.difference, "high": line.high, "zero": 0.0}
        differences.append(
            {name: 100.0 * (x - least) / width for name, x in drawn.items()}  # in a box 100 wide
            | {"texts": (*named, *texts, ends), "is_clear": line.clear}
        )
    return {
        "by": shown(audit.by),
        "columns": [str(name).replace("_", " ") for name in audit.table.columns],
        "lines": [(shown(name), *map(_cell, line)) for name, *line in audit.table.itertuples()],
        "differences": differences,
        "n_clear": sum(line.clear for line in told),
    }


def _cell(value: float) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.2f}"
    return f"{value:,}"
