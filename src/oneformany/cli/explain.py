"""From rows and a saved model, both files: ``oneformany schema``, ``explain`` and ``frontier``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Argument, Option

import oneformany as ofm
from oneformany import files
from oneformany.cli import options, saving
from oneformany.cli.demo import german_models
from oneformany.cli.model_file import as_fitted
from oneformany.cli.rows_file import load_rows
from oneformany.console import say
from oneformany.exceptions import InputError
from oneformany.result.labels import shown
from oneformany.stop import Stop

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.problem import Share
    from oneformany.studies import Frontier

MOST_LEVELS = 100  # texts of a column that somebody reads through
HEAD = """\
# The features of the rows, as `oneformany explain --schema` reads them. Edit freely:
# - delete the features that the model does not read;
# - ordered = true lets rules such as only_increase speak of the feature;
# - edges cut numbers into cells, each up to and including its edge; there is one level more than edges;
# - unit is shown behind the values, such as "DM" or "months".
"""


def explain(
    rows: options.Rows,
    model: Annotated[
        Path,
        Argument(
            metavar="MODEL",
            help="A fitted model: skops, ONNX, XGBoost (.ubj, .json), LightGBM (.txt); with --trust-model "
            "also joblib or pickle.",
        ),
    ],
    *,
    max_changes: options.MaxChanges = 3,
    explanations: Annotated[
        int | None, Option(min=1, help="Cover as many rows as possible with so many explanations.")
    ] = None,
    coverage: Annotated[float | None, Option(help="Cover at least this part of rows, such as 0.9.")] = None,
    people: options.People = None,
    setup: options.Setup,
    costs: Annotated[
        Path | None,
        Option(
            metavar="TOML",
            help="What a change costs; 1 if not named. Or how far it goes: percentile, log-percentile, "
            "steps or range.",
        ),
    ] = None,
    slack: Annotated[
        float | None,
        Option(min=0, help="Ask nobody for more than so much beyond what the row would cost alone."),
    ] = None,
    time_limit: options.TimeLimit = None,
    curve: Annotated[
        int | None,
        Option(min=1, help="Answer for 1 to so many explanations; go on with where that bends."),
    ] = None,
    report: options.ReportFile = None,
    title: options.Title = None,
    json_file: options.ResultFile = None,
    csv_file: Annotated[Path | None, Option("--csv", metavar="FILE", help="Save each row's changes.")] = None,
    show: options.Show = 20,
    quiet: options.Quiet = False,
) -> None:
    """Explain the rows that a model turns down with as few explanations as possible, and prove it.

    Exit code 0: proved; 2: bad input; 3: something is open; 130: interrupted, the best is told and saved.
    """
    files.check_targets((rows, model, costs, *setup.files), report, json_file, csv_file)
    if curve is not None and coverage is not None:
        raise InputError("give curve= or coverage=: a curve asks for the most people")
    frame, counts = setup.read(rows, people)
    explainer = replace(setup.explainer(model, max_changes, costs), slack=slack)
    stop = Stop()
    with stop.on_interrupt():  # what is found is told and saved
        with nullcontext(None) if quiet else ofm.Progress(shown(rows.name)) as progress:
            asked = as_fitted(frame, explainer.model)
            limits: dict[str, Any] = {"time_limit": time_limit, "progress": progress, "people": counts}
            limits["record"] = {  # so that an auditor can find the files again
                "file": model.name,
                "file_digest": _digest(model),
                "rows_file": rows.name,
                "rows_digest": _digest(rows),
            }
            found = None if curve is None else explainer.curve(asked, curve, **limits)
            if found is None:
                result = explainer.explain(asked, explanations, coverage, **limits)
            else:
                result = found.result(explanations or found.elbow)
        named = None if json_file is None else str(json_file)
        try:
            if not quiet:
                if found is not None:
                    saving.tell_table(
                        found.frame().replace({"proved": {True: "yes", False: "no"}}), decimals=1
                    )
                    say(f"{found.summary()}\n")
                saving.tell_result(result, max_changes, show)
        finally:  # also where nobody listens any more
            saving.save_all(
                {
                    json_file: result.to_json,
                    csv_file: partial(_save_csv, result, asked),
                    report: partial(result.report, title=title, curve=found, file=named),
                },
                printed=not quiet,
            )
    saving.end(interrupted=stop.interrupted, proved=result.ended == "proved")


def _digest(path: Path) -> str | None:
    if not path.is_file():  # but a pipe, which cannot be read again
        return None
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


def _save_csv(result: ofm.Result, frame: pd.DataFrame, path: Path) -> None:
    lines = result.assignment_frame(before=frame)
    names = [str(name or "row") for name in lines.index.names]
    files.write_whole(path, lines.to_csv(index_label=names, lineterminator="\n"))


def schema(
    rows: options.Rows,
    *,
    out: Annotated[Path | None, Option("--out", "-o", metavar="TOML", help="Where to; else printed.")] = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
) -> None:
    """Write the features of the rows, their levels and cells: a file to edit and pass to explain --schema."""
    files.check_targets([rows], out)
    made = ofm.infer_schema(load_rows(rows, separator, encoding))
    parts = (_left_out(feature) or _table(feature.to_dict()) for feature in made.features)
    text = "\n\n".join([HEAD.rstrip(), *parts])
    if out is None:
        say(text)
    saving.save_all({out: lambda path: files.write_whole(path, f"{text}\n")}, printed=False)


def _left_out(feature: ofm.Feature) -> str | None:
    """Leave out a column of names, such as those of customers, or of dates: nobody would edit its levels."""
    if feature.edges is not None or feature.numbers is not None or feature.n_levels <= MOST_LEVELS:
        return None
    return (
        f"# {shown(feature.name)} is left out, as it has {feature.n_levels:,} different texts. If they are "
        "names or dates,\n# name the column with --index or --immutable; else write its levels here, or "
        "groups of them."
    )


def _table(feature: Mapping[str, Any]) -> str:
    """A feature in TOML, which writes texts, numbers, truth values and lists nearly as JSON does."""
    lines = ["[[features]]"]
    for name, value in feature.items():
        if value not in (None, "", False) or name == "ordered":
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines.append(f"{name} = {text}")
    return "\n".join(lines)


def frontier(
    rows: Annotated[Path | None, Argument(metavar="ROWS", help="As with explain; or german credit.")] = None,
    model: Annotated[Path | None, Argument(metavar="MODEL", help="As with explain.")] = None,
    *,
    max_changes: Annotated[
        int | None, Option(min=1, help="Explanations for 1 to so many changes; 3, or 20 of german credit.")
    ] = None,
    explanations: Annotated[
        int | None, Option(min=1, help="Instead: rows covered by 1 to so many explanations of --max-changes.")
    ] = None,
    setup: options.Setup,
    time_limit: options.TimeLimit = None,
    json_file: options.JsonFile = None,
    plot: options.Picture = None,
    quiet: options.Quiet = False,
) -> None:
    """Tell how few explanations do for 1, 2, ... changes, or how many rows 1, 2, ... explanations cover.

    Each point has its proved bound, each curve its time limit. Exit code 0: all is proved; 3: some is open.
    """
    files.check_targets((rows, model, *setup.files), json_file, picture=plot)
    largest = max_changes or (3 if rows is not None or explanations else 20)
    asked: Iterable[tuple[str, ofm.OneForMany, pd.DataFrame]]
    if rows is None and setup != options.Setup(share=setup.share):
        raise InputError("rules, columns and the like are for ROWS and MODEL: give both")
    if rows is None:
        asked = german_models(largest, cast("Share", setup.share))
    elif model is None:
        raise InputError(f"{rows} is given without a model; give both, or neither for german credit")
    else:
        explainer = setup.explainer(model, largest)
        asked = [(shown(rows.name), explainer, as_fitted(setup.read(rows)[0], explainer.model))]
    curves: dict[str, Frontier] = {}
    told: list[dict[str, object]] = []
    stop = Stop()
    with stop.on_interrupt():  # what is found is told and saved
        for title, explainer, frame in asked:
            begin = perf_counter()
            with nullcontext(None) if quiet else ofm.Progress(title) as progress:
                curves[title] = curve = ofm.frontier_of_frame(
                    explainer, frame, explanations=explanations, time_limit=time_limit, progress=progress
                )
            lines, people = (
                curve.frame().assign(proved=[point.proved for point in curve.points]),
                curve.people,
            )
            points = saving.plain_lines(lines)
            told.append({"title": title, "over": curve.over, "people": people, "points": points})
            if not quiet:
                say(f"{title}: {curve.results[0].labels.counted(people)}")
                saving.tell_table(lines.replace({"proved": {True: "yes", False: "no"}}), decimals=1)
                say(f"{perf_counter() - begin:.1f} s\n")
                features = len(curve.results[0].problem["levels"])
                saving.tell_changes(largest, features)
                if explanations is None and largest < features:
                    say(f"There are {features} features; --max-changes {features} asks about all.\n")
            if stop.interrupted:
                break
        savers = {json_file: partial(files.write_json, told), plot: partial(_draw, curves)}
        saving.save_all(savers, printed=not quiet)
    proved = all(point.proved for curve in curves.values() for point in curve.points)
    saving.end(interrupted=stop.interrupted, proved=proved)


def _draw(curves: dict[str, Frontier], path: Path) -> None:
    from matplotlib.figure import Figure

    from oneformany.plotting.canvas import PAPER_WIDTH, plain

    figure = Figure(figsize=(PAPER_WIDTH * max(1.0, 0.65 * len(curves)), 3), layout="constrained")
    panels = figure.subplots(1, len(curves), sharey=True, squeeze=False).flat
    tops: list[float] = []
    for ax, (title, curve) in zip(panels, curves.items(), strict=True):
        curve.plot(ax).set_title(plain(title, 60), fontsize=9, pad=28)
        tops.append(ax.get_ylim()[1])
    panels[0].set_ylim(0, max(tops))
    files.write_picture(figure, path, dpi=150)
