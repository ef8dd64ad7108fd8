"""Files of version 2, as this release would have written them: only the proofs were written differently.

``dual`` and ``enumeration`` were proofs about everybody, ``coverage`` about some; all are weights on a scope
now. Numbers stood on all given rows, and people who are covered were told, not those who are left uncovered.
Nothing is checked here: whatever comes out is read as strictly as any file, and proved from scratch.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from oneformany.exceptions import CertificateError
from oneformany.verify.reading import VERSION, Parsed

OLDER = 2


def current(content: Parsed) -> Parsed:
    """Write the content of a result file as this version does; the digest stays that of the file."""
    if content.get("version") != OLDER:
        return content
    try:
        certificate = _Older(content).certificate(content["certificate"])
        restrictions = content["problem"].get("restrictions") or ()
        rules = [_as_it_was_meant(rule) for rule in restrictions]
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CertificateError(
            f"this is not a complete result of version {OLDER}: {type(error).__name__} {error}"
        ) from error
    told = {**content, "version": VERSION, "certificate": certificate}
    return {**told, "problem": {**content["problem"], "restrictions": rules}} if rules else told


def _as_it_was_meant(rule: Parsed) -> Parsed:
    """Name a rule that means something else today: then nobody confirms what was proved about another one.

    ``observed`` was about the features alone that a row changes.
    """
    observed = isinstance(rule, dict) and rule.get("kind") == "observed"
    return {**rule, "kind": "observed (version 2)"} if observed else rule


@dataclass(frozen=True)
class _Older:
    """A file of version 2."""

    content: Mapping[str, Any]

    def certificate(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Bring all proofs to their kinds of today."""
        told = {**given}
        proof, coverage, cost = given["proof"], told.pop("coverage", None), told.get("cost")
        if proof is not None and proof["kind"] == "solver":
            told |= {"solver": proof["name"], "proof": None}
        elif proof is not None:
            told["proof"] = self._proof(proof)
        if coverage is not None:
            told["proof"] = self._coverage(coverage)
        if cost is not None:
            told["cost"] = self._cost(cost)
        return told

    def _proof(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if given["kind"] == "branch":
            return {**given, **{side: self._proof(given[side]) for side in ("together", "apart")}}
        if given["kind"] not in {"dual", "enumeration"}:
            raise ValueError(f"a proof of the kind {str(given['kind'])[:40]!r}")
        told, exclusion, needed = {**given}, None, list[int]()
        if given["kind"] == "enumeration":
            target, columns, tree = (told.pop(name) for name in ("target", "columns", "cover"))
            exclusion = {"explanations": target, "at_most": 0, "columns": columns, "tree": tree}
            needed = self._different(row for row, one in enumerate(self.content["assignment"]) if one >= 0)
        numbers = _spread(told.pop("weights"), needed)
        scale = max([1, *numbers["weights"]])
        return {**told, **numbers, "kind": "weights", "scale": scale, "exclusion": exclusion}

    def _coverage(self, given: Mapping[str, Any]) -> dict[str, Any]:
        told, exclusion, needed = {**given}, given["exclusion"], list[int]()
        people = told.pop("rows")
        if exclusion is not None:
            columns = [rows for rows, _, _ in exclusion["columns"]]
            exclusion = {**exclusion, "columns": columns, "at_most": people - exclusion["target"]}
            del exclusion["target"]
            needed = self._helpable()
        numbers = _spread(told.pop("weights"), needed)
        bound = -(-sum(numbers["weights"]) // max(1, given["capacity"]))
        if exclusion is not None and exclusion["at_most"] >= 0:
            bound = max(bound, exclusion["explanations"] + 1)
        return {**told, **numbers, "kind": "weights", "exclusion": exclusion, "bound": bound}

    def _cost(self, given: Mapping[str, Any]) -> dict[str, Any]:
        told, helpable = {**given}, self._helpable()
        exclusion, anchors, kind = told.pop("exclusion", None), None, given["kind"]
        prices = told.pop("prices")
        scope = [row for row in helpable if exclusion is not None or prices[row]]
        if kind == "anchored cost":
            numbers = {name: told.pop(name) for name in ("changes", "savings")}
            scope = [row for row in range(len(prices)) if prices[row] or numbers["savings"][row]]
            anchors = {name: [told_of[row] for row in scope] for name, told_of in numbers.items()}
        elif kind != "cost":
            raise ValueError(f"a proof of the kind {str(kind)[:40]!r}")
        if exclusion is not None:
            columns = exclusion["columns"]
            moves = [[[feature, cells[feature]] for feature in changed] for _, changed, cells in columns]
            exclusion = {**exclusion, "columns": [rows for rows, _, _ in columns], "moves": moves}
            exclusion["at_most"] = exclusion.pop("target")
        told |= {"scope": scope, "prices": [prices[row] for row in scope]}
        return {**told, "kind": "cost", "exclusion": exclusion, "anchors": anchors}

    def _helpable(self) -> list[int]:
        """The first of each kind of rows that nobody calls unreachable."""
        beyond = {self._values(entry["row"]) for entry in self.content["unreachable"]}
        rows = range(len(self.content["assignment"]))
        return self._different(row for row in rows if self._values(row) not in beyond)

    def _different(self, rows: Iterable[int]) -> list[int]:
        found: dict[tuple[int, ...], int] = {}
        for row in rows:
            found.setdefault(self._values(row), row)
        return sorted(found.values())

    def _values(self, row: int) -> tuple[int, ...]:
        problem = self.content["problem"]
        own = problem.get("own")
        return tuple(problem["codes"][row] if own is None else own["values"][row])


def _spread(weights: list[int], needed: Iterable[int]) -> dict[str, list[int]]:
    """Let the scope be all rows that weigh something, and those that the proof must not forget."""
    scope = sorted({row for row, weight in enumerate(weights) if weight}.union(needed))
    return {"scope": scope, "weights": [weights[row] for row in scope]}
