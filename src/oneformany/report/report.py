"""From a result to one HTML file that needs nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from oneformany.exceptions import InputError
from oneformany.files import write_whole
from oneformany.report.content import page_of
from oneformany.report.page import Page

if TYPE_CHECKING:
    from oneformany.result.result import Result
    from oneformany.studies.audit import Audit

BADGES = {"proved": "proved", "open": "not closed", "impossible": "impossible, proved"}


def report_html(result: Result, title: str | None = None, audits: Sequence[Audit] = ()) -> str:
    """Make the page.

    Parameters
    ----------
    result : Result
        What to report; a result read from a file serves as well.
    title : str, optional
        Heading of the page.
    audits : sequence of Audit
        Comparisons of subgroups to include, see :func:`oneformany.audit`.

    Returns
    -------
    str
        HTML that loads nothing from elsewhere.

    Examples
    --------
    >>> import oneformany as ofm
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> report_html(result).startswith("<!doctype html>")
    True
    """
    if not isinstance(audits, Sequence):
        raise InputError(f"audits must be a list of audits, not {type(audits).__name__}; write audits=[...]")
    return _render(page_of(result, title, audits))


def write_report(
    result: Result, path: str | os.PathLike[str], title: str | None = None, audits: Sequence[Audit] = ()
) -> None:
    """Write the page to a file, in one step: no reader ever sees half of it.

    Parameters
    ----------
    result : Result
        What to report.
    path : path
        Where to.
    title : str, optional
        Heading of the page.
    audits : sequence of Audit
        Comparisons of subgroups to include.

    Examples
    --------
    >>> import oneformany as ofm
    >>> from tempfile import TemporaryDirectory
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> with TemporaryDirectory() as folder:
    ...     write_report(result, folder + "/report.html")
    """
    write_whole(path, report_html(result, title, audits))


def _render(page: Page) -> str:
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    here = files("oneformany.report")
    # Style and script are this package's own text; everything of the user's is escaped by the template.
    own = {name: Markup((here / name).read_text(encoding="utf-8")) for name in ("style.css", "script.js")}  # noqa: S704
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        (here / "template.html").read_text(encoding="utf-8")
    )
    table = {"columns": page.assignment.columns, "lines": page.assignment.lines}
    return template.render(
        page=page,
        badge=BADGES[page.verdict],
        style=own["style.css"],
        script=own["script.js"],
        data=Markup(_inside_script(table)),  # noqa: S704 (escaped for the place it stands in)
    )


def _inside_script(value: object) -> str:
    """JSON in which nothing can end the script element or start another."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
