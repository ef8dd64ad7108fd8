"""What an answer costs at least because each covered row has to move at all: a bound that needs no search."""

import numpy as np

from oneformany.arrays import IntArray
from oneformany.problem import Problem
from oneformany.result.proof import Cost
from oneformany.result.result import Result


def proof_by_single_moves(problem: Problem, alone: IntArray, result: Result) -> Cost:
    """Every covered person pays for one move at least, the cheapest there is, unless accepted already.

    That is what :func:`least_move` says of each row ``alone``: prices against which no group saves anything.
    """
    prices, people, goal = alone.copy(), problem.multiplicity, result.goal
    needed = result.covered
    if goal.explanations is None and goal.coverage is not None:
        needed = min(needed, goal.needed(result.people))
    beyond = problem.row_of[[entry.row for entry in result.unreachable]]
    helpable = np.setdiff1d(np.arange(len(prices)), beyond)
    cheapest_first = helpable[np.argsort(prices[helpable], kind="stable")]
    before = np.cumsum(people[cheapest_first]) - people[cheapest_first]
    served = np.clip(needed - before, 0, people[cheapest_first])
    first = np.unique(problem.row_of, return_index=True)[1]
    priced = helpable[prices[helpable] > 0]
    priced = priced[np.argsort(first[priced])]
    return Cost(
        scope=tuple(first[priced].tolist()),
        prices=tuple(prices[priced].tolist()),
        scale=1,
        explanations=result.count if goal.explanations is None else goal.explanations,
        needed=needed,
        bound=int(served @ prices[cheapest_first]),
    )


def least_move(problem: Problem) -> IntArray:
    """What the cheapest move of each distinct row costs; nothing where the classifier accepts it as it is."""
    costs, n = problem.costs, len(problem.rows)
    if costs is None:
        least = np.ones(n, dtype=np.int64)
    else:
        least = np.full(n, max(int(table.max(initial=0)) for table in costs.tables))
        for feature, table in enumerate(costs.tables):
            targets = None if problem.own is None else problem.own.targets[feature] >= 0
            for cell in np.unique(problem.rows[:, feature]).tolist():
                rule = problem.moves[feature]
                may = np.ones(len(table), dtype=np.bool_) if rule is None else rule[cell].copy()
                may &= np.arange(len(table)) != cell
                may &= True if targets is None else targets
                here = problem.rows[:, feature] == cell
                least[here] = np.minimum(least[here], table[cell][may].min(initial=least.max()))
    return np.where(problem.oracle.positive(problem.values), 0, least)
