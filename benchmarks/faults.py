"""What is lost, and what is wrong, when something goes wrong: interrupts, kills, full disks, jumping clocks.

    python benchmarks/faults.py                       # a few minutes
    python benchmarks/faults.py --seconds 300         # at most so long in all
    python benchmarks/faults.py --fault interrupts --times 50

Every fault is met by the ten questions of ``fault_questions.py`` or by saving their results. An answer is
*lost* when none comes although one was under way, when a saved file is gone or half, when a draft stays, or
when an error is not in this package's words. It is *wrong* when a bound, a count or a row beyond help
contradicts the run in which nothing went wrong, or when ``verify`` calls it wrong. A fault that its share of
the time does not allow to try as often as wanted is tried less often, which the table tells.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from fault_questions import Question, frame_of_rows, granted, questions
from measuring import script_parser, show

TIMES = 200  # moments at which questions are interrupted
SECONDS = 240.0
MANY = 6  # times as much time as others have: interrupts are tried most often, and each answer is verified
NOBODY = 65534
WORKERS = 4
READ_ONLY = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from fault_questions import questions
    result = questions()["a forest"]()
try:
    result.to_json("result.json")
    saved = "saved"
except OSError as error:
    saved = error.filename
print(json.dumps([result.count, sum("NUMBA_CACHE_DIR" in str(one.message) for one in told), saved]))
"""


@dataclass
class Tally:
    """What came of one fault."""

    fault: str
    asked: int = 0
    lost: int = 0
    wrong: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, words: str) -> None:
        """Keep words about what went wrong, once."""
        if words not in self.notes:
            self.notes.append(words)

    def count(self, *, lost: str | None = None, wrong: str | None = None) -> None:
        """Count one trial."""
        self.asked += 1
        self.lost += lost is not None
        self.wrong += wrong is not None
        for words in filter(None, (lost, wrong)):
            self.note(words)

    def line(self) -> dict[str, object]:
        """As a line of the table."""
        return {"fault": self.fault, "asked": self.asked, "lost": self.lost, "wrong": self.wrong}


@dataclass(frozen=True)
class Trial:
    """What every fault is given: the questions with their truths, how often to try, and until when."""

    asked: Mapping[str, Question]
    truths: Mapping[str, ofm.Result]
    times: int
    until: float
    random: np.random.Generator

    def rounds(self) -> Iterator[tuple[int, str]]:
        """Numbers of trials, and which question each is about, as long as there is time."""
        names = list(self.asked)
        for number in range(self.times):
            if number and time.perf_counter() > self.until:
                return
            yield number, names[number % len(names)]


def contradiction(result: ofm.Result, truth: ofm.Result) -> str | None:
    """Say what in an answer contradicts the answer of the run in which nothing went wrong."""
    beyond = {entry.row for entry in truth.unreachable}
    if not {entry.row for entry in result.unreachable} <= beyond:
        return "a row is called beyond help that is not"
    if truth.goal.explanations is not None:
        best = result.people if result.covered_bound is None else result.covered_bound
        if not result.covered <= truth.covered <= best:
            return f"{result.covered} to {best} rows with the truth {truth.covered}"
    elif result.lower_bound > truth.count:
        return f"a bound of {result.lower_bound} with the truth {truth.count}"
    if result.status == "optimal" and (result.count, result.covered) != (truth.count, truth.covered):
        return "it is called optimal and is not"
    return "verify calls it wrong" if ofm.verify(result, time_limit=20).outcome == "wrong" else None


def same(result: ofm.Result, truth: ofm.Result) -> str | None:
    """Say whether an answer differs from the truth, which it should not."""
    parts = [(one.status, one.count, one.lower_bound, one.covered, one.cost) for one in (result, truth)]
    return None if parts[0] == parts[1] else f"{parts[0]} instead of {parts[1]}"


def in_words(error: BaseException) -> str:
    """Name an error."""
    return f"{type(error).__name__}: {str(error)[:100]}"


