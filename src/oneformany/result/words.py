"""A result in words and as a small table: what to change, for whom, what is proved and how, what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.arrays import BoolArray
from oneformany.result.apart import apart_words
from oneformany.result.labels import Labels, labels_of, shown
from oneformany.result.proof import BranchProof, DualProof, EnumerationProof, Proof, SolverProof
from oneformany.result.sizes import noun, people_in, rows_by_reason
from oneformany.schema.rules.rows import Implies, Linked, NotTogether, Observed
from oneformany.schema.schema import html_table

if TYPE_CHECKING:
    from oneformany.result.explanation import Explanation
    from oneformany.result.result import Result

SHARES = {
    "point": "one profile: the changed features, their new values, and the cells of all other features",
    "action": "one advice: the changed features and their new values",
    "features": "one to-do list: the changed features; the new values are each row's own",
}

OFFERED = (
    "Values lie in cells, and rows are sent to the one value that a cell offers. What is proved is proved "
    "for these cells and values; edges=, bins= and targets= choose others."
)
NAMED: dict[str, Any] = {"linked": Linked, "not_together": NotTogether, "observed": Observed}
MANY_ROWS = 12
MOST_LINES = 10
ENDINGS = {
    "proved": "nothing was left to do",
    "time limit": "the time limit ended the search",
    "interrupted": "the search was interrupted",
    "limit": "a limit on nodes, calls or memory ended the search",
}


def summarise(result: Result, limit: int | None = 20, more: str = "see to_frame()") -> str:
    """Tell a result in words; ``more`` says where explanations beyond the limit are."""
    shown_ = result.explanations if limit is None else result.explanations[:limit]
    parts = [status_words(result)]
    if result.count > 1:
        parts.append(f"Rows of one explanation share {share_words(result)}.")
    if result.problem.get("own") is not None:
        parts.append(OFFERED)
    if (why := apart_words(result)) is not None:
        parts.append(why)
    parts += [explanation_words(result, number) for number in range(1, len(shown_) + 1)]
    if hidden := result.count - len(shown_):
        further = f"... and {_many(hidden, 'further explanation')}"
        parts.append(f"{further if shown_ else _many(hidden, 'explanation') + ' not spelled out'}: {more}.")
    if result.unreachable:
        parts.append(unreachable_words(result))
    if result.undecided:
        parts.append(undecided_words(result))
    if "unread" in (model := result.problem.get("model", {})):
        parts.append(f"The model was asked as a black box, since it cannot be read: {model['unread']}.")
    parts.append(proof_words(result))
    return "\n\n".join(parts)


def short_words(result: Result) -> str:
    """Say in one line how many explanations cover how many rows, and what is proved."""
    parts = [f"{_cover(result)} {result.covered} of {_counted(result, result.people)}", _needed(result)]
    if result.unreachable:
        parts.append(f"{_unreachable_people(result)} beyond help")
    if result.undecided:
        parts.append(f"{people_in(result, result.undecided)} undecided")
    return f"{result.status}: {', '.join(parts)}"


def status_words(result: Result) -> str:
    """Say how many explanations cover how many rows, what is known about fewer, and what is open."""
    rows = result.people
    budget = f"at most {_many(result.problem['max_changes'], 'feature')}"
    if result.status == "infeasible":
        return (
            f"{f'The {noun(result, 1)}' if rows == 1 else f'None of the {_counted(result, rows)}'} "
            f"can{'not' if rows == 1 else ''} be helped by changing {budget}: proved."
        )
    if not result.covered:
        lines = [f"No explanation was found for {_counted(result, rows)}, changing {budget}."]
    else:
        who = _counted(result, rows)
        who = f"all {who}" if result.covered == rows else f"{result.covered} of {who}"
        lines = [f"{_cover(result)} {who}, each changing {budget}: {_known(result)}."]
    if result.unreachable:
        lines.append(f"{_counted(result, _unreachable_people(result))} cannot be helped that way: proved.")
    for rows_, what in ((result.undecided, "undecided"), (result.left_out, "left out")):
        if number := people_in(result, rows_):
            lines.append(f"{_counted(result, number)} {'is' if number == 1 else 'are'} {what}.")
    if result.cost_bound is not None:
        lines.append(_cost(result))
    if not result.problem.get("read_to_the_end", True):
        lines.append(f"Time was up before more than {_many(result.problem['rows_read'], 'row')} were read.")
    if result.ended != "proved":
        known = "the answer is proved, but " if result.status == "optimal" else ""
        least = f" for the least {_paid(result)}" if known else ""
        lines.append(f"{known}{ENDINGS[result.ended]}{least}.".capitalize())
        lines += [f"{note[:1].upper()}{note[1:]}." for note in result.statistics.notes]
    return " ".join(lines)


def explanation_words(result: Result, number: int) -> str:
    """Say whom an explanation covers and what they change, with the labels of the schema."""
    explanation = result.explanations[number - 1]
    labels = labels_of(result)
    members = explanation.members
    size = _counted(result, people_in(result, members))
    head = f"Explanation {number} covers {size} ({_rows(members, labels)})"
    changes = list(changes_of(result, explanation, labels))
    if not changes:
        return f"{head}: already positive, nothing to change."
    wide, wider = (max(len(change[part]) for change in changes) for part in (0, 1))
    lines = [f"    {name:<{wide}}  -> {target:<{wider}}  ({origins})" for name, target, origins in changes]
    return "\n".join([f"{head}:", *lines])


def unreachable_words(result: Result) -> str:
    """Say which rows cannot be helped and why, rows with one reason together."""
    labels = labels_of(result)
    lines = [f"    {_rows(rows, labels)}: {shown(reason)}" for reason, rows in rows_by_reason(result).items()]
    return "\n".join(["Cannot be helped (proved):", *lines])


def undecided_words(result: Result) -> str:
    """Say of which rows nobody knows whether they can be helped, and why."""
    who = "it" if len(result.undecided) == 1 else "they"
    why = f"{ENDINGS[result.ended]} before it was known whether {who} can be helped"
    return f"Undecided:\n    {_rows(result.undecided, labels_of(result))}: {why}"


def proof_words(result: Result) -> str:
    """Say why no smaller set exists, or how small one could be, following the proof."""
    if result.status == "infeasible":
        return "Proof: none is needed, as no row can be helped."
    if result.lower_bound == 0:
        return "Proof: none; it is not known of any row that it can be helped."
    if result.proof is None:
        return _goal_proof(result)
    rows = ", counting only rows known to be helpable" if result.undecided else ""
    return (
        f"Proof that at least {_many(result.lower_bound, 'explanation')} must be used{rows}: "
        f"{_argument(result.proof)}"
    )


def share_words(result: Result) -> str:
    """Say what the rows of one explanation have in common."""
    return SHARES.get(result.share, shown(result.share))


def rule_words(result: Result) -> list[str]:
    """Say which rules were in force: as the user gave them, or as far as the file's matrices show."""
    if "rules" in result.problem:
        return [shown(rule) for rule in result.problem["rules"]]
    labels = labels_of(result)
    words = []
    for feature, moves in enumerate(result.problem.get("allowed") or ()):
        if moves is not None and (said := _move_words(np.array(moves, dtype=np.bool_))):
            words.append(f"{labels.feature(feature)} {said}")
    return words + [_restriction_words(entry, labels) for entry in result.problem.get("restrictions") or ()]


