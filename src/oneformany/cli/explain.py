"""``oneformany explain``: rows from a file, a saved model, explanations with proof."""

from __future__ import annotations

import hashlib
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oneformany.cli.model_file import as_fitted
from oneformany.cli.options import People, Quiet, ReportFile, ResultFile, Setup, Show, TimeLimit, with_setup
from oneformany.cli.saving import check_targets, end, save_all, tell_result
from oneformany.cli.settings_files import load_costs
from oneformany.console import tell_errors
from oneformany.result.labels import shown

if TYPE_CHECKING:
    from oneformany.result.result import Result


@tell_errors
@with_setup
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
    max_changes: Annotated[
        int, typer.Option(help="How many features one explanation may change; at most all.")
    ] = 3,
    explanations: Annotated[
        int | None, typer.Option(min=1, help="Cover as many rows as possible with so many explanations.")
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(help="Cover at least this part of the rows, such as 0.9.")
    ] = None,
    people: People = None,
    setup: Setup,
    costs: Annotated[
        Path | None, typer.Option(metavar="TOML", help="What a change of each feature costs; 1 if not named.")
    ] = None,
    time_limit: TimeLimit = None,
    report: ReportFile = None,
    json_file: ResultFile = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Save what each row has to change.")
    ] = None,
    show: Show = 20,
    quiet: Quiet = False,
) -> None:
    """Explain the rows that a model turns down with as few explanations as possible, and prove it.

    Exit code 0: proved; 2: bad input; 3: something is open; 130: interrupted, the best is told and saved.
    """
    from oneformany.progress import Progress

    check_targets(report, json_file, csv_file)
    frame, counts = setup.frame_and_people(rows, people)
    explainer = setup.explainer(model, max_changes, None if costs is None else load_costs(costs))
    frame = as_fitted(frame, explainer.model)
    with nullcontext(None) if quiet else Progress(shown(rows.name)) as progress:
        result = explainer.explain(
            frame,
            explanations=explanations,
            coverage=coverage,
            time_limit=time_limit,
            progress=progress,
            people=counts,
        )
    result = _with_files(result, rows, model)
    tell_result(result, show, quiet=quiet)
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
