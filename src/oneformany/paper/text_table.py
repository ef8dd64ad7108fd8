"""A table of texts, and how it looks as plain text, CSV, Markdown and LaTeX."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

Heading = str | tuple[str, str]  # a title, or a group and a title
Columns = dict[Heading, Iterable[Any]]

MATHEMATICS = {"|S|": "$|S|$", r"T\_max": r"$T_{\max}$", "y*": "$y^{*}$", "†": r"$^\dagger$"}


@dataclass(frozen=True, eq=False)
class TextTable:
    """Texts under headings."""

    name: str  # for files and labels, and for readers
    title: str
    frame: pd.DataFrame  # of texts; the headings are pairs where some have a group
    notes: tuple[str, ...] = ()  # what a reader has to know

    @property
    def flat(self) -> pd.DataFrame:
        """The same with group and title of each column in one line."""
        pairs = (pair if isinstance(pair, tuple) else (pair,) for pair in self.frame.columns)
        return self.frame.set_axis([" ".join(filter(None, pair)) for pair in pairs], axis=1)


def make_table(
    name: str, title: str, columns: Mapping[Heading, Iterable[Any]], notes: Iterable[str] = ()
) -> TextTable:
    """Make a table; what is missing is a dash."""
    grouped = any(isinstance(heading, tuple) for heading in columns)
    texts = {
        ("", heading) if grouped and isinstance(heading, str) else heading: [
            "-" if pd.isna(value) else str(value) for value in cells
        ]
        for heading, cells in columns.items()
    }
    return TextTable(name, title, pd.DataFrame(texts, dtype=object), tuple(notes))


def _as_text(table: TextTable) -> str:
    lines = table.frame.to_string(index=False).split("\n")
    return "\n".join([table.title, *(line.rstrip() for line in lines), *table.notes]) + "\n"


def _as_csv(table: TextTable) -> str:
    return table.flat.to_csv(index=False, lineterminator="\n")


def _as_markdown(table: TextTable) -> str:
    flat = table.flat
    bars = [
        f"| {' | '.join(cell.replace('|', '&#124;').replace('*', '&#42;') for cell in row)} |"
        for row in (flat.columns, *flat.to_numpy())
    ]
    bars.insert(1, f"|{'---:|' * len(flat.columns)}")
    return "\n".join([f"**{table.title}**", "", *bars, *(f"\n{note}" for note in table.notes)]) + "\n"


def _as_latex(table: TextTable) -> str:
    title, *notes = (re.sub(r"([&%$#_{}])", r"\\\1", words) for words in (table.title, *table.notes))
    text = table.frame.to_latex(
        index=False,
        escape=True,
        caption=re.sub(r"^Table \d+: ", "", title),  # LaTeX has numbers of its own
        label=f"tab:{table.name}",
        column_format="r" * table.frame.shape[1],
        multicolumn_format="c",
    )
    below = "".join(rf"\par\smallskip\footnotesize {note}" + "\n" for note in notes)
    text = text.replace(r"\end{table}", below + r"\end{table}")
    for words, formula in MATHEMATICS.items():
        text = text.replace(words, formula)
    return text


FORMATS = {"text": _as_text, "csv": _as_csv, "markdown": _as_markdown, "latex": _as_latex}
SUFFIXES = {"text": "txt", "csv": "csv", "markdown": "md", "latex": "tex"}
