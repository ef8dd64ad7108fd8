"""Files that are not complete results are refused with a word on what is wrong and where."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oneformany as ofm
from certificates import TWO_TRIANGLES, build_result
from oneformany.exceptions import CertificateError
from oneformany.verify.claims import Claims
from oneformany.verify.claims import read_claims as read_content
from oneformany.verify.reading import Limits, Source, read_document

BRANCHED = build_result(TWO_TRIANGLES, "best", branchings=1)
LISTED = build_result(TWO_TRIANGLES, "enumeration")
Path_ = tuple[str | int, ...]


def read_claims(source: Source, limits: Limits | None = None) -> Claims:
    limits = limits or Limits()
    return read_content(read_document(source, limits), limits)


def test_what_is_neither_a_result_nor_a_file_is_refused() -> None:
    with pytest.raises(CertificateError, match="object is not a result, a file of one"):
        read_claims(object())  # type: ignore[arg-type]


def changed(result: dict[str, Any], path: Path_, value: object) -> dict[str, Any]:
    """A copy with one entry replaced."""
    copied = copy.deepcopy(result)
    inner: Any = copied
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copied


def test_claims_are_read_as_written() -> None:
    claims = read_claims(LISTED)
    assert claims.count == claims.lower_bound == claims.bound == 4
    assert claims.status == "optimal"
    assert claims.problem.codes.tolist() == LISTED["problem"]["codes"]
    assert claims.problem.levels == (2, 2, 2, 2, 2)
    assert claims.problem.rules[1] is None
    assert np.array_equal(claims.problem.may(0, np.arange(2)), [[True, True], [False, True]])
    assert claims.problem.classifier.needed == 1
    assert claims.unreachable == (7,)
    assert claims.explanations[0].point == tuple(LISTED["explanations"][0]["point"])
    assert claims.proof.exclusion is not None
    assert len(claims.proof.exclusion.columns) == len(LISTED["certificate"]["proof"]["exclusion"]["columns"])


def test_proof_trees_are_read() -> None:
    proof = read_claims(BRANCHED).proof
    assert len(proof.pair) == len(proof.parts) == 2
    assert proof.parts[1].weights


def test_paths_text_and_plain_data_are_the_same(tmp_path: Path) -> None:
    text = json.dumps(LISTED)
    file = tmp_path / "result.json"
    file.write_text(text, encoding="utf-8")
    for source in (file, str(file), text, "\n " + text, LISTED):
        assert read_claims(source).assignment.tolist() == LISTED["assignment"]


def test_staying_is_always_allowed() -> None:
    forbidden = changed(LISTED, ("problem", "allowed", 3), [[0, 0], [0, 0]])
    assert np.array_equal(read_claims(forbidden).problem.may(3, np.arange(2)), np.eye(2, dtype=bool))


def test_every_half_written_file_is_refused() -> None:
    text = json.dumps(LISTED)
    for end in range(0, len(text) - 1, 37):
        with pytest.raises(CertificateError):
            read_claims("{" + text[1:end])


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"null", b"[]", b"7", b'"text"', b"{}", b"{]"])
def test_files_with_other_content_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    with pytest.raises(CertificateError):
        read_claims(file)


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match=r"nowhere\.json"):
        read_claims(tmp_path / "nowhere.json")
    with pytest.raises(CertificateError, match=tmp_path.name):
        read_claims(tmp_path)


def test_other_formats_and_versions_are_named() -> None:
    with pytest.raises(CertificateError, match="format"):
        read_claims(changed(LISTED, ("format",), "something-else"))
    with pytest.raises(CertificateError, match="version 4, written by a newer release"):
        read_claims(changed(LISTED, ("version",), 4))
    with pytest.raises(CertificateError, match="version 1, written by an older release"):
        read_claims(changed(LISTED, ("version",), 1))
    for version in (True, 3.0, "3", None):
        with pytest.raises(CertificateError, match="version"):
            read_claims(changed(LISTED, ("version",), version))


def test_a_field_given_twice_is_refused() -> None:
    text = json.dumps(LISTED)
    with pytest.raises(CertificateError, match="twice"):
        read_claims(text[:-1] + ', "count": 3}')


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused(word: str) -> None:
    text = json.dumps(LISTED).replace('"count": 4', f'"count": {word}')
    with pytest.raises(CertificateError, match=word):
        read_claims(text)
    with pytest.raises(CertificateError, match=word):
        read_claims(json.dumps(LISTED).replace('"timings": {}', f'"timings": {{"search": {word}}}'))


@pytest.mark.parametrize("read", [read_claims, ofm.Result.from_json])
def test_integers_of_thousands_of_digits_are_called_that(read: Callable[[str], object]) -> None:
    """Python refuses to read them, though nothing is half-written."""
    with pytest.raises(CertificateError, match="an integer of thousands of digits"):
        read(json.dumps(LISTED).replace('"count": 4', f'"count": {"9" * 5000}'))


def test_endless_nesting_is_refused() -> None:
    with pytest.raises(CertificateError):
        read_claims('{"format": ' + "[" * 100_000 + "]" * 100_000 + "}")


def test_a_proof_that_is_too_deep_is_refused() -> None:
    leaf = LISTED["certificate"]["proof"]
    proof = leaf
    for _ in range(600):
        proof = {"kind": "branch", "pair": [0, 1], "together": proof, "apart": leaf, "bound": 4}
    with pytest.raises(CertificateError, match="deep"):
        read_claims(changed(LISTED, ("certificate", "proof"), proof))


def test_data_that_is_not_plain_is_refused() -> None:
    with pytest.raises(CertificateError, match="cannot be read"):
        read_claims(changed(LISTED, ("count",), np.int64(4)))
    with pytest.raises(CertificateError, match="cannot be read"):
        read_claims(changed(LISTED, ("count",), {4}))


def every_path(value: object, path: Path_ = ()) -> list[Path_]:
    """The paths of all values below the top."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [found for key, part in inner for found in ((*path, key), *every_path(part, (*path, key)))]


