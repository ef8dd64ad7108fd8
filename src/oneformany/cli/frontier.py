"""``oneformany frontier``: a whole curve with bounds, of rows and a model, or of german credit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

import oneformany as ofm
from oneformany.cli.demo import refused_by
from oneformany.cli.model_file import as_fitted
from oneformany.cli.options import JsonFile, Picture, Quiet, Setup
from oneformany.cli.saving import (
    check_targets,
    end,
    plain_lines,
    save_all,
    save_figure,
    save_json,
    say,
    tell_table,
)  # fmt: skip
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.problem import Share

CHANGES = 3
MOST_CHANGES_OF_GERMAN = 20


def frontier(
    rows: Annotated[
        Path | None, Argument(metavar="ROWS", help="As with explain. Without rows and model: german credit.")
    ] = None,
    model: Annotated[Path | None, Argument(metavar="MODEL", help="As with explain.")] = None,
    *,
    max_changes: Annotated[
        int | None, Option(min=1, help="Explanations for 1 to so many changes; 3, or 20 of german credit.")
    ] = None,
    explanations: Annotated[
        int | None, Option(min=1, help="Instead: rows covered by 1 to so many explanations of --max-changes.")
    ] = None,
    applicants: Annotated[int, Option(min=1, help="Of german credit: how many refused ones.")] = 100,
    setup: Setup,
    time_limit: Annotated[
        float | None, Option(metavar="SECONDS", help="For each curve; then the best is told.")
    ] = None,
    json_file: JsonFile = None,
    plot: Picture = None,
    quiet: Quiet = False,
) -> None:
    """Tell how few explanations do for 1, 2, ... changes, or how many rows 1, 2, ... explanations cover.

    Each point comes with its proved bound. Exit code 0: all points are proved; 3: some are open.
    """
    check_targets(json_file, plot)
    largest = max_changes or (CHANGES if rows is not None or explanations else MOST_CHANGES_OF_GERMAN)
    asked: Iterable[tuple[str, ofm.OneForMany, pd.DataFrame]]
    if rows is None:
        asked = _german(largest, applicants, cast("Share", setup.share))
    elif model is None:
        raise InputError(f"{rows} is given without a model; give both, or neither for german credit")
    else:
        explainer = setup.explainer(model, largest)
        asked = [(shown(rows.name), explainer, as_fitted(setup.read(rows)[0], explainer.model))]
    curves: dict[str, ofm.Frontier] = {}
    for title, explainer, frame in asked:
        begin = perf_counter()
        with nullcontext(None) if quiet else ofm.Progress(title) as progress:
            curves[title] = ofm.frontier_of_frame(
                explainer, frame, explanations=explanations, time_limit=time_limit, progress=progress
            )
        if not quiet:
            _show(title, curves[title], perf_counter() - begin)
    told = [
        {"title": title, "over": curve.over, "people": curve.people, "points": plain_lines(_lines(curve))}
        for title, curve in curves.items()
    ]
    save_all({json_file: lambda path: save_json(told, path), plot: lambda path: _draw(curves, path)})
    end(
        interrupted=any(found.ended == "interrupted" for curve in curves.values() for found in curve.results),
        proved=all(point.proved for curve in curves.values() for point in curve.points),
    )


def _german(
    max_changes: int, applicants: int, share: Share
) -> Iterator[tuple[str, ofm.OneForMany, pd.DataFrame]]:
    """A logistic regression and a network on the embedded data, and the first applicants each refuses."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    data = ofm.datasets.load("german")
    for name, classifier in {
        "logistic regression": LogisticRegression(solver="liblinear", C=10, random_state=0),
        "network": MLPClassifier((20, 20), alpha=1.0, max_iter=100, random_state=0),
    }.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # so many epochs, no more
            refused, _ = refused_by(classifier, data)
        if applicants > len(refused):
            raise InputError(f"--applicants is {applicants}; the {name} refuses {len(refused)}")
        explainer = ofm.OneForMany(classifier, max_changes, schema=data.schema, share=share)
        yield f"german credit, {name}", explainer, data.frame.iloc[refused[:applicants]]


def _lines(curve: ofm.Frontier) -> pd.DataFrame:
    return curve.frame().assign(proved=[point.proved for point in curve.points])


def _show(title: str, curve: ofm.Frontier, seconds: float) -> None:
    from oneformany.result.sizes import noun

    lines = _lines(curve)
    say(f"{title}: {curve.people:,} {noun(curve.results[0], curve.people)}")
    tell_table(lines.assign(proved=lines["proved"].map({True: "yes", False: "no"})), decimals=1)
    say(f"{seconds:.1f} s\n")


def _draw(curves: dict[str, ofm.Frontier], path: Path) -> None:
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
