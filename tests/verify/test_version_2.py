"""Files that releases before wrote, one of each kind of proof: read, confirmed, and never more believed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import sealed
from oneformany.exceptions import CertificateError
from oneformany.verify import Outcome, verify
from oneformany.verify.version_2 import current

LINES = Path(__file__).with_name("version_2.jsonl").read_text(encoding="utf-8").splitlines()
FILES = [json.loads(line) for line in LINES]
BY_SOLVER = [file for file in FILES if file["method"] == "mip"]
PROVED = [file for file in FILES if file not in BY_SOLVER]


def kinds_of(proof: Any) -> set[str]:
    """The kinds of a proof and those in it, with a word on whether something was searched."""
    if not proof:
        return set()
    searched = " searched" if proof.get("exclusion") else ""
    parts = (kinds_of(proof.get(side)) for side in ("together", "apart"))
    return {proof["kind"] + searched}.union(*parts)


def test_every_kind_of_proof_is_among_the_files() -> None:
    certificates = [file["certificate"] for file in FILES]
    found = [kinds_of(told.get(name)) for told in certificates for name in ("proof", "coverage", "cost")]
    assert set().union(*found) == {
        *("dual", "enumeration", "branch", "solver", "coverage", "coverage searched"),
        *("cost", "cost searched", "anchored cost"),
    }
    assert {file["problem"].get("share", "point") for file in FILES} == {"point", "action", "features"}
    assert any(file["problem"].get("own") for file in FILES)
    assert any(file["problem"].get("people") for file in FILES)
    assert any(file["unreachable"] for file in FILES)


@pytest.mark.parametrize("number", range(len(PROVED)))
def test_what_was_proved_is_confirmed(number: int) -> None:
    file = PROVED[number]
    assert file["version"] == 2
    report = verify(file)
    assert report.ok, report
    told = sealed(current(file))
    assert told["version"] == 3
    assert "coverage" not in told["certificate"]
    assert verify(told).ok


def test_the_word_of_a_solver_stays_its_word() -> None:
    (file,) = BY_SOLVER
    report = verify(file)
    assert report.outcome is Outcome.UNCONFIRMED
    assert "the word of the solver highs" in report.checks[-1].detail
    assert ofm.Result.from_json(json.dumps(file)).solver.startswith("highs")


@pytest.mark.parametrize("number", [n for n, file in enumerate(FILES) if file["method"] in {"exact", "mip"}])
def test_a_result_that_is_read_is_written_as_this_release_does(number: int) -> None:
    file = FILES[number]
    result = ofm.Result.from_json(json.dumps(file))
    assert (result.status, result.lower_bound, result.covered) == tuple(
        file[name] for name in ("status", "lower_bound", "covered")
    )
    written = json.loads(result.to_json())
    assert written["version"] == 3
    assert verify(written).outcome is verify(file).outcome
    assert result.summary()


@pytest.mark.parametrize("number", range(len(PROVED)))
def test_a_bound_that_is_one_too_high_is_not_confirmed(number: int) -> None:
    def raised(proof: dict[str, Any]) -> None:
        proof["bound"] += 1
        if "target" in proof:
            proof["target"] += 1
        for side in ("together", "apart"):
            if side in proof:
                raised(proof[side])

    file = copy.deepcopy(PROVED[number])
    certificate = file["certificate"]
    if "covered_bound" in file and file["covered_bound"] == file["covered"] and file["goal"]["explanations"]:
        file["covered_bound"] -= 1
    elif certificate.get("cost") and file["cost"] == file["cost_bound"]:
        certificate["cost"]["bound"] += 1
        file["cost_bound"] += 1
    else:
        file["lower_bound"] += 1
        certificate["bound"] += 1
        if certificate["proof"]:
            raised(certificate["proof"])
    assert verify(sealed(file)).outcome is Outcome.WRONG


def test_a_rule_that_means_something_else_today_is_not_confirmed() -> None:
    file = copy.deepcopy(PROVED[0])
    observed = {"kind": "observed", "features": [0], "rows": [[0]], "counts": [1], "at_least": 1}
    file["problem"]["restrictions"] = [observed]
    report = verify(sealed(file))
    assert report.outcome is Outcome.UNCONFIRMED
    assert 'the rule "observed (version 2)" is your own, or of another release' in str(report)


def test_the_digest_is_that_of_the_file_as_it_was_written() -> None:
    file = copy.deepcopy(PROVED[0])
    file["index"][0] = "another name"
    report = verify(file)
    assert [check.name for check in report.checks if check.outcome is Outcome.WRONG] == [
        "the file is as it was written"
    ]
    with pytest.raises(CertificateError, match="altered or damaged"):
        ofm.Result.from_json(json.dumps(file))


def test_what_is_not_of_that_version_is_refused_and_never_a_crash() -> None:
    rng = np.random.default_rng(0)
    strange = [None, True, -1, 2**70, 1.5, "x", [], {}, [[]], [None], [1, 2]]
    refused = 0
    for number in range(40 * len(FILES)):
        file = copy.deepcopy(FILES[number % len(FILES)])
        paths = paths_of(file["certificate"])
        target: Any = file["certificate"]
        *path, last = paths[int(rng.integers(len(paths)))]
        for step in path:
            target = target[step]
        if rng.random() < 0.3 and isinstance(target, dict):
            del target[last]
        else:
            target[last] = strange[int(rng.integers(len(strange)))]
        try:
            verify(sealed(file))
        except CertificateError as error:
            assert str(error).isprintable()  # noqa: PT017 (either will do)
            refused += 1
    assert refused > 20 * len(FILES)


def test_a_field_that_nobody_knows_is_refused() -> None:
    for file in FILES:
        for name in ("proof", "coverage", "cost"):
            forged = copy.deepcopy(file)
            if forged["certificate"].get(name):
                forged["certificate"][name]["surprise"] = 1
                if forged["certificate"][name]["kind"] != "solver":
                    with pytest.raises(CertificateError, match="surprise"):
                        verify(sealed(forged))


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in inner for found in ((*path, key), *paths_of(part, (*path, key)))]
