"""Run the code of a page: all its ``python`` blocks, in order, in one namespace.

What a block prints can be shown below it, after a line ``<!-- output -->``, in a ``text`` block, written by

    python tests/pages.py docs README.md

and a test checks that they are still what is printed, up to decimals.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:<!-- output -->\n```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """One piece of code, where it stands, and what it is said to print."""

    code: str
    line: int
    output: str | None
    printed: str


def pages() -> list[Path]:
    """All pages that have code to run, the README first."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "_build" not in page.parts and "```python\n" in page.read_text("utf-8")]


def run(page: Path) -> list[Block]:
    """Run the blocks of a page in a folder of their own; a traceback names the page and its line."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    done = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start("code"))
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile("\n" * line + match["code"], str(page), "exec"), names)  # noqa: S102 (our own page)
            done.append(Block(match["code"], line + 1, match["output"], printed.getvalue()))
    return done


def refresh(page: Path) -> None:
    """Write what the blocks print into the page."""
    text = page.read_text(encoding="utf-8")
    printed = iter(block.printed for block in run(page))

    def filled(match: re.Match[str]) -> str:
        words = next(printed)
        return (
            match[0]
            if match["output"] is None
            else f"```python\n{match['code']}```\n<!-- output -->\n```text\n{words}```\n"
        )

    page.write_text(BLOCK.sub(filled, text), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    wanted = [Path(name).resolve() for name in sys.argv[1:]]
    for page in pages():
        if any(page == path or path in page.parents for path in wanted):
            refresh(page)