FREE = ("versions", "statistics", "schema", "method", "index", "digest", "ended")
PATHS = [path for path in every_path(LISTED) if path[0] not in FREE]
BRANCHED_PATHS = [path for path in every_path(BRANCHED) if path[:2] == ("certificate", "proof")]


@pytest.mark.parametrize("wrong", [1.5, True, "7", {}, -(10**30), 10**30, [[None]], float("nan")], ids=repr)
def test_a_value_of_another_kind_is_refused_everywhere(wrong: object) -> None:
    for result, paths in ((LISTED, PATHS), (BRANCHED, BRANCHED_PATHS)):
        for path in paths:
            if wrong == "7" and path[-1] in {"reason", "kind"}:
                continue  # any text is a reason, and names a classifier of some kind
            with pytest.raises(CertificateError):
                read_claims(changed(result, path, wrong))


def test_null_is_refused_everywhere_but_for_rules_and_proofs() -> None:
    for path in PATHS:
        if path[:2] == ("problem", "allowed") and len(path) < 4:
            continue
        if path in {("certificate", "proof"), ("certificate", "proof", "exclusion")}:
            continue
        with pytest.raises(CertificateError):
            read_claims(changed(LISTED, path, None))


def test_every_missing_and_every_additional_field_is_named() -> None:
    for path in [(), *every_path(LISTED)]:
        copied = copy.deepcopy(LISTED)
        target: Any = copied
        for step in path:
            target = target[step]
        if not isinstance(target, dict) or path[:1] in {(name,) for name in FREE}:
            continue
        with pytest.raises(CertificateError, match="surprise"):
            read_claims(_with(copied, target, "surprise"))
        for name in list(target):
            kept = target.pop(name)
            with pytest.raises(CertificateError, match=name):
                read_claims(copied)
            target[name] = kept


