"""Find a data file: in a folder that the user names, in the cache, or at its original publisher."""

import contextlib
import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from importlib.resources import files
from pathlib import Path
from urllib.request import urlopen

from oneformany.exceptions import Argument, DataUnavailableError, InputError
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
    """Read a file from the named folder, or its sub-folder, as it is; from the cache; from its publisher.

    What comes from the last two must have the known checksum.
    """
    cached = cache_folder() / source.file
    own = next((path for path in _own_paths(source, data_dir) if path.is_file()), None)
    origin: Path | str = own or cached
    if own is not None:
        content = own.read_bytes()
    elif not cached.is_file() or _checksum(content := cached.read_bytes()) != source.sha256:
        origin, content = source.url, _download(source)
        with contextlib.suppress(OSError):  # a cache that cannot be written costs another download, no more
            cached.parent.mkdir(parents=True, exist_ok=True)
            write_whole(cached, content)
    try:
        packed = own is not None and own.suffix == ".gz"
        return (gzip.decompress(content) if packed else content).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataUnavailableError(f"{origin} is not a text file ({error}); replace it") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataUnavailableError(f"{origin} is a damaged gzip file ({error}); replace it") from error


def cache_folder() -> Path:
    """Where downloads are kept: the folder that ``ONEFORMANY_CACHE`` names, or one in the user's home."""
    return Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache" / "oneformany")


def _own_paths(source: Source, data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    named = data_dir if data_dir is not None else os.environ.get(DATA_VARIABLE)
    if not named:
        return
    if not (folder := Path(named)).is_dir():
        given = Argument("data_dir", bare=True) if data_dir is not None else DATA_VARIABLE
        raise InputError(given, f" names the folder {folder}, which does not exist")
    for parent in (folder, folder / source.dataset):
        yield parent / source.file
        yield parent / f"{source.file}.gz"


def _download(source: Source) -> bytes:
    by_hand = f"download {source.url} yourself and name its folder by "
    remedy = by_hand, Argument("data_dir"), f" or {DATA_VARIABLE}"
    try:
        with urlopen(source.url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (a constant, not input)
            content: bytes = response.read()
    except (OSError, HTTPException) as error:
        raise DataUnavailableError(
            f"{source.file} of the data set {source.dataset} is in no named folder and not in the cache "
            f"{cache_folder()}, and the download failed ({error}); ",
            *remedy,
        ) from error
    if (found := _checksum(content)) != source.sha256:
        raise DataUnavailableError(
            f"{source.url} gave {len(content)} bytes that are not the expected {source.file} (checksum "
            f"{found[:12]}..., expected {source.sha256[:12]}...); nothing was kept: try again, or ",
            *remedy,
        )
    return content


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
