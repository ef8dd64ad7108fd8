"""A picture of several comparisons of subgroups in one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from oneformany.exceptions import InputError
from oneformany.plotting.canvas import PAPER_WIDTH, plain
from oneformany.plotting.subgroups import plot_subgroups

if TYPE_CHECKING:
    from oneformany.studies.audit import Audit

__all__ = ["save_picture"]

DRAWN = ("refused", "beyond_help", "mean_changes", "needs_rare")


def save_picture(audits: Sequence[Audit], path: Path) -> None:
    """Draw each measure of each comparison below the other.

    Parameters
    ----------
    audits : sequence of Audit
        What to draw.
    path : path
        Where to; its ending chooses the format.
    """
    parts = [(audit, measure) for audit in audits for measure in DRAWN]
    heights = [1.1 + 0.3 * (1 if len(audit.table) == 2 else len(audit.table)) for audit, _ in parts]
    figure = Figure(figsize=(PAPER_WIDTH, sum(heights)), layout="constrained")
    for ax, (audit, measure) in zip(
        figure.subplots(len(parts), 1, height_ratios=heights, squeeze=False).flat, parts, strict=True
    ):
        try:
            plot_subgroups(audit, ax, measure)
        except InputError as error:
            ax.set_axis_off()
            ax.set_title(plain(error, 90), fontsize=9, loc="left")
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"{path} cannot be drawn: {error}") from error
