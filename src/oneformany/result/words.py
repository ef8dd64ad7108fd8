"""A result in words and as a small table: what to change, for whom, what is proved and how, what is open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from oneformany.arrays import IntArray
from oneformany.exceptions import Argument, InputError, Spell
from oneformany.result.alike import alike_words
from oneformany.result.beyond import beyond_help_words, gap_filled_words, rows_by_reason, unread_words
from oneformany.result.labels import isolated, many, shown
from oneformany.result.proof import Branch, Weights
from oneformany.result.squares import Square
from oneformany.schema.feature import is_integer, number_label
from oneformany.schema.schema import html_table

if TYPE_CHECKING:
    from oneformany.result.result import Result

SHARES = {
    "point": "one profile: the changed features, their new values, and the cells of all other features",
    "action": "one piece of advice: the changed features and their new values",
    "features": "one to-do list: the changed features; the new values are each {one}'s own",
}
OFFERED = (
    "Values are grouped into cells, and each cell offers one value to change to. All proofs refer to these "
    "cells and values; others can be chosen with {cells}."
)
MOST_LINES = 10
MOST_ROWS = 400  # are compared with each other, to say what keeps rows apart
MOST_FEATURES = 5  # are named then
# What to do where a run ended before it was known how many explanations are needed.
REMEDIES = {
    "time limit": "more time, or fewer rows at once",
    "interrupted": "let it run to its end",
    "limit": "fewer rows at once, or fewer changes, all of which can be listed",
}
ENDINGS = {
    "proved": "nothing was left to do",
    "time limit": "the time limit ended the search",
    "interrupted": "the search was interrupted",
    "limit": "the search gave up",  # where no limit is known
}
# What else than time may keep a search from its end, by the word that the engine notes.
LIMITS = {
    "size": "the size of a listing",
    "memory": "the memory of a listing",
    "columns": "the columns of a search",
    "nodes": "the nodes of a search",
    "branches": "the depth of a search",
    "calls": "calls of the model",
    "questions": "points that the model is asked about for one row",
}
# What costs tell, where all of them are one distance
MEASURES = {
    "percentile": "in shares of the reference data passed, and 1 for a category",
    "log-percentile": "in logarithms of the shares of the reference data that are left, and 1 for a category",
    "steps": "in cells passed, and 1 for a category",
    "range": "in tenths of a column's range, and 1 for a category",
}


def summarise(
    result: Result, limit: int | None = 20, more: str = "see to_frame()", spell: Spell = str
) -> str:
    """Tell a result in words; ``more`` says where explanations beyond the limit are.

    ``spell`` writes arguments; with ``str`` as Python does.
    """
    if limit is not None and not is_integer(limit, 0):
        raise InputError(f"limit is {limit!r}; say how many explanations to spell out, or None for all")
    told, several = range(result.count)[:limit], result.labels.several
    parts = [status_words(result, spell)]
    if result.count > 1:
        parts.append(f"{several.capitalize()} of one explanation share {share_words(result)}.")
    schema = result.labels.schema
    if result.problem.get("own") is not None and any(f.edges or f.groups for f in schema.features):
        parts.append(OFFERED.format(cells=spell(Argument("cells"))))
    parts += [apart_words(result, spell), *(_explanation(result, number) for number in told)]
    if hidden := result.count - len(told):
        unsaid = f"... and {many(hidden, 'further explanation')}"
        parts.append(f"{unsaid if told else f'{_found(hidden)} not spelled out'}: {more}.")
    if result.unreachable:
        reasons = rows_by_reason(result).items()
        lines = [f"    {result.labels.rows(rows)}: {shown(reason)}" for reason, rows in reasons]
        head = f"Cannot be helped (proved): {beyond_help_words(result)}"
        parts.append("\n".join([head, *lines]))
    if result.undecided:
        parts.append(f"Undecided:\n    {result.labels.rows(result.undecided)}: {undecided_words(result)}")
    parts += [gap_filled_words(result), unread_words(result)]
    if "beyond_data" in (model := result.problem.get("model", {})):
        parts.append(f"{several.capitalize()} can be sent beyond the data: {shown(model['beyond_data'])}.")
    if "unread" in model:
        parts.append(f"The model was asked as a black box, because: {shown(model['unread'])}.")
    return "\n\n".join(filter(None, [*parts, proof_words(result)]))


def short_words(result: Result) -> str:
    """Say in one line how many explanations cover how many rows, and what is proved."""
    everybody = result.labels.counted(result.people)
    parts = [f"{_cover(result)} {result.covered:,} of {everybody}"]
    if result.goal.explanations is not None:
        parts.append(f"no more than {result.covered_bound:,} can be covered")
    elif result.lower_bound:
        parts.append(_needed(result))
    if result.gap:
        parts.append(f"gap {gap_words(result.gap)}")
    for number, what in ((result.beyond_help, "beyond help"), (result.beyond_knowledge, "undecided")):
        if number:
            parts.append(f"{number:,} {what}")
    if result.cost_gap:
        parts.append(f"gap of the cost {gap_words(result.cost_gap)}")
    if (wanted := result.problem.get("wanted")) and wanted["answer"] is not None:
        parts.append(f"wanted {isolated(repr(wanted['answer']))}")
    return f"{result.status}: {', '.join(parts)}"


def status_words(result: Result, spell: Spell = str) -> str:
    """Say how many explanations cover how many rows, what is known about fewer, and what is open."""
    labels, rows = result.labels, result.people
    who, budget = labels.counted(rows), f"at most {many(result.problem['max_changes'], 'feature')}"
    turned_down = turned_down_words(result)
    if result.status == "infeasible":
        nobody = (
            f"The {labels.one}{turned_down} cannot" if rows == 1 else f"None of the {who}{turned_down} can"
        )
        nowhere = all(entry.blocked_by == ("the data",) for entry in result.unreachable)
        why = f", as no column has another value to go to; {spell(Argument('reference'))} would offer some"
        return f"{nobody} be helped by changing {budget}: proved{why if nowhere else ''}."
    lines = [f"No explanation that changes {budget} was found for {who}{turned_down}."]
    if result.covered:
        everybody = f"all {who}" if rows > 1 else f"the {labels.one}"
        who = everybody if result.covered == rows else f"{result.covered:,} of {who}"
        each = "each " if result.covered > 1 else ""
        lines = [f"{_cover(result)} {who}{turned_down}, {each}changing {budget}: {_known(result)}."]
    if share := share_asked(result):
        lines.append(f"A share of {share}.")
    if result.beyond_help:
        lines.append(f"{labels.counted(result.beyond_help)} cannot be helped that way: proved.")
    but = "can be helped, but "
    for still, number, what in (
        ("", result.beyond_knowledge, "undecided"),
        (but, result.people_left_out, "left out"),
    ):
        if number:
            lines.append(f"{labels.counted(number)} {still}{'is' if number == 1 else 'are'} {what}.")
    if alike := alike_words(result):
        lines.append(alike)
    if result.cost_bound is not None:
        lines.append(_cost(result))
    if slack := slack_words(result):
        lines.append(slack)
    return " ".join([*lines, *_ending(result)])


def turned_down_words(result: Result) -> str:
    """Say which rows were explained: those to which the model does not give the wanted answer."""
    if not (wanted := result.problem.get("wanted")):
        return ""
    answer, target, threshold = wanted["answer"], wanted["for"], wanted["threshold"]
    whom = "whom" if "people" in result.problem else "which"
    about = "" if target is None else f" for `{isolated(target)}`"
    named = "" if answer is None else isolated(repr(answer))
    if threshold is None:
        return f" for {whom} the model's answer{about} is not {named}"
    are, of = "are" if wanted["measure"] == "points" else "is", f" of {named}" if named else ""
    measured = f"{shown(wanted['measure'])}{of}{about} {are}"
    return f" for {whom} the model's {measured} below {number_label(threshold)}"


def _ending(result: Result) -> Iterator[str]:
    """Say what a limit kept the run from."""
    if not result.problem.get("read_to_the_end", True):
        yield f"Reading ended after {many(result.problem['rows_read'], 'row')}."
    if result.ended != "proved":
        ending = ending_words(result)
        if result.status == "optimal":
            paid = "number of changes" if result.problem.get("costs") is None else "cost"
            ending = f"the answer is proved, but {ending} for the least {paid}"
        yield from (f"{note[:1].upper()}{note[1:]}." for note in (ending, *result.statistics.notes))


def ending_words(result: Result) -> str:
    """Say why a run ended; of limits other than time, which ones."""
    limits = [LIMITS[name] for name in result.statistics.limits if name in LIMITS]
    if result.ended != "limit" or not limits:
        return ENDINGS[result.ended]
    together = " and ".join(filter(None, [", ".join(limits[:-1]), limits[-1]]))
    return f"{'a limit' if len(limits) == 1 else 'limits'} on {together} ended the search"


def share_asked(result: Result) -> str:
    """Say what share was to be covered, if any, and whether it is."""
    goal, most = result.goal, result.covered_bound or 0
    if goal.coverage is None:
        return ""
    needed, asked = goal.needed(result.people), "was asked for"
    if goal.explanations is not None:
        asked += " as well, but the number of explanations comes first"
    state = "it is reached" if result.covered >= needed else "it is not reached"
    if most < needed:
        can = "can be helped" if goal.explanations is None else f"{_found(goal.explanations)} can cover"
        state = f"it is more than {can}: proved"
    return f"{goal.coverage:.4g} ({needed:,} of {result.labels.counted(result.people)}) {asked}; {state}"


def gap_words(gap: float) -> str:
    """Say how far an answer may be from the best, rounded up: 0 only where it is proved that it is best."""
    return f"{ceil(round(1000 * gap, 6)) / 10}%"


def both_gaps(result: Result) -> str:
    """Say how far the answer may be from the best, and how far its cost, where that was to be least."""
    first = gap_words(result.gap)
    return first if result.cost_gap is None else f"{first}, of the cost {gap_words(result.cost_gap)}"


def undecided_words(result: Result) -> str:
    """Say why it is not known whether rows can be helped."""
    who = "it" if len(result.undecided) == 1 else "they"
    alone = ", and what that costs at least" if result.problem.get("slack") else ""
    return f"{ending_words(result)} before it was known whether {who} can be helped{alone}"


def left_out_words(result: Result) -> str:
    """Say why rows that can be helped have no explanation."""
    if result.goal.explanations is None:
        if result.covered >= result.goal.needed(result.people):
            return "can be helped; the share that was asked for is covered without them"
    elif result.covered == result.covered_bound:
        return "can be helped, but not by so few explanations at once"
    return f"can be helped, but {ending_words(result)} before it was known whether they are to be left out"


def apart_words(result: Result, spell: Spell | None = str) -> str:
    """Say what keeps rows apart and what to do, where explanations are more than half as many as rows.

    Without a way to ``spell`` arguments none is named.
    """
    rows, changes = np.flatnonzero(result.has_explanation), int(result.problem["max_changes"])
    if len(rows) < 2 or 2 * result.count <= len(rows) or result.goal.explanations is not None:
        return ""
    head, besides = f"Why so many: {_found(result.count)} for {many(len(rows), 'row')}.", ""
    if 2 * result.lower_bound <= len(rows) and result.ended in REMEDIES:
        head += (
            f" That is what was found before {ending_words(result)}; {_needed(result)}, and how many fewer "
            f"would do is not known. What to do first: {REMEDIES[result.ended]}."
        )
        besides = " besides"
    n_features = len(result.problem["levels"])
    features, distance, looked_at = list[int](), 0, ""
    if result.share == "point":
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.int64)]
        features, distance = _keep_apart(result.codes[some], changes)
        looked_at = "" if len(some) == len(rows) else f" among {len(some)} that were compared"

    def hint(name: str, value: object = None) -> str:
        return "" if spell is None else f" ({spell(Argument(name, value))})"

    remedies = {
        f"coarser cells for these{hint('cells')}": features,
        f"more changes{hint('max_changes', changes + 1)}": changes < n_features,
        "fewer rules": rule_words(result),
        f"rows that share the advice only{hint('share', 'action')}": result.share == "point",
        f"rows that share only which features change{hint('share', 'features')}": result.share == "action",
    }
    do = f"What to do: {_either([words for words, helps in remedies.items() if helps])}."
    if not features:
        alike = f"few are accepted after the same change of at most {many(changes, 'feature')}"
        return f"{head} What keeps rows apart{besides}: {alike}. {do}"
    names = [f"{result.labels.feature(f)} ({many(result.problem['levels'][f], 'cell')})" for f in features]
    return (
        f"{head} Rows of one explanation agree in all but {changes} of {n_features} features, and a row "
        f"differs from the one most like it{looked_at} in {distance} (median). What keeps "
        f"rows apart{besides or ' most'}: {', '.join(names)}. {do}"
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


def proof_words(result: Result) -> str:
    """Say why no smaller set exists, or how small one could be, following the proof."""
    labels = result.labels
    if result.status == "infeasible":
        return f"Proof: none is needed, as no {labels.one} can be helped."
    if not result.covered and not result.people_left_out:
        return f"Proof: none; it is not known whether any {labels.one} can be helped."
    if result.lower_bound == 1 and result.goal.explanations is None:
        return f"Proof: none is needed, as no {labels.one} is covered without an explanation."
    if result.goal.limited or (result.proof is None and result.solver is None):
        return _goal_proof(result)
    rows = f", counting only {labels.several} known to be helpable" if result.beyond_knowledge else ""
    return f"Proof that at least {_found(result.lower_bound)} must be used{rows}: {_argument(result)}."


def share_words(result: Result) -> str:
    """Say what the rows of one explanation have in common."""
    return SHARES.get(result.share, "{share}").format(one=result.labels.one, share=shown(result.share))


def rule_words(result: Result) -> list[str]:
    """Say which rules were in force: as the user gave them, or as far as the file shows."""
    problem, feature = result.problem, result.labels.feature
    if "rules" in problem:
        return [shown(rule) for rule in problem["rules"]]
    words = []
    for f, moves in enumerate(problem.get("allowed") or ()):
        if moves is not None:
            square = Square.read(moves, np.bool_)
            n, cells = len(square.line_of), np.arange(len(square.line_of))
            allowed = square.lines.sum(axis=1)[square.line_of].sum() - square.at(cells, cells).sum()
            words.append(f"{feature(f)} may make {allowed} of its {n * (n - 1)} moves")
    for entry in problem.get("restrictions") or ():
        names = ", ".join(feature(f) for f in entry.get("features", ())) or "whole rows"
        unnamed = f"a rule of the kind {shown(entry.get('kind'))} on {names}"
        words.append(shown(entry["words"]) if "words" in entry else unnamed)
    return words


def changes_of(result: Result, number: int) -> Iterator[tuple[str, str, str]]:
    """Name, new values and old labels of each feature that at least one row of an explanation changes."""
    labels, explanation = result.labels, result.explanations[number]
    members = list(explanation.members)
    people = result.people_of_rows[members]
    for feature in explanation.changed:
        before, after = result.codes[members, feature], result.points[members, feature]
        moved = before != after
        if moved.any():
            levels, which = np.unique(before[moved], return_inverse=True)
            counts = zip(levels.tolist(), np.bincount(which, people[moved]), strict=True)
            old = ", ".join(f"{n:,.0f} from {labels.level(feature, level)}" for level, n in counts)
            new = [labels.target(feature, level, number) for level in np.unique(after[moved]).tolist()]
            told = _either([f'"{value}"' for value in new]) if len(new) > 1 else new[0]
            yield labels.feature(feature), told, old


def result_table(result: Result) -> str:
    """Tell a result in one sentence and a table of its largest explanations, for notebooks."""
    labels = result.labels
    lines: list[tuple[object, ...]] = []
    for number, size in enumerate(labels.sizes[:MOST_LINES]):
        changes = "; ".join(f"{name}: {new}" for name, new, _ in changes_of(result, number))
        lines.append((number + 1, size, changes or "nothing: already positive"))
    if result.count > MOST_LINES:
        lines.append(("...", "", f"{result.count - MOST_LINES:,} more: see to_frame()"))
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


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _found(number: int) -> str:
    return many(number, "explanation")


def _cover(result: Result) -> str:
    return f"{_found(result.count)} {'covers' if result.count == 1 else 'cover'}"


def _needed(result: Result) -> str:
    return f"at least {result.lower_bound:,} {'is' if result.lower_bound == 1 else 'are'} needed"


def _known(result: Result) -> str:
    """What is proved about the number of explanations, or of people that so many can cover."""
    goal, most, gap = result.goal, result.covered_bound or 0, f" (gap {gap_words(result.gap)})"
    several = result.labels.several
    if result.problem.get("between"):
        gap = " where groups need not be helped alike"
    if goal.explanations is not None:
        if result.covered == most:
            if result.count < goal.explanations:
                return f"proved that {_found(goal.explanations)} cover no more"
            return f"proved to be the most that {_found(goal.explanations)} can cover"
        return f"{_found(goal.explanations)} can cover at most {most:,}{gap}"
    wanted = min(most, goal.needed(result.people))
    if result.count != result.lower_bound or (goal.coverage is not None and result.covered < wanted):
        return f"{_needed(result)}{gap}"
    if goal.coverage is not None:
        return f"proved to be the fewest for {'that share' if wanted < most else 'all who can be helped'}"
    return "proved to be the fewest possible" + (f" for these {several}" if result.beyond_knowledge else "")


def _cost(result: Result) -> str:
    costs, labels, cost, least = result.problem.get("costs"), result.labels, result.cost, result.cost_bound
    paid = "are needed" if costs is None else "must be paid"
    mean = f"A covered {labels.one} changes {cost / (result.covered or 1):.2f} features on average"
    spent = f"{mean}, {cost:,} together" if costs is None else f"All changes together cost {cost:,.12g}"
    if measure := measure_words(result):
        spent += f" ({measure})"
    known = "proved to be the least"
    if cost != least:
        known = f"at least {least:,.12g} {paid} (gap {gap_words(result.cost_gap or 0.0)})"
    return f"{spent}: {known} for this many {labels.several} and explanations."


def slack_words(result: Result) -> str:
    """Say how much more a row pays at most than it would alone, where that is limited."""
    slack = result.problem.get("slack")
    if slack is None:
        return ""
    more, times = slack["more"], slack["times"]
    unit = "" if result.problem.get("costs") is not None else " change" if more == 1 else " changes"
    most = f"{times:.6g} times " if times != 1 else ""
    plus = f", plus {more:.6g}{unit}" if more else ""
    alone = f"{most}what the cheapest change costs that would help it alone{plus}"
    return f"No {result.labels.one} pays more than {alone}: proved."


def measure_words(result: Result) -> str:
    """Say in what costs are counted, if they tell a distance."""
    return MEASURES.get((result.problem.get("costs") or {}).get("measure", ""), "")


def cost_words(result: Result) -> str:
    """Say what a change costs, for readers who did not set it."""
    costs = result.problem.get("costs")
    if costs is None:
        return "every feature that changes counts 1"
    if measure := measure_words(result):
        return f"how far a value goes, {measure}"
    scale, told = costs.get("scale", 1), []
    for feature, table in enumerate(costs["tables"]):
        square = Square.read(table)
        cells = np.arange(len(square.line_of))
        apart = cells[:, None] != cells
        paid = square.lines[square.line_of][apart] / scale
        if len(paid):
            ends = dict.fromkeys(f"{number:,.12g}" for number in (paid.min(), paid.max()))
            told.append(f"{result.labels.feature(feature)} {' to '.join(ends)}")
    return f"for each change: {', '.join(told)}"


def _goal_proof(result: Result) -> str:
    """Say why a number of explanations covers no more people, or why so many people need so many."""
    proof, labels, k = result.proof, result.labels, result.goal.explanations
    most = result.covered_bound or 0
    helpable = result.people - result.beyond_help
    if not isinstance(proof, Weights):
        if k is not None:
            return f"Proof: none; {most:,} is the number of all who are not proved to be beyond help."
        return f"Proof: none attached; {_needed(result)}, it is claimed."
    if k is not None and result.covered == helpable:
        rest = f"every other {labels.one} is beyond help"
        return f"Proof that no more can be covered: {rest if result.beyond_help else 'all are covered'}."
    total, scale, capacity = sum(proof.weights), proof.scale, proof.capacity
    several = labels.several
    if k is None:
        people = min(most, result.goal.needed(result.people))
        claim = f"at least {_found(result.lower_bound)} must be used for {labels.counted(people)}"
        covered = total - scale * (helpable - people)
        least = -(-1000 * covered // capacity) / 1000  # rounded up
        sums = (
            f"With {labels.counted(helpable - people)} left out, {covered / scale:.3f} of it has to be "
            f"covered, which takes {least:.3f} explanations"
        )
    else:
        claim = f"at most {labels.counted(most)} can be covered by {_found(k)}"
        left = max(0, -(-(total - k * capacity) // scale))
        sums = (
            f"{_found(k)} {'covers' if k == 1 else 'cover'} at most {k * capacity / scale:.3f} of it, so "
            f"that at least {left:,} of {helpable:,} {several} are left out"
        )
    if proof.exclusion is not None:
        sums += "; a complete search of the groups that are heavy enough shows the rest"
    return (
        f"Proof that {claim}: {several} carry weights of at most 1 each, {total / scale:.3f} together, and "
        f"no explanation covers more than {capacity / scale:.3f} of it. {sums}."
    )


def _argument(result: Result) -> str:
    proof = result.proof
    if proof is None:
        return f"the word of {shown(result.solver)}, which can be checked only by solving again"
    if not isinstance(proof, (Branch, Weights)):
        return f"see the certificate, of kind {shown(proof.kind)}"
    leaves = list(proof.leaves) if isinstance(proof, Branch) else [proof]
    listings = [leaf.exclusion for leaf in leaves if isinstance(leaf, Weights)]
    groups = sum(len(listing.columns) for listing in listings if listing is not None)
    if isinstance(proof, Branch):
        listing = f" and by listing {many(groups, 'group')} of rows" if groups else ""
        return (
            f"{len(leaves)} cases, by whether certain pairs of rows share an explanation; each is settled by "
            f"weights on its rows{listing}"
        )
    total, capacity, exclusion = sum(proof.weights), proof.capacity, proof.exclusion
    times = f"{-(-1000 * total // capacity) / 1000:.3f}"  # rounded up, as the bound is
    weigh = f"the rows carry weights, all together {times} times the most that one explanation can cover"
    if exclusion is None:
        fewer = proof.bound - 1
        return f"{weigh}, so {fewer:,} {'is' if fewer == 1 else 'are'} not enough" if fewer else weigh
    most = exclusion.explanations
    covers = "none of these covers" if most == 1 else f"no {most} of these cover"
    return (
        f"{weigh}; so {_found(most)} would have to be among {many(groups, 'group')} of rows, all "
        f"listed in the certificate, and {covers} every row"
    )
