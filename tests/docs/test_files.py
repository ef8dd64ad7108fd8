"""Tests that every file that a page names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
HOMES = [ROOT, ROOT / "src/oneformany", ROOT / "tests", ROOT / "examples", ROOT / "docs"]
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)*(?:\.py|/))`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_folders_in_the_text_exist(page):
    names = NAMED.findall(page.read_text(encoding="utf-8"))
    rooms = [folder for home in HOMES for folder in (home, *home.glob("*/"), *home.glob("*/*/"))]
    missing = [
        name
        for name in names
        if not any((home / name).exists() for home in (HOMES if "/" in name.rstrip("/") else rooms))
    ]
    assert missing == []


def test_some_files_are_named():
    assert any(NAMED.findall(page.read_text(encoding="utf-8")) for page in PAGES)
