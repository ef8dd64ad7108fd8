"""What commands ask about rows, model and rules: the same words wherever they are asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Argument, Option

import oneformany as ofm
from oneformany.cli.model_file import as_fitted, load_model, positive_label
from oneformany.cli.rows_file import check_columns, load_rows, people_in_column
from oneformany.console import names
from oneformany.exceptions import InputError
from oneformany.files import read_by_hand

if TYPE_CHECKING:
    import pandas as pd

    from oneformany.arrays import IntArray
    from oneformany.problem import Share

Rows = Annotated[Path, Argument(metavar="ROWS", help="CSV, Parquet or JSON lines; a column per feature.")]
Separator = Annotated[str | None, Option(help="Between columns of a CSV file; found out if not named.")]
Encoding = Annotated[str | None, Option(help="Of a CSV file, such as utf-8 or cp1252.")]
People = Annotated[str | None, Option(metavar="COLUMN", help="It says how many people each row stands for.")]
MaxChanges = Annotated[int, Option(help="How many features one explanation may change.")]
TimeLimit = Annotated[float | None, Option(metavar="SECONDS", help="Then the best so far is told.")]
Show = Annotated[int, Option(min=0, help="How many explanations to spell out.")]
ResultFile = Annotated[Path | None, Option("--json", metavar="FILE", help="Save the result with its proof.")]
JsonFile = Annotated[Path | None, Option("--json", metavar="FILE", help="Save what is printed as JSON, too.")]
ReportFile = Annotated[Path | None, Option(metavar="HTML", help="Save a page for the audit file.")]
Title = Annotated[str | None, Option(help="Heading of that page.")]
Picture = Annotated[Path | None, Option(metavar="FILE", help="Save a picture: PNG, PDF or SVG by its name.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing but errors.")]


@dataclass(frozen=True)
class Setup:
    """What explain and frontier both ask; each field is an option."""

    share: Annotated[str, Option(help="What rows of a group share: action, point or features.")] = "action"
    threshold: Annotated[float | None, Option(help="Positive from this probability on, if named.")] = None
    positive: Annotated[str | None, Option(help="Label of the positive class; 1 if not named.")] = None
    target: Annotated[str | None, Option(help="What the model tells, such as deny, for sentences.")] = None
    rules: Annotated[Path | None, Option(metavar="TOML", help="What may not change, or only one way.")] = None
    immutable: Annotated[str, Option(help="Features that cannot change, with commas.")] = ""
    vary: Annotated[str, Option(help="The only features that can change, with commas.")] = ""
    only_increase: Annotated[str, Option(help="Features that can only go up.")] = ""
    only_decrease: Annotated[str, Option(help="Features that can only go down.")] = ""
    schema: Annotated[Path | None, Option(metavar="FILE", help="Cells, as oneformany schema tells.")] = None
    special: Annotated[Path | None, Option(metavar="TOML", help="Codes such as -9, not numbers.")] = None
    reference: Annotated[Path | None, Option(metavar="ROWS", help="Data to take new values from.")] = None
    index: Annotated[str | None, Option(help="Column that names the rows.")] = None
    columns: Annotated[str, Option(help="Use only these columns, in this order, with commas.")] = ""
    separator: Separator = None
    encoding: Encoding = None
    trust_model: Annotated[bool, Option("--trust-model", help="Load a model file that can run code.")] = False

    @property
    def files(self) -> tuple[Path | None, ...]:
        """What is read beside rows and model."""
        return self.rules, self.schema, self.special, self.reference

    def read(self, path: Path, people: str | None = None) -> tuple[pd.DataFrame, IntArray | None]:
        """Read the rows, and how many people each stands for if a column says so: it is not a feature."""
        frame, wanted = load_rows(path, self.separator, self.encoding, self.index), names(self.columns)
        counts = None if people is None else people_in_column(frame, people)
        check_columns(frame, wanted, f"--columns: {path}")
        return frame[wanted] if wanted else frame.drop(columns=[people] if people else []), counts

    def explainer(self, model: Path, max_changes: int, costs: Path | None = None) -> ofm.OneForMany:
        """Load the model and all that is said about it."""
        classifier = load_model(model, trust=self.trust_model)
        reference = None
        if self.reference is not None:
            reference = as_fitted(load_rows(self.reference, self.separator, self.encoding), classifier)
        return ofm.OneForMany(
            classifier,
            max_changes=max_changes,
            threshold=self.threshold,
            rules=[
                *([] if self.rules is None else ofm.rules_from_toml(self.rules)),
                *(ofm.OnlyIncrease(name) for name in names(self.only_increase)),
                *(ofm.OnlyDecrease(name) for name in names(self.only_decrease)),
            ],
            immutable=names(self.immutable),
            vary=names(self.vary) or None,
            cells=ofm.Cells(
                schema=None if self.schema is None else load_schema(self.schema),
                special=None if self.special is None else read_by_hand(self.special, "special codes"),
            ),
            share=cast("Share", self.share),
            reference=reference,
            positive=positive_label(classifier, self.positive),
            costs=None if costs is None else _costs(costs),
            target=self.target,
        )


def _costs(named: Path) -> object:
    """Read costs from a file, or take the name of a distance."""
    from oneformany.explainer.distances import KINDS  # with heavy libraries, which help does without

    return str(named) if str(named) in KINDS and not named.exists() else read_by_hand(named, "costs")


def load_schema(path: Path) -> ofm.Schema:
    """Read a schema from a file written by ``oneformany schema``."""
    content = read_by_hand(path, "a schema")
    try:
        return ofm.Schema.from_dict(content)
    except InputError as error:
        hint = " (oneformany schema ROWS writes a file to begin with)"
        raise InputError(f"{path}: ", *error.parts, hint) from error
