"""Result files of every kind of model, by two releases: the same but for dates, versions and timings?

    python benchmarks/compare_releases.py --old ../before/src --new src
    python benchmarks/compare_releases.py --old ../before/src --new src --seeds 5 --json kinds.json

Each release explains the rows that the models of the tests turn down (``tests/model_kinds.py``), in a process
of its own, for every way to share; models that read frames go through the front door as well. Exit code 1
where a file differs; the fields in which it does are printed.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring import run_with, script_parser

SHARES = ("point", "action", "features")
# What may differ: when and with what a file was written, how long it took, and the digest, which is of these.
WHEN = frozenset({"versions", "statistics", "digest", "date"})
MOST_CHANGES = 2


def without_times(content: Any) -> Any:
    """The content of a result file, but for dates, versions and timings."""
    if isinstance(content, dict):
        return {name: without_times(value) for name, value in content.items() if name not in WHEN}
    return list(map(without_times, content)) if isinstance(content, list) else content


def answers(seeds: int) -> Iterator[tuple[str, str]]:
    """Name and result file of every question that this release answers."""
    import oneformany as ofm
    from model_kinds import KINDS, LEVELS, POINTS, rows

    for name, kind in KINDS.items():
        for seed in range(seeds):
            model = kind.fit(*rows(seed), seed)
            threshold = 0.5 if kind.needs_threshold else None
            oracle = kind.read(model, threshold, 1).oracle
            refused = POINTS[~oracle.positive(POINTS)]
            for share in SHARES if len(refused) else ():
                asked = f"{name}, seed {seed}, {share}"
                problem = ofm.Problem(refused, LEVELS, oracle, MOST_CHANGES, share=share)
                yield asked, ofm.solve(problem).to_json()
                if kind.frame is not None:
                    explainer = ofm.OneForMany(
                        model,
                        max_changes=MOST_CHANGES,
                        threshold=threshold,
                        share=share,
                        reference=kind.frame,
                    )
                    yield f"{asked}, frame", explainer.explain(kind.frame).to_json()


def write_answers(path: Path, seeds: int) -> None:
    """Write what this release answers; a question that it refuses is told by its error."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: without_times(json.loads(text)) for name, text in answers(seeds)}
    path.write_text(json.dumps(found), encoding="utf-8")


def differing(old: Any, new: Any, at: str = "") -> Iterator[str]:
    """Where two contents differ, as paths of fields."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() | new.keys()):
            yield from differing(old.get(name), new.get(name), f"{at}.{name}".lstrip("."))
    elif old != new:
        yield at


def main() -> int:
    """Ask both releases; exit code 1 when a file differs."""
    parser = script_parser(__doc__)
    parser.add_argument("--old", type=Path, help="folder that holds the package, before")
    parser.add_argument("--new", type=Path, default=Path("src"), help="folder that holds the package, after")
    parser.add_argument("--seeds", type=int, default=2, help="so many models of each kind")
    parser.add_argument("--json", type=Path, help="also write what differs")
    parser.add_argument(
        "--answers", type=Path, help="write the answers of the release at hand, and nothing else"
    )
    options = parser.parse_args()
    if options.answers:
        write_answers(options.answers, options.seeds)
        return 0
    if options.old is None:
        parser.error("--old names the folder that holds the package as it was")
    told: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for name, source in (("old", options.old), ("new", options.new)):
            path = Path(folder) / name
            run_with(source, __file__, "--answers", str(path), "--seeds", str(options.seeds))
            told.append(json.loads(path.read_text(encoding="utf-8")))
    old, new = told
    found = {name: list(differing(old.get(name), new.get(name))) for name in sorted(old.keys() | new.keys())}
    wrong = {name: fields for name, fields in found.items() if fields}
    for name, fields in wrong.items():
        print(f"{name}: {', '.join(fields)}")
    print(f"{len(found)} result files, {len(wrong)} of them differ")
    if options.json:
        options.json.write_text(json.dumps(wrong, indent=1), encoding="utf-8")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
