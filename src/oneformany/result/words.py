"""A result in words: what to change, for whom, what is proved and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from oneformany.result.labels import Labels, labels_of

if TYPE_CHECKING:
    from oneformany.result.result import Explanation, Result

__all__ = ["explanation_words", "proof_words", "status_words", "summarise", "unreachable_words"]

MANY_ROWS = 12


def summarise(result: Result, limit: int | None = 20) -> str:
    """Tell a result in words.

    Parameters
    ----------
    result : Result
        What to tell.
    limit : int or None
        Spell out at most so many explanations; ``None``: all.
    """
    shown = result.explanations if limit is None else result.explanations[:limit]
    parts = [status_words(result)]
    parts += [explanation_words(result, number) for number in range(1, len(shown) + 1)]
    if hidden := result.count - len(shown):
        parts.append(f"... and {_many(hidden, 'further explanation')}: see to_frame().")
    if result.unreachable:
        parts.append(unreachable_words(result))
    parts.append(proof_words(result))
    return "\n\n".join(parts)


def status_words(result: Result) -> str:
    """Say how many explanations cover how many rows, and what is known about fewer."""
    rows = len(result.assignment)
    helped = rows - len(result.unreachable)
    budget = _many(result.problem["max_changes"], "feature")
    who = f"all {rows} rows" if helped == rows else f"{helped} of {rows} rows"
    cover = f"{_many(result.count, 'explanation')} {'covers' if result.count == 1 else 'cover'}"
    line = f"{cover} {who}, each changing at most {budget}: {_known(result)}."
    if result.unreachable:
        line += f" {_many(len(result.unreachable), 'row')} cannot be helped within that budget."
    return line


def explanation_words(result: Result, number: int) -> str:
    """Say whom an explanation covers and what they change, with the labels of the schema.

    Parameters
    ----------
    result : Result
        Where it comes from.
    number : int
        Which explanation, counted from 1.
    """
    explanation = result.explanations[number - 1]
    labels = labels_of(result)
    members = explanation.members
    head = f"Explanation {number} covers {_many(len(members), 'row')} ({_rows(members, labels)})"
    changes = list(_changes(result, explanation, labels))
    if not changes:
        return f"{head}: already positive, nothing to change."
    wide, wider = (max(len(change[part]) for change in changes) for part in (0, 1))
    lines = [f"    {name:<{wide}}  -> {target:<{wider}}  ({origins})" for name, target, origins in changes]
    return "\n".join([f"{head}:", *lines])


def unreachable_words(result: Result) -> str:
    """Say which rows cannot be helped and why, rows with one reason together."""
    by_reason: dict[str, list[int]] = {}
    for entry in result.unreachable:
        by_reason.setdefault(entry.reason, []).append(entry.row)
    labels = labels_of(result)
    lines = [f"    {_rows(rows, labels)}: {reason}" for reason, rows in by_reason.items()]
    return "\n".join(["Cannot be helped:", *lines])


def proof_words(result: Result) -> str:
    """Say why no smaller set exists, or how small one could be, following the certificate."""
    proof = result.certificate.get("proof")
    if result.lower_bound == 0:
        return "Proof: none is needed, as no row can be helped."
    if proof is None:
        return f"Proof: none attached; at least {result.lower_bound} explanations are claimed to be needed."
    return f"Proof that at least {_many(result.lower_bound, 'explanation')} must be used: {_argument(proof)}"


def _known(result: Result) -> str:
    if result.count == result.lower_bound:
        return "proved to be the fewest possible"
    return f"at least {result.lower_bound} are needed (gap {result.gap:.1%})"


def _changes(result: Result, explanation: Explanation, labels: Labels) -> Iterator[tuple[str, str, str]]:
    """Name, new label and old labels of each feature that at least one row really changes."""
    codes = result.problem["codes"]
    for feature in explanation.changed:
        target = explanation.point[feature]
        movers = Counter(codes[row][feature] for row in explanation.members)
        del movers[target]
        if movers:
            origins = (f"{rows} from {labels.word(feature, old)}" for old, rows in sorted(movers.items()))
            yield labels.features[feature], labels.word(feature, target), ", ".join(origins)


def _argument(proof: dict[str, Any]) -> str:
    if proof["kind"] == "branch":
        leaves = list(_leaves(proof))
        return (
            f"{len(leaves)} cases, by whether certain pairs of rows share an explanation; each is settled by "
            f"weights on its rows{_listing(leaves)}."
        )
    total, capacity = sum(proof["weights"]), proof["capacity"]
    weigh = (
        f"the rows carry weights that sum to {total / capacity:.3f} times the most that any one explanation "
        "can cover"
    )
    if proof["kind"] == "enumeration":
        return (
            f"{weigh}; so {_many(proof['target'], 'explanation')} would have to be among "
            f"{_many(len(proof['columns']), 'group')} of rows, all listed in the certificate, and no "
            f"{proof['target']} of these cover every row."
        )
    return f"{weigh}."


def _listing(leaves: Sequence[dict[str, Any]]) -> str:
    columns = sum(len(leaf.get("columns", ())) for leaf in leaves)
    return f" and by listing {_many(columns, 'group')} of rows" if columns else ""


def _leaves(proof: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if proof["kind"] == "branch":
        yield from _leaves(proof["together"])
        yield from _leaves(proof["apart"])
    else:
        yield proof


def _rows(rows: Sequence[int], labels: Labels) -> str:
    shown = ", ".join(str(labels.rows[row]) for row in rows[:MANY_ROWS])
    more = f", ... {len(rows) - MANY_ROWS} more" if len(rows) > MANY_ROWS else ""
    return f"row{'' if len(rows) == 1 else 's'} {shown}{more}"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
