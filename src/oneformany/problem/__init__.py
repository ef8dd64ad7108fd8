"""The question as frozen plain data: rows, classifier, moves, own values, costs, goal, ways to share."""

from oneformany.problem.costs import Costs
from oneformany.problem.goal import Goal
from oneformany.problem.own import OwnValues
from oneformany.problem.problem import AnyRestriction, NumberRestriction, Problem, Restriction, Share
from oneformany.problem.slack import Alone, Slack

__all__ = [
    "Alone",
    "AnyRestriction",
    "Costs",
    "Goal",
    "NumberRestriction",
    "OwnValues",
    "Problem",
    "Restriction",
    "Share",
    "Slack",
]
