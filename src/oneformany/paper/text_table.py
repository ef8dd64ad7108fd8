"""A table of text, and how it looks as plain text, CSV, Markdown and LaTeX."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd

Heading = str | tuple[str, str]  # a title, or a group and a title
Columns = dict[Heading, Iterable[Any]]

MATHEMATICS = {"|S|": "$|S|$", "T_max": r"$T_{\max}$", "y*": "$y^{*}$", "†": r"$^\dagger$"}
SPECIAL = str.maketrans(
    {"\\": r"\textbackslash{}", **{c: f"\\{c}" for c in "&%$#_{}"}, "~": r"\textasciitilde{}"}
)


@dataclass(frozen=True, eq=False)
class TextTable:
    """Cells of text under headings."""

    name: str  # for files and labels, and for readers
    title: str
    columns: tuple[tuple[str, str], ...]  # a group (may be empty) and a title each
    rows: list[tuple[str, ...]]  # one text per column
    notes: tuple[str, ...] = ()  # what a reader has to know

    @property
    def headings(self) -> list[str]:
        """Group and title of each column in one line."""
        return [" ".join(filter(None, pair)) for pair in self.columns]

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: name, title, one object per row, notes."""
        rows = [dict(zip(self.headings, row, strict=True)) for row in self.rows]
        return {"name": self.name, "title": self.title, "rows": rows, "notes": list(self.notes)}

    def groups(self) -> list[tuple[str, slice]]:
        """Groups of neighbouring columns: name and columns."""
        parts = groupby(range(len(self.columns)), key=lambda column: self.columns[column][0])
        spans = ((group, list(columns)) for group, columns in parts)
        return [(group, slice(numbers[0], numbers[-1] + 1)) for group, numbers in spans]


def make_table(
    name: str, title: str, columns: Mapping[Heading, Iterable[Any]], notes: Iterable[str] = ()
) -> TextTable:
    """Make a table; what is missing is a dash."""
    pairs = tuple(("", key) if isinstance(key, str) else key for key in columns)
    texts = (["-" if pd.isna(value) else str(value) for value in cells] for cells in columns.values())
    return TextTable(name, title, pairs, list(zip(*texts, strict=True)), tuple(notes))


def _as_text(table: TextTable) -> str:
    lines = [tuple(title for _, title in table.columns), *table.rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    edges = []
    for group, span in table.groups():
        gaps = 2 * (span.stop - span.start - 1)
        widths[span.start] += max(0, len(group) - sum(widths[span]) - gaps)
        edges.append(f"{group:^{sum(widths[span]) + gaps}}")
    texts = ["  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=True)) for line in lines]
    texts.insert(1, "-" * len(texts[0]))
    top = [table.title, "  ".join(edges)] if "".join(edges).strip() else [table.title]
    return "\n".join(line.rstrip() for line in (*top, *texts, *table.notes)) + "\n"


def _as_csv(table: TextTable) -> str:
    return pd.DataFrame(table.rows, columns=table.headings).to_csv(index=False, lineterminator="\n")


def _as_markdown(table: TextTable) -> str:
    bars = [
        f"| {' | '.join(cell.replace('|', '&#124;').replace('*', '&#42;') for cell in row)} |"
        for row in (table.headings, *table.rows)
    ]
    bars.insert(1, f"|{'---:|' * len(table.headings)}")
    notes = [part for note in table.notes for part in ("", note)]
    return "\n".join([f"**{table.title}**", "", *bars, *notes]) + "\n"


def _latex_words(text: str) -> str:
    if re.fullmatch(r"-\d+", text):
        return f"${text}$"
    plain = text.translate(SPECIAL)
    for words, formula in MATHEMATICS.items():
        plain = plain.replace(words.translate(SPECIAL), formula)
    return plain


def _as_latex(table: TextTable) -> str:
    groups = table.groups()
    edges = [
        rf"\multicolumn{{{span.stop - span.start}}}{{c}}{{{_latex_words(group)}}}" for group, span in groups
    ]
    rules = [rf"\cmidrule(lr){{{span.start + 1}-{span.stop}}}" for group, span in groups if group]
    titles = [title for _, title in table.columns]
    rows = [list(map(_latex_words, row)) for row in (titles, *table.rows)]
    top, head, *body = (f"    {' & '.join(cells)} \\\\" for cells in (edges, *rows))
    caption = _latex_words(re.sub(r"^Table \d+: ", "", table.title))  # LaTeX has numbers of its own
    return "\n".join(
        [
            r"\begin{table}[ht]",
            r"  \centering",
            rf"  \caption{{{caption}}}\label{{tab:{table.name}}}",
            rf"  \begin{{tabular}}{{{'r' * len(table.headings)}}}",
            r"    \toprule",
            *([top, f"    {' '.join(rules)}"] if rules else []),
            head,
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabular}",
            *(rf"  \par\smallskip\footnotesize {_latex_words(note)}" for note in table.notes),
            r"\end{table}",
            "",
        ]
    )


FORMATS = {"text": _as_text, "csv": _as_csv, "markdown": _as_markdown, "latex": _as_latex}
SUFFIXES = {"text": "txt", "csv": "csv", "markdown": "md", "latex": "tex"}
