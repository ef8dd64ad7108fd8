"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file in one step: a killed program leaves the old file or the new one.

    Parameters
    ----------
    path : path
        Where the file shall be; its folder must exist.
    content : str or bytes
        The whole of it; text is written as UTF-8.
    """
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
