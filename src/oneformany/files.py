"""Writing files so that a reader never meets half of one, and reading those that people write by hand."""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oneformany.exceptions import InputError, plain_reason

PICTURES = (".png", ".pdf", ".svg", ".eps", ".jpg", ".jpeg")


def check_targets(read: Iterable[Path | None], *paths: Path | None, picture: Path | None = None) -> None:
    """Refuse files that could not be written, or are read, and pictures that could not be drawn."""
    given = [path for path in (*paths, picture) if path is not None]
    named = [path.resolve() for path in (*given, *read) if path is not None]
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise InputError(f"{picture} cannot be drawn; end its name in .png, .pdf or .svg")
    for path in given:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name a file in it")
        if not path.absolute().parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; make it first")
        if named.count(path.resolve()) > 1:
            raise InputError(f"{path} is named twice; each file needs a name of its own")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell in a sentence that a file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {plain_reason(error)}") from error


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file in one step, text as UTF-8: a killed program leaves the old file or the new one.

    A link or a device, such as ``/dev/stdout``, stays what it is and is written to.
    """
    target, data = Path(path), content.encode() if isinstance(content, str) else content
    if not target.parent.is_dir():
        raise InputError(f"the folder of {target} does not exist; make it first")
    if target.is_symlink() or (target.exists() and not target.is_file()):
        target.write_bytes(data)
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        if error.filename is None:
            raise
        # It names the draft, of which the user knows nothing.
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        draft.unlink(missing_ok=True)


def write_json(told: object, path: Path) -> None:
    """Write plain data as JSON, in one step."""
    write_whole(path, json.dumps(told, indent=1) + "\n")


def read_by_hand(path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    """Read what a user writes by hand, in TOML, or in JSON if the name ends so."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        content = json.loads(text) if str(path).lower().endswith(".json") else tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as {what}: {plain_reason(error)}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} cannot be read as {what}: names with values are needed, in braces")
    return content
