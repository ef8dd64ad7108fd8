"""The question as frozen plain data: rows, classifier, moves, own values, costs, goal, ways to share."""

from oneformany.problem.problem import AnyRestriction, NumberRestriction, Problem, Restriction, Share

__all__ = ["AnyRestriction", "NumberRestriction", "Problem", "Restriction", "Share"]
