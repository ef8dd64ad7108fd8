"""How long the verifier takes for a proof over few rows: all actions of 40 rows, and what none exceeds.

Random boosted trees, tables or a network on raw numbers: every feature has seven cells with a target in each,
and the rows have values of their own. The weights are one for each row, and the capacity is what the actions
of the rows say, so the check has to look at every action of every row; with one less it has to fail.

    python benchmarks/few_rows.py --kind trees --rows 40 --features 20 --changes 3
"""

import argparse
import json
from time import process_time

import numpy as np

from oneformany.exceptions import CertificateError
from oneformany.verify.actions import Actions
from oneformany.verify.bound import check_weights
from oneformany.verify.claims import read_claims
from oneformany.verify.proofs import Items, Weights
from oneformany.verify.reading import Limits

TARGETS, VALUES = 7, 21  # each cell holds three values


def trees(rng: np.random.Generator, features: int, count: int, depth: int) -> dict[str, object]:
    """Complete trees of random splits; the higher a value the better it is, mostly."""
    nodes = 2 ** (depth + 1) - 1
    feature, left, children, units = [], [], [], []
    for tree in range(count):
        for node in range(nodes):
            inner = node < nodes // 2
            feature.append(int(rng.integers(features)) if inner else -1)
            left.append(list(range(int(rng.integers(1, VALUES)))) if inner else [])
            first = tree * nodes + 2 * node + 1
            children.append([first, first + 1] if inner else [-1, -1])
            ones = max(0, node + 2 - 2**depth).bit_count()
            units.append(0 if inner else int(rng.integers(-100, 101)) + 40 * ones)
    roots = [tree * nodes for tree in range(count)]
    told = {"kind": "trees", "levels": [VALUES] * features, "digits": 0, "intercept": 0, "roots": roots}
    return {**told, "feature": feature, "left": left, "children": children, "units": units, "threshold": 0}


def tables(rng: np.random.Generator, features: int) -> dict[str, object]:
    """One number per value."""
    numbers = np.sort(rng.integers(-1000, 1000, size=(features, VALUES)), axis=1).tolist()
    return {"kind": "additive", "digits": 0, "tables": numbers, "intercept": 0, "threshold": 0}


def network(rng: np.random.Generator, features: int, widths: tuple[int, ...] = (32, 16)) -> dict[str, object]:
    """Sums of numbers per value, behind ReLUs."""
    first = (np.linspace(-1, 1, VALUES)[:, None] * rng.normal(size=(features, 1, widths[0]))).tolist()
    layers = [
        {"weights": (rng.normal(size=shape) / shape[0] ** 0.5).tolist(), "bias": [0.1] * shape[1]}
        for shape in zip(widths, (*widths[1:], 1), strict=True)
    ]
    return {"kind": "network", "tables": first, "bias": [0.0] * widths[0], "layers": layers, "threshold": 0.0}


def content(kind: str, share: str, rows: int, features: int, changes: int, seed: int) -> dict[str, object]:
    """A file about rows of which nothing is known but that they score below the threshold."""
    rng = np.random.default_rng(seed)
    oracle = {"trees": lambda: trees(rng, features, 200, 5), "tables": lambda: tables(rng, features)}
    classifier = oracle.get(kind, lambda: network(rng, features))()
    values = rng.integers(0, VALUES, size=(rows, features))
    cell_of = [[value // (VALUES // TARGETS) for value in range(VALUES)]] * features
    targets = [[cell * (VALUES // TARGETS) + 1 for cell in range(TARGETS)]] * features
    problem = {"codes": (values // (VALUES // TARGETS)).tolist(), "levels": [TARGETS] * features}
    problem |= {"max_changes": changes, "allowed": None, "oracle": classifier, "share": share, "costs": None}
    problem |= {
        "own": {"values": values.tolist(), "cell_of": cell_of, "targets": targets},
        "restrictions": [],
    }
    nothing = {"explanations": [], "unreachable": [], "undecided": list(range(rows)), "statistics": {}}
    told = {"format": "oneformany-result", "version": 3, "status": "feasible", "count": 0, "lower_bound": 0}
    told |= {"covered": 0, "assignment": [-1] * rows, "index": list(range(rows)), "schema": None, "seed": 0}
    told |= {"method": "exact", "versions": {}, "ended": "limit", "digest": ""}
    return {**told, **nothing, "problem": problem, "certificate": {"bound": 0, "proof": None}}


def threshold_for(actions: Actions) -> int:
    """A score that the rows reach by one action of a thousand, so that proofs have something to say."""
    found = []
    for index in range(len(actions.given)):
        after = actions.ends(index, np.linspace(0, actions.total - 1, 2000).astype(np.int64))
        points = actions.problem.followed(np.repeat(actions.given[index], len(after)), after)
        scores = actions.problem.classifier.scores
        found.append(scores(points)[0] if scores is not None else np.zeros(1))
    return np.quantile(np.concatenate(found), 0.999).item()


def main() -> None:
    """Time the check of one proof, and of one that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=("trees", "tables", "network"), default="trees")
    parser.add_argument("--share", choices=("action", "features"), default="action")
    for name, usual in (("rows", 40), ("features", 20), ("changes", 3), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = vars(parser.parse_args())
    file = content(**given)
    limits = Limits(600.0, 4.0)
    problem = read_claims(json.loads(json.dumps(file)), limits).problem
    rows = np.arange(given["rows"])
    file["problem"]["oracle"]["threshold"] = type(file["problem"]["oracle"]["threshold"])(
        threshold_for(Actions(problem, rows))
    )
    problem = read_claims(json.loads(json.dumps(file)), limits).problem
    actions = Actions(problem, rows)
    actions.followed_by(0)  # what is compiled once is not counted
    ones = np.ones(len(rows), dtype=np.int64)
    began = process_time()
    capacity = max((len(group) for group in actions.groups(ones, 1)), default=1)
    listed = process_time() - began
    items, scope = Items.single(rows.tolist()), tuple(rows.tolist())

    def checked(most: int) -> float:
        proof = Weights(scope, (1,) * len(scope), most, 1, -(-len(scope) // most), None)
        started = process_time()
        check_weights(proof, problem, items)
        return process_time() - started

    seconds = checked(capacity)
    try:
        checked(capacity - 1 or 1)
        wrong = capacity > 1 and "accepted"
    except CertificateError as error:
        wrong = f"refused: {error}"
    print(f"{given}: {actions.total:,} actions, at most {capacity} of {len(rows)} rows by one of them")
    print(f"listed in {listed:.2f} s, checked in {seconds:.2f} s; one less is {wrong}")


if __name__ == "__main__":
    main()
