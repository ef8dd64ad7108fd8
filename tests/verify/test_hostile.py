"""Files made to deceive or to exhaust: a clear answer within the limits, never a traceback."""

from __future__ import annotations

import copy
import json
import tracemalloc
from fractions import Fraction
from itertools import permutations
from time import process_time
from typing import Any

import numpy as np
import pytest

from certificates import TWO_TRIANGLES, build_result, sealed, weighed
from judgement import EXCESSES
from oneformany.exceptions import CertificateError, InputError
from oneformany.verify import Outcome, Report, verify
from oneformany.verify.classifiers import read_network
from oneformany.verify.reading import Json

MEGABYTE = 2**20


def one_row(oracle: dict[str, Any], levels: list[int], point: list[int], **edits: Any) -> dict[str, Any]:
    """A forged optimum: one row, all zeros, explained by one point that changes everything."""
    features = len(levels)
    proof = weighed([1], 1, 1)
    problem = {
        "codes": [[0] * features],
        "levels": levels,
        "max_changes": features,
        "allowed": None,
        "oracle": oracle,
    }
    result = {
        "format": "oneformany-result",
        "version": 3,
        "status": "optimal",
        "count": 1,
        "lower_bound": 1,
        "method": "exact",
        "seed": 0,
        "versions": {},
        "problem": {**problem, **edits.pop("problem", {})},
        "explanations": [{"point": point, "changed": list(range(features)), "members": [0]}],
        "assignment": [0],
        "covered": 1,
        "unreachable": [],
        "undecided": [],
        "certificate": {"bound": 1, "proof": proof},
        "statistics": {},
        "schema": None,
        "ended": "proved",
        "index": [0],
    }
    return sealed({**result, **edits})


def nobody(result: dict[str, Any], **edits: Any) -> dict[str, Any]:
    """The same with its row called unreachable."""
    return sealed(
        {
            **result,
            "status": "infeasible",
            "count": 0,
            "lower_bound": 0,
            "explanations": [],
            "assignment": [-1],
            "covered": 0,
            "unreachable": [{"row": 0, "reason": "no point"}],
            "certificate": {"bound": 0, "proof": None},
            **edits,
        }
    )


def outcomes(report: Report) -> dict[str, Outcome]:
    return {check.name: check.outcome for check in report.checks}


def network(weight: float, unused: float = 0.0, threshold: float = 1e-6) -> dict[str, Any]:
    """Sum of two features' level-1 weights; level 2 of the first feature weighs what nobody meets."""
    return {
        "kind": "network",
        "tables": [[[0.0], [weight], [unused]], [[0.0], [weight]]],
        "bias": [0.0],
        "layers": [{"weights": [[1.0]], "bias": [0.0]}],
        "threshold": threshold,
    }


FORBIDDEN = {"allowed": [[[1, 1, 0], [1, 1, 0], [0, 0, 1]], None]}


@pytest.mark.parametrize("unused", [1e9, 1e15, 1e299])
def test_a_weight_that_no_point_meets_makes_no_point_positive(unused: float) -> None:
    forged = one_row(network(1e-7, unused), [3, 2], [1, 1], problem=FORBIDDEN)
    report = verify(forged)
    assert report.outcome is Outcome.WRONG
    assert outcomes(report)["points are positive"] is Outcome.WRONG
    honest = nobody(forged)
    assert verify(honest).ok


def test_rounding_is_judged_by_the_numbers_met() -> None:
    """Beside a weight of 1e9 that a point does meet, nobody can tell 1e-9."""
    for base, outcome in ((1.0, Outcome.CONFIRMED), (1e9, Outcome.UNCONFIRMED)):
        oracle = {
            "kind": "network",
            "tables": [[[0.0, 0.0], [base, base]]],
            "bias": [0.0, 1e-9],
            "layers": [{"weights": [[-1.0], [1.0]], "bias": [0.0]}],
            "threshold": 5e-10,
        }
        assert verify(one_row(oracle, [2], [1])).outcome is outcome


