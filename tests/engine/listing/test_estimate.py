"""What a listing would take is known before it is made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.problems import Veiled, random_additive
from oneformany.engine.listing.estimate import affordable, bucketing
from oneformany.engine.listing.listing import list_columns
from oneformany.oracles.blackbox import BlackBoxOracle
from oneformany.problem import Problem

PROBLEM = random_additive(np.random.default_rng(1), rows=40, features=6, max_changes=2)


@pytest.mark.parametrize("share", ["point", "action", "features"])
def test_more_changes_are_more_work_and_limits_are_named(share):
    few = affordable(replace(PROBLEM, share=share, max_changes=1))
    many = affordable(replace(PROBLEM, share=share))
    assert few.ok
    assert few.work < many.work
    assert few.reason == ""
    tired = affordable(replace(PROBLEM, share=share), most_work=10.0)
    assert not tired.ok
    assert "more than 1.0e+01" in tired.reason


def test_columns_are_at_least_those_that_are_listed():
    listed = len(list_columns(replace(PROBLEM, share="action")).table)
    assert affordable(replace(PROBLEM, share="action")).columns >= listed


def test_a_limit_on_calls_is_a_limit_on_listing():
    def never(codes):
        return np.full(len(codes), 0.1)

    free, limited = (BlackBoxOracle(never, PROBLEM.levels, max_calls=calls) for calls in (None, 5))
    assert affordable(Problem(PROBLEM.codes, PROBLEM.levels, free, 2)).ok
    estimate = affordable(Problem(PROBLEM.codes, PROBLEM.levels, limited, 2))
    assert not estimate.ok
    assert "more than the 5 calls allowed" in estimate.reason


def test_buckets_are_for_classifiers_that_have_to_be_asked():
    asked = replace(PROBLEM, oracle=Veiled(PROBLEM.oracle))
    assert bucketing(asked)
    assert not bucketing(PROBLEM)
    assert not bucketing(asked, most_work=1.0)
    assert not bucketing(asked, memory=10)
