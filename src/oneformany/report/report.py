"""From a result to one HTML file that needs nothing else."""

import json
import os
import shlex
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from oneformany.exceptions import InputError
from oneformany.files import write_whole
from oneformany.report import content
from oneformany.report.curve_part import curve_part
from oneformany.result import words
from oneformany.result.beyond import beyond_help_words, gap_filled_words
from oneformany.result.file import digest_of
from oneformany.result.labels import shown
from oneformany.result.result import Result
from oneformany.studies.audit import Audit
from oneformany.studies.how_many import Curve

PARTS = ("template.html", "style.css", "script.js")


def report_html(
    result: Result,
    title: str | None = None,
    audits: Sequence[Audit] = (),
    *,
    curve: Curve | None = None,
    file: str | None = None,
) -> str:
    """Make the page.

    Parameters
    ----------
    result : Result
        What to report; a result read from a file serves as well.
    title : str, optional
        Heading of the page.
    audits : sequence of Audit
        Comparisons of subgroups to include, see :func:`oneformany.audit`.
    curve : Curve, optional
        Answers for other numbers of explanations, to switch between; see :meth:`OneForMany.curve`.
    file : str, optional
        What the result file is called, for the command that checks it.

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
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    text = {name: (files("oneformany.report") / name).read_text(encoding="utf-8") for name in PARTS}
    columns, *lines = content.lines_of_rows(result)
    data = json.dumps({"columns": columns, "lines": lines}, separators=(",", ":"))
    for sign in "<>&":  # none of these can end the script element or start another
        data = data.replace(sign, f"\\u{ord(sign):04x}")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters |= {"shown": shown, "thousands": "{:,}".format}
    # Style, script and data are this package's own text; everything of the user's is escaped by the template.
    own = {"style": text["style.css"], "script": text["script.js"], "data": data}
    return environment.from_string(text["template.html"]).render(
        {name: Markup(part) for name, part in own.items()},  # noqa: S704
        result=result,
        labels=result.labels,
        problem=result.problem,
        model=result.problem.get("model", {}),
        title=shown(title or "Who was refused, and what would change that"),
        words=words,
        digest=digest_of(result),
        note=words.apart_words(result, None),  # readers of the page run nothing
        cards=list(content.cards(result)),
        changed=content.changed_features(result),
        charts=list(content.charts(result)),
        without=content.without_explanation(result),
        audits=[content.audit_part(audit) for audit in audits],
        curve=None if curve is None else curve_part(curve),
        columns=content.columns(result),
        beyond=beyond_help_words(result) if result.unreachable else "",
        filled=gap_filled_words(result),
        file=shown(Path(file).name) if file else "result.json",
        command=shown(shlex.quote(Path(file).name)) if file else "result.json",
    )


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    title: str | None = None,
    audits: Sequence[Audit] = (),
    *,
    curve: Curve | None = None,
    file: str | None = None,
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
    curve, file
        As in :func:`report_html`.

    Examples
    --------
    >>> import oneformany as ofm
    >>> from tempfile import TemporaryDirectory
    >>> oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    >>> result = ofm.solve(ofm.Problem([[0, 0]], (2, 2), oracle, max_changes=1))
    >>> with TemporaryDirectory() as folder:
    ...     write_report(result, folder + "/report.html")
    """
    write_whole(path, report_html(result, title, audits, curve=curve, file=file))
