"""Public names that are imported on first use, so that ``import oneformany`` stays quick.

Which names a package has, and where they live, stands in the stub beside its ``__init__.py``, one
``from HOME import NAME as NAME`` in each line; type checkers read the same file.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def homes_beside(file: str) -> dict[str, str]:
    """Public names and their homes, from the stub beside the file of a package."""
    lines = Path(file).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    return {words[3]: words[1] for words in map(str.split, lines) if words[:1] == ["from"]}


def on_first_use(package: str, homes: dict[str, str]) -> Callable[[str], object]:
    """Make the ``__getattr__`` of a package, which imports a public name when it is asked for."""

    def __getattr__(name: str) -> object:  # noqa: N807 (it becomes the one of a module)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(homes[name]), name)

    return __getattr__
