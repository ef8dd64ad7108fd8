"""Tests that the code of every page runs, prints what the page shows, and that links lead somewhere.

The code of the README has a test of its own.
"""

import re
import runpy
from importlib import import_module

import pytest
from matplotlib import pyplot as plt

import oneformany as ofm
from oneformany.readers.registry import READERS
from pages import ROOT, pages, run

DECIMALS = re.compile(r"\d+\.\d+")  # may differ between machines in their last digits
PAGES = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts),
]


@pytest.fixture(autouse=True)
def quiet():
    """No windows, and no reader that stays registered."""
    before = list(READERS)
    plt.switch_backend("agg")
    yield
    plt.close("all")
    READERS[:] = before


@pytest.mark.parametrize("page", pages()[1:], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_each_page_runs_and_prints_what_is_shown(page):
    for block in run(page):
        if block.output is not None:
            shown, printed = (DECIMALS.sub("#", text) for text in (block.output, block.printed))
            assert printed == shown, f"{page}, line {block.line}: python tests/pages.py {page} refreshes it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_link_to_a_file_leads_to_one(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), f"{page}: {target}"


def test_every_public_name_is_in_the_reference():
    api = runpy.run_path(str(ROOT / "docs" / "api_pages.py"))
    written = api["pages"]()
    for name, text in written.items():
        path = ROOT / "docs" / "api" / f"{name}.md"
        assert path.read_text(encoding="utf-8") == text, "python docs/api_pages.py writes it anew"
    documented = set(
        re.findall(r"^\.\. auto\w+:: oneformany\.([\w.]+)", "".join(written.values()), flags=re.MULTILINE)
    )
    assert set(ofm.__all__) - {"__version__", "datasets", "plotting", "robust"} <= documented
    for module in api["MODULES"]:
        for name in import_module(f"oneformany.{module}").__all__:
            assert name in ("NAMES", "__all__") or {name, f"{module}.{name}"} & documented, name


def test_every_name_at_the_top_is_used_on_a_page():
    written = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.parent.name != "api")
    code = " ".join(re.findall(r"```.*?```|`[^`\n]+`", written, flags=re.DOTALL))
    assert [name for name in ofm.__all__[:-1] if not re.search(rf"\b{name}\b", code)] == []
