"""What commands ask about rows, model and rules: the same words wherever they are asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from oneformany.anything import AnyValue
from oneformany.cli.model_file import as_fitted, load_model, positive_label
from oneformany.cli.rows_file import load_rows, people_in_column
from oneformany.cli.settings_files import load_schema
from oneformany.console import names
from oneformany.exceptions import InputError
from oneformany.result.labels import shown

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import IntArray
    from oneformany.explainer import OneForMany
    from oneformany.problem import Share
    from oneformany.schema.rules.combine import RowRule, Rule

Separator: TypeAlias = Annotated[
    str | None, typer.Option(help="Between the columns of a CSV file, if it is not found out rightly.")
]
Encoding: TypeAlias = Annotated[str | None, typer.Option(help="Of a CSV file, such as utf-8 or cp1252.")]
People: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column that says how many people each row stands for, if several."),
]
TimeLimit: TypeAlias = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Then the best so far is told.")
]
Show: TypeAlias = Annotated[int, typer.Option(min=0, help="How many explanations to spell out.")]
ResultFile: TypeAlias = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Save the result with its proof.")
]
JsonFile: TypeAlias = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Save what is printed as JSON, too.")
]
ReportFile: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="HTML", help="Save a page for the audit file.")
]
Picture: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Save a picture, by its name as PNG, PDF or SVG.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@dataclass(frozen=True)
class Setup:
    """What explain and frontier both ask; each field is an option."""

    share: Annotated[
        str, typer.Option(help="What the rows of one explanation share: point, action or features.")
    ] = "point"
    threshold: Annotated[
        float | None, typer.Option(help="Least probability of a positive row, unless as predict decides.")
    ] = None
    positive: Annotated[str | None, typer.Option(help="Label of the positive class; 1 if not named.")] = None
    rules: Annotated[
        Path | None, typer.Option(metavar="TOML", help="What may not change, or only in one direction.")
    ] = None
    immutable: Annotated[str, typer.Option(help="Features that cannot change, with commas.")] = ""
    only_increase: Annotated[str, typer.Option(help="Features that can only go up.")] = ""
    only_decrease: Annotated[str, typer.Option(help="Features that can only go down.")] = ""
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Cells of the features; see oneformany schema.")
    ] = None
    reference: Annotated[
        Path | None, typer.Option(metavar="ROWS", help="Data that values to change to are taken from.")
    ] = None
    index: Annotated[str | None, typer.Option(help="Column that names the rows.")] = None
    columns: Annotated[str, typer.Option(help="Use only these columns, in this order, with commas.")] = ""
    separator: Separator = None
    encoding: Encoding = None
    trust_model: Annotated[
        bool, typer.Option("--trust-model", help="Load a model file that can run code.")
    ] = False

    def frame(self, path: Path) -> pd.DataFrame:
        """Read the rows, and of their columns those that were asked for."""
        return self._chosen(load_rows(path, self.separator, self.encoding, self.index), path)

    def frame_and_people(self, path: Path, people: str | None) -> tuple[pd.DataFrame, IntArray | None]:
        """Read the rows, and how many people each stands for if a column says so: it is not a feature."""
        if people is None:
            return self.frame(path), None
        frame = load_rows(path, self.separator, self.encoding, self.index)
        counts = people_in_column(frame, people)
        return self._chosen(
            frame if people in names(self.columns) else frame.drop(columns=people), path
        ), counts

    def _chosen(self, frame: pd.DataFrame, path: Path) -> pd.DataFrame:
        wanted = names(self.columns)
        for name in wanted:
            if name not in frame.columns:
                known = ", ".join(shown(column) for column in frame.columns)
                raise InputError(f"--columns names {name!r}, which is not in {path}; it has {known}")
        return frame[wanted] if wanted else frame

    def explainer(self, model: Path, max_changes: int, costs: dict[str, Any] | None = None) -> OneForMany:
        """Load the model and all that is said about it."""
        from oneformany.explainer import OneForMany

        classifier = load_model(model, trust=self.trust_model)
        reference = None
        if self.reference is not None:
            reference = as_fitted(load_rows(self.reference, self.separator, self.encoding), classifier)
        return OneForMany(
            classifier,
            max_changes=max_changes,
            threshold=self.threshold,
            schema=None if self.schema is None else load_schema(self.schema),
            rules=list(self._rules()),
            share=cast("Share", self.share),
            reference=reference,
            positive=positive_label(classifier, self.positive),
            costs=costs,
        )

    def _rules(self) -> Iterator[Rule | RowRule]:
        """Those of a file, then those of the options."""
        from oneformany.schema.rules.combine import rules_from_toml
        from oneformany.schema.rules.moves import Immutable, OnlyDecrease, OnlyIncrease

        if self.rules is not None:
            yield from rules_from_toml(self.rules)
        yield from (Immutable(name) for name in names(self.immutable))
        yield from (OnlyIncrease(name) for name in names(self.only_increase))
        yield from (OnlyDecrease(name) for name in names(self.only_decrease))


def with_setup(command: Callable[..., None]) -> Callable[..., None]:
    """Show the fields of the setup as options of a command, which takes them as its ``setup``."""
    own, asked = (inspect.signature(of, eval_str=True) for of in (command, Setup))
    options = [part.replace(kind=part.KEYWORD_ONLY) for part in asked.parameters.values()]

    @wraps(command)
    def told(*args: AnyValue, **kwargs: AnyValue) -> None:
        setup = Setup(**{option.name: kwargs.pop(option.name) for option in options})
        command(*args, setup=setup, **kwargs)

    parts: list[inspect.Parameter] = []
    for part in own.parameters.values():
        parts += options if part.name == "setup" else [part]
    told.__annotations__ = {part.name: part.annotation for part in parts}
    told.__signature__ = own.replace(parameters=parts)  # type: ignore[attr-defined]
    return told