def interrupts(trial: Trial, tally: Tally) -> None:
    """Press Ctrl-C at random moments of each question; each answers at once, with bounds that hold."""
    seconds: dict[str, float] = {}
    for name, question in trial.asked.items():
        start = time.perf_counter()
        question()
        seconds[name] = time.perf_counter() - start

    def press(_number: int, _frame: FrameType | None) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGALRM, press)
    try:
        for _, name in trial.rounds():
            result = None
            try:
                signal.setitimer(signal.ITIMER_REAL, float(trial.random.uniform(0.001, seconds[name])))
                result = trial.asked[name]()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt as error:
                signal.setitimer(signal.ITIMER_REAL, 0)
                if not _under_way(error):
                    continue
            if result is None:
                tally.count(lost=f"{name}: nothing was returned")
            else:
                tally.count(wrong=contradiction(result, trial.truths[name]))
    finally:
        signal.signal(signal.SIGALRM, before)


def _under_way(error: BaseException) -> bool:
    """Whether the first line after the one that begins to listen was reached: before, nothing is lost."""
    first = {"explain": "asked", "solve": "goal"}  # what these lines name
    steps = (step for step, _ in walk_tb(error.__traceback__))
    return any(first.get(step.f_code.co_name) in step.f_locals for step in steps)


def kills_while_saving(trial: Trial, tally: Tally) -> None:
    """Kill a process that saves two results in turn: the file is one of them, and no draft stays."""
    both = list(trial.truths.values())[:2]
    texts = {result.to_json() for result in both}
    for number, _ in trial.rounds():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            both[0].to_json(path)
            process = get_context("fork").Process(target=_save_for_ever, args=(both, path))
            process.start()
            time.sleep(float(trial.random.uniform(0.001, 0.05)))
            process.kill()
            process.join()
            files = sorted(file.name for file in Path(folder).iterdir())
            whole = path.read_text(encoding="utf-8") in texts
            lost = None if whole and files == ["result.json"] else f"whole: {whole}; {len(files) - 1} drafts"
            tally.count(lost=lost)
        if number >= trial.times // 2:
            return


def _save_for_ever(results: list[ofm.Result], path: Path) -> None:
    while True:
        for result in results:
            result.to_json(path)


