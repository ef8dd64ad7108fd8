"""Benchmark records as lines of text while they come in, and the totals at the end."""

from collections.abc import Sequence

import pandas as pd

from oneformany.paper.runs.records import PAPER_LIMIT, Record, frame_of

ASKED = [
    "dataset", "model", "protocol", "rows", "max_changes", "threshold", "immutable", "unreachable",
    "undecided",
]  # fmt: skip
# Heading, width, and how what stands below is made of a record's facts.
OUTCOME = [
    ("bound", 6, "{lower_bound}"), ("status", 11, "{status}"), ("seconds", 8, "{seconds:.2f}"),
]  # fmt: skip
QUESTIONS = [
    ("asked", 7, "{asked}"), ("proofs", 7, "{questions_proofs}"), ("oracle s", 9, "{questions_seconds:.2f}"),
    ("verified", 9, "{checked}"),
]  # fmt: skip
PAPER = [
    ("data set", 18, "{dataset}"), ("model", 6, "{model}"), ("method", 7, "{method}"),
    ("changes", 8, "{max_changes}"), ("rows", 5, "{rows}"), ("paper\ncount", 7, "{published_explanations}"),
    ("seconds", 11, "{paper_time}"), ("ours\ncount", 7, "{count}"), *OUTCOME, ("ratio", 9, "{ratio}"),
    ("any", 5, "{bound_without_classifier}"), *QUESTIONS,
]  # fmt: skip
MODELS = [
    ("model", 23, "{model}"), ("accuracy", 9, "{trained_accuracy:.3f}"), ("count", 7, "{count}"), *OUTCOME,
    ("confirmed", 10, "{confirmed}/{count}"), *QUESTIONS,
]  # fmt: skip
COLUMNS = {"paper": PAPER, "models": MODELS}  # by command


def header(command: str) -> str:
    """Two lines of heading, or one when no column has a word above."""
    above, titles = "", ""
    for title, width, _ in COLUMNS[command]:
        group, _, word = title.rpartition("\n")
        above, titles = f"{above}{group:>{width}}", f"{titles}{word:>{width}}"
    return f"{above}\n{titles}" if above.strip() else titles


def line(command: str, record: Record) -> str:
    """One record; there is no ratio for a run that did not end with a proof."""
    facts = frame_of([record]).iloc[0]
    paper = facts["paper_seconds"]
    time = f"{paper:.0f} limit" if paper >= PAPER_LIMIT else f"{paper:.2f}"
    texts = {
        **facts.astype(object).where(facts.notna(), "-"),
        "paper_time": "-" if pd.isna(paper) else time,
        "ratio": f"{_times(paper / facts['seconds'])}x" if paper > 0 and facts["proved"] else "-",
        "checked": {True: "yes", False: "NO"}.get(facts["verified"], "-"),
    }
    return "".join(f"{text.format(**texts):>{width}}" for _, width, text in COLUMNS[command])


def totals(records: Sequence[Record]) -> str:
    """Say how all cells together compare with the paper, and what they cost."""
    frame = frame_of(records)
    lines = [words for name, runs in frame.groupby("method", sort=False) for words in _total(name, runs)]
    sums = frame.sum(numeric_only=True)
    confirmed, count = sums["confirmed"], sums["count"]
    fraction = 100 if confirmed == count else min(99, 100 * confirmed // count)
    lines.append(
        f"questions to the classifiers: {sums['asked']:,.0f}; of these {sums['questions_proofs']:,.0f} "
        f"ended in a proof that there is no positive point, {sums['questions_left_open']:,.0f} were left "
        f"open; {sums['questions_seconds']:.1f} s"
    )
    points = f"{fraction:.0f} % ({confirmed:,.0f} of {count:,.0f})"
    lines.append(f"points confirmed by the classifier's own predict: {points}")
    checked = frame["verified"].dropna()
    if len(checked):
        lines.append(f"results accepted by the independent check: {int(checked.sum())} of {len(checked)}")
    if frame["peak_megabytes"].notna().any():
        lines.append(f"peak memory: {frame['peak_megabytes'].max():,.0f} MB")
    cells = frame.groupby(ASKED, sort=False)["proved"].agg(["size", "sum"])
    several = cells[cells["size"] > 1]
    if len(several):
        agreed = (
            f"the methods agree: on {len(several)} cells no count is below what another method proved, "
            f"and on the {(several['sum'] > 1).sum()} that several proved, their counts are equal"
        )
        lines += contradictions(frame) or [agreed]
    return "\n".join(lines)


def contradictions(frame: pd.DataFrame) -> list[str]:
    """Name the cells in which one method's bound is above another's count: one of them must be wrong."""
    found = []
    for _, runs in frame.groupby(ASKED, sort=False):
        bound = runs.sort_values("lower_bound", kind="stable").iloc[-1]
        count = runs.sort_values("count", kind="stable").iloc[0]
        if bound["lower_bound"] > count["count"]:
            found.append(
                f"CONTRADICTION on {bound['dataset']} {bound['model']}, {bound['max_changes']} changes, "
                f"{bound['rows']} rows: {bound['method']} proves that {bound['lower_bound']} are needed, "
                f"{count['method']} has {count['count']}"
            )
    return found


def _total(method: object, runs: pd.DataFrame) -> list[str]:
    """Total of the runs of one method."""
    statuses = ", ".join(f"{n} {status}" for status, n in runs["status"].value_counts(sort=False).items())
    lines = [f"{method}: {len(runs)} cells, {statuses}; solved in {runs['seconds'].sum():.1f} s together"]
    same = runs[runs["compared"]]
    if len(same):
        fewer, more = same["fewer"].sum(), same["more"].sum()
        lines.append(
            f"  explanations against the paper: fewer in {fewer} cells, as many in "
            f"{len(same) - fewer - more}, more in {more}"
        )
    proved = same[same["proved"]]
    if len(proved):
        theirs = proved["paper_seconds"].sum()
        lines.append(
            f"  the paper: {theirs:,.0f} s on the {len(proved)} that ended with a proof here, "
            f"{_times(theirs / proved['seconds'].sum())} times as long"
        )
    return lines


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
