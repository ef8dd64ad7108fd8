"""Errors of the package as one sentence on the error stream instead of a traceback."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from oneformany.exceptions import OneForManyError
from oneformany.result.labels import shown

__all__ = ["CANNOT_RUN", "INTERRUPTED", "NOT_PROVED", "tell_errors"]

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