def full_disk(trial: Trial, tally: Tally) -> None:
    """Let files grow to random sizes only: the old file stays, no draft does, the error names the file."""
    for number, name in trial.rounds():
        truth = trial.truths[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            path.write_text("old", encoding="utf-8")
            room = int(trial.random.integers(0, len(truth.to_json())))
            child = get_context("fork").Process(target=_save_with_room, args=(truth, path, room))
            child.start()
            child.join()
            left = {file.name: file.read_text(encoding="utf-8") for file in Path(folder).iterdir()}
            told = child.exitcode == 0
            lost = None if told and left == {"result.json": "old"} else f"told: {told}; left: {sorted(left)}"
            tally.count(lost=lost)
        if number >= trial.times // 4:
            return


def _save_with_room(result: ofm.Result, path: Path, room: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    try:
        result.to_json(path)
    except OSError as error:
        os._exit(0 if error.filename == str(path) else 2)
    os._exit(1)


def read_only(trial: Trial, tally: Tally) -> None:
    """Answer in a process that may read everything and write nothing: as ever, with one warning."""
    limit = ("--inh-caps", "--ambient-caps", "--bounding-set")
    nobody = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"]
    command = [*nobody, *(f"{option}=-all,+dac_read_search" for option in limit)] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "package"
        package.mkdir()
        source = Path(ofm.__file__).parent
        subprocess.run(["cp", "-r", str(source), str(package)], check=True)  # noqa: S603, S607 (our own files)
        subprocess.run(["chmod", "-R", "a-w,a+rX", folder], check=True)  # noqa: S603, S607
        done = subprocess.run(  # noqa: S603 (our own command)
            [*command, sys.executable, "-c", READ_ONLY, str(Path(__file__).parent)],
            env={"PATH": os.environ["PATH"], "HOME": folder, "PYTHONPATH": str(package)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        subprocess.run(["chmod", "-R", "u+w", folder], check=True)  # noqa: S603, S607
    wanted = f"[{trial.truths['a forest'].count}, 1, "
    answered = done.returncode == 0 and done.stdout.strip().endswith('"result.json"]')
    wrong = None if done.stdout.startswith(wanted) or not answered else f"{done.stdout} instead of {wanted}"
    tally.count(lost=None if answered else (done.stderr or done.stdout)[-300:], wrong=wrong)


def threads(trial: Trial, tally: Tally) -> None:
    """Ask, save to one name and read it in several threads: each answer and file is whole."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"

        def ask(name: str) -> ofm.Result:
            result = trial.asked[name]()
            result.to_json(path)
            ofm.Result.from_json(path)
            return result

        with ThreadPoolExecutor(WORKERS) as pool:
            running = {}
            for number, name in trial.rounds():
                running[number] = name, pool.submit(ask, name)
                if number >= trial.times // 4:
                    break
            for name, answer in running.values():
                _counted(tally, name, answer.result, trial.truths[name])
        left = [file.name for file in Path(folder).iterdir()]
        if running and left != ["result.json"]:
            tally.count(lost=f"left: {left}")


def processes(trial: Trial, tally: Tally) -> None:
    """Save to one name in several processes while this one reads: each file that it meets is whole."""
    both = list(trial.truths.values())[:2]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        both[0].to_json(path)
        made = [get_context("fork").Process(target=_save_for_ever, args=(both, path)) for _ in range(WORKERS)]
        for process in made:
            process.start()
        for _ in trial.rounds():
            _counted(tally, "a saved file", lambda: ofm.Result.from_json(path))
        for process in made:
            process.kill()
            process.join()


def clocks(trial: Trial, tally: Tally) -> None:
    """Let the clock of the limits jump ahead at a random look, and that of the wall far ahead or back."""
    explain, solve = ofm.OneForMany.explain, ofm.solve
    for number, name in trial.rounds():
        jump, wall = int(trial.random.integers(0, 300)), time.time() + float(trial.random.choice([-1e8, 1e8]))
        with (
            patch.object(ofm.Stop.__init__, "__kwdefaults__", _jumping_clock(jump)),
            patch("time.time", return_value=wall),
            patch.object(
                ofm.OneForMany, "explain", lambda *asked, **given: explain(*asked, time_limit=1e5, **given)
            ),
            patch.object(ofm, "solve", lambda *asked, **given: solve(*asked, time_limit=1e5, **given)),
        ):
            _counted(tally, name, trial.asked[name], trial.truths[name], contradiction)
        if number >= trial.times // 4:
            return


def _jumping_clock(jump: int) -> dict[str, Any]:
    """A clock that after so many looks is a million seconds ahead, as what a ``Stop`` is given otherwise."""
    looks, begin = count(), time.monotonic()

    def clock() -> float:
        return begin + (1e6 if next(looks) >= jump else 0.0)

    return {**(ofm.Stop.__init__.__kwdefaults__ or {}), "clock": clock}


def errors_of_rounding(trial: Trial, tally: Tally) -> None:
    """Ask in a program in which NumPy raises errors instead of rounding in silence."""
    for number, name in trial.rounds():
        with np.errstate(all="raise"):
            _counted(tally, name, trial.asked[name], trial.truths[name])
        if number + 1 >= len(trial.asked):
            return


def odd_frames(trial: Trial, tally: Tally) -> None:
    """Ask about columns that people have and libraries refuse: an answer, or an error in our own words."""
    frame = frame_of_rows()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, granted(frame))
    rows, objects = len(frame), np.empty(len(frame), dtype=object)
    objects[:] = [[1]] * rows
    columns: dict[str, Any] = {
        "integers of 30 digits": [10**30] * rows, "of 400 digits": [10**400, *[1] * (rows - 1)],
        "infinity": [np.inf] * rows, "complex": [1j] * rows, "lists": objects, "texts": ["x"] * rows,
        "gaps": [None] * rows, "long": frame["debt"].astype(np.longdouble), "truth": frame["debt"] > 0,
        "half": frame["debt"].astype(np.float16), "sparse": pd.arrays.SparseArray(frame["debt"]),
        "numbers as texts": ["1.5"] * rows, "days": pd.Timestamp("2020-01-01"), "spans": pd.Timedelta(1),
        "bytes": [b"x"] * rows, "categories": pd.Categorical(["1"] * rows),
        "nullable": pd.array([1, None] * (rows // 2), dtype="Int64"),
    }  # fmt: skip
    frames = {name: frame.assign(debt=column) for name, column in columns.items()}
    frames |= {
        "no rows": frame.head(0),
        "no columns": frame[[]],
        "a column less": frame[["age", "debt"]],
        "a column twice": pd.concat([frame, frame[["age"]]], axis=1),
        "names of two levels": frame.set_axis(pd.MultiIndex.from_product([["x"], frame.columns]), axis=1),
        "one name for all rows": frame.set_axis([0] * rows),
        "rows named by nothing": frame.set_axis([np.nan] * rows),
        "upside down": frame.iloc[::-1],
        "columns in another order": frame.iloc[:, ::-1],
    }
    for odd in frames.values():
        for share in ("point", "action", "features"):
            if time.perf_counter() > trial.until:
                return
            explainer = ofm.OneForMany(model, max_changes=2, share=share, positive=1)
            _counted(tally, "an odd frame", lambda asked=explainer, odd=odd: asked.explain(odd))


def _counted(
    tally: Tally,
    name: str,
    ask: Question,
    truth: ofm.Result | None = None,
    judge: Callable[[ofm.Result, ofm.Result], str | None] = same,
) -> None:
    """Count one answer; an error in the words of this package is one where there is no truth to give."""
    try:
        result = ask()
    except ofm.OneForManyError as error:
        tally.count(lost=None if truth is None and name == "an odd frame" else f"{name}: {in_words(error)}")
    except Exception as error:  # noqa: BLE001 (whatever is raised is what is counted)
        tally.count(lost=f"{name}: {in_words(error)}")
    else:
        wrong = judge(result, truth) if truth is not None else None
        if truth is None and ofm.verify(result, time_limit=20).outcome == "wrong":
            wrong = "verify calls it wrong"
        tally.count(wrong=wrong and f"{name}: {wrong}")


FAULTS: dict[str, Callable[[Trial, Tally], None]] = {
    "interrupts": interrupts,
    "kills while saving": kills_while_saving,
    "a full disk": full_disk,
    "nothing can be written": read_only,
    "threads": threads,
    "processes": processes,
    "clocks that jump": clocks,
    "errors of rounding": errors_of_rounding,
    "odd frames": odd_frames,
}


def measured(faults: list[str], times: int, seconds: float, seed: int = 0) -> list[Tally]:
    """Try each fault so many times, or as often as its share of the seconds allows."""
    asked = questions()
    truths = {name: question() for name, question in asked.items()}
    tallies, end = [], time.perf_counter() + seconds
    for number, fault in enumerate(faults):
        tally, now = Tally(fault), time.perf_counter()
        parts = [MANY if one == "interrupts" else 1 for one in faults[number:]]
        until = now + (end - now) * parts[0] / sum(parts)
        FAULTS[fault](Trial(asked, truths, times, until, np.random.default_rng(seed)), tally)
        tallies.append(tally)
    return tallies


def main() -> None:
    """Print the table, and what went wrong."""
    parser = script_parser(__doc__)
    parser.add_argument("--fault", choices=list(FAULTS), action="append", help="only this one")
    parser.add_argument("--times", type=int, default=TIMES, help="interrupts; of others a part of it")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for all faults together")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    tallies = measured(given.fault or list(FAULTS), given.times, given.seconds, given.seed)
    notes = [f"{tally.fault}: {note}" for tally in tallies for note in tally.notes]
    show("faults", [tally.line() for tally in tallies], notes)
    sys.exit(any(tally.lost or tally.wrong for tally in tallies))


if __name__ == "__main__":
    main()
