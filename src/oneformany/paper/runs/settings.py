"""How cells are run, as the commands ask it: each field is an option, all are validated once."""

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated

from typer import Option

from oneformany.console import check_names, names
from oneformany.exceptions import InputError

PROTOCOLS = ("published", "negatives")  # the first rows of the test half, or those that are turned down
CODINGS = ("published", "correct")  # of the students data: with the slip of the published runs, or without it
IMMUTABLE = ("none", "half")  # half: every second feature, beginning with the first


@dataclass(frozen=True)
class Common:
    """What all benchmarks ask."""

    threshold: Annotated[float, Option(help="Least probability of a positive point.")] = 0.5
    immutable: Annotated[
        str, Option(help="none, or half: every second feature, from the first, cannot change.")
    ] = "none"
    time_limit: Annotated[float | None, Option(help="Seconds per run.")] = None
    jobs: Annotated[int, Option(min=1, help="Runs side by side; with more than 1 their times suffer.")] = 1
    data_dir: Annotated[Path | None, Option(help="Folder with data that are not embedded.")] = None
    json_file: Annotated[
        Path | None,
        Option("--json", metavar="FILE", help="Add a JSON line per run; what is there is not run again."),
    ] = None
    save_results: Annotated[
        Path | None, Option(help="Folder for every result with its proof, as `verify` reads it.")
    ] = None
    check: Annotated[bool, Option("--verify", help="Verify every result independently.")] = False


@dataclass(frozen=True)
class Settings(Common):
    """What those of the paper's cells ask besides."""

    method: Annotated[str, Option(help="Methods: exact, cg-mip, mip; several with commas.")] = "exact"
    protocol: Annotated[
        str, Option(help="Explain the first test rows (published) or those turned down (negatives).")
    ] = "published"
    coding: Annotated[str, Option(help="Students data as published, with its slip, or correct.")] = (
        "published"
    )
    seed: Annotated[int, Option(help="Seed of the method.")] = 0
    solver: Annotated[str, Option(help="For cg-mip and mip: highs, gurobi, scip.")] = "highs"
    bound_without_classifier: Annotated[
        bool, Option(help="Prove what any classifier needs for lr, too (always shown for nn).")
    ] = False

    @property
    def methods(self) -> list[str]:
        """Each is run on every cell."""
        return names(self.method)

    def __post_init__(self) -> None:
        from oneformany.methods import METHODS
        from oneformany.paper.methods.solvers import make_solver

        check_names("protocol", [self.protocol], PROTOCOLS)
        check_names("coding", [self.coding], CODINGS)
        check_names("choice of immutable features", [self.immutable], IMMUTABLE)
        check_names("method", self.methods, METHODS)
        if set(self.methods) - {"exact"}:  # a solver that is not installed is told before anything is run
            make_solver(self.solver)
        if not 0 < self.threshold < 1:
            raise InputError(f"the threshold is {self.threshold}; it must be a probability between 0 and 1")
        if self.time_limit is not None and not 0 < self.time_limit < inf:
            raise InputError(f"the time limit is {self.time_limit}; it must be a positive number of seconds")
