from hypothesis import given
from hypothesis import strategies as st

from oneformany.schema.round_numbers import roundest, roundness


def test_the_roundest_number_is_found():
    assert roundest(1480, 1530) == 1500
    assert roundest(18, 18.9) == 18
    assert roundest(0.13, 0.17) == 0.15
    assert roundest(-3, 4) == 0
    assert roundest(7, 7) == 7
    assert roundest(-1530, -1480) == -1500
    assert roundest(1_040_000, 3_100_000, 2_900_000) == 2_000_000


@given(st.floats(-1e9, 1e9), st.floats(0, 1e6))
def test_it_lies_within_the_interval_and_is_no_less_round_than_its_ends(low, width):
    high = low + width
    found = roundest(low, high)
    assert low <= found <= high
    assert roundness(found) <= max(roundness(low), roundness(high))


def test_fewer_digits_are_rounder():
    assert roundness(1500) < roundness(1510) < roundness(1511)
    assert roundness(0.25) == 2
