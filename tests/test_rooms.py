"""Tests that imports between the rooms go along one arrow, and that modules of the engine have tests."""

import ast
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import oneformany
from oneformany import HOMES

SOURCE = Path(oneformany.__file__).parent
TESTS = Path(__file__).parent

# Each room may import the rooms before it; rooms in one line do not know each other.
ARROW = (
    ("anything", "compiling", "exceptions", "memory", "public"),
    ("arrays", "compiled", "files", "plain", "stop", "verify"),
    ("robust", "schedule", "statistics"),
    ("progress",),
    ("schema",),
    ("oracles", "datasets"),
    ("problem",),
    ("readers",),
    ("result",),
    ("proofs",),
    ("engine", "console"),
    ("methods",),
    ("explainer",),
    ("studies",),
    ("plotting",),
    ("report", "letters"),
    ("paper",),
    ("cli",),
    ("__init__", "__main__"),
)
ORDER = {room: index for index, rooms in enumerate(ARROW) for room in rooms}
# Beyond the arrow, for a reason.
ALLOWED = {("methods", "paper"): "lazily: the paper's methods are asked for by name"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """Rooms that a file imports, at its top, in functions and for annotations, or names as ``ofm.NAME``."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "oneformany":
            names = [f"oneformany.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ofm" and node.attr in HOMES:
            names = [f"{HOMES[node.attr]}.{node.attr}"]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relative to itself"
            names = [node.module]
        else:
            continue
        rooms |= {name.split(".")[1] for name in names if name.startswith("oneformany.")}
    return rooms


def import_graph() -> dict[str, set[str]]:
    graph = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        graph[room_of(path)] |= imported_rooms(path) - {room_of(path)}
    del graph["__init__"]
    return dict(graph)


def lines_of(room: str) -> int:
    paths = (path for path in SOURCE.rglob("*.py") if room_of(path) == room)
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


GRAPH = import_graph()
EDGES = [(room, other) for room in sorted(GRAPH) for other in sorted(GRAPH[room])]


def test_every_room_stands_in_the_arrow():
    assert set(GRAPH) <= set(ORDER)


def test_every_exception_from_the_arrow_is_needed():
    assert set(ALLOWED) <= set(EDGES)


@pytest.mark.parametrize(("room", "other"), EDGES)
def test_a_room_imports_only_what_comes_before_it(room, other):
    assert ORDER[other] < ORDER[room] or (room, other) in ALLOWED


def test_the_import_graph_has_no_cycle_but_the_choice_of_a_method():
    for room in sorted(GRAPH, key=ORDER.__getitem__):
        others = ", ".join(sorted(GRAPH[room], key=ORDER.__getitem__))
        sys.stdout.write(f"{room:<12} {lines_of(room):>6} lines <- {others}\n")
    sys.stdout.write(f"{'together':<12} {sum(map(lines_of, ORDER)):>6} lines\n")
    along = {room: {other for other in GRAPH[room] if (room, other) not in ALLOWED} for room in GRAPH}
    try:
        tuple(TopologicalSorter(along).static_order())
    except CycleError as error:
        pytest.fail(f"the rooms import each other in a circle: {' -> '.join(error.args[1])}")


def test_nobody_imports_the_paper_but_its_commands_and_the_choice_of_a_method():
    importers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "paper" in imported_rooms(path) and room_of(path) != "paper"
    }
    assert importers == {"cli/app.py", "methods.py"}


def test_verify_shares_nothing_with_the_rest():
    assert GRAPH["verify"] == {"exceptions"}


def test_the_result_knows_nothing_of_the_engine():
    assert "engine" not in GRAPH["result"]


def test_every_module_of_the_engine_is_imported_by_a_test():
    tests = "\n".join(path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("test_*.py")))
    modules = [
        ".".join(("oneformany", *path.relative_to(SOURCE).with_suffix("").parts))
        for path in sorted((SOURCE / "engine").rglob("*.py"))
        if path.name not in {"__init__.py", "protocol.py"} and not path.stem.endswith("kernels")
    ]
    assert modules
    missing = [module for module in modules if f"from {module} import" not in tests]
    assert not missing, f"no test imports {', '.join(missing)}"
