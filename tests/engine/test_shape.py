"""Tests on the syntax tree: what the engine does in one place only."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import fields
from pathlib import Path

import oneformany
from oneformany.result.result import Result

ENGINE = Path(oneformany.__file__).parent / "engine"
FILES = sorted(ENGINE.rglob("*.py"))
TREES = {path.relative_to(ENGINE): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
PROOFS = ("Weights", "Branch", "Cost", "Exclusion", "Anchors")


def calls():
    """The names that are called, with the file of each."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                yield str(path), node.func.id if isinstance(node.func, ast.Name) else node.func.attr


def test_a_result_is_built_in_one_place():
    assert [path for path, name in calls() if name == "build_result"] == ["solve.py"]


# An answer for a few rows of a source becomes one about all of its rows.
ABOUT_MORE_ROWS = ENGINE.parent / "explainer" / "in_parts.py"


def test_no_key_of_a_result_is_replaced_after_it_was_built():
    keys = {field.name for field in fields(Result)}
    called = {"result", "first", "answer", "draft", "told"}
    patched = [
        f"{path.relative_to(ENGINE.parent)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(ENGINE.parent.rglob("*.py"))
        if path != ABOUT_MORE_ROWS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"replace", "object.__setattr__"}
        if node.args and ast.unparse(node.args[0]) in called
        if keys & {keyword.arg for keyword in node.keywords}
    ]
    assert patched == []


def test_a_round_is_reported_in_one_place():
    assert [path for path, name in calls() if name == "Round"] == ["context.py"]


def test_every_kind_of_proof_has_one_constructor_call():
    made = Counter((path, name) for path, name in calls() if name in PROOFS)
    assert made == {("certificate.py", name): 1 for name in PROOFS}


def kept_by(classes):
    """Attributes that classes of these names declare, or set on themselves."""
    names = set()
    for tree in TREES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in classes:
                names |= {ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign)}
                stored = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
                names |= {part.attr for part in stored if isinstance(part.ctx, ast.Store)}
    return names


def test_no_attribute_of_a_source_a_standing_or_a_context_is_assigned_from_outside():
    sources = {
        node.name
        for path, tree in TREES.items()
        if path.parts[0] == "sources"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    assert {"Listed", "Bucketed", "Partial", "Searched", "Sampled"} <= sources
    names = kept_by(sources | {"Standing", "CostStanding", "Cases", "Context", "Generated"})
    assert {"table", "chosen", "weights", "unreachable", "stop"} <= names
    found = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in TREES.items()
        if not path.stem.endswith("kernels")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in names
        if ast.unparse(node.value) != "self"
    ]
    assert found == []


def test_only_sources_and_their_listings_tell_ways_to_share_apart():
    found = {
        path.parts[0]
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and "share" in ast.unparse(node.left).split(".")[-1:]
    }
    assert found == {"sources", "listing"}
