"""A table as plain data, and how it looks as text, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

__all__ = ["FORMATS", "Format", "Heading", "Table"]


@dataclass(frozen=True)
class Heading:
    """Heading of a column.

    Attributes
    ----------
    title : str
        Of the column.
    group : str
        What it shares with its neighbours; may be empty.
    """

    title: str
    group: str = ""


@dataclass(frozen=True)
class Table:
    """Cells of text under headings.

    Attributes
    ----------
    name : str
        Short, for files and labels.
    title : str
        What the table shows.
    headings : tuple of Heading
        One per column.
    rows : tuple of tuples of str
        One text per column.
    notes : tuple of str
        What a reader has to know.
    """

    name: str
    title: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def groups(self) -> Iterator[tuple[str, int]]:
        """Groups of neighbouring columns and how many columns each has."""
        for group, columns in groupby(heading.group for heading in self.headings):
            yield group, len(list(columns))


@dataclass(frozen=True)
class Format:
    """A way to write tables.

    Attributes
    ----------
    suffix : str
        Of files.
    write : callable
        Turns a table into text, ending in a line break.
    """

    suffix: str
    write: Callable[[Table], str]


def _as_text(table: Table) -> str:
    widths = [
        max(len(heading.title), *(len(row[place]) for row in table.rows), 1)
        for place, heading in enumerate(table.headings)
    ]
    edges: list[str] = []
    place = 0
    for group, columns in table.groups():
        span = slice(place, place + columns)
        short = len(group) - sum(widths[span]) - 2 * (columns - 1)
        widths[place] += max(0, short)
        edges.append(f"{group:^{sum(widths[span]) + 2 * (columns - 1)}}")
        place += columns
    lines = [table.title]
    if any(heading.group for heading in table.headings):
        lines.append("  ".join(edges))
    lines.append("  ".join(f"{h.title:>{w}}" for h, w in zip(table.headings, widths, strict=True)))
    lines.append("-" * len(lines[-1]))
    lines += ["  ".join(f"{text:>{w}}" for text, w in zip(row, widths, strict=True)) for row in table.rows]
    return "\n".join(line.rstrip() for line in [*lines, *table.notes]) + "\n"


def _as_csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([f"{heading.group} {heading.title}".strip() for heading in table.headings])
    writer.writerows(table.rows)
    return stream.getvalue()


def _as_markdown(table: Table) -> str:
    def line(texts: Iterator[str]) -> str:
        return f"| {' | '.join(text.replace('|', '&#124;').replace('*', '&#42;') for text in texts)} |"

    lines = [
        f"**{table.title}**",
        "",
        line(f"{heading.group} {heading.title}".strip() for heading in table.headings),
        f"|{'---:|' * len(table.headings)}",
        *(line(iter(row)) for row in table.rows),
        *(part for note in table.notes for part in ("", note)),
    ]
    return "\n".join(lines) + "\n"


MATHEMATICS = {"|S|": "$|S|$", "T_max": r"$T_{\max}$", "y*": "$y^{*}$", "†": r"$^\dagger$"}
NUMBER = r"^Table \d+: "  # LaTeX has its own
SPECIAL = {"\\": r"\textbackslash{}", **{c: f"\\{c}" for c in "&%$#_{}"}, "~": r"\textasciitilde{}"}


def _latex_words(text: str) -> str:
    if re.fullmatch(r"-\d+", text):
        return f"${text}$"
    plain = "".join(SPECIAL.get(character, character) for character in text)
    for words, formula in MATHEMATICS.items():
        plain = plain.replace("".join(SPECIAL.get(c, c) for c in words), formula)
    return plain


def _as_latex(table: Table) -> str:
    spans = list(table.groups())
    ends = [sum(columns for _, columns in spans[: place + 1]) for place in range(len(spans))]
    lines = [
        r"\begin{table}[ht]",
        r"  \centering",
        rf"  \caption{{{_latex_words(re.sub(NUMBER, '', table.title))}}}\label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{{'r' * len(table.headings)}}}",
        r"    \toprule",
    ]
    if any(group for group, _ in spans):
        lines.append(
            "    "
            + " & ".join(rf"\multicolumn{{{n}}}{{c}}{{{_latex_words(group)}}}" for group, n in spans)
            + r" \\"
        )
        lines.append(
            "    "
            + " ".join(
                rf"\cmidrule(lr){{{end - n + 1}-{end}}}"
                for (group, n), end in zip(spans, ends, strict=True)
                if group
            )
        )
    titles = [_latex_words(heading.title) for heading in table.headings]
    body = [[_latex_words(text) for text in row] for row in table.rows]
    lines += ["    " + " & ".join(titles) + r" \\", r"    \midrule"]
    lines += ["    " + " & ".join(row) + r" \\" for row in body]
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    lines += [rf"  \par\smallskip\footnotesize {_latex_words(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


FORMATS = {
    "text": Format("txt", _as_text),
    "csv": Format("csv", _as_csv),
    "markdown": Format("md", _as_markdown),
    "latex": Format("tex", _as_latex),
}
