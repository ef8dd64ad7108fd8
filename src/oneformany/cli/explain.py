"""``oneformany explain``: rows and a saved model from files, explanations with proof; and ``schema``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import oneformany as ofm
from oneformany import files
from oneformany.cli.model_file import as_fitted
from oneformany.cli.options import Encoding, People, Quiet, ReportFile, ResultFile, Separator, Setup, Show
from oneformany.cli.rows_file import load_rows
from oneformany.cli.saving import check_targets, end, save_all, tell_result
from oneformany.console import names
from oneformany.result.labels import shown

HEAD = """\
# The features of the rows, as `oneformany explain --schema` reads them. Edit freely:
# - delete the features that the model does not read;
# - ordered = true lets rules such as only_increase speak of the feature;
# - edges cut numbers into cells, each up to and including its edge; there is one level more than edges;
# - unit is shown behind the values, such as "DM" or "months".
"""
ORDER = ("name", "levels", "ordered", "edges", "numbers", "unit", "groups", "special", "missing", "unseen")


def explain(
    rows: Annotated[
        Path, Argument(metavar="ROWS", help="CSV, Parquet or JSON lines; one column per feature.")
    ],
    model: Annotated[
        Path,
        Argument(
            metavar="MODEL",
            help="A fitted model: skops, ONNX, XGBoost (.ubj, .json), LightGBM (.txt); with --trust-model "
            "also joblib or pickle.",
        ),
    ],
    *,
    max_changes: Annotated[
        int, Option(help="How many features one explanation may change; at most all.")
    ] = 3,
    explanations: Annotated[
        int | None, Option(min=1, help="Cover as many rows as possible with so many explanations.")
    ] = None,
    coverage: Annotated[
        float | None, Option(help="Cover at least this part of the rows, such as 0.9.")
    ] = None,
    people: People = None,
    setup: Setup,
    costs: Annotated[
        Path | None, Option(metavar="TOML", help="What a change of each feature costs; 1 if not named.")
    ] = None,
    time_limit: Annotated[
        float | None, Option(metavar="SECONDS", help="Then the best so far is told.")
    ] = None,
    report: ReportFile = None,
    json_file: ResultFile = None,
    csv_file: Annotated[
        Path | None, Option("--csv", metavar="FILE", help="Save what each row has to change.")
    ] = None,
    show: Show = 20,
    quiet: Quiet = False,
) -> None:
    """Explain the rows that a model turns down with as few explanations as possible, and prove it.

    Exit code 0: proved; 2: bad input; 3: something is open; 130: interrupted, the best is told and saved.
    """
    check_targets(report, json_file, csv_file)
    frame, counts = setup.read(rows, people)
    explainer = setup.explainer(model, max_changes, costs)
    with nullcontext(None) if quiet else ofm.Progress(shown(rows.name)) as progress:
        result = explainer.explain(
            as_fitted(frame, explainer.model),
            explanations=explanations,
            coverage=coverage,
            time_limit=time_limit,
            progress=progress,
            people=counts,
        )
    record = {  # so that an auditor can find the files again
        **result.problem.get("model", {}),
        "file": model.name,
        "file_digest": _digest(model),
        "rows_file": rows.name,
        "rows_digest": _digest(rows),
    }
    result = replace(result, problem={**result.problem, "model": record})
    tell_result(result, show, quiet=quiet)
    save_all(
        {json_file: result.to_json, csv_file: lambda path: _save_csv(result, path), report: result.report}
    )
    end(interrupted=result.ended == "interrupted", proved=result.status != "feasible")


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _save_csv(result: ofm.Result, path: Path) -> None:
    lines = result.assignment_frame()
    files.write_whole(path, lines.to_csv(index_label=str(lines.index.name or "row"), lineterminator="\n"))


def schema(
    rows: Annotated[Path, Argument(metavar="ROWS", help="CSV, Parquet or JSON lines.")],
    *,
    out: Annotated[
        Path | None,
        Option("--out", "-o", metavar="FILE", help="Where to, TOML or JSON by its name; else printed."),
    ] = None,
    columns: Annotated[str, Option(help="Only these columns, with commas; else all.")] = "",
    bins: Annotated[int, Option(min=2, help="How many cells numbers are cut into.")] = 4,
    separator: Separator = None,
    encoding: Encoding = None,
) -> None:
    """Write the features of the rows, their levels and cells: a file to edit and pass to explain --schema."""
    check_targets(out)
    made = ofm.infer_schema(load_rows(rows, separator, encoding), columns=names(columns) or None, bins=bins)
    if out is not None and out.suffix.lower() == ".json":
        text = json.dumps(made.to_dict(), indent=1)
    else:
        text = "\n\n".join([HEAD.rstrip(), *(_table(feature.to_dict()) for feature in made.features)])
    if out is None:
        typer.echo(text)
    save_all({out: lambda path: files.write_whole(path, f"{text}\n")})


def _table(feature: Mapping[str, Any]) -> str:
    """A feature in TOML, which writes texts, numbers, truth values and lists nearly as JSON does."""
    lines = ["[[features]]"]
    for name in ORDER:
        if feature.get(name) not in (None, "", False) or name == "ordered":
            value = json.dumps(feature[name], ensure_ascii=False).replace("\x7f", "\\u007f")
            lines.append(f"{name} = {value}")
    return "\n".join(lines)