def test_a_point_at_the_threshold_is_neither_confirmed_nor_wrong() -> None:
    tie = one_row(network(0.1, threshold=0.1 + 0.1), [3, 2], [1, 1])
    assert verify(tie).outcome is Outcome.UNCONFIRMED
    assert "rounding decides" in verify(nobody(tie)).checks[-2].detail
    assert verify(nobody(tie)).outcome is Outcome.UNCONFIRMED
    assert verify(one_row(network(0.1, threshold=0.2 - 1e-12), [3, 2], [1, 1])).ok
    assert verify(one_row(network(0.1, threshold=0.2 + 1e-12), [3, 2], [1, 1])).outcome is Outcome.WRONG


def test_sums_beyond_all_numbers_are_neither_confirmed_nor_wrong() -> None:
    oracle = network(1e299)
    oracle["layers"] = [{"weights": [[1e299]], "bias": [0.0]}, {"weights": [[-1.0]], "bias": [0.0]}]
    assert verify(one_row(oracle, [3, 2], [1, 1])).outcome is Outcome.UNCONFIRMED


def trees(**edits: Any) -> dict[str, Any]:
    """One stump: level 1 of feature 0 is positive."""
    stump = {
        "kind": "trees",
        "digits": 0,
        "levels": [2, 2],
        "feature": [0, -1, -1],
        "left": [[0], [], []],
        "children": [[1, 2], [0, 0], [0, 0]],
        "units": [0, 0, 1],
        "roots": [0],
        "intercept": 0,
        "threshold": 1,
    }
    return {**stump, **edits}


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({"children": [[0, 2], [0, 0], [0, 0]]}, "circle"),
        ({"children": [[1, 1], [0, 0], [0, 0]]}, "two sides"),
        ({"feature": [0, 0, -1], "children": [[1, 2], [0, 2], [0, 0]], "left": [[0]] * 3}, "circle"),
        ({"children": [[1, 3], [0, 0], [0, 0]]}, "not between"),
        ({"children": [[1, -1], [0, 0], [0, 0]]}, "no node"),
        ({"children": [[1], [0, 0], [0, 0]]}, "entries instead of 2"),
        ({"roots": [0] * 20_000}, "twice"),
        ({"roots": [3]}, "not between"),
        ({"units": [0, 0, 2**62]}, "not between"),
        ({"units": [0, 0, 2**61], "roots": [0, 1]}, "beyond|twice"),
        ({"units": [0, 0, 1.0]}, "integers only"),
        ({"left": [[2], [], []]}, "not between"),
        ({"levels": [2, 3]}, "not those of the problem|not between"),
        ({"feature": [2, -1, -1]}, "not between"),
    ],
)
def test_nodes_that_are_not_trees_are_refused(edits: dict[str, Any], said: str) -> None:
    assert verify(one_row(trees(), [2, 2], [1, 1])).ok
    with pytest.raises(CertificateError, match=said):
        verify(one_row(trees(**edits), [2, 2], [1, 1]))


@pytest.mark.parametrize(
    ("left", "outcome"), [([[0], [], []], Outcome.CONFIRMED), ([[0, 2], [], []], Outcome.WRONG)]
)
def test_what_a_model_says_of_leaves_it_says_of_all_points_that_meet_them(
    left: Any, outcome: Outcome
) -> None:
    """Rounding decides about the leaf of 1; level 2 meets it exactly where level 1 does."""
    told = {"levels": [3], "left": left, "sure": 2, "units": [0, 0, 1]}
    answer = one_row(trees(**told, ties=[[1]]), [3], [2])
    assert verify(answer).outcome is outcome
    hopeless = nobody(one_row(trees(**told, rejected=[[1]]), [3], [2]))
    assert verify(hopeless).ok
    with pytest.raises(CertificateError, match="also among the ties"):
        verify(
            one_row(trees(**told, ties=[[1]], rejected=[[1 if outcome is Outcome.WRONG else 2]]), [3], [2])
        )


