"""What the report says, taken from a result alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.report.audits import audit_part
from oneformany.report.charts import line_chart
from oneformany.report.page import Card, Chart, LeftOut, Page, TableData
from oneformany.result.apart import apart_words
from oneformany.result.file import digest_of
from oneformany.result.labels import Labels, labels_of, shown
from oneformany.result.sizes import (
    MEASURED,
    changes_by_feature,
    coverage_curve,
    group_sizes,
    noun,
    people_in,
    rows_by_reason,
    shown_rounds,
)
from oneformany.result.words import changes_of, proof_words, rule_words, share_words, status_words

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.studies.audit import Audit

FEW_ROWS = 12
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


def page_of(result: Result, title: str | None = None, audits: Sequence[Audit] = ()) -> Page:
    """Collect everything that the page shows."""
    labels = labels_of(result)
    return Page(
        title=shown(title or "Who was refused, and what would change that"),
        verdict={"optimal": "proved", "feasible": "open", "infeasible": "impossible"}[result.status],
        sentence=status_words(result),
        origin=_origin(result),
        numbers=tuple(_numbers(result)),
        note=apart_words(result) or "",
        cards=tuple(_cards(result, labels)),
        assignment=_assignment(result, labels),
        changed=tuple(_changed(result, labels)),
        charts=tuple(_charts(result)),
        left_out=tuple(_left_out(result, labels)),
        audits=tuple(audit_part(audit) for audit in audits),
        proof=tuple(_proof(result)),
        facts=tuple(_facts(result)),
        rules=tuple(rule_words(result)),
    )


def _numbers(result: Result) -> Iterator[tuple[str, str]]:
    yield f"{noun(result, 2)} refused", f"{result.people:,}"
    yield "covered", f"{result.covered:,}"
    yield "explanations", f"{result.count:,}"
    yield "proved: no fewer than", f"{result.lower_bound:,}"
    yield "beyond help, proved", f"{people_in(result, [entry.row for entry in result.unreachable]):,}"
    yield "undecided", f"{people_in(result, result.undecided):,}"
    if result.left_out:
        yield "not reached with so few", f"{people_in(result, result.left_out):,}"
    if result.status == "feasible":
        yield "gap", f"{result.gap:.1%}"
    if result.covered:
        yield (
            f"changes per covered {noun(result, 1)}",
            f"{changes_by_feature(result).sum() / result.covered:.2f}",
        )


def _origin(result: Result) -> str:
    """One line under the headline: which model, decided how, when."""
    model = result.problem.get("model", {})
    if not model:
        return ""
    positive = f"positive class {shown(model.get('positive'))}"
    threshold = model.get("threshold")
    decided = "as its own predict decides" if threshold is None else f"from a score of {threshold:g}"
    parts = [f"Model: {shown(model.get('kind'))}", f"{positive}, {decided}"]
    if result.problem.get("already_positive"):
        parts.append(f"{len(result.problem['already_positive']):,} more rows were accepted as they are")
    return " · ".join([*parts, _date(model)])


def _date(model: dict[str, Any]) -> str:
    return shown(model.get("date", "")).replace("T", " ").replace("+00:00", " UTC")


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    model = result.problem.get("model", {})
    yield "a group shares", share_words(result)
    yield "features changed at most", f"{result.problem['max_changes']:,}"
    if result.budget is not None:
        yield "explanations asked for", f"{result.budget:,}"
        yield f"{noun(result, 2)} covered, at most possible", f"{result.covered_bound:,}"
    yield from _cost_facts(result)
    for name, words in MODEL_WORDS.items():
        if model.get(name) is not None:
            yield words, _date(model) if name == "date" else shown(model[name])
    yield "digest of the result", f"sha256:{digest_of(result)}"
    yield "method", shown(result.method)
    yield "status", f"{result.status}; gap {result.gap:.1%}"
    yield "how the run ended", shown(result.ended)
    if result.statistics.rounds:
        yield "seconds", f"{result.statistics.rounds[-1].seconds:.2f}"
    ordered = sorted(result.versions, key=lambda name: (name != "oneformany", name))
    versions = ", ".join(f"{shown(name)} {shown(result.versions[name])}" for name in ordered)
    yield "versions", versions


def _cost_facts(result: Result) -> Iterator[tuple[str, str]]:
    costs = result.problem.get("costs")
    if costs is not None:
        yield "cost of all changes", f"{result.cost / costs['scale']:,g}"
        if result.cost_bound is not None:
            yield "proved: no answer as good costs less than", f"{result.cost_bound / costs['scale']:,g}"


def _cards(result: Result, labels: Labels) -> Iterator[Card]:
    sizes = group_sizes(result)
    most = max(sizes.tolist(), default=1)
    codes = np.array(result.problem["codes"])
    for number, explanation in enumerate(result.explanations, 1):
        members = explanation.members
        yield Card(
            number,
            f"{sizes[number - 1]:,} {noun(result, sizes[number - 1])}",
            tuple(changes_of(result, explanation, labels)),
            tuple(_common(codes[list(members)], explanation.changed, labels)),
            _rows(members, labels),
            sizes[number - 1] / most,
        )


def _common(codes: IntArray, changed: Sequence[int], labels: Labels) -> Iterator[tuple[str, str]]:
    """Features outside the changed ones in which all rows of a group lie in the same cell."""
    same = np.flatnonzero((codes == codes[0]).all(axis=0)) if len(codes) else np.array([], dtype=int)
    for feature in [f for f in same.tolist() if f not in changed][:MOST_COMMON]:
        yield labels.feature(feature), labels.word(feature, int(codes[0, feature]))


def _assignment(result: Result, labels: Labels) -> TableData:
    codes, points = np.array(result.problem["codes"]), result.points
    reasons = {entry.row: entry.reason for entry in result.unreachable}
    undecided = set(result.undecided)
    lines = []
    for row, number in enumerate(result.assignment):
        if number >= 0:
            moved = np.flatnonzero(codes[row] != points[row]).tolist()
            does = "; ".join(f"{labels.feature(f)} → {labels.target(f, int(points[row, f]))}" for f in moved)
            lines.append((labels.row(row), str(number + 1), str(len(moved)), does or "nothing"))
        else:
            why = "undecided" if row in undecided else "beyond help" if row in reasons else "not reached"
            lines.append((labels.row(row), why, "", shown(reasons.get(row, ""))))
    return TableData(("row", "explanation", "changes", "what it changes"), tuple(lines))


def _changed(result: Result, labels: Labels) -> Iterator[tuple[str, str, float]]:
    moved = changes_by_feature(result)
    for feature in np.argsort(-moved, kind="stable").tolist():
        if moved[feature]:
            yield labels.feature(feature), f"{moved[feature]:,}", moved[feature] / moved.max()


def _charts(result: Result) -> Iterator[Chart]:
    if result.count > 1:
        reached = coverage_curve(result)
        half = int(np.searchsorted(reached, reached[-1] / 2))
        yield line_chart(
            f"How many {noun(result, 2)} the largest explanations reach together",
            f"{half:,} of {result.count:,} explanations {'covers' if half == 1 else 'cover'} half of the "
            f"covered {noun(result, 2)}",
            [("of this answer", "value", list(enumerate(reached)))],
            "explanations, largest first",
            f"% of the {noun(result, 2)}",
        )
    rounds = shown_rounds(result)
    if len(rounds) > 1:
        measured, proved = MEASURED[rounds[0].measure]
        yield line_chart(
            "Best answer and proved bound while solving",
            f"{measured}: {rounds[0].count:,} at first, with a bound of {rounds[0].bound:,}; "
            f"{rounds[-1].count:,} after {_seconds(rounds[-1].seconds)} seconds, with a bound of "
            f"{rounds[-1].bound:,}",
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
        f"Rows called beyond help are proved to have no accepted change within the rules{offered}. Of rows "
        "called undecided nothing is claimed."
    )


def _left_out(result: Result, labels: Labels) -> Iterator[LeftOut]:
    largest = sorted(rows_by_reason(result).items(), key=lambda item: -people_in(result, item[1]))
    for what, words, rows in (
        *(("Beyond help", shown(reason), rows) for reason, rows in largest),
        (
            "Undecided",
            "Nobody knows whether these rows can be helped: the run ended before they were settled.",
            result.undecided,
        ),
        (
            "Not reached",
            "These rows can be helped, but not by so few explanations at once.",
            result.left_out,
        ),
    ):
        if count := people_in(result, rows):
            yield LeftOut(f"{what}: {count:,} {noun(result, count)}", words, _rows(rows, labels))


def _rows(rows: Sequence[int], labels: Labels) -> str:
    told = ", ".join(labels.row(row) for row in rows[:FEW_ROWS])
    more = f" and {len(rows) - FEW_ROWS:,} more" if len(rows) > FEW_ROWS else ""
    return f"Row{'' if len(rows) == 1 else 's'} {told}{more}"


def _seconds(number: float) -> str:
    return f"{number:.1f}" if number >= 1 else f"{number:.2g}"
