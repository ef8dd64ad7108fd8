"""``oneformany explain``: rows from a file, a saved model, explanations with proof."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oneformany.cli.model_file import load_model, positive_label
from oneformany.cli.rows_file import load_rows
from oneformany.cli.saving import check_targets, end, save_all, say
from oneformany.cli.settings_files import load_costs, load_schema
from oneformany.console import names, tell_errors
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.result.result import Result
    from oneformany.schema.rules import RowRule, Rule

__all__ = ["chosen_rules", "explain", "kept_columns"]


@tell_errors
def explain(
    rows: Annotated[
        Path, typer.Argument(metavar="ROWS", help="CSV, Parquet or JSON lines; one column per feature.")
    ],
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A fitted model: skops, ONNX, XGBoost (.ubj, .json), LightGBM (.txt); with --trust-model "
            "also joblib or pickle.",
        ),
    ],
    *,
    max_changes: Annotated[int, typer.Option(help="How many features one explanation may change.")] = 3,
    share: Annotated[
        str, typer.Option(help="What the rows of one explanation share: point, action or features.")
    ] = "point",
    explanations: Annotated[
        int | None, typer.Option(min=1, help="Cover as many rows as possible with so many explanations.")
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(help="Cover at least this part of the rows, such as 0.9.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Least probability of a positive row, unless as predict decides.")
    ] = None,
    positive: Annotated[str, typer.Option(help="Label of the positive class.")] = "1",
    rules: Annotated[
        Path | None, typer.Option(metavar="TOML", help="What may not change, or only in one direction.")
    ] = None,
    immutable: Annotated[str, typer.Option(help="Features that cannot change, with commas.")] = "",
    only_increase: Annotated[str, typer.Option(help="Features that can only go up.")] = "",
    only_decrease: Annotated[str, typer.Option(help="Features that can only go down.")] = "",
    costs: Annotated[
        Path | None, typer.Option(metavar="TOML", help="What a change of each feature costs; 1 if not named.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Cells of the features; see oneformany schema.")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(metavar="ROWS", help="Data that values to change to are taken from.")
    ] = None,
    index: Annotated[str | None, typer.Option(help="Column that names the rows.")] = None,
    columns: Annotated[str, typer.Option(help="Use only these columns, in this order, with commas.")] = "",
    separator: Annotated[
        str | None, typer.Option(help="Between the columns of a CSV file, if it is not found out rightly.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a CSV file, such as utf-8 or cp1252.")] = None,
    trust_model: Annotated[
        bool, typer.Option("--trust-model", help="Load a model file that can run code.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Then the best is told.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Save a page for the audit file.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Save the result with its proof.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Save what each row has to change.")
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many explanations to spell out.")] = 20,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Explain the rows that a model turns down with as few explanations as possible, and prove it.

    Exit code 0: proved; 2: bad input; 3: something is open; 130: interrupted, the best is told and saved.
    """
    from oneformany.explainer import OneForMany
    from oneformany.progress import Progress

    check_targets(report, json_file, csv_file)
    frame = kept_columns(load_rows(rows, separator, encoding, index), names(columns), rows)
    classifier = load_model(model, trust=trust_model)
    explainer = OneForMany(
        classifier,
        max_changes=max_changes,
        threshold=threshold,
        schema=None if schema is None else load_schema(schema),
        rules=list(chosen_rules(rules, immutable, only_increase, only_decrease)),
        share=share,  # type: ignore[arg-type]
        reference=None if reference is None else load_rows(reference, separator, encoding),
        positive=positive_label(classifier, positive),
        costs=None if costs is None else load_costs(costs),
    )
    with nullcontext(None) if quiet else Progress(shown(rows.name)) as progress:
        result = explainer.explain(
            frame, explanations=explanations, coverage=coverage, time_limit=time_limit, progress=progress
        )
    result = _with_files(result, rows, model)
    say(result.summary(limit=show), quiet=quiet)
    save_all(
        {json_file: result.to_json, csv_file: lambda path: _save_csv(result, path), report: result.report}
    )
    end(result)


def kept_columns(frame: pd.DataFrame, wanted: list[str], path: Path) -> pd.DataFrame:
    """Keep only the columns that ``--columns`` names, if it names any.

    Parameters
    ----------
    frame : DataFrame
        All columns.
    wanted : list of str
        Those to keep, in this order.
    path : Path
        Where they were read, for the message when one is missing.
    """
    for name in wanted:
        if name not in frame.columns:
            known = ", ".join(shown(column) for column in frame.columns)
            raise InputError(f"--columns names {name!r}, which is not in {path}; it has {known}")
    return frame[wanted] if wanted else frame


def chosen_rules(
    path: Path | None, immutable: str, only_increase: str, only_decrease: str
) -> Iterator[Rule | RowRule]:
    """Yield the rules of a file, then those of the options.

    Parameters
    ----------
    path : Path or None
        A TOML file.
    immutable, only_increase, only_decrease : str
        Names of features, with commas.
    """
    from oneformany.schema.rules import Immutable, OnlyDecrease, OnlyIncrease, rules_from_toml

    if path is not None:
        yield from rules_from_toml(path)
    yield from (Immutable(name) for name in names(immutable))
    yield from (OnlyIncrease(name) for name in names(only_increase))
    yield from (OnlyDecrease(name) for name in names(only_decrease))


def _with_files(result: Result, rows: Path, model: Path) -> Result:
    """Record which files were read, so that an auditor can find them again."""
    record: dict[str, Any] = {
        **result.problem.get("model", {}),
        "file": model.name,
        "file_digest": _digest(model),
        "rows_file": rows.name,
        "rows_digest": _digest(rows),
    }
    return replace(result, problem={**result.problem, "model": record})


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _save_csv(result: Result, path: Path) -> None:
    from oneformany.files import write_whole

    lines = result.assignment_frame()
    write_whole(path, lines.to_csv(index_label=str(lines.index.name or "row"), lineterminator="\n"))
