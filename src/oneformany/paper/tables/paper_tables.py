"""The paper's eight tables in its layout, ours beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from oneformany.paper.runs.cells import Cell, Published, published_cells
from oneformany.paper.runs.lines import contradictions
from oneformany.paper.runs.records import Record
from oneformany.paper.runs.subjects import PUBLISHED_SUBJECTS, PublishedSubject, Trained
from oneformany.paper.tables.table import Heading, Table

__all__ = ["paper_tables"]

MODELS = {"lr": "the LR model", "nn": "the NN"}
IMPOSSIBLE = "†"


@dataclass(frozen=True)
class _Runs:
    """Our runs of one published cell, by method."""

    published: Published
    rows: int
    max_changes: int
    by_method: dict[str, Record]

    @property
    def exact(self) -> Record | None:
        return self.by_method.get("exact")

    @property
    def least(self) -> int | None:
        """What any classifier needs on these rows, if it was proved."""
        proved = [record.bound_without_classifier for record in self.by_method.values()]
        return next((bound for bound in proved if bound is not None), None)

    @property
    def impossible(self) -> bool:
        """Whether the published count is below what was proved."""
        bounds = [record.lower_bound for record in self.by_method.values() if record.key.model == "lr"]
        bounds += [] if self.least is None else [self.least]
        return self.published.explanations < max(bounds, default=0)


def paper_tables(records: Sequence[Record]) -> list[Table]:
    """Lay out Tables 1 to 8; where nothing was run, our side has dashes.

    Parameters
    ----------
    records : sequence of Record
        What was run; of several runs of one cell by one method the last counts.
    """
    ours = [record for record in records if record.key.as_published]
    tables = [_data_sets(ours), _models(ours)]
    for number, (subject, model) in enumerate(
        ((subject, model) for subject in PUBLISHED_SUBJECTS for model in MODELS), start=3
    ):
        tables.append(_results(number, subject, model, ours))
    return tables


def _data_sets(records: Sequence[Record]) -> Table:
    columns = ("instances", "original features", "extended features")
    rows = []
    for subject in PUBLISHED_SUBJECTS:
        found = _trained(records, subject)
        theirs = (subject.instances, subject.features, subject.columns)
        mine = ("-",) * 3 if found is None else (found.instances, found.features, found.columns)
        rows.append((subject.title, *(str(number) for number in (*theirs, *mine))))
    return Table(
        "table-1",
        "Table 1: the data sets",
        (
            Heading("data set"),
            *(Heading(title, "paper") for title in columns),
            *(Heading(title, "ours") for title in columns),
        ),
        tuple(rows),
    )


def _models(records: Sequence[Record]) -> Table:
    rows = []
    for subject in PUBLISHED_SUBJECTS:
        network, regression = (_trained(records, subject, model) for model in ("nn", "lr"))
        rows.append(
            (
                subject.title,
                str(subject.width),
                str(subject.depth),
                f"{subject.nn_accuracy:.3f}",
                f"{subject.lr_accuracy:.3f}",
                "-" if network is None else "/".join(str(width) for width in dict.fromkeys(network.hidden)),
                "-" if network is None else str(len(network.hidden)),
                "-" if network is None else f"{network.accuracy:.3f}",
                "-" if regression is None else f"{regression.accuracy:.3f}",
            )
        )
    columns = ("NN width", "NN depth", "NN accuracy", "LR accuracy")
    return Table(
        "table-2",
        "Table 2: the models' structure and accuracy",
        (
            Heading("data set"),
            *(Heading(title, "paper") for title in columns),
            *(Heading(title, "ours") for title in columns),
        ),
        tuple(rows),
        ("Our networks have the published widths and depths; their weights are our own.",),
    )


def _results(number: int, subject: PublishedSubject, model: str, records: Sequence[Record]) -> Table:
    cells = [
        _runs(cell, cell.published, records)
        for cell in published_cells()
        if (cell.dataset, cell.model) == (subject.dataset, model) and cell.published is not None
    ]
    methods = {method for runs in cells for method in runs.by_method}
    columns = list(_columns(methods, with_least=any(runs.least is not None for runs in cells)))
    return Table(
        f"table-{number}",
        f"Table {number}: {subject.title}, {MODELS[model]}",
        tuple(heading for heading, _ in columns),
        tuple(tuple(text(runs) for _, text in columns) for runs in cells),
        tuple(_notes(cells)),
    )


def _columns(methods: set[str], *, with_least: bool) -> Iterator[tuple[Heading, Callable[[_Runs], str]]]:
    yield Heading("|S|"), lambda runs: str(runs.rows)
    yield Heading("T_max"), lambda runs: str(runs.max_changes)
    yield (
        Heading("y*", "paper"),
        lambda runs: f"{runs.published.explanations}{IMPOSSIBLE if runs.impossible else ''}",
    )
    yield Heading("gap", "paper"), lambda runs: str(runs.published.gap_to_mip)
    yield Heading("CG time", "paper"), lambda runs: f"{runs.published.cg_seconds:.2f}"
    yield Heading("MIP time", "paper"), lambda runs: f"{runs.published.mip_seconds:.2f}"
    if with_least:
        yield Heading("least", "any classifier"), lambda runs: "-" if runs.least is None else str(runs.least)
    yield from _method_columns("exact")
    yield Heading("CG/exact", "exact"), _speed_up
    for method in ("cg-mip", "mip"):
        if method in methods:
            yield from _method_columns(method)
    if {"cg-mip", "mip"} <= methods:
        yield Heading("gap", "ours"), _gap
    if methods - {"exact"}:
        yield Heading("exact : cg-mip : mip", "time in this run"), _ratio


def _method_columns(method: str) -> Iterator[tuple[Heading, Callable[[_Runs], str]]]:
    def shown(text: Callable[[Record], str]) -> Callable[[_Runs], str]:
        def show(runs: _Runs) -> str:
            record = runs.by_method.get(method)
            return "-" if record is None else text(record)

        return show

    yield Heading("y*", method), shown(lambda record: str(record.count))
    yield Heading("bound", method), shown(lambda record: str(record.lower_bound))
    yield Heading("time", method), shown(lambda record: f"{record.seconds:.2f}")


def _speed_up(runs: _Runs) -> str:
    """How many times as long the paper's column generation took, where ours ended with a proof."""
    if runs.exact is None or not runs.exact.proved:
        return "-"
    return f"{runs.published.cg_seconds / runs.exact.seconds:,.0f}"


