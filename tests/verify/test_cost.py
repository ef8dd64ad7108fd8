"""Trees of cases about costs: sums that do not fit into arrays are neither confirmed nor a traceback."""

from __future__ import annotations

import numpy as np
import pytest

from oneformany.exceptions import CertificateError
from oneformany.verify.cases import CostCases
from oneformany.verify.proofs import Case, Items
from oneformany.verify.reading import Limits, NotConfirmedError

TREE = Case((), columns=(0,), parts=(Case(()), Case(())))


@pytest.mark.parametrize(("dear", "error"), [(5, CertificateError), (2**44, NotConfirmedError)])
def test_leaving_out_a_row_is_added_up_only_where_sums_fit(dear: int, error: type[Exception]) -> None:
    """One person pays nothing; that the others would pay much must not hide it."""
    with pytest.raises(error):
        CostCases(
            columns=[[0, 1]],
            items=Items.single([0, 1]),
            limits=Limits(),
            costs=[np.array([0, dear])],
            people=np.array([1, 2**20]),
            at_most=0,
            needed=1,
        ).check(TREE, 1)
