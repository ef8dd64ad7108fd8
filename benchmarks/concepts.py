"""How many concepts a reader of the engine meets: counted on the syntax tree of one or two source trees.

    python benchmarks/concepts.py src
    python benchmarks/concepts.py ../before/src src --without few alone.py --format markdown

What was added since for another question is left out by its name.

Lines are told and are no aim. What is counted, of ``engine/`` unless it says otherwise:

* calls of the searches that choose among columns, outside of the modules that hold these: each is a way
  through the engine;
* calls that build a result, and that report a round;
* classes, functions, module constants, and those of them without a word about why;
* constants with several values under one name;
* attributes that are set after an object was made, and those that somebody else sets;
* comparisons of what rows share, outside of sources and listings;
* kinds of proof, in all of the package, and constructor calls of proofs;
* keys of a result that are replaced after it was built, in all of the package.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from measuring import script_parser, show

CHOOSING = {
    *("minimise", "generate_columns", "cheapest_cover", "best_of_table", "cheapest_of_table"),
    *("solve_cover", "solve_coverage", "solve_budget", "solve_cost", "cover_of_few"),
}
BUILDING = {"__init__", "__post_init__"}
RESULTS = {"result", "first", "answer", "draft"}  # what results are called


class SourceTree:
    """The syntax trees of a package."""

    def __init__(self, source: Path, without: Sequence[str] = ()) -> None:
        self.home = source / "oneformany"
        files = sorted(self.home.rglob("*.py"))
        self.texts = {path: path.read_text(encoding="utf-8") for path in files}
        self.trees = {path: ast.parse(text) for path, text in self.texts.items()}
        left_out = [self.home / "engine" / name for name in without]
        self.engine = [
            path
            for path in files
            if path.relative_to(self.home).parts[0] == "engine"
            and not any(path.is_relative_to(other) for other in left_out)
        ]

    def nodes(self, *, everywhere: bool = False) -> Iterator[tuple[Path, ast.AST]]:
        """All nodes of the engine, or of the package."""
        for path in self.trees if everywhere else self.engine:
            for node in ast.walk(self.trees[path]):
                yield path, node

    def calls(self, *, everywhere: bool = False) -> Iterator[tuple[Path, str, ast.Call]]:
        """What is called, by its last name."""
        for path, node in self.nodes(everywhere=everywhere):
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                yield path, node.func.id if isinstance(node.func, ast.Name) else node.func.attr, node

    @cached_property
    def proofs(self) -> set[str]:
        """The classes that a file can name as the kind of a proof."""
        path = self.home / "result" / "proof.py"
        return {
            node.name
            for node in ast.walk(self.trees[path])
            if isinstance(node, ast.ClassDef)
            for part in node.body
            if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == "kind" and part.value
        }

    def constants(self) -> Iterator[tuple[str, str, bool]]:
        """Module constants of the engine: name, value, and whether a word says why."""
        for path in self.engine:
            lines = self.texts[path].splitlines()
            for node in self.trees[path].body:
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                if isinstance(target, ast.Name) and target.id.isupper():
                    own = lines[node.lineno - 1 : node.end_lineno]
                    said = any("  # " in line for line in own) or lines[node.lineno - 2].startswith("#")
                    yield target.id, ast.unparse(node.value), said

    def choosing(self) -> int:
        """Calls that choose among columns."""
        defined = {
            (path, node.name)
            for path, node in self.nodes()
            if isinstance(node, ast.FunctionDef) and node.name in CHOOSING
        }
        return sum(name in CHOOSING and (path, name) not in defined for path, name, _ in self.calls())

    def set_later(self) -> tuple[int, int]:
        """Attributes that methods set after construction, and those that others set."""
        own, others = set(), set()
        for path, node in self.nodes():
            if isinstance(node, ast.FunctionDef) and not path.stem.endswith("kernels"):
                for part in ast.walk(node):
                    if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                        if ast.unparse(part.value) != "self":
                            others.add((path, part.attr))
                        elif node.name not in BUILDING:
                            own.add((path, part.attr))
        return len(own), len(others)

    def patched(self) -> int:
        """Keys of a result that are replaced after it was built."""
        (result,) = (
            node
            for node in self.trees[self.home / "result" / "result.py"].body
            if isinstance(node, ast.ClassDef) and node.name == "Result"
        )
        keys = {ast.unparse(part.target) for part in result.body if isinstance(part, ast.AnnAssign)}
        return sum(
            keyword.arg in keys
            for _, name, call in self.calls(everywhere=True)
            if name == "replace" and call.args and ast.unparse(call.args[0]) in RESULTS
            for keyword in call.keywords
        )

    def shares_told_apart(self) -> int:
        """Comparisons of what rows share, where only sources and listings should make any."""
        return sum(
            isinstance(node, ast.Compare)
            and ast.unparse(node.left).endswith("share")
            and path.relative_to(self.home).parts[1] not in {"sources", "listing"}
            for path, node in self.nodes()
        )

    def count(self) -> dict[str, int]:
        """All of this."""
        constants, values = list(self.constants()), defaultdict(set)
        for name, value, _ in constants:
            values[name].add(value)
        own, others = self.set_later()
        engine = [node for _, node in self.nodes()]
        names = [name for _, name, _ in self.calls()]
        return {
            "calls that choose among columns": self.choosing(),
            "calls that build a result": names.count("build_result"),
            "calls that report a round": names.count("Round"),
            "classes": sum(isinstance(node, ast.ClassDef) for node in engine),
            "functions": sum(isinstance(node, ast.FunctionDef) for node in engine),
            "module constants": len(constants),
            "of them without a reason": sum(not said for *_, said in constants),
            "of them with several values": sum(len(found) > 1 for found in values.values()),
            "attributes set after construction": own,
            "attributes that others set": others,
            "comparisons of sharings outside sources and listings": self.shares_told_apart(),
            "kinds of proof": len(self.proofs),
            "constructor calls of proofs": sum(name in self.proofs for name in names),
            "keys of a result replaced after it was built": self.patched(),
            "files": len(self.engine),
            "lines": sum(len(self.texts[path].splitlines()) for path in self.engine),
        }


def main() -> int:
    """Count, and print one column for each tree."""
    parser = script_parser(__doc__, formats=True)
    parser.add_argument("sources", nargs="+", type=Path, help="folders that hold the package")
    parser.add_argument("--without", nargs="*", default=[], help="files or folders of engine/ left out")
    options = parser.parse_args()
    counted = [SourceTree(source, options.without).count() for source in options.sources]
    names = ["before", "after"] if len(counted) == 2 else [str(path) for path in options.sources]
    lines = [
        {"concept": concept, **{name: found[concept] for name, found in zip(names, counted, strict=True)}}
        for concept in counted[0]
    ]
    show("concepts of the engine", lines, form=options.format)
    return 0


if __name__ == "__main__":
    sys.exit(main())
