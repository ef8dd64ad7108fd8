"""``oneformany explain``: rows from a CSV file, a saved model, explanations with proof."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from oneformany.cli.errors import tell_errors
from oneformany.cli.lists import names
from oneformany.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.schema.rules import Rule
    from oneformany.schema.schema import Schema

__all__ = ["explain"]

UNLOADABLE = (
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
)


@tell_errors
def explain(
    rows: Annotated[Path, typer.Argument(metavar="CSV", help="The rows, one column per feature.")],
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model saved with joblib or pickle. Loading runs its code: trust it first.",
        ),
    ],
    *,
    max_changes: Annotated[int, typer.Option(help="How many features one explanation may change.")] = 3,
    threshold: Annotated[
        float | None, typer.Option(help="Least probability of a positive point, unless as predict decides.")
    ] = None,
    positive: Annotated[str, typer.Option(help="Label of the positive class.")] = "1",
    schema: Annotated[
        Path | None, typer.Option(help="JSON of Schema.to_dict, if the model reads the schema's columns.")
    ] = None,
    immutable: Annotated[str, typer.Option(help="Features that cannot change, with commas.")] = "",
    only_increase: Annotated[str, typer.Option(help="Features that can only go up.")] = "",
    only_decrease: Annotated[str, typer.Option(help="Features that can only go down.")] = "",
    separator: Annotated[str, typer.Option(help="Between the columns of the CSV file.")] = ",",
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Save the result with its proof.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Save what each row has to change.")
    ] = None,
) -> None:
    """Explain the rows that a model turns down with as few explanations as possible, and prove it."""
    from oneformany.explainer import OneForMany
    from oneformany.progress import Progress

    classifier = _load_model(model)
    explainer = OneForMany(
        classifier,
        max_changes=max_changes,
        threshold=threshold,
        schema=None if schema is None else _load_schema(schema),
        rules=list(_rules(immutable, only_increase, only_decrease)),
        positive=_positive(classifier, positive),
    )
    frame = _load_rows(rows, separator)
    with Progress(rows.name) as progress:
        result = explainer.explain(frame, time_limit=time_limit, progress=progress)
    if json_file is not None:
        result.to_json(json_file)
    if csv_file is not None:
        lines = result.assignment_frame()
        lines.to_csv(csv_file, index_label=str(lines.index.name or "row"))
    Console().print(Text(result.summary()), soft_wrap=True)


def _load_rows(path: Path, separator: str) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_csv(path, sep=separator)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a table of rows: {error}") from error


def _load_model(path: Path) -> Any:
    import joblib

    try:
        return joblib.load(path)
    except UNLOADABLE as error:
        raise InputError(
            f"{path} cannot be loaded as a model saved with joblib or pickle "
            f"({type(error).__name__}: {error}); save it with the library versions that are installed here"
        ) from error


def _load_schema(path: Path) -> Schema:
    from oneformany.schema.schema import Schema

    try:
        return Schema.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a schema: {error}") from error


def _rules(immutable: str, only_increase: str, only_decrease: str) -> Iterator[Rule]:
    from oneformany.schema.rules import Immutable, OnlyDecrease, OnlyIncrease

    yield from (Immutable(name) for name in names(immutable))
    yield from (OnlyIncrease(name) for name in names(only_increase))
    yield from (OnlyDecrease(name) for name in names(only_decrease))


def _positive(model: Any, label: str) -> object:
    """Find the model's own label behind the text; the reader of the model refuses one that is none."""
    import numpy as np

    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    return next((known for known in classes if str(known) == label), label)
