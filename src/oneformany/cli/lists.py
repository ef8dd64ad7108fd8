"""Options that take several values, separated by commas."""

from __future__ import annotations

from oneformany.exceptions import InputError

__all__ = ["names", "sizes"]


def names(text: str) -> list[str]:
    """Split "a,b" into names, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def sizes(option: str, text: str | None) -> list[int] | None:
    """Split "10,20" into integers; ``None`` when the option was not given."""
    if text is None:
        return None
    try:
        return [int(part) for part in names(text)]
    except ValueError as error:
        raise InputError(f"{option} takes integers separated by commas, not {text!r}") from error
