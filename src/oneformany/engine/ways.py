"""Which way an answer is found: by listing all columns, a part of them, or by searching for them."""

from __future__ import annotations

from oneformany.engine.listing.estimate import affordable, bucketing
from oneformany.engine.run import Options
from oneformany.problem import Problem
from oneformany.problem.goal import Goal

__all__ = ["by_cost", "needs_listing", "worth_listing", "worth_waiting"]

MANY_ROWS = 1_000
QUICK = 2e9  # steps, a second or two


def needs_listing(problem: Problem, goal: Goal) -> bool:
    """Whether only a listing can answer the question."""
    plain = problem.share == "point" and problem.own is None and not problem.restrictions
    return goal.limited or not plain


def by_cost(problem: Problem, goal: Goal, options: Options) -> bool:
    """Whether least cost is asked for: costs or a goal are given, or rows need not share a point."""
    if options.least_cost is not None:
        return options.least_cost
    return goal.limited or problem.costs is not None or problem.share != "point"


def worth_listing(problem: Problem, goal: Goal, options: Options) -> bool:
    """Whether a listing is the quicker way, or the least cost is asked for and can be had."""
    if by_cost(problem, goal, options):
        return affordable(problem, keep="cost", most_work=options.most_work, memory=options.memory).ok
    return len(problem.rows) >= MANY_ROWS and affordable(problem, most_work=QUICK, memory=options.memory).ok


def worth_waiting(problem: Problem, options: Options) -> bool:
    """Whether to ask the classifier about buckets only where a cover would use them."""
    if not options.lazy or problem.share != "point" or getattr(problem.oracle, "max_calls", None) is not None:
        return False
    return bucketing(problem, most_work=options.most_work, memory=options.memory)
