"""Find a data file: in a folder that the user names, in the cache, or at its original publisher."""

import contextlib
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from urllib.request import urlopen

from oneformany.exceptions import DataUnavailableError, InputError
from oneformany.files import write_whole

DATA_VARIABLE = "ONEFORMANY_DATA"
CACHE_VARIABLE = "ONEFORMANY_CACHE"
TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Source:
    """A file of a data set and where its publisher keeps it."""

    dataset: str  # its name, and that of the sub-folder where the file may be
    file: str  # its name, without ``.gz``
    url: str  # where it was published
    sha256: str  # checksum of the uncompressed file


def embedded(file: str) -> str:
    """Read a text file that comes with the package."""
    return (files("oneformany.datasets") / "data" / file).read_text(encoding="utf-8")


def fetch(source: Source, data_dir: str | os.PathLike[str] | None = None) -> str:
    """Read a file from the first folder that has it.

    These are: the folder named by ``data_dir`` or by the environment variable ``ONEFORMANY_DATA`` and its
    sub-folder of the data set's name, plain or with ``.gz``; the cache; the publisher. A file in the named
    folder is read as it is, the others must have the known checksum.
    """
    for path in _own_paths(source, data_dir):
        if path.is_file():
            return _text(_read(path), path)
    cached = cache_folder() / source.file
    if cached.is_file() and _is_complete(content := cached.read_bytes(), source):
        return _text(content, cached)
    content = _download(source)
    with contextlib.suppress(OSError):  # a cache that cannot be written costs another download, no more
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_whole(cached, content)
    return _text(content, source.url)


def cache_folder() -> Path:
    """Where downloads are kept: ``ONEFORMANY_CACHE``, or the user's cache folder on this system."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "oneformany"


def _own_paths(source: Source, data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    named = data_dir if data_dir is not None else os.environ.get(DATA_VARIABLE)
    if not named:
        return
    folder = Path(named)
    if not folder.is_dir():
        given = "data_dir" if data_dir is not None else DATA_VARIABLE
        raise InputError(f"{given} names the folder {folder}, which does not exist")
    for parent in (folder, folder / source.dataset):
        yield parent / source.file
        yield parent / f"{source.file}.gz"


def _read(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise DataUnavailableError(f"{path} is a damaged gzip file ({error}); replace it") from error


def _download(source: Source) -> bytes:
    remedy = f"download {source.url} yourself and name its folder by data_dir (--data-dir) or {DATA_VARIABLE}"
    try:
        with urlopen(source.url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (a constant, not input)
            content: bytes = response.read()
    except (OSError, HTTPException) as error:
        raise DataUnavailableError(
            f"{source.file} of the data set {source.dataset} is in no named folder and not in the cache "
            f"{cache_folder()}, and the download failed ({error}); {remedy}"
        ) from error
    if not _is_complete(content, source):
        raise DataUnavailableError(
            f"{source.url} gave {len(content)} bytes that are not the expected {source.file} (checksum "
            f"{hashlib.sha256(content).hexdigest()[:12]}..., expected {source.sha256[:12]}...); nothing was "
            f"kept: try again, or {remedy}"
        )
    return content


def _is_complete(content: bytes, source: Source) -> bool:
    return hashlib.sha256(content).hexdigest() == source.sha256


def _text(content: bytes, source: Path | str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataUnavailableError(f"{source} is not a text file ({error}); replace it") from error
