"""One account for the large arrays of a run: what is held, what fits, and what is given up."""

from __future__ import annotations

import numpy as np

from oneformany.memory import GIGABYTE, Memory
from oneformany.stop import Stop


def test_an_array_is_on_the_account_until_nobody_holds_it():
    memory, array = Memory(1_000), np.zeros(50)
    memory.keep(array, array.nbytes)
    view = array[:10]
    del array
    assert (memory.held, memory.left) == (400, 600)
    del view
    assert (memory.held, memory.left, memory.most) == (0, 1_000, 400)


def test_what_fits_is_what_is_left():
    memory, array = Memory(1_000), np.zeros(50)
    memory.keep(array, array.nbytes)
    assert memory.fits(600)
    assert not memory.fits(600.5)
    memory.keep(array, 2_000)
    assert memory.left == 0
    assert memory.fits(0)


def test_all_parts_of_a_run_have_one_account():
    stop = Stop(10, memory=Memory(5))
    assert stop.part(1).memory is stop.at_least(1).memory is stop.part(1).part(1).memory is stop.memory
    assert Stop().memory.limit == GIGABYTE
    assert Stop().memory is not Stop().memory