def test_equal_scores_of_other_leaves_are_not_what_a_model_spoke_of() -> None:
    nodes = {"feature": [0, -1, 0, -1, -1], "left": [[0], [], [1], [], []], "units": [0, 0, 0, 1, 1]}
    told = {**nodes, "levels": [3], "children": [[1, 2], [0, 0], [3, 4], [0, 0], [0, 0]], "sure": 2}
    assert verify(nobody(one_row(trees(**told, rejected=[[1], [2]]), [3], [2]))).ok
    assert verify(one_row(trees(**told, ties=[[2]]), [3], [2])).ok
    assert verify(nobody(one_row(trees(**told, rejected=[[1]]), [3], [2]))).outcome is Outcome.UNCONFIRMED
    assert verify(one_row(trees(**told, ties=[[1]]), [3], [2])).outcome is Outcome.UNCONFIRMED


def too_slow(report: Report) -> bool:
    open_claims = [check.detail for check in report.checks if not check.ok]
    return report.outcome is Outcome.UNCONFIRMED and any("too large to check" in said for said in open_claims)


def many_roots(count: int, features: int) -> dict[str, Any]:
    """As many trees of a single leaf, and the points of many features to evaluate them on."""
    nodes = {"feature": [-1] * count, "left": [[]] * count, "children": [[0, 0]] * count}
    oracle = trees(levels=[2] * features, units=[0] * count, roots=list(range(count)), **nodes)
    return nobody(one_row(oracle, [2] * features, [0] * features))


def chain(count: int, features: int) -> dict[str, Any]:
    """One tree that is as deep as it has splits."""
    feature = [0] * count + [-1] * (count + 1)
    children = [[node + 1 if node + 1 < count else 2 * count, count + node] for node in range(count)]
    oracle = trees(
        levels=[2] * features,
        feature=feature,
        left=[[0, 1]] * count + [[]] * (count + 1),
        children=children + [[0, 0]] * (count + 1),
        units=[0] * (2 * count + 1),
    )
    return nobody(one_row(oracle, [2] * features, [0] * features))


