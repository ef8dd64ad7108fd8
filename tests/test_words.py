"""Tests that one word means one thing: class names, constants, and words that a reader stumbles over."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

import oneformany

SOURCE = Path(oneformany.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
# The checker shares nothing with the rest and has its own classes for what it reads in a file: a problem is
# a problem on both sides.
HOUSE = [path for path in FILES if path.relative_to(SOURCE).parts[0] != "verify"]
STUMBLES = {
    r"(?<!_)\b[Pp]laces?\b": "an index is an index",
    r"\bwhole numbers?\b": "an integer is an integer",
    r"(?<!here )\b(is|are) no (?!longer|worse)": "say: is not a",
}
MEANT = ("in place", "one place", "place of others", "for the place")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_no_two_public_classes_have_one_name():
    homes = defaultdict(list)
    for path in HOUSE:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_a_scale_has_one_value():
    values = defaultdict(set)
    for path in HOUSE:
        for node in tree(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if "SCALE" in name or name.startswith("ONE_IN"):
                    values[name].add((str(path.relative_to(SOURCE)), ast.unparse(node.value)))
    assert {name: found for name, found in values.items() if len(found) > 1} == {}


def constants(paths):
    """The module constants of some files: each name with its values, and where they are."""
    values = defaultdict(set)
    for path in paths:
        for node in tree(path).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and target.id.isupper() and node.value is not None:
                values[target.id].add((ast.unparse(node.value), str(path.relative_to(SOURCE))))
    return values


def test_where_numbers_decide_a_name_has_one_value():
    decide = [path for path in FILES if path.relative_to(SOURCE).parts[0] in {"engine", "oracles", "problem"}]
    found = constants(decide)
    assert len(found) > 100
    several = {name for name, values in found.items() if len({value for value, _ in values}) > 1}
    assert {name: found[name] for name in several} == {}


def test_names_of_bounds_and_of_what_is_impossible_have_one_value_in_all_rooms_of_an_answer():
    rooms = {"schema", "oracles", "problem", "readers", "result", "engine"}
    found = constants(path for path in FILES if path.relative_to(SOURCE).parts[0] in rooms)
    names = {"FORBIDDEN", "NEVER", "MOST_ENTRIES", "LARGEST_SUM", "DEEPEST", "UNPAYABLE", "NO_MOVE"}
    several = {name for name in names if len({value for value, _ in found[name]}) > 1}
    assert {name: found[name] for name in several} == {}


def test_every_constant_of_the_engine_has_a_reason():
    without = []
    for path in (path for path in FILES if path.relative_to(SOURCE).parts[0] == "engine"):
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in tree(path).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and target.id.isupper():
                beside = any("  # " in line for line in lines[node.lineno - 1 : node.end_lineno])
                if not beside and not lines[node.lineno - 2].startswith("#"):
                    without.append(f"{path.relative_to(SOURCE)}: {target.id}")
    assert without == []


@pytest.mark.parametrize("pattern", STUMBLES, ids=STUMBLES.values())
def test_words_that_a_reader_stumbles_over_are_gone(pattern):
    found = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line) and not any(words in line for words in MEANT)
    ]
    assert found == []