def _move_words(moves: BoolArray) -> str:
    n = len(moves)
    matrix, everything = moves | np.eye(n, dtype=np.bool_), np.ones((n, n))
    for known, words in (
        (everything, ""),
        (np.eye(n), "cannot change"),
        (np.triu(everything), "can only go up"),
        (np.tril(everything), "can only go down"),
    ):
        if np.array_equal(matrix, known):
            return words
    return f"may make {int(matrix.sum()) - n} of its {n * (n - 1)} moves"


def _restriction_words(entry: dict[str, Any], labels: Labels) -> str:
    """Let the rule itself say its sentence, with labels as names."""
    kind = entry.get("kind")
    names = [labels.feature(feature) for feature in entry.get("features", ())]
    if kind == "implies":
        before, after = (
            {labels.feature(f): [labels.word(f, level) for level in levels] for f, levels in entry[part]}
            for part in ("if", "then")
        )
        return str(Implies(before, after))
    if kind in NAMED:
        options = {name: entry[name] for name in ("one_way", "at_least") if name in entry}
        return str(NAMED[kind](*names, **options))
    return f"a rule of the kind {shown(kind)} on {', '.join(names) or 'whole rows'}"


def _cover(result: Result) -> str:
    return f"{_many(result.count, 'explanation')} {'covers' if result.count == 1 else 'cover'}"


