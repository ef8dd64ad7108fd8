"""All letters of an answer, and how they are written down: texts, a page to print, a table, JSON."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from oneformany.anything import AnyFrame
from oneformany.exceptions import InputError
from oneformany.files import write_json, write_whole
from oneformany.letters.letter import Letter, letters_of
from oneformany.result.following import check_unchanged, explained_rows, schema_of
from oneformany.result.result import Result
from oneformany.schema.frames import Table
from oneformany.stop import Stop
from oneformany.studies.reason_codes import reason_codes
from oneformany.studies.reasons import MOST_REASONS, principal_reasons

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

    from oneformany.explainer.explainer import OneForMany

NOT_IN_NAMES = re.compile(r"[^\w.-]+")
LONGEST_NAME = 60  # letters of a label that the name of a file takes over


@dataclass(frozen=True, eq=False)
class Letters(Sequence[Letter]):
    r"""One letter per refused person, in the order of the rows.

    Attributes
    ----------
    letters : tuple of Letter
        What each of them says.
    template : str
        The template of the texts, in the language of jinja2; a letter is its ``letter``.

    Examples
    --------
    >>> letter = Letter("7", "undecided", (), (), None, 0, 2)
    >>> Letters((letter,), "To number {{ letter.row }}").text(0)
    'To number 7\n'
    """

    letters: tuple[Letter, ...]
    template: str

    @overload
    def __getitem__(self, index: int) -> Letter: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Letter]: ...
    def __getitem__(self, index: int | slice) -> Letter | Sequence[Letter]:
        """Give one letter, or some."""
        return self.letters[index]

    def __len__(self) -> int:
        return len(self.letters)

    def __repr__(self) -> str:
        return f"Letters({len(self)})"

    def text(self, index: int) -> str:
        """Write one letter as plain text."""
        return self._texts[index]

    def html(self) -> str:
        """Write all letters as one page that needs no network; each is printed on a sheet of its own."""
        page = (files("oneformany.letters") / "letters.html").read_text(encoding="utf-8")
        texts = [_paragraphs(text) for text in self._texts]
        return _environment(autoescape=True).from_string(page).render(letters=self.letters, texts=texts)

    def to_frame(self) -> pd.DataFrame:
        """One line per person: what became of it, reasons and advice in words, and the text of the letter."""
        lines = (
            {
                "row": letter.row,
                "outcome": letter.outcome,
                "explanation": letter.explanation,
                "others": letter.others,
                "reasons": "; ".join(reason.text for reason in letter.reasons),
                "codes": "; ".join(reason.code for reason in letter.reasons if reason.code),
                "advice": "; ".join(f"{one.feature}: {one.before} -> {one.after}" for one in letter.advice),
                "letter": text,
            }
            for letter, text in zip(self.letters, self._texts, strict=True)
        )
        return pd.DataFrame(lines).astype({"explanation": "Int64"})

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write ``letters.html``, ``letters.csv``, ``letters.json``, and a text per person, into a folder.

        Parameters
        ----------
        folder : path
            Is made if it is not there.
        """
        target = Path(folder)
        texts = target / "texts"
        texts.mkdir(parents=True, exist_ok=True)
        width = len(str(len(self)))
        for number, (letter, text) in enumerate(zip(self.letters, self._texts, strict=True), start=1):
            name = NOT_IN_NAMES.sub("-", letter.row)[:LONGEST_NAME].strip("-.")
            (texts / f"{number:0{width}}-{name}.txt").write_text(text, encoding="utf-8")
        table = self.to_frame().to_csv(index=False)
        write_whole(target / "letters.csv", table)
        write_json([letter.to_dict() for letter in self.letters], target / "letters.json")
        write_whole(target / "letters.html", self.html())

    @cached_property
    def _texts(self) -> list[str]:
        from jinja2 import TemplateError

        try:
            written = _environment(autoescape=False).from_string(self.template)
            return [written.render(letter=letter).strip() + "\n" for letter in self.letters]
        except TemplateError as error:
            raise InputError(
                f"the template of the letters cannot be used: {error}; begin with the one of the package, "
                "oneformany.letters.TEMPLATE"
            ) from error


def write_letters(
    result: Result,
    frame: AnyFrame,
    model: "OneForMany | None" = None,
    *,
    template: str | os.PathLike[str] | None = None,
    codes: Mapping[str, Any] | str | Path | None = None,
    time_limit: float | None = None,
) -> Letters:
    """Write a letter to every refused person: the reasons of the decision, and what would have changed it.

    See :meth:`oneformany.Result.letters`.

    Examples
    --------
    >>> import oneformany as ofm, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> frame = pd.DataFrame({"income": [1, 1, 2, 2], "savings": [1, 2, 1, 2]}, index=list("abcd"))
    >>> explainer = ofm.OneForMany(DecisionTreeClassifier().fit(frame, [0, 0, 0, 1]), max_changes=2)
    >>> letters = explainer.explain(frame).letters(frame)
    >>> letters.to_frame().loc[2, ["row", "advice"]].tolist()
    ['c', 'savings: 1 -> 2']
    """
    table, listed = Table.of(frame), reason_codes(codes)
    rows = explained_rows(result, len(table.frame), "explain these rows first")
    check_unchanged(schema_of(result), table, rows, result.codes, "pass that frame")
    stop = Stop(time_limit)
    reasons = principal_reasons(result, table, model, listed, most=MOST_REASONS, stop=stop)
    return Letters(tuple(letters_of(result, table.frame, rows, reasons, listed)), _template(template))


def _template(given: str | os.PathLike[str] | None) -> str:
    """Read a template, or take it as it is."""
    if given is None:
        return TEMPLATE
    if isinstance(given, str) and ("{{" in given or "{%" in given or "\n" in given):
        return given
    try:
        return Path(given).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the template {given} cannot be read: {error}") from error


def _environment(*, autoescape: bool) -> "SandboxedEnvironment":
    """Templates are sandboxed: one that came with a file from elsewhere runs nothing."""
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        autoescape=autoescape, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def _paragraphs(text: str) -> list[list[str]]:
    """Take a letter apart into paragraphs of lines."""
    return [part.split("\n") for part in re.split(r"\n\s*\n", text.strip())]


def _own_template() -> str:
    return (files("oneformany.letters") / "letter.txt").read_text(encoding="utf-8")


TEMPLATE = _own_template()
