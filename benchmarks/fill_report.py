"""Put measured tables into a page: between ``<!-- measured: NAME -->`` and ``<!-- end -->``.

    python benchmarks/fill_report.py bench.jsonl ablation-exact.md --page docs/reproduction.md

NAME is the name of a table of ``oneformany bench tables``: table-1 to table-8, summary, and so on; that of
a short form of these: short-summary, short-german-lr, and so on; or that of a Markdown file, as the other
scripts of this folder write them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from measuring import script_parser
from oneformany.files import write_whole
from oneformany.paper.runs.records import as_published, read_all
from oneformany.paper.tables.more_tables import more_tables, short_summaries
from oneformany.paper.tables.paper_tables import paper_tables, short_tables
from oneformany.paper.tables.table import FORMATS

GAP = re.compile(r"(<!-- measured: (?P<name>[\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: Path, files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Fill the gaps of a page; return which tables were filled in, and which the files do not give."""
    measured = [path for path in files if path.suffix != ".md"]
    records = read_all(measured) if measured else []
    write = FORMATS["markdown"].write
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
