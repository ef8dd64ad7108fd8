"""Own values, three ways to share, rules, costs and goals: the solver's files are confirmed, and true."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import oneformany as ofm
from certificates import build_result
from judgement_goals import is_true_of_goals
from oneformany.exceptions import CertificateError
from oneformany.oracles import Network, NetworkOracle
from oneformany.verify import bound, verify
from oneformany.verify.claims import read_claims
from oneformany.verify.reading import Limits
from strategies import random_problem
from verify.asked import answered

FILES = 360
PROOFS = ("dual", "best", "enumeration")


def test_answers_to_every_kind_of_question_are_confirmed_and_true() -> None:
    rng = np.random.default_rng(0)
    seen: Counter[str] = Counter()
    for number in range(FILES):
        content = answered(rng, number)
        report = verify(content)
        assert report.ok, (number, report)
        assert is_true_of_goals(content)
        proofs = {name: content["certificate"].get(name) for name in ("proof", "cost")}
        for name, proof in proofs.items():
            if proof is not None:
                about = "some" if "goal" in content else "everybody"
                seen[f"{name} {about} {'searched' if proof['exclusion'] else 'weighed'}"] += 1
    for name in ("proof everybody weighed", "proof some weighed", "proof some searched"):
        assert seen[name] > 20, seen
    for way in ("weighed", "searched"):
        assert sum(seen[f"cost {about} {way}"] for about in ("some", "everybody")) > 20, seen


def test_a_listing_and_a_search_come_to_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    found: Counter[bool] = Counter()
    for number in range(150):
        content = build_result(random_problem(rng), PROOFS[number % 3])
        proof = content["certificate"]["proof"]
        if number % 2 and proof["capacity"] > 1:
            proof["capacity"] -= 1
            if proof["exclusion"] is None:
                proof["bound"] = -(-sum(proof["weights"]) // proof["capacity"])
        claims = read_claims(content, Limits())
        held = []
        for worth in (0, 10**9):
            monkeypatch.setattr(bound, "WORTH", worth)
            try:
                held.append(bool(bound.check_bound(claims)))
            except CertificateError:
                held.append(False)
        assert held[0] is held[1]
        found[held[0]] += 1
    assert min(found[True], found[False]) > 20


def test_more_choices_than_an_integer_counts_cannot_be_confirmed():
    features = 24
    tables = tuple(np.linspace(0, 1, 9)[:, None] * np.ones((9, 2)) for _ in range(features))
    network = Network(tables, np.zeros(2), ((np.ones((2, 1)), np.zeros(1)),))
    rows = np.zeros((2, features), dtype=np.int64)
    rows[1, 0] = 1
    oracle = NetworkOracle(network, threshold=60.0)
    problem = ofm.Problem(rows, (9,) * features, oracle, max_changes=features, share="action")
    report = ofm.solve(problem, time_limit=1).verify(time_limit=2)
    assert report.outcome == "cannot be confirmed"