def _gap(runs: _Runs) -> str:
    both = [runs.by_method.get(method) for method in ("cg-mip", "mip")]
    counts = [record.count for record in both if record is not None]
    return str(counts[0] - counts[1]) if len(counts) == 2 else "-"


def _ratio(runs: _Runs) -> str:
    if runs.exact is None:
        return "-"
    parts = ["1"]
    for method in ("cg-mip", "mip"):
        record = runs.by_method.get(method)
        if record is None or _was_not_started(record):
            parts.append("-")
        else:
            parts.append(f"{'' if record.proved else '>'}{record.seconds / runs.exact.seconds:,.0f}")
    return " : ".join(parts)


def _was_not_started(record: Record) -> bool:
    """Whether the compact model was too large for its limit: it gives up at once, or uses the time it has."""
    limit = record.key.time_limit
    return (
        record.key.method == "mip" and not record.proved and limit is not None and record.seconds < limit / 2
    )


def _notes(cells: Sequence[_Runs]) -> Iterator[str]:
    exact = [(runs, runs.exact) for runs in cells if runs.exact is not None]
    if exact:
        theirs = sum(runs.published.cg_seconds for runs, _ in exact)
        ours = sum(record.seconds for _, record in exact)
        proved = sum(record.proved for _, record in exact)
        fewer = sum(record.count < runs.published.explanations for runs, record in exact)
        yield (
            f"Exact: {proved} of {len(exact)} cells proved optimal, {fewer} with fewer explanations than "
            f"published, {ours:.2f} s together; the paper's CG: {theirs:,.2f} s."
        )
    if any(_was_not_started(record) for runs in cells for record in runs.by_method.values()):
        yield "mip without a ratio: the model was too large to be started; its count is the first solution's."
    if any(runs.impossible for runs in cells):
        yield f"{IMPOSSIBLE}: below what is proved for these rows, so it cannot be right for them."
    yield from contradictions([record for runs in cells for record in runs.by_method.values()])


def _runs(cell: Cell, published: Published, records: Sequence[Record]) -> _Runs:
    found = {
        record.key.method: record
        for record in records
        if record.key.dataset.removesuffix("-published") == cell.dataset
        and (record.key.model, record.key.rows, record.key.max_changes)
        == (cell.model, cell.rows, cell.max_changes)
    }
    return _Runs(published, cell.rows, cell.max_changes, found)


def _trained(
    records: Sequence[Record], subject: PublishedSubject, model: str | None = None
) -> Trained | None:
    for record in records:
        same = record.key.dataset.removesuffix("-published") == subject.dataset
        if same and model in (None, record.key.model):
            return record.trained
    return None