def _needed(result: Result) -> str:
    return f"at least {result.lower_bound} {'is' if result.lower_bound == 1 else 'are'} needed"


def _known(result: Result) -> str:
    if result.goal.explanations is not None:
        so_many = _many(result.goal.explanations, "explanation")
        if result.covered == result.covered_bound:
            return f"proved to be the most that {so_many} can cover"
        return f"{so_many} can cover at most {result.covered_bound} (gap {result.gap:.1%})"
    if result.goal.coverage is not None:
        share = f"{result.goal.coverage:.4g} of all {noun(result, 2)} were to be covered"
        if result.covered < result.goal.needed(result.people):
            share += ", which is more than can be" if not result.left_out else ""
        if result.count == result.lower_bound:
            return f"{share}; proved to be the fewest that can"
        return f"{share}; {_needed(result)} (gap {result.gap:.1%})"
    if result.count == result.lower_bound:
        return "proved to be the fewest possible" + (" for these rows" if result.undecided else "")
    return f"{_needed(result)} (gap {result.gap:.1%})"


def _cost(result: Result) -> str:
    scale = (result.problem.get("costs") or {}).get("scale", 1)
    cost, least = result.cost / scale, (result.cost_bound or 0) / scale
    known = "proved to be the least" if cost == least else f"at least {least:g} must be paid"
    if result.problem.get("costs") is not None:
        return f"Together they cost {cost:g}: {known} for so many {noun(result, 2)} and explanations."
    mean = cost / result.covered if result.covered else 0.0
    known = known.replace("must be paid", "are needed")
    who = f"A covered {noun(result, 1)}"
    return f"{who} changes {mean:.2f} features on average, {cost:g} together: {known} here."


def _paid(result: Result) -> str:
    return "number of changes" if result.problem.get("costs") is None else "cost"


def _goal_proof(result: Result) -> str:
    proof = result.coverage_proof
    if proof is None:
        return f"Proof: none attached; {_needed(result)}, it is claimed."
    most_together = f"{proof.capacity / proof.scale:.3f}"
    lacking = f"{proof.rows - sum(proof.weights) / proof.scale:.3f}"
    weigh = (
        f"the rows carry weights of at most 1, which lack {lacking} of that in all, and no explanation "
        f"covers rows of more than {most_together} together"
    )
    search = ", and all groups heavy enough for more were searched" if proof.exclusion is not None else ""
    if result.goal.explanations is not None:
        most = _many(result.goal.explanations, "explanation")
        claim = f"at most {_counted(result, result.covered_bound or 0)} can be covered by {most}"
        weigh += f" ({result.goal.explanations} x {most_together} + {lacking})"
    else:
        claim = f"{_needed(result)} for {_counted(result, result.goal.needed(result.people))}"
    return f"Proof that {claim}: {weigh}{search}."


