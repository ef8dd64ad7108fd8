"""A result in words and as a small table: what to change, for whom, what is proved and how, what is open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from oneformany.arrays import IntArray
from oneformany.result.labels import many, shown
from oneformany.result.proof import BranchProof, DualProof, EnumerationProof, Proof, SolverProof
from oneformany.schema.schema import html_table

if TYPE_CHECKING:
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
MOST_LINES = 10
MOST_ROWS = 400  # are compared with each other, to say what keeps rows apart
MOST_FEATURES = 5  # are named then
# What ended a run before it was known how many explanations are needed, and what to do.
REMEDIES = {
    "time limit": ("the time was up", "more time (time_limit), or fewer rows at once"),
    "interrupted": ("the run was interrupted", "let it run to its end"),
    "limit": ("a limit was reached", "fewer rows at once, or fewer changes, all of which can be listed"),
}
ENDINGS = {
    "proved": "nothing was left to do",
    "time limit": "the time limit ended the search",
    "interrupted": "the search was interrupted",
    "limit": "a limit on nodes, calls or memory ended the search",
}
SCORE = re.compile(r": score [^;]*")


def summarise(result: Result, limit: int | None = 20, more: str = "see to_frame()") -> str:
    """Tell a result in words; ``more`` says where explanations beyond the limit are."""
    told = range(result.count)[:limit]
    parts = [status_words(result)]
    if result.count > 1:
        parts.append(f"Rows of one explanation share {share_words(result)}.")
    if result.problem.get("own") is not None:
        parts.append(OFFERED)
    parts += [apart_words(result), *(_explanation(result, number) for number in told)]
    if hidden := result.count - len(told):
        unsaid = f"... and {many(hidden, 'further explanation')}"
        parts.append(f"{unsaid if told else f'{_found(hidden)} not spelled out'}: {more}.")
    if result.unreachable:
        reasons = rows_by_reason(result).items()
        lines = [f"    {result.labels.rows(rows)}: {shown(reason)}" for reason, rows in reasons]
        parts.append("\n".join(["Cannot be helped (proved):", *lines]))
    if result.undecided:
        who = "it" if len(result.undecided) == 1 else "they"
        why = f"{ENDINGS[result.ended]} before it was known whether {who} can be helped"
        parts.append(f"Undecided:\n    {result.labels.rows(result.undecided)}: {why}")
    if "beyond_data" in (model := result.problem.get("model", {})):
        parts.append(f"Rows can be sent beyond the data: {shown(model['beyond_data'])}.")
    if "unread" in model:
        parts.append(f"The model was asked as a black box, since it cannot be read: {model['unread']}.")
    return "\n\n".join(filter(None, [*parts, proof_words(result)]))


def short_words(result: Result) -> str:
    """Say in one line how many explanations cover how many rows, and what is proved."""
    everybody = result.labels.counted(result.people)
    parts = [
        f"{_cover(result)} {result.covered:,} of {everybody}",
        _needed(result),
    ]
    for rows, what in (([e.row for e in result.unreachable], "beyond help"), (result.undecided, "undecided")):
        if rows:
            parts.append(f"{result.labels.people(rows):,} {what}")
    return f"{result.status}: {', '.join(parts)}"


def status_words(result: Result) -> str:
    """Say how many explanations cover how many rows, what is known about fewer, and what is open."""
    labels, rows = result.labels, result.people
    who, budget = labels.counted(rows), f"at most {many(result.problem['max_changes'], 'feature')}"
    if result.status == "infeasible":
        nobody = f"The {labels.one} cannot" if rows == 1 else f"None of the {who} can"
        return f"{nobody} be helped by changing {budget}: proved."
    lines = [f"No explanation was found for {who}, changing {budget}."]
    if result.covered:
        everybody = f"all {who}" if rows > 1 else f"the {labels.one}"
        who = everybody if result.covered == rows else f"{result.covered:,} of {who}"
        lines = [f"{_cover(result)} {who}, each changing {budget}: {_known(result)}."]
    if result.unreachable:
        beyond = labels.counted(labels.people(entry.row for entry in result.unreachable))
        lines.append(f"{beyond} cannot be helped that way: proved.")
    but = "can be helped, but "
    for still, rows_, what in (("", result.undecided, "undecided"), (but, result.left_out, "left out")):
        if number := labels.people(rows_):
            lines.append(f"{labels.counted(number)} {still}{'is' if number == 1 else 'are'} {what}.")
    if result.cost_bound is not None:
        lines.append(_cost(result))
    if not result.problem.get("read_to_the_end", True):
        lines.append(f"Time was up before more than {many(result.problem['rows_read'], 'row')} were read.")
    if result.ended != "proved":
        ending = ENDINGS[result.ended]
        if result.status == "optimal":
            paid = "number of changes" if result.problem.get("costs") is None else "cost"
            ending = f"the answer is proved, but {ending} for the least {paid}"
        lines += [f"{note[:1].upper()}{note[1:]}." for note in (ending, *result.statistics.notes)]
    return " ".join(lines)


def apart_words(result: Result) -> str:
    """Say what keeps rows apart and what to do, where explanations are more than half as many as rows."""
    rows, changes = np.flatnonzero(result.has_explanation), int(result.problem["max_changes"])
    if len(rows) < 2 or 2 * result.count <= len(rows):
        return ""
    head, besides = f"Why so many: {result.count} explanations for {len(rows)} rows.", ""
    if 2 * result.lower_bound <= len(rows) and result.ended in REMEDIES:
        needed = f"{result.lower_bound} {'is' if result.lower_bound == 1 else 'are'} proved to be needed"
        why, remedy = REMEDIES[result.ended]
        head += (
            f" That is what was found until {why}; only {needed}, and how many fewer would do is not known. "
            f"What to do first: {remedy}."
        )
        besides = " besides"
    n_features = len(result.problem["levels"])
    more = f"more changes (max_changes={changes + 1} or more), " if changes < n_features else ""
    if result.share != "point" or not more:
        only = ', or rows that share only which features change (share="features")'
        return (
            f"{head} What keeps rows apart{besides}: few are accepted after the same change of at most "
            f"{many(changes, 'feature')}. What to do: {more}fewer rules{only * (result.share == 'action')}."
        )
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64)]
    features, distance = _keep_apart(result.codes[some], changes)
    names = [f"{result.labels.feature(f)} ({many(result.problem['levels'][f], 'cell')})" for f in features]
    return (
        f"{head} Rows of one explanation agree in all but {changes} of {n_features} "
        f"features, and a row differs from the one most like it in {distance} (median). What keeps "
        f"rows apart{besides or ' most'}: {', '.join(names)}. "
        f"What to do: coarser cells for these (bins= or edges=), {more}or rows that share the advice only "
        '(share="action").'
    )


def _keep_apart(codes: IntArray, changes: int) -> tuple[list[int], int]:
    """Name the features that keep rows apart, and how many a row and the one most like it differ in.

    Features are named one after the other: the one that, put into one cell, would bring most rows within
    so many changes of another row, as long as that helps.
    """
    differs = [column[:, None] != column for column in codes.T]
    left = np.asarray(np.sum(differs, axis=0, dtype=np.int16))
    np.fill_diagonal(left, np.iinfo(np.int16).max)
    distance, named = int(np.median(left.min(axis=1))), list[int]()
    while len(named) < min(MOST_FEATURES, len(differs) - changes):
        nearest = {f: (left - differs[f]).min(axis=1) for f in range(len(differs)) if f not in named}
        best = min(nearest, key=lambda f: (-(nearest[f] <= changes).sum(), nearest[f].sum()))
        if nearest[best].sum() >= left.min(axis=1).sum():
            break
        named.append(best)
        left = left - differs[best]
    return named, distance


def rows_by_reason(result: Result) -> dict[str, list[int]]:
    """Rows that are proved to be beyond help, together where their reasons differ in scores only."""
    found: dict[str, list[Any]] = {}
    for entry in result.unreachable:
        found.setdefault(SCORE.sub("", entry.reason), []).append(entry)
    together = ((of[0].reason if len(of) == 1 else reason, of) for reason, of in found.items())
    return {reason: [entry.row for entry in of] for reason, of in together}


def proof_words(result: Result) -> str:
    """Say why no smaller set exists, or how small one could be, following the proof."""
    if result.status == "infeasible":
        return "Proof: none is needed, as no row can be helped."
    if result.lower_bound == 0:
        return "Proof: none; it is not known of any row that it can be helped."
    if result.proof is None:
        return _goal_proof(result)
    rows = ", counting only rows known to be helpable" if result.undecided else ""
    return f"Proof that at least {_found(result.lower_bound)} must be used{rows}: {_argument(result.proof)}."


def share_words(result: Result) -> str:
    """Say what the rows of one explanation have in common."""
    return SHARES.get(result.share, shown(result.share))


def rule_words(result: Result) -> list[str]:
    """Say which rules were in force: as the user gave them, or as far as the file shows."""
    problem, feature = result.problem, result.labels.feature
    if "rules" in problem:
        return [shown(rule) for rule in problem["rules"]]
    words = []
    for f, moves in enumerate(problem.get("allowed") or ()):
        if moves is not None:
            n, allowed = len(moves), sum(map(sum, moves))
            words.append(f"{feature(f)} may make {allowed - n} of its {n * (n - 1)} moves")
    for entry in problem.get("restrictions") or ():
        names = ", ".join(feature(f) for f in entry.get("features", ())) or "whole rows"
        words.append(f"a rule of the kind {shown(entry.get('kind'))} on {names}")
    return words


def changes_of(result: Result, number: int) -> Iterator[tuple[str, str, str]]:
    """Name, new values and old labels of each feature that at least one row of an explanation changes."""
    labels, explanation, codes = result.labels, result.explanations[number], result.problem["codes"]
    ends = explanation.ends or (explanation.point,) * len(explanation.members)
    for feature in explanation.changed:
        origins, targets = Counter[int](), set[int]()
        for row, end in zip(explanation.members, ends, strict=True):
            if codes[row][feature] != end[feature]:
                origins[codes[row][feature]] += int(result.people_of_rows[row])
                targets.add(end[feature])
        if targets:
            new = [labels.target(feature, level, number) for level in sorted(targets)]
            old = [f"{rows:,} from {labels.level(feature, level)}" for level, rows in sorted(origins.items())]
            if len(new) > 1:
                *others, last = (f'"{value}"' for value in new)
                new = [f"{', '.join(others)} or {last}"]
            yield labels.feature(feature), new[0], ", ".join(old)


def result_table(result: Result) -> str:
    """Tell a result in one sentence and a table of its largest explanations, for notebooks."""
    labels = result.labels
    lines: list[tuple[object, ...]] = []
    for number, one in enumerate(result.explanations[:MOST_LINES]):
        names = (
            labels.feature(f) + (f": {labels.target(f, one.point[f], number)}" if one.ends is None else "")
            for f in one.changed
        )
        lines.append((number + 1, labels.sizes[number], "; ".join(names) or "nothing: already positive"))
    if result.count > MOST_LINES:
        lines.append(("...", "", f"{result.count - MOST_LINES} more: see to_frame()"))
    table = html_table(("explanation", labels.several, "changes"), lines) if lines else ""
    return f"<div><p>{escape(status_words(result))}</p>{table}</div>"


def _explanation(result: Result, number: int) -> str:
    """Say whom an explanation covers and what they change."""
    labels, members = result.labels, result.explanations[number].members
    head = f"Explanation {number + 1} covers {labels.counted(labels.sizes[number])} ({labels.rows(members)})"
    changes = list(changes_of(result, number))
    if not changes:
        return f"{head}: already positive, nothing to change."
    wide, wider = (max(len(change[part]) for change in changes) for part in (0, 1))
    lines = [f"    {name:<{wide}}  -> {target:<{wider}}  ({origins})" for name, target, origins in changes]
    return "\n".join([f"{head}:", *lines])


def _found(number: int) -> str:
    return many(number, "explanation")


def _cover(result: Result) -> str:
    return f"{_found(result.count)} {'covers' if result.count == 1 else 'cover'}"


def _needed(result: Result) -> str:
    return f"at least {result.lower_bound:,} {'is' if result.lower_bound == 1 else 'are'} needed"


def _known(result: Result) -> str:
    """What is proved about the number of explanations, or of people that so many can cover."""
    goal, open_ = result.goal, f"{_needed(result)} (gap {result.gap:.1%})"
    if goal.explanations is not None:
        if result.covered == result.covered_bound:
            return f"proved to be the most that {_found(goal.explanations)} can cover"
        most = f"{_found(goal.explanations)} can cover at most {result.covered_bound:,}"
        return f"{most} (gap {result.gap:.1%})"
    proved = result.count == result.lower_bound
    if goal.coverage is None:
        fewest = "proved to be the fewest possible" + (" for these rows" if result.undecided else "")
        return fewest if proved else open_
    asked = f"{goal.coverage:.4g} of all {result.labels.several} were to be covered"
    if result.covered < goal.needed(result.people) and not result.left_out:
        asked += ", which is more than can be"
    return f"{asked}; {'proved to be the fewest that can' if proved else open_}"


def _cost(result: Result) -> str:
    costs, labels, cost, least = result.problem.get("costs"), result.labels, result.cost, result.cost_bound
    paid = "are needed" if costs is None else "must be paid"
    mean = f"A covered {labels.one} changes {cost / (result.covered or 1):.2f} features on average"
    spent = f"{mean}, {cost:g} together" if costs is None else f"Together they cost {cost:g}"
    known = "proved to be the least" if cost == least else f"at least {least:g} {paid}"
    return f"{spent}: {known} for so many {labels.several} and explanations."


def _goal_proof(result: Result) -> str:
    proof, counted = result.coverage_proof, result.labels.counted
    if proof is None:
        return f"Proof: none attached; {_needed(result)}, it is claimed."
    if result.goal.explanations is not None and result.covered == proof.rows:
        rest = f"every other {result.labels.one} is beyond help"
        return f"Proof that no more can be covered: {rest if result.unreachable else 'all are covered'}."
    most_together = f"{proof.capacity / proof.scale:.3f}"
    lacking = f"{proof.rows - sum(proof.weights) / proof.scale:.3f}"
    claim, sums = f"{_needed(result)} for {counted(result.goal.needed(result.people))}", ""
    if (k := result.goal.explanations) is not None:
        claim = f"at most {counted(result.covered_bound or 0)} can be covered by {_found(k)}"
        sums = f", which allows {k} x {most_together} + {lacking}"
    search = ", and all groups heavy enough for more were searched" if proof.exclusion is not None else ""
    return (
        f"Proof that {claim}: every {result.labels.one} has a weight of at most 1, no explanation covers "
        f"more than {most_together} of weight, and what weights lack to 1 adds up to {lacking}{sums}{search}."
    )


def _argument(proof: Proof) -> str:
    if isinstance(proof, SolverProof):
        return f"the word of {shown(proof.name)}, which can be checked only by solving again"
    if not isinstance(proof, (BranchProof, DualProof)):
        return f"see the certificate, of kind {shown(proof.kind)}"
    leaves = list(proof.leaves) if isinstance(proof, BranchProof) else [proof]
    groups = sum(len(leaf.columns) for leaf in leaves if isinstance(leaf, EnumerationProof))
    if not isinstance(proof, DualProof):
        listing = f" and by listing {many(groups, 'group')} of rows" if groups else ""
        return (
            f"{len(leaves)} cases, by whether certain pairs of rows share an explanation; each is settled by "
            f"weights on its rows{listing}"
        )
    weigh = (
        f"the rows carry weights, all together {sum(proof.weights) / proof.capacity:.3f} times the most that "
        "one explanation can cover"
    )
    if not isinstance(proof, EnumerationProof):
        fewer = proof.bound - 1
        return f"{weigh}, so {fewer:,} {'is' if fewer == 1 else 'are'} not enough" if fewer else weigh
    return (
        f"{weigh}; so {_found(proof.target)} would have to be among {many(groups, 'group')} of rows, all "
        f"listed in the certificate, and no {proof.target} of these cover every row"
    )