def _with(result: dict[str, Any], target: dict[str, Any], name: str) -> dict[str, Any]:
    """The result while the target has one more field."""
    target[name] = 1
    text: dict[str, Any] = json.loads(json.dumps(result))
    del target[name]
    return text


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("problem", "codes"), [], "at least one row"),
        (("problem", "codes", 2), [0, 0], "codes"),
        (("problem", "codes", 2, 1), 2, "feature 1"),
        (("problem", "codes", 2, 1), -1, "codes"),
        (("problem", "levels"), [], "features"),
        (("problem", "levels"), [2] * 70000, "features"),
        (("problem", "levels", 0), 0, "levels"),
        (("problem", "levels", 0), 10**9, "levels"),
        (("problem", "max_changes"), 0, "max_changes"),
        (("problem", "max_changes"), 6, "max_changes"),
        (("problem", "allowed"), [], "allowed"),
        (("problem", "allowed", 0), [[1, 1]], "allowed"),
        (("problem", "allowed", 0, 0, 0), 2, "allowed"),
        (("problem", "allowed", 0, 0, 0), True, "true or false"),
        (("problem", "oracle", "digits"), 99, "digits"),
        (("problem", "oracle", "tables"), [[0, 1]] * 4, "tables"),
        (("problem", "oracle", "tables", 0), [0], "tables"),
        (("problem", "oracle", "tables", 0, 0), 2**61, "scores"),
        (("explanations", 0, "point", 0), 2, "point"),
        (("explanations", 0, "changed"), [0, 0], "twice"),
        (("explanations", 0, "changed"), [5], "changed"),
        (("explanations", 0, "members"), [1, 1], "twice"),
        (("explanations", 0, "members"), [8], "members"),
        (("assignment",), [0], "assignment"),
        (("assignment", 0), 4, "assignment"),
        (("assignment", 0), -2, "assignment"),
        (("unreachable", 0, "row"), 8, "row"),
        (("status",), "perfect", "perfect"),
        (("certificate", "bound"), -1, "bound"),
        (("certificate", "proof", "kind"), "faith", "faith"),
        (("certificate", "proof", "weights"), [1], "weights"),
        (("certificate", "proof", "weights", 0), -1, "weights"),
        (("certificate", "proof", "weights"), [2**59] * 6, "sum"),
        (("certificate", "proof", "capacity"), 0, "capacity"),
        (("certificate", "proof", "scope"), [0, 2, 1], "must rise"),
        (("certificate", "proof", "scope"), [0, 0], "must rise"),
        (("certificate", "proof", "scope", 5), 8, "scope"),
        (("certificate", "proof", "scale"), 0, "scale"),
        (("certificate", "proof", "exclusion", "at_most"), -1, "at_most"),
        (("certificate", "proof", "exclusion", "columns", 0), [99], "columns"),
        (("seed",), "0", "seed"),
        (("method",), 1, "method"),
        (("versions",), [], "versions"),
        (("statistics",), [], "statistics"),
        (("schema",), [], "schema"),
    ],
)
def test_values_out_of_range_are_named(path: Path_, value: object, named: str) -> None:
    with pytest.raises(CertificateError, match=named):
        read_claims(changed(LISTED, path, value))


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("filters",), [[[0, 1], [0, 1]]], "twice"),
        (("filters",), [[[8, 1]]], "filters"),
        (("filters",), [[[[0, 8], 1]]], "filters"),
        (("filters",), [[[[0, 0], 1]]], "twice"),
        (("filters",), [[[[0, 1], 1], [[0, 1], 1]]], "twice"),
        (("filters",), [[[0, 1, 1]]], "filters"),
        (("filters",), [[[0, -1]]], "filters"),
        (("filters",), [[[0, 2**60], [1, 1]]], "weighs more"),
        (("row",), 8, "row"),
        (("columns",), [0, 0], "twice"),
        (("columns",), [99], "columns"),
        (("parts",), [], "parts"),
    ],
)
def test_cases_of_a_set_cover_out_of_range_are_named(path: Path_, value: object, named: str) -> None:
    with pytest.raises(CertificateError, match=named):
        read_claims(changed(LISTED, ("certificate", "proof", "exclusion", "tree", *path), value))


def test_cases_of_a_set_cover_that_are_half_given_are_refused() -> None:
    for name in ("row", "columns", "parts"):
        copied = copy.deepcopy(LISTED)
        del copied["certificate"]["proof"]["exclusion"]["tree"][name]
        with pytest.raises(CertificateError, match="tree"):
            read_claims(copied)


def test_the_pair_of_a_branch_is_two_rows() -> None:
    for pair in ([0, 0], [0], [0, 1, 2], [0, 99]):
        with pytest.raises(CertificateError, match="pair"):
            read_claims(changed(BRANCHED, ("certificate", "proof", "pair"), pair))


def test_positions_in_the_users_frame_are_read_and_checked() -> None:
    n = len(LISTED["problem"]["codes"])
    placed = changed(LISTED, ("problem", "rows"), list(range(n)))
    read_claims(changed(placed, ("problem", "already_positive"), [n]))
    with pytest.raises(CertificateError, match="same row"):
        read_claims(changed(placed, ("problem", "already_positive"), [0]))
    with pytest.raises(CertificateError, match="missing"):
        read_claims(placed)
    with pytest.raises(CertificateError, match="twice"):
        read_claims(changed(placed, ("problem", "rows"), [0] * n))
