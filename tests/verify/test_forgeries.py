"""Forged questions and proofs, and damaged text: whatever is confirmed is true, and nothing is a crash."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from engine.listing.sharing_problems import KINDS, draw_problem
from judgement import EXCESSES
from judgement_goals import is_true_of_goals
from oneformany.exceptions import CertificateError
from oneformany.verify import Outcome, Report, verify
from verify.asked import SHARES, answered
from verify.test_fuzz import Alteration, altered, original
from verify.test_fuzz_goals import _any_of, bend_proof, bend_tree, made_consistent

FILES, FORGERIES = 120, 10
EVERY_ROW = ("weights", "prices", "savings", "changes")
NEAR = 1e-6
HUGE = (2**31, 2**53 + 1, 2**59, 2**60, 2**60 + 1, 2**63, 10**30, -1, -(2**63), 0, 1)


def proofs_of(proof: Any) -> Iterator[dict[str, Any]]:
    """A proof or a certificate, and the proofs in it."""
    if isinstance(proof, dict):
        yield proof
        for name in ("proof", "cost", "together", "apart", "anchors"):
            yield from proofs_of(proof.get(name))


def proof_with(result: dict[str, Any], rng: np.random.Generator, *names: str) -> dict[str, Any]:
    return _any_of(rng, [p for p in proofs_of(result["certificate"]) if any(p.get(name) for name in names)])


def swap_rows(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let two rows change places, each with its end or with the other's."""
    one, other = _any_of(rng, result["explanations"]), _any_of(rng, result["explanations"])
    i, j = (int(rng.integers(len(explanation["members"]))) for explanation in (one, other))
    for name in ("members", "ends")[: int(rng.integers(1, 3))]:
        if name in one:
            one[name][i], other[name][j] = other[name][j], one[name][i]


