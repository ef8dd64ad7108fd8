"""``oneformany frontier``: a whole curve with bounds, of rows and a model, or of german credit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, cast

import typer

from oneformany.cli.demo import refused_by
from oneformany.cli.model_file import as_fitted
from oneformany.cli.options import JsonFile, Picture, Quiet, Setup, with_setup
from oneformany.cli.saving import check_targets, save_all, save_figure, save_json, say, tell_table
from oneformany.console import INTERRUPTED, NOT_PROVED, tell_errors
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.explainer import OneForMany
    from oneformany.problem import Share
    from oneformany.studies.frontier import Frontier

CHANGES = 3
MOST_CHANGES_OF_GERMAN = 20


@tell_errors
@with_setup
def frontier(
    rows: Annotated[
        Path | None,
        typer.Argument(metavar="ROWS", help="As with explain. Without rows and model: german credit."),
    ] = None,
    model: Annotated[Path | None, typer.Argument(metavar="MODEL", help="As with explain.")] = None,
    *,
    max_changes: Annotated[
        int | None,
        typer.Option(min=1, help="Explanations for 1 to so many changes; 3, or 20 of german credit."),
    ] = None,
    explanations: Annotated[
        int | None,
        typer.Option(min=1, help="Instead: rows covered by 1 to so many explanations of --max-changes."),
    ] = None,
    applicants: Annotated[int, typer.Option(min=1, help="Of german credit: how many refused ones.")] = 100,
    setup: Setup,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each curve; then the best is told.")
    ] = None,
    json_file: JsonFile = None,
    plot: Picture = None,
    quiet: Quiet = False,
) -> None:
    """Tell how few explanations do for 1, 2, ... changes, or how many rows 1, 2, ... explanations cover.

    Each point comes with its proved bound. Exit code 0: all points are proved; 3: some are open.
    """
    from oneformany.progress import Progress
    from oneformany.studies.frontier import frontier_of_frame

    check_targets(json_file, plot)
    largest = max_changes or (CHANGES if rows is not None or explanations else MOST_CHANGES_OF_GERMAN)
    if rows is None:
        asked = _german(largest, applicants, cast("Share", setup.share))
    elif model is None:
        raise InputError(f"{rows} is given without a model; give both, or neither for german credit")
    else:
        explainer = setup.explainer(model, largest)
        frame = as_fitted(setup.frame(rows), explainer.model)
        asked = iter([(shown(rows.name), explainer, frame)])
    curves: dict[str, Frontier] = {}
    for title, explainer, frame in asked:
        begin = perf_counter()
        with nullcontext(None) if quiet else Progress(title) as progress:
            curves[title] = frontier_of_frame(
                explainer,
                frame,
                explanations=explanations,
                time_limit=time_limit,
                progress=progress,
            )
        if not quiet:
            _show(title, curves[title], perf_counter() - begin)
    save_all({json_file: lambda path: _save_json(curves, path), plot: lambda path: _save_plot(curves, path)})
    if any(result.ended == "interrupted" for curve in curves.values() for result in curve.results):
        raise typer.Exit(INTERRUPTED)
    if not all(point.proved for curve in curves.values() for point in curve.points):
        raise typer.Exit(NOT_PROVED)


def _german(
    max_changes: int, applicants: int, share: Share
) -> Iterator[tuple[str, OneForMany, pd.DataFrame]]:
    """A logistic regression and a network on the embedded data, and the first applicants each refuses."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    from oneformany.datasets import load
    from oneformany.explainer import OneForMany

    data = load("german")
    for name, classifier in {
        "logistic regression": LogisticRegression(solver="liblinear", C=10, random_state=0),
        "network": MLPClassifier((20, 20), alpha=1.0, max_iter=100, random_state=0),
    }.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs, no more
            refused, _ = refused_by(classifier, data)
        if applicants > len(refused):
            raise InputError(f"--applicants is {applicants}; the {name} refuses {len(refused)}")
        explainer = OneForMany(classifier, max_changes, schema=data.schema, share=share)
        yield f"german credit, {name}", explainer, data.frame.iloc[refused[:applicants]]


def _show(title: str, curve: Frontier, seconds: float) -> None:
    lines = curve.frame()
    say(f"{title}: {curve.results[0].labels.counted(curve.people)}")
    tell_table(
        (*lines.columns, "proved"),
        (
            (
                *(f"{v:.1f}" if isinstance(v, float) else f"{v:,}" for v in line),
                "yes" if point.proved else "no",
            )
            for line, point in zip(lines.itertuples(index=False), curve.points, strict=True)
        ),
    )
    say(f"{seconds:.1f} s\n")


def _save_json(curves: dict[str, Frontier], path: Path) -> None:
    import json

    told = []
    for title, curve in curves.items():
        lines = curve.frame().assign(proved=[point.proved for point in curve.points])
        points = json.loads(lines.to_json(orient="records"))
        told.append({"title": title, "over": curve.over, "people": curve.people, "points": points})
    save_json(told, path)


def _save_plot(curves: dict[str, Frontier], path: Path) -> None:
    from matplotlib.figure import Figure

    from oneformany.plotting.canvas import PAPER_WIDTH, plain

    figure = Figure(figsize=(PAPER_WIDTH * max(1.0, 0.65 * len(curves)), 3), layout="constrained")
    panels = figure.subplots(1, len(curves), sharey=True, squeeze=False).flat
    tops: list[float] = []
    for ax, (title, curve) in zip(panels, curves.items(), strict=True):
        curve.plot(ax).set_title(plain(title, 60), fontsize=9, pad=28)
        tops.append(ax.get_ylim()[1])
    panels[0].set_ylim(0, max(tops))
    save_figure(figure, path)