def changes_of(result: Result, explanation: Explanation, labels: Labels) -> Iterator[tuple[str, str, str]]:
    """Name, new label and old labels of each feature that at least one row really changes."""
    codes, people = result.problem["codes"], result.people_of_rows
    ends = explanation.ends or (explanation.point,) * len(explanation.members)
    for feature in explanation.changed:
        origins, targets = Counter[int](), set[int]()
        for row, end in zip(explanation.members, ends, strict=True):
            if codes[row][feature] != end[feature]:
                origins[codes[row][feature]] += int(people[row])
                targets.add(end[feature])
        if targets:
            new = [target_words(result, explanation, feature, level, labels) for level in sorted(targets)]
            old = [f"{rows} from {labels.word(feature, level)}" for level, rows in sorted(origins.items())]
            yield labels.feature(feature), " or ".join(new), ", ".join(old)


def target_words(result: Result, explanation: Explanation, feature: int, level: int, labels: Labels) -> str:
    """Name a new value: a range where every number of the new level serves every row of the group."""
    known: Sequence[Sequence[int]] = result.problem.get("ranges") or ()
    number = result.assignment[explanation.members[0]] if explanation.members else -1
    ranges = known[number] if 0 <= number < len(known) else ()
    return labels.any_of(feature, level) if feature in ranges else labels.target(feature, level)


def result_table(result: Result) -> str:
    """Tell a result in one sentence and a table of its largest explanations, for notebooks."""
    labels = labels_of(result)
    lines: list[tuple[object, ...]] = [
        (number, people_in(result, one.members), _sent_to(result, one, labels))
        for number, one in enumerate(result.explanations[:MOST_LINES], start=1)
    ]
    if result.count > MOST_LINES:
        lines.append(("...", "", f"{result.count - MOST_LINES} more: see to_frame()"))
    table = html_table(("explanation", noun(result, 2), "changes"), lines) if lines else ""
    return f"<div><p>{escape(status_words(result))}</p>{table}</div>"


def _sent_to(result: Result, explanation: Explanation, labels: Labels) -> str:
    point = explanation.point
    changes = (
        f"{labels.feature(feature)}: {target_words(result, explanation, feature, point[feature], labels)}"
        if explanation.ends is None
        else labels.feature(feature)
        for feature in explanation.changed
    )
    return "; ".join(changes) or "nothing: already positive"


def _argument(proof: Proof) -> str:
    if isinstance(proof, SolverProof):
        return f"the word of {shown(proof.name)}, which can be checked only by solving again."
    if isinstance(proof, BranchProof):
        leaves = list(proof.leaves)
        return (
            f"{len(leaves)} cases, by whether certain pairs of rows share an explanation; each is settled by "
            f"weights on its rows{_listing(leaves)}."
        )
    if not isinstance(proof, (DualProof, EnumerationProof)):
        return f"see the certificate, of kind {proof.kind}."
    weigh = (
        f"the rows carry weights that sum to {sum(proof.weights) / proof.capacity:.3f} times the most that "
        "any one explanation can cover"
    )
    if isinstance(proof, EnumerationProof):
        return (
            f"{weigh}; so {_many(proof.target, 'explanation')} would have to be among "
            f"{_many(len(proof.columns), 'group')} of rows, all listed in the certificate, and no "
            f"{proof.target} of these cover every row."
        )
    return f"{weigh}."


def _listing(leaves: Sequence[Proof]) -> str:
    columns = sum(len(leaf.columns) for leaf in leaves if isinstance(leaf, EnumerationProof))
    return f" and by listing {_many(columns, 'group')} of rows" if columns else ""


def _rows(rows: Sequence[int], labels: Labels) -> str:
    told = ", ".join(labels.row(row) for row in rows[:MANY_ROWS])
    more = f", ... {len(rows) - MANY_ROWS} more" if len(rows) > MANY_ROWS else ""
    return f"row{'' if len(rows) == 1 else 's'} {told}{more}"


def _unreachable_people(result: Result) -> int:
    return people_in(result, [entry.row for entry in result.unreachable])


def _counted(result: Result, number: int) -> str:
    return f"{number} {noun(result, number)}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
