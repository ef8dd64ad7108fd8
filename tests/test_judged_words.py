"""Tests that what is printed of random answers is so, judged by code that shares nothing with what prints it.

The large run is ``benchmarks/judge_words.py``.
"""

import re

import pytest

from word_judge import Judge, judged
from word_questions import random_asked

SEEDS = range(16)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # random rules may do nothing


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_and_range_that_is_printed_is_so(seed):
    checked, faults = judged(random_asked(seed))
    assert checked > 10
    assert not faults


class Altered:
    """A result whose summary says something else."""

    def __init__(self, result, words):
        self.result, self.words = result, words

    def summary(self, _limit):
        return self.words

    def __getattr__(self, name):
        return getattr(self.result, name)

    def __repr__(self):
        return repr(self.result)


@pytest.mark.parametrize("seed", [0, 3, 8])
def test_the_judge_notices_any_number_that_is_not_so(seed):
    asked = random_asked(seed)
    result = asked.explainer.explain(asked.frame, people=asked.people, **asked.goal)
    words = result.summary(None)
    assert not Judge(asked, result).run()
    parts, unnoticed, altered = words.split("\n\n"), [], 0
    for index, part in enumerate(parts):
        if index and not part.startswith("Explanation "):
            continue
        told = re.split(r": proved|: at least| \(gap", part)[0] if not index else part
        for found in re.finditer(r"(?<![\w.,-])\d+(\.\d+)?(?![\w,-])", told):
            other = f"{float(found[0]) + 1:g}"
            changed = part[: found.start()] + other + part[found.end() :]
            judge = Judge(asked, Altered(result, "\n\n".join([*parts[:index], changed, *parts[index + 1 :]])))
            altered += 1
            if not judge.run():
                unnoticed.append(changed)
    assert altered >= 4
    assert not unnoticed
