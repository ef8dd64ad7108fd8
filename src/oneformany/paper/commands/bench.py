"""``oneformany bench``: names and help only; each of its commands lives in its own file."""

from __future__ import annotations

import typer

from oneformany.paper.commands.bench_figures import figures
from oneformany.paper.commands.bench_models import models
from oneformany.paper.commands.bench_paper import paper
from oneformany.paper.commands.bench_tables import tables

__all__ = ["bench", "figures", "models", "paper", "tables"]

bench = typer.Typer(no_args_is_help=True, help="Run benchmarks, and lay out what they recorded.")
bench.command("paper")(paper)
bench.command("models")(models)
bench.command("tables")(tables)
bench.command("figures")(figures)