def cancelling(count: int, features: int) -> dict[str, Any]:
    """Pairs of splits that take back what the other gives: no bound sees it, only every single point."""
    both = [(2 * pair + turn, pair % features) for pair in range(count // 2) for turn in (0, 1)]
    oracle = trees(
        levels=[2] * features,
        feature=[value for _, feature in both for value in (feature, -1, -1)],
        left=[value for _ in both for value in ([0], [], [])],
        children=[value for tree, _ in both for value in ([3 * tree + 1, 3 * tree + 2], [0, 0], [0, 0])],
        units=[value for tree, _ in both for value in (0, 0, 1 - 2 * (tree % 2))],
        roots=[3 * tree for tree, _ in both],
        sure=1,
    )
    return nobody(one_row(oracle, [2] * features, [0] * features))


@pytest.mark.parametrize("make", [many_roots, chain])
def test_many_trees_that_change_nothing_are_seen_through_at_once(make: Any) -> None:
    assert verify(make(20_000, 20), time_limit=30.0).ok


def test_a_small_file_that_would_take_hours_ends_with_its_time() -> None:
    assert verify(cancelling(8, 4)).ok
    assert too_slow(verify(cancelling(20_000, 20), time_limit=1.0))


def peak(source: object, **limits: Any) -> tuple[Report, float]:
    """What a verification found, and the megabytes it took beyond the file."""
    verify(build_result(TWO_TRIANGLES))  # whatever is compiled or imported is so now
    text = json.dumps(source)
    tracemalloc.start()
    report = verify(text, **limits)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return report, most / MEGABYTE


def test_counts_of_observed_rows_are_not_kept_without_end() -> None:
    """Each set of features has 2,000 different reference rows: 298 sets would take 100 MB."""
    features, levels = 12, 2000
    to_one = {"line_of": [0] * levels, "lines": [[[0, 1, 2], [0, 1, 0]]]}
    observed = {
        "kind": "observed",
        "features": list(range(features)),
        "rows": [[row] * features for row in range(levels)],
        "counts": [1] * levels,
        "at_least": 2,
    }
    oracle = {"kind": "additive", "digits": 0, "tables": [[0, 1] + [0] * (levels - 2)] * features}
    problem = {"allowed": [to_one] * features, "restrictions": [observed], "max_changes": 3}
    forged = one_row(
        {**oracle, "intercept": 0, "threshold": 1}, [levels] * features, [0] * features, problem=problem
    )
    report, used = peak(nobody(forged))
    assert report.ok, report
    assert used < 60


def test_reading_ends_with_its_time() -> None:
    """Nodes, points and keys are many; whoever reads them looks at the clock."""
    many = 100_000
    nodes = {"feature": [-1] * many, "left": [[]] * many, "children": [[0, 0]] * many, "units": [0] * many}
    named = trees(sure=5, ties=[[0, 1]] * many)
    roots = trees(**nodes | {"roots": list(range(20_000))}, sure=5, ties=[[0, 1]] * 10_000)
    for oracle in (trees(**nodes), named, roots):
        content = json.dumps(nobody(one_row(oracle, [2, 2], [0, 0])))
        begun = process_time()
        report = verify(content, time_limit=0.05)
        assert too_slow(report)
        assert process_time() - begun < 3.0


def test_rules_take_memory_by_their_own_levels_not_by_the_most_levels() -> None:
    """Ruled features of one level beside a feature of many: 1.2 GB if each had as many."""
    features, levels, rows = 2000, 2000, 300
    table = [[0]] * features + [[0] * (levels - 1) + [1]]
    problem = {
        "codes": [[0] * features + [row] for row in range(rows)],
        "allowed": [[[1]]] * features + [None],
        "max_changes": 1,
    }
    oracle = {"kind": "additive", "digits": 0, "tables": table, "intercept": 0, "threshold": 1}
    point = [0] * features + [levels - 1]
    forged = one_row(oracle, [1] * features + [levels], point, problem=problem)
    everyone = {"point": point, "changed": [features], "members": list(range(rows))}
    forged.update(explanations=[everyone], assignment=[0] * rows, covered=rows, index=list(range(rows)))
    report, used = peak(sealed(forged))
    assert report.ok, report
    assert used < 200


def crowded_cover(columns: int) -> dict[str, Any]:
    """Columns that all contain all rows, and weights on many sets of them: every column carries each."""
    result = build_result(TWO_TRIANGLES, "enumeration")
    proof = result["certificate"]["proof"]
    proof["exclusion"]["columns"] = [[0, 1, 2, 3, 4, 5]] * columns
    sets = [[list(chosen), 1] for size in range(1, 7) for chosen in permutations(range(6), size)]
    proof["exclusion"]["tree"] = {"filters": [sets], "row": 0, "columns": [], "parts": []}
    return sealed(result)


def wide_cover(columns: int) -> dict[str, Any]:
    """A proof with many cases, each of which needs a copy of all columns."""
    result = build_result(TWO_TRIANGLES, "enumeration")
    proof = result["certificate"]["proof"]
    case = {"filters": [[[1, 0]]]}
    tried = list(range(0, columns, 2))
    proof["exclusion"] |= {
        "columns": [[0, 1, 2], [3, 4, 5]] * (columns // 2),
        "tree": {"filters": [], "row": 0, "columns": tried, "parts": [case] * len(tried)},
    }
    return sealed(result)


def test_the_cases_of_a_proof_are_built_one_after_the_other() -> None:
    """2,000 copies of 4,000 columns would take a gigabyte."""
    report, used = peak(wide_cover(4000))
    assert report.outcome is Outcome.WRONG
    assert "leaves open" in report.checks[-1].detail
    assert used < 100


def test_many_weights_on_many_columns_take_little_memory() -> None:
    """1,956 sets of rows in each of 10,000 columns would take 300 MB at once."""
    report, used = peak(crowded_cover(10_000))
    assert report.outcome is Outcome.WRONG
    assert used < 200


def test_memory_is_refused_before_it_is_used() -> None:
    report, used = peak(crowded_cover(10_000), memory_limit=0.001)
    assert too_slow(report)
    assert used < 10


def test_without_time_nothing_is_called_wrong() -> None:
    result = build_result(TWO_TRIANGLES, "enumeration")
    report = verify(result, time_limit=0.0)
    assert too_slow(report)
    assert verify(result, time_limit=None, memory_limit=None).ok


@pytest.mark.parametrize("limit", ["time_limit", "memory_limit"])
@pytest.mark.parametrize("given", [float("nan"), -1.0, "10"])
def test_a_limit_that_is_not_a_number_of_0_or_more_is_refused(limit: str, given: Any) -> None:
    with pytest.raises(InputError, match=f"{limit} is "):
        verify(build_result(TWO_TRIANGLES, "enumeration"), **{limit: given})


def test_points_too_many_to_look_at_are_not_wrong() -> None:
    """Of a network, which gives no bound, every point would have to be looked at."""
    features = 40
    layers = [{"weights": [[1.0]], "bias": [-1.0]}]
    oracle = {"kind": "network", "tables": [[[0.0], [0.0]]] * features, "bias": [0.0], "layers": layers}
    oracle |= {"threshold": 0.0}
    report = verify(nobody(one_row(oracle, [2] * features, [0] * features)), time_limit=2)
    assert report.outcome is Outcome.UNCONFIRMED
    assert "too large to check within 2 s" in report.checks[-2].detail


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000, "1" + "0" * 400, "[" * 5000]
)
@pytest.mark.parametrize("field", ['"threshold": 1', '"seed": 0', '"rounds": []'])
def test_numbers_that_are_none_are_refused(field: str, number: str) -> None:
    text = json.dumps(build_result(TWO_TRIANGLES))
    name = field.split(":", maxsplit=1)[0]
    assert field in text
    try:
        assert verify(text.replace(field, f"{name}: {number}")).outcome is Outcome.WRONG
    except CertificateError as error:
        assert len(str(error)) < 400  # noqa: PT017 (either will do)


@pytest.mark.parametrize("depth", [100, 900, 990, 100_000])
def test_nesting_is_read_or_refused(depth: int) -> None:
    text = json.dumps(build_result(TWO_TRIANGLES)).replace(
        '"rounds": []', f'"rounds": {"[" * depth}{"]" * depth}'
    )
    try:
        assert verify(text).outcome is Outcome.WRONG
    except CertificateError as error:
        assert "JSON" in str(error) or "digest" in str(error)  # noqa: PT017 (either will do)


@pytest.mark.parametrize("wrong", [None, True, -1, 0.5, 2**70, "text", [], {}, [[[]]], [None]], ids=repr)
@pytest.mark.parametrize("make", [network, trees])
def test_wrong_types_anywhere_in_a_classifier_are_refused_or_harmless(make: Any, wrong: object) -> None:
    oracle = make(1.0) if make is network else make()
    levels = [3, 2] if make is network else [2, 2]
    result = one_row(oracle, levels, [1, 1])
    for path in paths(oracle):
        copied = copy.deepcopy(result)
        inner: Any = copied["problem"]["oracle"]
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = wrong
        try:
            assert isinstance(verify(sealed(copied)), Report)
        except CertificateError as error:
            assert str(error)  # noqa: PT017 (either will do)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything below the top."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in inner for found in ((*path, key), *paths(part, (*path, key)))]


@pytest.mark.parametrize("name", ["\x1b[2J\x1b[1;1Hconfirmed", "\r\x1b[2Kok", "\ud800", "\u202edemrifnoc"])
def test_names_in_a_file_cannot_direct_the_terminal_or_stop_the_report(name: str) -> None:
    result = build_result(TWO_TRIANGLES)
    solver = {"bound": result["lower_bound"], "proof": None, "solver": name}
    for content in (
        {**result, "problem": {**result["problem"], "oracle": {"kind": name, "threshold": 0.5}}},
        {**result, "certificate": solver},
    ):
        report = verify(sealed(content))
        assert report.outcome is Outcome.UNCONFIRMED
        assert all(check.detail.isprintable() for check in report.checks)
        assert any("?" in check.detail for check in report.checks)


def test_what_a_newer_release_claims_is_not_confirmed() -> None:
    result = build_result(TWO_TRIANGLES)
    rule = {"kind": "of a newer release", "features": [0]}
    report = verify(sealed({**result, "problem": {**result["problem"], "restrictions": [rule]}}))
    assert report.outcome is Outcome.UNCONFIRMED
    assert any("of a newer release" in check.detail for check in report.checks)
    for name, value in (("budget", 3), ("share", "action")):
        with pytest.raises(CertificateError, match=f"{name} is not a field"):
            verify(sealed({**result, name: value}))


@pytest.mark.parametrize("name", ["\x1b[2J", "\ud800", "x" * 5000])
def test_fields_that_are_not_of_the_format_are_named_in_short_and_without_signs(name: str) -> None:
    result = build_result(TWO_TRIANGLES)
    for content in ({**result, name: 1}, {**result, "problem": {**result["problem"], name: 1}}):
        with pytest.raises(CertificateError, match="is not a field") as caught:
            verify(sealed(content))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 100


def test_the_slack_holds_for_random_networks() -> None:
    """The bound on the error is above the error in fractions, and not far above it."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        scale = 10.0 ** rng.integers(-8, 9, size=3)
        oracle = {
            "kind": "network",
            "tables": [(scale[0] * rng.normal(size=(3, 4))).tolist() for _ in range(5)],
            "bias": (scale[1] * rng.normal(size=4)).tolist(),
            "layers": [
                {
                    "weights": rng.normal(size=(4, 4)).tolist(),
                    "bias": (scale[2] * rng.normal(size=4)).tolist(),
                },
                {"weights": rng.normal(size=(4, 1)).tolist(), "bias": [0.0]},
            ],
            "threshold": 0.0,
        }
        codes = rng.integers(3, size=(4, 5))
        scores, errors = read_network(Json(oracle), (3,) * 5).scores(codes)
        for point, score, error in zip(codes.tolist(), scores, errors, strict=True):
            exact = EXCESSES["network"](oracle, point)
            assert abs(Fraction(score) - exact) <= Fraction(error)
            assert error <= 1e-12 * max(scale) * 1e3


def test_between_the_threshold_and_what_is_sure_the_listed_ties_are_positive() -> None:
    additive = {"kind": "additive", "digits": 0, "tables": [[0, 1], [0, 1]], "intercept": 0, "threshold": 2}
    for oracle in (additive, trees(), network(1.0, threshold=1.5)):
        levels = [len(oracle["tables"][0]), 2] if "tables" in oracle else [2, 2]
        unsure = {**oracle, "sure": oracle["threshold"] + 5}
        assert verify(one_row(oracle, levels, [1, 1])).ok
        assert verify(one_row(unsure, levels, [1, 1])).outcome is Outcome.UNCONFIRMED
        assert verify(one_row({**unsure, "ties": [[1, 1]]}, levels, [1, 1])).ok
        assert verify(one_row({**unsure, "ties": [[0, 0]]}, levels, [0, 0])).outcome is Outcome.WRONG
        assert verify(nobody(one_row(unsure, levels, [1, 1]))).outcome is Outcome.UNCONFIRMED
        assert verify(nobody(one_row(oracle, levels, [1, 1]))).outcome is Outcome.WRONG
        with pytest.raises(CertificateError, match="sure"):
            verify(one_row({**oracle, "sure": oracle["threshold"] - 1}, levels, [1, 1]))
        with pytest.raises(CertificateError, match="ties"):
            verify(one_row({**unsure, "ties": [[1, 9]]}, levels, [1, 1]))
