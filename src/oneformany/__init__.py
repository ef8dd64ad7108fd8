"""The provably smallest set of group counterfactual explanations for a binary classifier."""

from importlib import import_module
from pathlib import Path

# Public names and their homes, from the stub beside this file: "from HOME import NAME as NAME" in each line.
HOMES = {
    words[3]: words[1]
    for words in map(str.split, Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines())
    if words[:1] == ["from"]
}
__all__ = [*sorted(HOMES), "__version__"]  # noqa: PLE0604 (names, each of them text)


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that ``import oneformany`` stays quick."""
    if name == "__version__":
        from importlib.metadata import version

        return version("oneformany")
    if name not in HOMES:
        raise AttributeError(f"module 'oneformany' has no attribute {name!r}")
    if HOMES[name] == "oneformany":
        return import_module(f"oneformany.{name}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
