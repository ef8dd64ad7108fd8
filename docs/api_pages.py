"""Write the pages of the reference from the lists of public names: ``python docs/api_pages.py``.

Each public name goes to the page whose rooms hold its module; later names need no word here.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import oneformany as ofm
from oneformany.oracles.scored import ScoredOracle

FOLDER = Path(__file__).parent / "api"
# Whatever is public beside the top; what stands at the top, too, is told there.
MODULES = (
    "datasets",
    "exceptions",
    "oracles",
    "plotting",
    "problem",
    "proofs",
    "readers",
    "report",
    "result",
    "robust",
    "schema",
    "statistics",
    "studies",
)


@dataclass(frozen=True)
class Page:
    """One page: what it is about, the modules it documents, and the names that come first."""

    title: str
    intro: str
    rooms: tuple[str, ...]
    first: tuple[str, ...] = ()


PAGES = {
    "explaining": Page(
        "Explaining",
        "From a fitted model and a data frame to explanations. See [two-minute start](../start.md).",
        ("explainer", "result", "progress", "robust"),
        ("OneForMany", "Result", "Explanation"),
    ),
    "rules": Page(
        "Rules",
        "What must not change, or may change only in some ways. See [rules](../howto/rules.md).",
        ("schema.rules",),
        ("Immutable", "OnlyIncrease", "OnlyDecrease", "AtMostSteps", "Range", "NeverTarget", "Forbid"),
    ),
    "schema": Page(
        "Features and cells",
        "How the columns of a frame become features. See [numbers and bins](../howto/numbers.md).",
        ("schema", "datasets"),
        ("Schema", "Feature", "infer_schema"),
    ),
    "faces": Page(
        "Reports and audits",
        "A page for audit files, and subgroups side by side. See [reports and audits](../howto/report.md).",
        ("report", "studies.audit"),
    ),
    "plotting": Page(
        "Plots",
        "Each plot is one function that takes an `ax` and returns it. `result.plot()` draws the usual one.",
        ("plotting",),
    ),
    "curves": Page(
        "Curves, and one row by itself",
        "How few explanations, how many people, and one row alone. See [curves](../howto/curves.md).",
        ("studies",),
        ("frontier", "frontier_of_frame", "nearest_change", "alternatives"),
    ),
    "proofs": Page(
        "Proofs and their check",
        "The proof in a result, and the program that checks it. See [reading the proof](../howto/proof.md).",
        ("verify", "proofs"),
        ("verify",),
    ),
    "oracles": Page(
        "Classifiers",
        "How a fitted model becomes an oracle that the engine can ask. See [extending](../extending.md).",
        ("oracles", "readers"),
        ("BlackBox", "register_reader", "oracle_for", "Oracle", "Question", "Answer"),
    ),
    "errors": Page(
        "Errors",
        "Every error of this package is one of these. Its message says where, and what to do next.",
        ("exceptions",),
        ("OneForManyError",),
    ),
    "problem": Page(
        "The core, on codes",
        "Problems and answers without data frames, on integer codes. See [the method](../method.md).",
        ("",),
        ("Problem", "solve", "Goal"),
    ),
}
ORDER = (
    "explaining",
    "rules",
    "schema",
    "problem",
    "faces",
    "plotting",
    "curves",
    "proofs",
    "oracles",
    "errors",
)


def pages() -> dict[str, str]:
    """The text of every page, by its name."""
    names: dict[str, list[str]] = {name: [] for name in PAGES}
    for name, home in public_names().items():
        names[_page(home)].append(name)
    return {page: _text(PAGES[page], found) for page, found in names.items()}


def public_names() -> dict[str, str]:
    """Every public name, as it is written after ``oneformany.``, and the room that decides on its page."""
    top = {name: home.removeprefix("oneformany.") for name, home in ofm.HOMES.items() if name not in MODULES}
    for module in MODULES:
        for name in import_module(f"oneformany.{module}").__all__:
            if name not in top and name.lower() != "names":
                top[f"{module}.{name}"] = module
    return top


def _page(home: str) -> str:
    return next(
        name
        for name, page in PAGES.items()
        if any(not room or f"{home}.".startswith(f"{room}.") for room in page.rooms)
    )


def _text(page: Page, names: list[str]) -> str:
    first = {name: rank for rank, name in enumerate(page.first)}
    ordered = sorted(names, key=lambda name: (first.get(name.rpartition(".")[2], len(first)), name))
    return "\n\n".join([f"# {page.title}", page.intro, *map(_entry, ordered)]) + "\n"


def _entry(name: str) -> str:
    thing: object = ofm
    for part in name.split("."):
        thing = getattr(thing, part)
    lines = [f"## {name.rpartition('.')[2]}", "", "```{eval-rst}"]
    if isinstance(thing, type) and issubclass(thing, Exception):
        lines.append(f".. autoexception:: oneformany.{name}")
    elif inspect.isclass(thing):
        lines += [f".. autoclass:: oneformany.{name}", "   :members:"]
        if issubclass(thing, ScoredOracle):
            lines.append("   :inherited-members:")
    else:
        lines.append(f".. auto{'function' if inspect.isroutine(thing) else 'data'}:: oneformany.{name}")
    return "\n".join([*lines, "```"])


def main() -> None:
    """Write them, and the list of them."""
    for name, text in pages().items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")
    words = (
        "What you type is in `oneformany` itself: `import oneformany as ofm`. What it gives and takes stands "
        "in `oneformany.oracles`, `oneformany.proofs`, `oneformany.readers` and the like."
    )
    listing = "\n".join(ORDER)
    index = f"# API reference\n\n{words}\n\n```{{toctree}}\n:maxdepth: 2\n\n{listing}\n```\n"
    (FOLDER / "index.md").write_text(index, encoding="utf-8")


if __name__ == "__main__":
    main()
