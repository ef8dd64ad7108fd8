"""The way through a few rows: row generation, then the least cost among what was chosen, as a result.

It serves advice for many where the actions of one row are quickly listed, but those of all rows are too many.
"""

from typing import Any

import numpy as np

from oneformany.engine.context import Context
from oneformany.engine.few.cheaper import cheapened, without_dearest
from oneformany.engine.few.listed_rows import NO_ACTION, ListedRows
from oneformany.engine.few.offered import Offered
from oneformany.engine.few.rounds import Attempt, Rounds
from oneformany.engine.listing.ground import Ground
from oneformany.engine.plan import too_much
from oneformany.engine.screening import reasons_of
from oneformany.oracles.actions import JudgesActions
from oneformany.result.build import Group, build_result, versions_of
from oneformany.result.result import Result

# Bytes of an action while rows are listed: bits of some 200 rows, a number of each, and a line of answers.
BYTES_PER_ACTION = 40
PACKAGES = ("oneformany", "highspy", "numba", "numpy", "scipy")


def serves(run: Context) -> bool:
    """Whether a few rows are to be listed: listing all of them is too much, and one is quick."""
    problem, options = run.problem, run.options
    judges = isinstance(problem.oracle, JudgesActions)
    if not (options.few_rows and problem.share == "action" and judges):
        return False
    ground = Ground.of(problem)
    if not too_much(ground, options.most_work, costed=run.cheaply):
        return False
    return run.stop.memory.fits(Offered.of(ground).actions.count * BYTES_PER_ACTION)


def solve_by_few_rows(run: Context) -> Result:
    """Answer a question that :func:`serves` says yes to, with what is proved about it."""
    problem, goal, stop, statistics = run.problem, run.goal, run.stop, run.statistics
    ground = Ground.of(problem)
    listed = ListedRows.of(ground, stop)
    rounds = Rounds(listed, run)
    rounds.run()
    attempt = _completed(rounds)
    with statistics.timed("least cost"):
        attempt = cheapened(listed, attempt)
        if run.cheaply and goal.coverage is not None and goal.explanations is None:
            attempt = without_dearest(listed, attempt, rounds.needed)
    statistics.count("rows listed", len(listed))
    statistics.count("rounds of few rows", rounds.number)
    statistics.count("questions in batches", listed.batches.asked)
    if run.cheaply:
        reason = too_much(ground, run.options.most_work, costed=True)
        statistics.notes.append(f"the least cost is not proved: {reason}")
        stop.met("size")
    return build_result(
        problem,
        _groups(listed, attempt),
        reasons=reasons_of(problem, np.flatnonzero(listed.unreachable), stop),
        helpable=np.flatnonzero(listed.reachable),
        **_claims(rounds, attempt),
        cost_open=run.cheaply and bool(attempt.helped.any()),
        stop=stop,
        statistics=statistics,
        versions=versions_of(PACKAGES),
        method="exact",
        seed=run.seed,
        goal=goal if goal.limited else None,
    )


def _completed(rounds: Rounds) -> Attempt:
    """The best attempt, with what else helps people who are to be helped, as far as that is known."""
    listed = rounds.listed
    attempt = rounds.best or Attempt(np.zeros(0, dtype=np.int64), np.full_like(listed.by, NO_ACTION))
    if rounds.goal.explanations is not None or (rounds.goal.limited and rounds.enough):
        return attempt
    by = np.where(attempt.helped, attempt.by, listed.by)
    return Attempt(np.union1d(attempt.actions, by[listed.reachable]), by)


def _groups(listed: ListedRows, attempt: Attempt) -> list[Group]:
    """The rows that each action serves."""
    _, targets = listed.offered.changes(attempt.actions)
    members = [np.flatnonzero(attempt.by == action) for action in attempt.actions.tolist()]
    points = targets.astype(np.int64)
    return [Group(point, rows) for point, rows in zip(points, members, strict=True) if len(rows)]


def _claims(rounds: Rounds, attempt: Attempt) -> dict[str, Any]:
    """What is proved about the first objective."""
    goal, proved, possible = rounds.goal, rounds.proved, rounds.possible
    most = None if goal.explanations is None else possible
    if proved is None:
        return {"proof": None, "bound": 0, "covered_bound": most}
    proof = proved.proof(rounds.listed.ground.problem)
    if not goal.limited:
        return {"proof": proof}
    if goal.explanations is None:
        return {"proof": proof, "bound": proof.fewest(possible - rounds.needed)}
    spare = possible - rounds.helped(attempt)
    return {
        "proof": proof,
        "bound": proof.fewest(spare),
        "covered_bound": possible - proof.spared(goal.explanations),
    }
