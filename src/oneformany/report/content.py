"""What the report says, taken from a result alone; the template decides nothing, it only draws."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np

from oneformany.report.charts import line_chart
from oneformany.result.apart import apart_words
from oneformany.result.file import digest_of
from oneformany.result.labels import shown
from oneformany.result.result import Result
from oneformany.result.tables import MEASURED, changes_by_feature, coverage_curve, outcomes, shown_rounds
from oneformany.result.words import (
    changes_of,
    proof_words,
    rows_by_reason,
    rule_words,
    share_words,
    status_words,
)
from oneformany.studies.audit import MEASURES, Audit, measure_words

Part = dict[str, Any]
# Colour and words of the badge.
BADGES = {
    "optimal": ("proved", "proved"),
    "feasible": ("open", "not closed"),
    "infeasible": ("impossible", "impossible, proved"),
}
MODEL_WORDS = {
    "kind": "model",
    "file": "file of the model",
    "file_digest": "digest of that file",
    "digest": "digest of the model as read",
    "threshold": "threshold",
    "positive": "positive class",
    "unread": "asked as a black box, because",
    "rows_file": "file of the rows",
    "rows_digest": "digest of that file of rows",
    "date": "date",
}
MOST_COMMON = 12
UNDECIDED = "Nobody knows whether these rows can be helped: the run ended before they were settled."
NOT_REACHED = "These rows can be helped, but not by so few explanations at once."
NOT_NEEDED = "These rows can be helped; the share of the rows that was asked for is covered without them."
CAUTION = (
    "Clear means that the interval leaves out 0; such lines are red. Intervals are not adjusted for the "
    "number of comparisons; a difference is a question to ask, not yet an answer."
)


def page_of(result: Result, title: str | None = None, audits: Sequence[Audit] = ()) -> Part:
    """Collect everything that the page shows, from top to bottom."""
    moved = changes_by_feature(result)
    order = [feature for feature in np.argsort(-moved, kind="stable").tolist() if moved[feature]]
    return {
        "title": shown(title or "Who was refused, and what would change that"),
        "verdict": BADGES[result.status][0],
        "badge": BADGES[result.status][1],
        "sentence": status_words(result),
        "origin": _origin(result),
        "numbers": list(_numbers(result)),
        "note": apart_words(result),
        "cards": list(_cards(result)),
        "table": {"columns": ("row", "explanation", "changes", "what it changes"), "lines": _lines(result)},
        "changed": [(result.labels.feature(f), f"{moved[f]:,}", moved[f] / moved.max()) for f in order],
        "charts": list(_charts(result)),
        "left_out": list(_left_out(result)),
        "audits": [audit_part(audit) for audit in audits],
        "proof": list(_proof(result)),
        "facts": [(name, text) for name, text in _facts(result).items() if text],
        "rules": rule_words(result),
    }


def _numbers(result: Result) -> Iterator[tuple[str, str]]:
    people = result.labels.people
    yield f"{result.labels.several} refused", f"{result.people:,}"
    yield "covered", f"{result.covered:,}"
    yield "explanations", f"{result.count:,}"
    yield "proved: no fewer than", f"{result.lower_bound:,}"
    yield "cannot be helped, proved", f"{people(entry.row for entry in result.unreachable):,}"
    yield "undecided", f"{people(result.undecided):,}"
    if result.left_out:
        yield "left out", f"{people(result.left_out):,}"
    if result.status == "feasible":
        yield "gap", f"{result.gap:.1%}"
    if result.covered:
        changes = changes_by_feature(result).sum() / result.covered
        yield f"changes per covered {result.labels.one}", f"{changes:.2f}"


def _origin(result: Result) -> str:
    """One line under the headline: which model, decided how, when."""
    model, accepted = result.problem.get("model", {}), result.problem.get("already_positive")
    if not model:
        return ""
    threshold = model.get("threshold")
    decided = "as its own predict decides" if threshold is None else f"from a score of {threshold:g}"
    parts = [
        f"Model: {shown(model.get('kind'))}",
        f"positive class {shown(model.get('positive'))}, {decided}",
    ]
    parts += [f"{len(accepted):,} more rows were accepted as they are"] if accepted else []
    return " · ".join([*parts, _date(model)])


def _date(model: Part) -> str:
    return shown(model.get("date", "")).replace("T", " ").replace("+00:00", " UTC")


def _facts(result: Result) -> dict[str, str]:
    """Names and texts; what has no text is not told."""
    model, costs, rounds = (
        result.problem.get("model", {}),
        result.problem.get("costs"),
        result.statistics.rounds,
    )
    known = {name: shown(model[name]) for name in MODEL_WORDS if model.get(name) is not None}
    scale, least = (costs or {}).get("scale", 1), result.cost_bound
    budget, most = result.budget, f"{result.labels.several} covered, at most possible"
    versions = sorted(result.versions.items(), key=lambda pair: (pair[0] != "oneformany", pair[0]))
    return {
        "a group shares": share_words(result),
        "features changed at most": f"{result.problem['max_changes']:,}",
        "explanations asked for": "" if budget is None else f"{budget:,}",
        most: "" if budget is None else f"{result.covered_bound:,}",
        "cost of all changes": "" if costs is None else f"{result.cost / scale:,g}",
        "proved: no answer as good costs less than": ""
        if costs is None or least is None
        else f"{least / scale:,g}",
        **{MODEL_WORDS[name]: _date(model) if name == "date" else text for name, text in known.items()},
        "digest of the result": f"sha256:{digest_of(result)}",
        "method": shown(result.method),
        "status": f"{result.status}; gap {result.gap:.1%}",
        "how the run ended": shown(result.ended),
        "seconds": f"{rounds[-1].seconds:.2f}" if rounds else "",
        "versions": ", ".join(f"{shown(name)} {shown(number)}" for name, number in versions),
    }


def _cards(result: Result) -> Iterator[Part]:
    labels, codes, most = result.labels, result.codes, max(result.labels.sizes, default=1)
    for number, (explanation, size) in enumerate(zip(result.explanations, labels.sizes, strict=True)):
        mine = codes[list(explanation.members)]
        same = np.flatnonzero((mine == mine[0]).all(axis=0)).tolist() if len(mine) else []
        common = [feature for feature in same if feature not in explanation.changed][:MOST_COMMON]
        yield {
            "number": number + 1,
            "people": labels.counted(size),
            "changes": list(changes_of(result, number)),
            "common": [(labels.feature(f), labels.level(f, int(mine[0, f]))) for f in common],
            "members": labels.rows(explanation.members).replace("r", "R", 1),
            "share": size / most,
        }


def _lines(result: Result) -> list[tuple[str, ...]]:
    """Each given row: its explanation or what else becomes of it, and what it changes or why not."""
    labels, points, lines = result.labels, result.points, list[tuple[str, ...]]()
    reasons = {entry.row: shown(entry.reason) for entry in result.unreachable}
    for row, (number, moves, outcome) in enumerate(
        zip(result.assignment, result.changes, outcomes(result), strict=True)
    ):
        moved = np.flatnonzero(moves).tolist()
        does = "; ".join(f"{labels.feature(f)} → {labels.target(f, int(points[row, f]))}" for f in moved)
        told = (str(number + 1), str(len(moved)), does or "nothing")
        lines.append((labels.row(row), *(told if number >= 0 else (outcome, "", reasons.get(row, "")))))
    return lines


def _charts(result: Result) -> Iterator[Part]:
    several, rounds = result.labels.several, shown_rounds(result)
    if result.count > 1:
        reached = coverage_curve(result)
        half = int(np.searchsorted(reached, reached[-1] / 2))
        yield line_chart(
            f"How many {several} the largest explanations reach together",
            f"{half:,} of {result.count:,} explanations {'covers' if half == 1 else 'cover'} half of the "
            f"covered {several}",
            [("of this answer", "value", list(enumerate(reached)))],
            "explanations, largest first",
            f"% of the {several}",
        )
    if len(rounds) > 1:
        (measured, proved), first, last = MEASURED[rounds[0].measure], rounds[0], rounds[-1]
        seconds = f"{last.seconds:.1f}" if last.seconds >= 1 else f"{last.seconds:.2g}"
        yield line_chart(
            "Best answer and proved bound while solving",
            f"{measured}: {first.count:,} at first, with a bound of {first.bound:,}; {last.count:,} after "
            f"{seconds} seconds, with a bound of {last.bound:,}",
            [
                ("best answer so far", "value", [(step.seconds, step.count) for step in rounds]),
                (proved, "bound", [(step.seconds, step.bound) for step in rounds]),
            ],
            "seconds",
            measured,
            steps=True,
            counted="y",
        )


def _proof(result: Result) -> Iterator[str]:
    yield proof_words(result)
    if "model" in result.problem:
        yield (
            "Each covered row was changed as this page says and given to the classifier itself, which "
            "accepted it; otherwise there would be no result."
        )
    offered = "" if result.problem.get("own") is None else ", to the values that cells offer"
    yield (
        "Rows that cannot be helped, as this page says, are proved to have no accepted change within the "
        f"rules{offered}. Of undecided rows nothing is claimed."
    )


def _left_out(result: Result) -> Iterator[tuple[str, str, str]]:
    """Rows without an explanation, by the reason: a title, why, and who."""
    labels = result.labels
    largest = sorted(rows_by_reason(result).items(), key=lambda item: -labels.people(item[1]))
    for what, words, rows in (
        *(("Cannot be helped", shown(reason), rows) for reason, rows in largest),
        ("Undecided", UNDECIDED, result.undecided),
        ("Left out", NOT_REACHED if result.goal.coverage is None else NOT_NEEDED, result.left_out),
    ):
        if rows:
            yield (
                f"{what}: {labels.counted(labels.people(rows))}",
                words,
                labels.rows(rows).replace("r", "R", 1),
            )


def audit_part(audit: Audit) -> Part:
    """A comparison of subgroups: counts, differences with a small picture each, and words about them."""
    told, differences = [line for line in audit.told() if not isnan(line.low)], []
    for line in told:
        alike = [other for other in told if other.measure == line.measure]
        least = min(0.0, *(other.low for other in alike))
        width = max(0.0, *(other.high for other in alike)) - least or 1.0
        texts = [measure_words(line.measure, x) for x in (line.value, line.others, line.difference)]
        ends = " to ".join(measure_words(line.measure, x) for x in (line.low, line.high))
        drawn = {"low": line.low, "value": line.difference, "high": line.high, "zero": 0.0}
        differences.append(
            {name: 100.0 * (x - least) / width for name, x in drawn.items()}  # in a box 100 wide
            | {"texts": (shown(line.subgroup), MEASURES[line.measure], *texts, ends), "clear": line.clear}
        )
    clear, words = sum(line.clear for line in told), "No difference between a subgroup and the others is"
    if clear:
        words = f"{clear} of {len(told)} differences {'is' if clear == 1 else 'are'}"
    return {
        "title": f"By {shown(audit.by)}",
        "columns": [shown(audit.by), *(str(name).replace("_", " ") for name in audit.table.columns)],
        "lines": [(shown(name), *map(_cell, line)) for name, *line in audit.table.itertuples()],
        "differences": differences,
        "note": f"{words} clear of chance. {CAUTION}",
    }


def _cell(value: float) -> str:
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.2f}"
    return f"{value:,}"
