"""Trees of cases about costs: sums that do not fit into arrays are neither confirmed nor a traceback."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.exceptions import CertificateError
from oneformany.verify.cost_tree import check_cost_tree
from oneformany.verify.items import HelpableRows
from oneformany.verify.limits import Limits, NotConfirmedError
from oneformany.verify.proofs import Case, Column, Exclusion

ROWS = HelpableRows(np.arange(2), np.array([1, 2**20]), {0: 0, 1: 1})
END = Case((), evaluated=True, short=False, column=None, parts=())
SHORT = Case((), evaluated=False, short=True, column=None, parts=())
TREE = Case((), evaluated=False, short=False, column=0, parts=(END, SHORT))
ONE_COLUMN = Exclusion(1, 0, (Column((0, 1), (), ()),), TREE)


@pytest.mark.parametrize(("dear", "error"), [(5, CertificateError), (2**44, NotConfirmedError)])
def test_leaving_out_a_row_is_added_up_only_where_sums_fit(dear: int, error: type[Exception]) -> None:
    """One person pays nothing; that the others would pay much must not hide it."""
    with pytest.raises(error):
        check_cost_tree(ONE_COLUMN, [[0, 1]], [[0, dear]], ROWS, 1, Limits())
