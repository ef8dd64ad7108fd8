"""``oneformany bench``: names and help only; its commands run cells, or lay out what was recorded."""

from __future__ import annotations

import typer

from oneformany.paper.commands.layout_commands import figures, tables
from oneformany.paper.commands.run_commands import models, paper

__all__ = ["bench"]

bench = typer.Typer(no_args_is_help=True, help="Run benchmarks, and lay out what they recorded.")
bench.command("paper")(paper)
bench.command("models")(models)
bench.command("tables")(tables)
bench.command("figures")(figures)
