"""How cells are run, as the commands ask it: each field is an option."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

Protocol = Literal["published", "negatives"]  # the first rows of the test half, or those turned down
Coding = Literal["published", "correct"]  # of the students data: with the slip of the published runs, or not
Immutable = Literal["none", "half"]  # half: every second feature, beginning with the first
SolverName = Literal["highs", "gurobi", "scip"]


@dataclass(frozen=True)
class Common:
    """What all benchmarks ask."""

    threshold: Annotated[float, Option(min=0.0, max=1.0, help="Least probability of a positive point.")] = 0.5
    immutable: Annotated[
        Immutable, Option(help="half: every second feature, from the first, cannot change.")
    ] = "none"
    time_limit: Annotated[float | None, Option(min=0.0, help="Seconds per run.")] = None
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
        Protocol, Option(help="Explain the first test rows, or those that are turned down.")
    ] = "published"
    coding: Annotated[Coding, Option(help="Students data as published, with its slip, or correct.")] = (
        "published"
    )
    seed: Annotated[int, Option(min=0, max=2**31 - 1, help="Seed of the method.")] = 0
    solver: Annotated[SolverName, Option(help="For cg-mip and mip.")] = "highs"
    bound_without_classifier: Annotated[
        bool, Option(help="Prove what any classifier needs for lr, too (always shown for nn).")
    ] = False
