"""What all commands share: options, errors as one sentence, exit codes, lists with commas."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from functools import wraps
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from oneformany.exceptions import InputError, OneForManyError
from oneformany.result.labels import shown

CANNOT_RUN = 2
NOT_PROVED = 3
INTERRUPTED = 130


def tell_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command end with exit code 2 and the message of any error of this package, 130 on Ctrl-C.

    Where it takes a dataclass, each field of that is shown as an option of its own.
    """
    own = inspect.signature(command, eval_str=True)
    parts: list[inspect.Parameter] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for part in own.parameters.values():
        if isinstance(part.annotation, type) and is_dataclass(part.annotation):
            fields = inspect.signature(part.annotation, eval_str=True).parameters.values()
            groups[part.name] = part.annotation, [field.name for field in fields]
            parts += [field.replace(kind=field.KEYWORD_ONLY) for field in fields]
        else:
            parts.append(part)

    @wraps(command)
    def telling(*args: object, **kwargs: object) -> None:
        try:
            for group, (kind, fields) in groups.items():
                kwargs[group] = kind(**{name: kwargs.pop(name) for name in fields})
            command(*args, **kwargs)
        except OneForManyError as error:
            Console(stderr=True).print(Text(f"Error: {shown(error)}", style="red"), soft_wrap=True)
            raise typer.Exit(CANNOT_RUN) from error
        except KeyboardInterrupt as error:
            Console(stderr=True).print(Text("Interrupted before anything was found.", style="red"))
            raise typer.Exit(INTERRUPTED) from error

    telling.__annotations__ = {part.name: part.annotation for part in parts}
    telling.__signature__ = own.replace(parameters=parts)  # type: ignore[attr-defined]  # for typer
    return telling


def names(text: str) -> list[str]:
    """Split "a,b" into names, each once."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def sizes(option: str, text: str | None) -> list[int] | None:
    """Split "10,20" into integers, at least one; ``None`` when the option was not given."""
    if text is None:
        return None
    parts = names(text) or [text]
    if not all(part.isdecimal() and int(part) for part in parts):
        raise InputError(f"{option} takes integers of 1 or more, separated by commas, not {text!r}")
    return [int(part) for part in parts]


def check_names(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names that nobody knows, and none at all."""
    if not given:
        raise InputError(f"name at least one {what}: {', '.join(known)}")
    for name in given:
        if name not in known:
            raise InputError(f"there is no {what} {name!r}; choose from {', '.join(known)}")
