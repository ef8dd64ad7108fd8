"""Put measured tables into a page: between ``<!-- measured: NAME -->`` and ``<!-- end -->``.

    python benchmarks/fill_report.py bench.jsonl ablation-exact.md --page docs/reproduction.md

NAME is the name of a table of ``oneformany bench tables``: table-1 to table-8, summary, and so on; that of
a short form of these: short-summary, short-german-lr, and so on; or that of a Markdown file, as the other
scripts of this folder write them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd

from measuring import script_parser
from oneformany.files import write_whole
from oneformany.paper.runs.records import DATASETS, MODELS, Record, as_published, frame_of, read_all
from oneformany.paper.tables import more_tables, paper_tables
from oneformany.paper.text_table import FORMATS, TextTable

GAP = re.compile(r"(<!-- measured: (?P<name>[\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


# Columns of the short tables: their headings in the full ones, and how the page calls them.
RESULTS = {
    "|S|": "rows", "T_max": "changes", "paper y*": "published count", "exact y*": "our count",
    "paper CG time": "published seconds", "exact time": "our seconds",
}  # fmt: skip
PUBLISHED = {
    "data set": "data set", "model": "model", "method": "method", "cells all": "cells",
    "cells proved": "proved", "cells fewer": "fewer than published", "cells more": "more",
    "seconds ours": "our seconds", "seconds paper": "published seconds",
}  # fmt: skip
BEYOND = {
    "data set": "data set", "model": "model", "question": "question", "cells all": "cells",
    "cells proved": "proved", "rows beyond help": "rows beyond help", "questions asked": "questions asked",
    "questions proofs": "proofs", "seconds ours": "seconds",
}  # fmt: skip
KINDS = {
    "model": "model", "accuracy": "accuracy", "y*": "count", "bound": "bound",
    "questions asked": "questions asked", "questions proofs": "proofs", "time": "seconds",
}  # fmt: skip


def short(
    table: TextTable, name: str, title: str, columns: Mapping[str, str], notes: Sequence[str] = ()
) -> TextTable:
    """Some columns of a table, called otherwise."""
    return TextTable(name, title, table.flat[list(columns)].rename(columns=dict(columns)), tuple(notes))


def short_tables(records: Sequence[Record]) -> Iterator[TextTable]:
    """The six result tables with what a reader looks for first: counts and times of both sides."""
    full = paper_tables([record for record in records if record["method"] == "exact"])[2:]
    for table, (dataset, model) in zip(full, product(DATASETS, MODELS), strict=True):
        title = table.title.split(": ", 1)[1]
        yield short(table, f"short-{dataset}-{model}", title, RESULTS, table.notes)


def short_summaries(records: Sequence[Record]) -> Iterator[TextTable]:
    """Sum up our method and the paper's on its tables, our method beyond them, and kinds of classifiers."""
    runs = frame_of(records)
    paper, exact, compared = runs["model"].isin(MODELS), runs["method"] == "exact", runs["compared"]

    def summary(chosen: pd.Series) -> TextTable:
        full = more_tables([record for record, kept in zip(records, chosen, strict=True) if kept])[0]
        return replace(full, frame=full.frame[:-1])  # without the sum of all

    for name, title, chosen, columns in (
        ("short-summary", "Our method on the paper's tables", paper & exact & compared, PUBLISHED),
        ("short-paper-methods", "The paper's methods, on HiGHS", paper & ~exact & compared, PUBLISHED),
        ("short-beyond", "Our method beyond the paper's tables", paper & exact & ~compared, BEYOND),
    ):
        if chosen.any():
            yield short(summary(chosen), name, title, columns)
    for table in more_tables(records):
        if table.name.startswith("models-"):
            yield short(table, f"short-{table.name}", table.title, KINDS)


def fill(page: Path, files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Fill the gaps of a page; return which tables were filled in, and which the files do not give."""
    measured = [path for path in files if path.suffix != ".md"]
    records = read_all(measured) if measured else []
    write = FORMATS["markdown"]
    published = [record for record in records if as_published(record)]
    tables = [*more_tables(records), *short_summaries(records)] if records else []
    tables += [*paper_tables(records), *short_tables(records)] if published else []
    texts = {table.name: write(table) for table in tables}
    texts |= {path.stem: path.read_text(encoding="utf-8").strip() for path in files if path.suffix == ".md"}
    filled: list[str] = []
    missing: list[str] = []

    def content(gap: re.Match[str]) -> str:
        name = gap["name"]
        if name not in texts:
            missing.append(name)
            return gap[0]
        filled.append(name)
        return f"{gap[1]}\n{texts[name].strip()}\n\n{gap[3]}"

    write_whole(page, GAP.sub(content, page.read_text(encoding="utf-8")))
    return filled, missing


def main() -> int:
    """Fill a page; exit code 1 when a gap stays as it was."""
    parser = script_parser(__doc__)
    parser.add_argument("files", type=Path, nargs="+", help="of oneformany bench ... --json, or Markdown")
    parser.add_argument("--page", type=Path, default=Path("docs/reproduction.md"))
    options = parser.parse_args()
    filled, missing = fill(options.page, options.files)
    print(f"filled: {', '.join(filled) or 'nothing'}")
    if missing:
        print(f"not in the files: {', '.join(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
