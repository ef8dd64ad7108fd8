"""``oneformany explain``: rows from a file, a saved model, explanations with proof."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from oneformany.cli.model_file import load_model, positive_label
from oneformany.cli.options import (
    Columns,
    Encoding,
    Immutables,
    IndexColumn,
    OnlyDown,
    OnlyUp,
    Positive,
    Quiet,
    ReferenceRows,
    RulesFile,
    SchemaFile,
    Separator,
    Sharing,
    Threshold,
    Trust,
    chosen_rules,
    kept_columns,
)
from oneformany.cli.rows_file import load_rows
from oneformany.cli.saving import check_targets, end, save_all, say
from oneformany.cli.settings_files import load_costs, load_schema
from oneformany.console import names, tell_errors
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from oneformany.problem import Share
    from oneformany.result.result import Result

__all__ = ["explain"]


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
    share: Sharing = "point",
    explanations: Annotated[
        int | None, typer.Option(min=1, help="Cover as many rows as possible with so many explanations.")
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(help="Cover at least this part of the rows, such as 0.9.")
    ] = None,
    threshold: Threshold = None,
    positive: Positive = "1",
    rules: RulesFile = None,
    immutable: Immutables = "",
    only_increase: OnlyUp = "",
    only_decrease: OnlyDown = "",
    costs: Annotated[
        Path | None, typer.Option(metavar="TOML", help="What a change of each feature costs; 1 if not named.")
    ] = None,
    schema: SchemaFile = None,
    reference: ReferenceRows = None,
    index: IndexColumn = None,
    columns: Columns = "",
    separator: Separator = None,
    encoding: Encoding = None,
    trust_model: Trust = False,
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
    quiet: Quiet = False,
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
        share=cast("Share", share),
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
