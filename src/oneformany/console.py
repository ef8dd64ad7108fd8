"""What all commands share: options, errors and warnings as one sentence, exit codes, lists with commas."""

import csv
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from oneformany.exceptions import Argument, InputError, InputWarning, OneForManyError
from oneformany.files import writing
from oneformany.result.labels import shown

CANNOT_RUN = 2
NOT_PROVED = 3
INTERRUPTED = 130
# Options that are not called as the argument is, dashes apart
OPTIONS = {"cells": "--schema", "schema": "--schema"}
# Arguments that only Python has
WITHOUT_OPTION = frozenset({"also", "at_least", "labels", "model"})
HEADS = {r"(?m)^(Explanation \d+|Proof|Cannot be helped|Undecided)": "bold"}


def as_option(argument: Argument) -> str:
    """Spell an argument as the option of the command line, with its value as a shell takes it.

    >>> as_option(Argument("max_changes", 4)), as_option(Argument("positive", "very good"))
    ('--max-changes 4', "--positive 'very good'")
    """
    if argument.name in WITHOUT_OPTION:
        return str(argument)
    option = OPTIONS.get(argument.name, f"--{argument.name.replace('_', '-')}")
    if argument.bare or argument.value is None or argument.name in OPTIONS:
        return option
    values = argument.value if isinstance(argument.value, (list, tuple)) else [argument.value]
    return f"{option} {quote(','.join(map(str, values)))}"


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
        for stream in (sys.stdout, sys.stderr):  # letters that a terminal does not have are spelled out
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            for group, (kind, fields) in groups.items():
                kwargs[group] = kind(**{name: kwargs.pop(name) for name in fields})
            with warnings.catch_warnings():
                warnings.showwarning = _warn
                if kwargs.get("quiet"):
                    warnings.simplefilter("ignore")
                command(*args, **kwargs)
        except OneForManyError as error:
            _complain("Error: ", error.spelled(as_option), "red")
            raise typer.Exit(CANNOT_RUN) from error
        except KeyboardInterrupt as error:
            _complain("", "Interrupted before anything was found.", "red")
            raise typer.Exit(INTERRUPTED) from error

    telling.__annotations__ = {part.name: part.annotation for part in parts}
    telling.__signature__ = own.replace(parameters=parts)  # type: ignore[attr-defined]  # for typer
    return telling


def say(words: str, style: str = "", marks: Mapping[str, str] = HEADS) -> None:
    """Print words, which are harmless already, as they are; what fits a mark has its style."""
    text = Text(words, style=style)
    for mark, its_style in marks.items():
        text.highlight_regex(mark, its_style)
    with writing(Path("standard output")):
        Console().print(text, soft_wrap=True)


def _complain(kind: str, words: str, style: str) -> None:
    Console(stderr=True).print(Text(f"{kind}{shown(words)}", style=style), soft_wrap=True)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning in its own words, without the line of code that it comes from."""
    words = message.spelled(as_option) if isinstance(message, InputWarning) else str(message)
    _complain("Warning: ", words, "yellow")


def names(text: str) -> list[str]:
    """Split "a,b" into names, each once; one with a comma in it stands in quotes."""
    parts = next(csv.reader([text], skipinitialspace=True), ())
    return list(dict.fromkeys(filter(None, map(str.strip, parts))))


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
