"""Own values, three ways to share, rules, costs and goals: the solver's files are confirmed, and true."""

from __future__ import annotations

from collections import Counter

import numpy as np

from judgement_goals import is_true_of_goals
from oneformany.verify import verify
from verify.asked import answered

FILES = 360


def test_answers_to_every_kind_of_question_are_confirmed_and_true() -> None:
    rng = np.random.default_rng(0)
    seen: Counter[str] = Counter()
    for number in range(FILES):
        content = answered(rng, number)
        report = verify(content)
        assert report.ok, (number, report)
        assert is_true_of_goals(content)
        proofs = {name: content["certificate"].get(name) for name in ("proof", "coverage", "cost")}
        for name, proof in proofs.items():
            if proof is not None:
                searched = (
                    "searched" if proof.get("exclusion") or proof.get("kind") == "enumeration" else "weighed"
                )
                seen[f"{name} {searched}"] += 1
    assert min(seen[f"{name} weighed"] for name in ("proof", "coverage", "cost")) > 20
    assert min(seen[f"{name} searched"] for name in ("coverage", "cost")) > 3, seen
