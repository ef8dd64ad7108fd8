"""Options that the benchmarks share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = ["Check", "DataDir", "Immutable", "SaveResults", "Threshold"]

Check: TypeAlias = Annotated[bool, typer.Option("--verify", help="Verify every result independently.")]
DataDir: TypeAlias = Annotated[Path | None, typer.Option(help="Folder with data that are not embedded.")]
Immutable: TypeAlias = Annotated[
    str, typer.Option(help="none, or half: every second feature, from the first, cannot change.")
]
SaveResults: TypeAlias = Annotated[
    Path | None, typer.Option(help="Folder for every result with its proof, as `verify` reads it.")
]
Threshold: TypeAlias = Annotated[float, typer.Option(help="Least probability of a positive point.")]
