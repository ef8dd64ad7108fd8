"""What all commands share: errors as one sentence instead of a traceback, exit codes, lists with commas."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from oneformany.exceptions import InputError, OneForManyError
from oneformany.result.labels import shown

P = ParamSpec("P")
R = TypeVar("R")

CANNOT_RUN = 2
NOT_PROVED = 3
INTERRUPTED = 130


def tell_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Let a command end with exit code 2 and the message of any error of this package, 130 on Ctrl-C."""

    @wraps(command)
    def telling(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except OneForManyError as error:
            Console(stderr=True).print(Text(f"Error: {shown(error)}", style="red"), soft_wrap=True)
            raise typer.Exit(CANNOT_RUN) from error
        except KeyboardInterrupt as error:
            Console(stderr=True).print(Text("Interrupted before anything was found.", style="red"))
            raise typer.Exit(INTERRUPTED) from error

    return telling


def names(text: str) -> list[str]:
    """Split "a,b" into names, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def sizes(option: str, text: str | None) -> list[int] | None:
    """Split "10,20" into integers, at least one; ``None`` when the option was not given."""
    if text is None:
        return None
    try:
        return [int(part) for part in names(text) or [text]]
    except ValueError as error:
        raise InputError(f"{option} takes integers separated by commas, not {text!r}") from error
