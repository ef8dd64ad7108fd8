"""What the paper does not print: totals, questions to the classifier, other rows and rules, other models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from oneformany.paper.runs.kinds import KINDS
from oneformany.paper.runs.records import Key, Record
from oneformany.paper.tables.table import Heading, Table

__all__ = ["more_tables"]

Setting = tuple[str, str, float, str]


def more_tables(records: Sequence[Record]) -> list[Table]:
    """Summarise all runs, and lay out those that are not in the paper.

    Parameters
    ----------
    records : sequence of Record
        What was run.
    """
    paper = [record for record in records if record.key.model in ("lr", "nn")]
    tables = [_summary(paper)] if paper else []
    tables += [_cells(setting, runs) for setting, runs in _by_setting(paper).items()]
    tables += [_kinds(number, runs) for number, runs in enumerate(_by_question(records), start=1)]
    return tables


def _summary(records: Sequence[Record]) -> Table:
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        key = record.key
        rules = _rules_words(key)
        groups.setdefault((key.dataset, key.model, key.method, key.protocol, rules), []).append(record)
    return Table(
        "summary",
        "All runs: answers, proofs, time and questions to the classifier",
        (
            *(Heading(title) for title in ("data set", "model", "method", "rows explained", "question")),
            *(Heading(title, "cells") for title in ("all", "proved", "fewer", "more")),
            *(Heading(title, "seconds") for title in ("ours", "paper")),
            *(Heading(title, "questions") for title in ("asked", "proofs", "open", "seconds")),
            Heading("points confirmed"),
        ),
        tuple((*group, *_sums(runs)) for group, runs in groups.items()),
        (
            "proved: no smaller set covers the rows that can be helped.",
            "fewer, more: explanations than published.",
            "asked: one question per distinct row at the start, and those of the search.",
        ),
    )


def _sums(runs: Sequence[Record]) -> Iterator[str]:
    published = [
        (record.count, record.published, record.key.method)
        for record in runs
        if record.published is not None and record.key.as_published
    ]
    yield str(len(runs))
    yield str(sum(record.proved for record in runs))
    yield str(sum(count < paper.explanations for count, paper, _ in published)) if published else "-"
    yield str(sum(count > paper.explanations for count, paper, _ in published)) if published else "-"
    yield f"{sum(record.seconds for record in runs):.2f}"
    seconds = [paper.mip_seconds if method == "mip" else paper.cg_seconds for _, paper, method in published]
    yield f"{sum(seconds):,.0f}" if published else "-"
    for part in ("asked", "proofs", "left_open"):
        yield str(sum(getattr(record.questions, part) for record in runs))
    yield f"{sum(record.questions.seconds for record in runs):.2f}"
    yield f"{sum(record.confirmed for record in runs)} of {sum(record.count for record in runs)}"


def _by_setting(records: Sequence[Record]) -> dict[Setting, list[Record]]:
    """Group the runs that differ from the paper's in rows, data or question."""
    groups: dict[Setting, list[Record]] = {}
    for record in records:
        key = record.key
        if not key.as_published or record.published is None:
            groups.setdefault((key.model, key.protocol, key.threshold, key.immutable), []).append(record)
    return groups


def _cells(setting: Setting, records: Sequence[Record]) -> Table:
    model, protocol, threshold, immutable = setting
    rules = _rules_words(records[0].key)
    return Table(
        f"cells-{model}-{protocol}-{threshold:g}-{immutable}",
        f"Beyond the paper's tables: {model}, protocol {protocol}, {rules}",
        tuple(heading for heading, _ in CELL_COLUMNS),
        tuple(tuple(text(record) for _, text in CELL_COLUMNS) for record in records),
    )


def _by_question(records: Sequence[Record]) -> list[list[Record]]:
    """Group the runs of one question to many kinds of classifiers."""
    groups: dict[Key, list[Record]] = {}
    for record in records:
        question = replace(record.key, model="", time_limit=None, seed=0, solver="")
        groups.setdefault(question, []).append(record)
    return [runs for runs in groups.values() if {record.key.model for record in runs} - {"lr", "nn"}]


def _kinds(number: int, records: Sequence[Record]) -> Table:
    titles = {kind.name: kind.title for kind in KINDS}
    columns: tuple[tuple[Heading, Callable[[Record], str]], ...] = (
        (Heading("model"), lambda record: titles.get(record.key.model, record.key.model)),
        (Heading("accuracy"), lambda record: f"{record.trained.accuracy:.3f}"),
        *CELL_COLUMNS,
    )
    return Table(
        f"models-{number}",
        f"Kinds of classifiers, {_rules_words(records[0].key)}",
        tuple(heading for heading, _ in columns),
        tuple(tuple(text(record) for _, text in columns) for record in records),
    )


def _rules_words(key: Key) -> str:
    words = f"P >= {key.threshold:g}"
    return f"{words}, half immutable" if key.immutable == "half" else words


def _beyond_help(record: Record) -> str:
    """Rows that cannot be helped; in doubt when no time was left to prove it."""
    doubt = "?" if record.unreachable and record.status == "feasible" else ""
    return f"{record.unreachable}{doubt}"


def _optional(number: int | None) -> str:
    return "-" if number is None else str(number)


CELL_COLUMNS: tuple[tuple[Heading, Callable[[Record], str]], ...] = (
    (Heading("data set"), lambda record: record.key.dataset),
    (Heading("|S|"), lambda record: str(record.key.rows)),
    (Heading("T_max"), lambda record: str(record.key.max_changes)),
    (Heading("method"), lambda record: record.key.method),
    (Heading("y*"), lambda record: str(record.count)),
    (Heading("bound"), lambda record: str(record.lower_bound)),
    (Heading("status"), lambda record: record.status),
    (Heading("beyond help"), _beyond_help),
    (Heading("any classifier"), lambda record: _optional(record.bound_without_classifier)),
    (Heading("time"), lambda record: f"{record.seconds:.2f}"),
    (Heading("asked", "questions"), lambda record: str(record.questions.asked)),
    (Heading("proofs", "questions"), lambda record: str(record.questions.proofs)),
    (Heading("open", "questions"), lambda record: str(record.questions.left_open)),
    (Heading("seconds", "questions"), lambda record: f"{record.questions.seconds:.2f}"),
    (Heading("confirmed"), lambda record: f"{record.confirmed} of {record.count}"),
)
