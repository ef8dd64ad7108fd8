"""Writing files so that a reader never meets half of one, and reading those that people write by hand."""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import IO, TYPE_CHECKING, Any

from oneformany.exceptions import InputError, plain_reason

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    """Write a file in one step, text as UTF-8: a reader or a killed program has the old file or the new one.

    Many may write one name at the same time; the last one stays. A file keeps its owner and who may read it.
    A link stays one, and what it leads to is written; so is a device or a pipe, such as ``/dev/stdout``.
    """
    target, data = Path(path), content.encode() if isinstance(content, str) else content
    if not target.parent.is_dir():
        raise InputError(f"the folder of {target} does not exist; make it first")
    if target.is_dir():
        raise InputError(f"{target} is a folder; name a file in it")
    try:
        if (target.exists() and not target.is_file()) or (target.is_symlink() and _of_the_system(target)):
            target.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(target)), data)
    except OSError as error:
        # It names a draft, of which the user knows nothing, or nothing.
        raise OSError(error.errno, error.strerror or str(error), str(target)) from error


def _of_the_system(link: Path) -> bool:
    """Whether a link is a name for what a program has open: that is written to, and not replaced."""
    return link.is_relative_to("/dev") or link.is_relative_to("/proc")


def _replace(target: Path, data: bytes) -> None:
    """Write a draft with a name that nobody else has, and replace the target by it."""
    draft = target.with_name(f".{token_hex(8)}.tmp")
    old = target.stat() if target.exists() else None
    try:
        if not _write_nameless(draft, data, old):
            draft.touch(_rights(old), exist_ok=False)
            with draft.open("wb") as stream:
                _write_down(stream, data, old)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _write_nameless(draft: Path, data: bytes, old: os.stat_result | None) -> bool:
    """Write a file that has no name until it is complete, if the system can: a kill leaves nothing."""
    try:
        number = os.open(draft.parent, os.O_TMPFILE | os.O_WRONLY, _rights(old))
    except (OSError, AttributeError):
        return False
    with os.fdopen(number, "wb") as stream:
        _write_down(stream, data, old)
        try:  # a folder must be given, though the name needs none: only then is the link followed
            os.link(f"/proc/self/fd/{number}", draft, src_dir_fd=number, follow_symlinks=True)
        except OSError:
            return False
    return True


def _rights(old: os.stat_result | None) -> int:
    """Who may read a draft: as the system decides for new files, or its writer alone until it is complete."""
    return 0o666 if old is None else 0o600


def _write_down(stream: IO[bytes], data: bytes, old: os.stat_result | None) -> None:
    stream.write(data)
    stream.flush()
    if old is not None:
        with suppress(
            OSError, AttributeError
        ):  # only an administrator gives files away; Windows has no owners
            os.fchown(stream.fileno(), old.st_uid, old.st_gid)
        with suppress(AttributeError):
            os.fchmod(stream.fileno(), S_IMODE(old.st_mode))
    os.fsync(stream.fileno())


def write_picture(figure: "Figure", path: Path, dpi: int) -> None:
    """Write a figure in the format that the name says, in one step."""
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix[1:].lower(), dpi=dpi)
    write_whole(path, drawn.getvalue())


def write_json(told: object, path: Path) -> None:
    """Write plain data as JSON, in one step."""
    write_whole(path, json.dumps(told, indent=1) + "\n")


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object of JSON that gives a name twice: which of the two counts, nobody could know."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice[:40]!r} is given twice")
    return content


def read_by_hand(path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    """Read what a user writes by hand, in TOML, or in JSON if the name ends so."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        if str(path).lower().endswith(".json"):
            content = json.loads(text, object_pairs_hook=without_repetition)
        else:
            content = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as {what}: {plain_reason(error)}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} cannot be read as {what}: names with values are needed, in braces")
    return content
