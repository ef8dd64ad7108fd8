"""Between columns of a listing and explanations."""

from __future__ import annotations

import numpy as np

from engine.problems import refused_rows
from oneformany.engine.listed_answers import columns_holding
from oneformany.engine.listing.listing import list_columns
from oneformany.engine.run import Options
from oneformany.engine.solve import solve_exact


def test_an_answer_that_is_known_is_where_the_search_starts():
    problem = refused_rows()
    first = solve_exact(problem, options=Options(way="listing", least_cost=True))
    again = solve_exact(problem, options=Options(way="listing"), start=first.explanations, time_limit=0)
    assert again.count == 0  # nothing was listed in no time
    table = list_columns(problem).table
    known = columns_holding(table, problem, first.explanations)
    held = np.unique(np.concatenate([table.group(column) for column in known.tolist()]))
    assert len(known) <= first.count
    assert len(held) == len(problem.rows) - len({problem.row_of[entry.row] for entry in first.unreachable})