def merge_groups(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let one explanation cover what two did."""
    gone = result["explanations"].pop(int(rng.integers(len(result["explanations"]))))
    kept = _any_of(rng, result["explanations"])
    for name in ("members", "ends"):
        if name in kept:
            kept[name] += gone[name]


def row_twice(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Repeat a row, covered like the first or with nothing said of it."""
    problem, row, new = result["problem"], int(rng.integers(len(result["assignment"]))), len(result["index"])
    for rows in (problem["codes"], (problem.get("own") or {}).get("values", problem.get("people"))):
        if rows is not None:
            rows.append(rows[row])
    result["index"].append(new)
    result["assignment"].append(-1)
    for proof in proofs_of(result["certificate"]):
        for name in ("scope", *EVERY_ROW) if rng.random() < 0.3 else ():
            if name in proof:
                proof[name].append(new if name == "scope" else int(rng.integers(2)) * proof[name][-1])
    for explanation in result["explanations"]:
        if row in explanation["members"] and rng.random() < 0.7:
            if "ends" in explanation:
                explanation["ends"].append(explanation["ends"][explanation["members"].index(row)])
            explanation["members"].append(new)
            return
    result["undecided"].append(new)


def huge_numbers(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Put a number into a proof that is at the edge of what is read, or beyond."""
    proof = proof_with(result, rng, *EVERY_ROW)
    numbers = _any_of(rng, [proof, *(proof[name] for name in EVERY_ROW if name in proof)])
    keys = [key for key, value in proof.items() if isinstance(value, int)] if numbers is proof else range(9)
    numbers[_any_of(rng, list(keys))] = _any_of(rng, list(HUGE))


def move_weight(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let one row carry what another did, or multiply everything."""
    proof = proof_with(result, rng, *EVERY_ROW)
    numbers = _any_of(rng, [proof[name] for name in EVERY_ROW if name in proof])
    if rng.random() < 0.3:
        numbers[:] = [3 * number for number in numbers]
    one, other = rng.integers(len(numbers), size=2)
    part = int(numbers[one] * rng.random())
    numbers[one], numbers[other] = numbers[one] - part, numbers[other] + part


def other_values(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Give a row the next own value, in its cell or another one, or send rows to another value."""
    own, codes = result["problem"]["own"], result["problem"]["codes"]
    feature, row = int(rng.integers(len(own["cell_of"]))), int(rng.integers(len(codes)))
    cell_of, targets = own["cell_of"][feature], own["targets"][feature]
    value = int(np.clip(own["values"][row][feature] + rng.choice([-1, 1]), 0, len(cell_of) - 1))
    if rng.random() < 0.5:
        own["values"][row][feature], codes[row][feature] = value, cell_of[value]
    else:
        targets[int(rng.integers(len(targets)))] = int(rng.integers(-1, len(cell_of)))


def bend_trees(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Let nodes lead elsewhere, perhaps in a circle, or mark other levels."""
    oracle, choice = result["problem"]["oracle"], int(rng.integers(5))
    inner = [node for node, feature in enumerate(oracle["feature"]) if feature >= 0]
    node, count = _any_of(rng, inner), len(oracle["feature"])
    if choice == 0:
        oracle["children"][node].reverse()
    elif choice == 1:
        oracle["children"][node][int(rng.integers(2))] = int(rng.integers(-1, count))
    elif choice == 2:
        other = _any_of(rng, inner)
        oracle["children"][node], oracle["children"][other] = (
            oracle["children"][other],
            oracle["children"][node],
        )
    elif choice == 3:
        level = int(rng.integers(max(oracle["levels"])))
        oracle["left"][node] = sorted({*oracle["left"][node]} ^ {level})
    else:
        oracle["units"][int(rng.integers(count))] += int(rng.choice([-1, 1, 2**40]))


def bend_rules(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Allow a move that was not, or the other way round; or let it cost otherwise."""
    problem = result["problem"]
    squares = [square for square in problem["allowed"] or () if square]
    if problem["costs"] and rng.random() < 0.5:
        numbers = _any_of(rng, _any_of(rng, problem["costs"]["tables"]))
        numbers[int(rng.integers(len(numbers)))] = int(rng.choice([0, 1, 2, 2**30]))
    else:
        numbers = _any_of(rng, _any_of(rng, squares))
        numbers[int(rng.integers(len(numbers)))] ^= 1


def one_float_further(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Move a threshold by the least that there is, or a weight of a network."""
    oracle = result["problem"]["oracle"]
    if isinstance(oracle["threshold"], float):
        numbers = _any_of(rng, [oracle, _any_of(rng, _any_of(rng, oracle["tables"]))])
        key = "threshold" if numbers is oracle else 0
        numbers[key] = float(np.nextafter(numbers[key], rng.choice([-1e9, 1e9])))
    else:
        oracle["threshold"] += int(rng.choice([-1, 1]))
        oracle["sure"] = oracle["threshold"] + int(rng.integers(3))


def name_points(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Say of some points that the model accepted them, or turned them down."""
    oracle = result["problem"]["oracle"]
    for _ in range(int(rng.integers(1, 4))):
        point = [int(rng.integers(len(table))) for table in oracle["tables"]]
        # Where the rounding of a network decides, a name is believed.
        if oracle["kind"] != "network" or abs(EXCESSES["network"](oracle, point)) > NEAR:
            oracle.setdefault(str(rng.choice(["ties", "rejected"])), []).append(point)


def other_goal(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Want something else, or share something else."""
    if rng.random() < 0.5:
        result["problem"]["share"] = str(rng.choice(SHARES))
    elif rng.random() < 0.5:
        share = result["goal"]["coverage"]
        result["goal"]["coverage"] = _any_of(rng, [float(np.nextafter(share, 2)), 1e-300, 1 / 3, 1, 0])
    else:
        result["goal"]["explanations"] = _any_of(rng, [1, 2**60, 2**61, None, 0])


def bend_exclusion(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Lengthen, swap or repeat listed columns, swap cases, or exclude something else."""
    exclusion = proof_with(result, rng, "exclusion")["exclusion"]
    columns, case, choice = exclusion["columns"], exclusion["tree"], int(rng.integers(5))
    while "parts" in case and rng.random() < 0.6:
        case = _any_of(rng, case["parts"])
    if choice == 0:
        _any_of(rng, columns).append(int(rng.integers(len(result["assignment"]))))
    elif choice == 1:
        columns.append(_any_of(rng, columns))
    elif choice == 2:
        case["column"] = int(rng.integers(len(columns)))
    elif choice == 3:
        case["parts"].reverse()
    else:
        _any_of(rng, _any_of(rng, exclusion["moves"]))[int(rng.integers(2))] = int(rng.integers(-1, 4))


def bend_branch(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Distinguish cases that were not, or other ones, or take one for the other."""
    certificate, pair = result["certificate"], rng.permutation(len(result["assignment"]))[:2].tolist()
    proof = certificate["proof"]
    if proof["kind"] != "branch":
        certificate["proof"] = {"kind": "branch", "bound": proof["bound"], "pair": pair}
        certificate["proof"] |= {"together": proof, "apart": json.loads(json.dumps(proof))}
    elif rng.random() < 0.5:
        proof["pair"] = pair
    else:
        proof["together"], proof["apart"] = proof["apart"], proof["together"]


def bend_cover(result: dict[str, Any], rng: np.random.Generator) -> None:
    """Split by another row, or forget a column that covers it."""
    case = proof_with(result, rng, "exclusion")["exclusion"]["tree"]
    while case.get("parts") and rng.random() < 0.6:
        case = _any_of(rng, case["parts"])
    if rng.random() < 0.5:
        case["row"] = int(rng.integers(len(result["assignment"])))
    else:
        which = int(rng.integers(len(case["columns"])))
        case["columns"].pop(which)
        case["parts"].pop(which)


ALTERATIONS: list[Alteration] = [
    *[swap_rows, merge_groups, row_twice, huge_numbers, move_weight, other_values, bend_trees, bend_rules],
    *[one_float_further, name_points, other_goal, bend_exclusion, bend_exclusion, bend_branch, bend_branch],
    *[bend_cover, bend_cover, bend_proof, bend_tree],
]


def true_file(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """A file of any kind of proof, sharing and classifier."""
    if number % 3 == 0:
        return answered(rng, number // 3)
    if number % 3 == 1:
        return original(("additive", "trees", "network")[number % 9 // 3], number // 9, rng)
    problem = draw_problem(rng, KINDS[number // 3 % len(KINDS)], "point", own=False, restricted=False)
    content: dict[str, Any] = json.loads(
        ofm.solve(problem, options=ofm.Options(way="search", least_cost=True)).to_json()
    )
    return content


def judged(source: dict[str, Any] | Path) -> Report | None:
    """The report, unless the file cannot be read; nothing else may happen."""
    try:
        report = verify(source, time_limit=30)
    except CertificateError as error:
        assert str(error).isprintable()  # noqa: PT017 (either will do)
        return None
    assert all(check.detail.isprintable() for check in report.checks)
    return report


@pytest.mark.parametrize("chunk", range(2))
def test_whatever_is_confirmed_of_forged_files_is_true(chunk: int) -> None:
    rng = np.random.default_rng(chunk)
    found: Counter[str] = Counter()
    for number in range(FILES):
        result = true_file(rng, number)
        result["problem"].setdefault("costs", None)
        for _ in range(FORGERIES):
            forged = altered(result, rng, ALTERATIONS, 3, made_consistent)
            report = judged(forged)
            found["unreadable" if report is None else report.outcome] += 1
            if report is not None and report.outcome is Outcome.CONFIRMED:
                assert is_true_of_goals(forged), json.dumps(forged)
    assert found["confirmed"] > 200, found
    assert found["wrong"] > 200, found
    assert found["unreadable"] > 100, found


TOKENS = (
    *(b"NaN", b"-Infinity", b"1e400", b"1e-400", b"1.0", b"-0", b"00", b"true", b"null", b"[]", b"{}"),
    *(b"9" * 5000, b"9" * 400, b'"\\ud800"', b'"\\u001b[2J"', b"\xff\xfe", b"\xef\xbb\xbf", b"\x00"),
    *(b"[" * 2000 + b"]" * 2000, b'{"a":' * 900 + b"1" + b"}" * 900, b'"\xed\xa0\x80"', b"5e-324"),
)


def test_damaged_text_is_refused_or_judged(tmp_path: Path) -> None:
    """Cut off, overwritten, with numbers that are none, fields twice or of other names."""
    rng = np.random.default_rng(5)
    file, found = tmp_path / "result.json", Counter[str]()
    for number in range(12):
        text = json.dumps(result := true_file(rng, number)).encode()
        numbers = [match.span() for match in re.finditer(rb"-?\d+(\.\d+)?", text)]
        fields = list(re.finditer(rb'"\w+": ', text))
        for _ in range(60):
            cut, token = int(rng.integers(len(text))), TOKENS[int(rng.integers(len(TOKENS)))]
            begin, end = numbers[int(rng.integers(len(numbers)))]
            field = fields[int(rng.integers(len(fields)))]
            damaged = (
                text[:cut],
                text[:cut] + bytes([int(rng.integers(256))]) + text[cut + 1 :],
                text[:cut] + token + text[cut:],
                text[:begin] + token + text[end:],
                text[: field.start()] + field.group() + b"1, " + text[field.start() :],
                text[: field.start()] + b'"\\u001b[2J\\ud800": 1, ' + text[field.start() :],
            )[int(rng.integers(6))]
            file.write_bytes(damaged)
            report = judged(file)
            found["unreadable" if report is None else report.outcome] += 1
            if report is not None and report.outcome is Outcome.CONFIRMED:
                assert json.loads(damaged) == result
    assert found["unreadable"] > 500
    assert found["wrong"] > 30
