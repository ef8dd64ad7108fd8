"""A judge of words: each number and range that an answer prints, against the model itself.

It reads what is printed, and shares no code with what prints it. What a sentence promises of rows is done to
the rows, and the model is asked about them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

import oneformany as ofm
from oneformany.report import report_html
from word_questions import Asked

FEW, DRAWN = 60, 60  # numbers of a range that are tried, and combinations of several ranges
FAR = (-1e9, -1.0, 0.0, 1e9)  # numbers beyond the data, for ranges without an end
COUNT = r"([\d,]+)"
FIRST = re.compile(
    rf"^{COUNT} explanations? covers? (?:all {COUNT} |the |{COUNT} of {COUNT} )(?:rows?|person|people) "
    rf"for (?:which|whom) (.*), (?:each )?changing at most (\d+) features?: (.*)"
)
HEAD = re.compile(
    rf"^Explanation (\d+) covers {COUNT} (?:rows?|person|people) \(rows? (.*?)\)(: already positive.*|:)$"
)
CHANGE = re.compile(r"^    (\S+) +-> (.*?) +\((.*)\)$")
MEAN = re.compile(rf"changes ([\d.]+) features on average, {COUNT} together")


class Judge:
    """What is printed of one answer, and what of it is not so."""

    def __init__(self, asked: Asked, result: ofm.Result) -> None:
        self.asked, self.result = asked, result
        self.checked = 0
        self.faults: list[str] = []
        accepted = asked.decide(asked.frame)
        self.rows = asked.frame[~accepted]
        everybody = asked.people or [1] * len(accepted)
        self.people = [n for n, good in zip(everybody, accepted, strict=True) if not good]
        self.features = {one["name"]: one for one in result.schema.to_dict()["features"]}
        self.label = [str(label) for label in self.rows.index]
        self.rng = np.random.default_rng(0)

    def check(self, holds: object, what: str) -> None:
        """Note what does not hold."""
        self.checked += 1
        if not holds:
            self.faults.append(what)

    def run(self) -> list[str]:
        """Judge summary, repr, tables and report; say what is wrong."""
        summary = self.result.summary(None)
        parts = summary.split("\n\n")
        self.done = self.lines_of_report()
        self.first_sentence(parts[0])
        for number, part in enumerate(part for part in parts if part.startswith("Explanation ")):
            self.explanation(number, part)
        for part in parts:
            if part.startswith("Cannot be helped"):
                for line in part.splitlines()[1:]:
                    self.beyond_help(line.strip())
        self.short(repr(self.result))
        self.tables()
        self.report(summary)
        return [f"{self.asked.name}: {fault}" for fault in self.faults]

    # What the judge knows of cells: plain data of the schema, read in its own way.

    def cell(self, name: str, value: Any) -> int:
        """Which cell a value lies in."""
        one = self.features[name]
        special = [codes for _, codes in one.get("special", [])]
        for number, codes in enumerate(special):
            if value in codes:
                return 10_000 + number
        if missing(value):
            return 20_000
        if one.get("edges") is not None:
            return bisect_left(one["edges"], value)
        for number, held in enumerate(one.get("groups") or ()):
            if value in held:
                return number
        if one.get("numbers") is not None and value in one["numbers"]:
            return one["numbers"].index(value)
        return one["levels"].index(value) if value in one["levels"] else 30_000

    def integers(self, name: str) -> bool:
        columns = [self.asked.frame[name]]
        if self.asked.explainer.reference is not None:
            columns.append(self.asked.explainer.reference[name])
        return all((column == column.round()).all() for column in columns)

    def ends(self, name: str, text: str) -> tuple[float, float] | None:
        """The ends of what is printed of numbers, both included; ``None``: it is no range."""
        number = r"(-?[\d.]+(?:e[+-]?\d+)?)"
        step = (lambda x: np.floor(x) + 1) if self.integers(name) else lambda x: np.nextafter(x, np.inf)
        for pattern, ends in (
            (rf"at most {number}", lambda high: (-np.inf, high)),
            (rf"more than {number}", lambda low: (step(low), np.inf)),
            (rf"{number} to {number}", lambda low, high: (low, high)),
            (rf"{number}-{number}", lambda low, high: (low, high)),
            (rf"above {number} up to {number}", lambda low, high: (step(low), high)),
            ("any number", lambda: (-np.inf, np.inf)),
        ):
            if found := re.fullmatch(pattern, text):
                return ends(*map(float, found.groups()))
        return None

    def lies(self, name: str, value: Any, text: str) -> bool:
        """Whether a row's own value is what a text says of it."""
        one = self.features[name]
        if value in [code for _, codes in one.get("special", []) for code in codes]:
            return str(value) == text
        if missing(value):
            return text == "missing"
        if one.get("edges") is not None and (ends := self.ends(name, text)):
            return ends[0] <= value <= ends[1]
        for label, held in zip(one["levels"], one.get("groups") or (), strict=False):
            if label == text:
                return value in held
        return self.value(name, text) == value

    def value(self, name: str, text: str) -> Any:
        return text if isinstance(self.asked.frame[name].iloc[0], str) else float(text)

    def tried(self, name: str, text: str) -> list[Any]:
        """Values that a text promises: the one it names, or many of a range."""
        if (ends := self.ends(name, text)) is None:
            return [self.value(name, text)]
        low, high = ends
        inside = [x for x in (*self.asked.cuts, *self.asked.frame[name], *FAR) if low <= x <= high]
        near = [y for x in inside for y in (np.nextafter(x, -np.inf), x, np.nextafter(x, np.inf))]
        first, last = max(low, -5_000.0), min(high, 50_000.0)
        near += [*(end for end in ends if np.isfinite(end)), *self.rng.uniform(first, last, FEW)]
        if self.integers(name):
            near = [y for x in near for y in (np.floor(x), np.ceil(x))]
            if last - first <= 2_000:
                near += range(int(first), int(last) + 1)
        return sorted({float(x) for x in near if low <= x <= high})

    # What is printed.

    def first_sentence(self, text: str) -> None:
        refused, result = sum(self.people), self.result
        wanted = self.asked.positive
        if self.asked.threshold is not None:
            says = f"probability of {wanted!r} is below {self.asked.threshold}"
        elif callable(self.asked.explainer.model):
            says = "probability is below 0.5"
        else:
            says = f"answer is not {wanted!r}"
        self.check(f"the model's {says}" in text, f"the first sentence does not say {says}")
        if not result.explanations:
            self.check(f"{refused:,} " in text or refused == 1, "an answer for nobody counts other rows")
            most = min(self.asked.explainer.max_changes, len(self.features))
            self.check(re.search(rf"at most {most} features?\b", text), f"not {most} changes are told")
            return
        found = FIRST.match(text)
        self.check(found, f"the first sentence reads otherwise: {text[:120]}")
        if not found:
            return
        count, everybody, some, of, _, changes, _ = found.groups()
        helped = sum(n for n, (number, *_) in zip(self.people, self.done, strict=True) if number)
        total = number_of(of or everybody or "1")
        covered = number_of(some or everybody or "1")
        self.check(total == refused, f"{total} rows are said to be refused, the model refuses {refused}")
        self.check(covered == helped, f"{covered} are said to be covered, the report lists {helped}")
        self.check(number_of(count) == len({n for n, *_ in self.done if n}), "another number of explanations")
        moved = [len(does) for _, does in self.done]
        most = min(self.asked.explainer.max_changes, len(self.features))
        self.check(
            int(changes) == most >= max(moved), f"{changes} changes are told, the question says {most}"
        )
        self.check(f"Result({result.status}:" in repr(result), "repr has another status")
        if mean := MEAN.search(text):
            spent = sum(n * m for n, m in zip(self.people, moved, strict=True))
            self.check(number_of(mean[2]) == spent, f"{mean[2]} changes are told, the rows make {spent}")
            self.check(abs(float(mean[1]) - spent / helped) < 0.006, "another mean of changes")
        elif cost := re.search(r"All changes together cost ([\d,.]+):", text):
            prices = self.asked.costs or {}
            both = zip(self.people, self.done, strict=True)
            spent = sum(n * sum(prices.get(name, 1) for name in does) for n, (_, does) in both)
            self.check(abs(number_of(cost[1]) - spent) < 1e-9, f"a cost of {cost[1]} is told, it is {spent}")

    def lines_of_report(self) -> list[tuple[str, dict[str, str]]]:
        """Each refused row in the table of the report: its explanation, and what it changes."""
        page = self.result.report_html() if hasattr(self.result, "report_html") else report_html(self.result)
        self.page = page
        data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
        self.check([line[0] for line in data["lines"]] == self.label, "the report lists other rows")
        done = []
        for line in data["lines"]:
            number = line[1] if line[1].isdigit() else ""
            moves = line[-1].split("; ") if number and line[-1] != "nothing" else []
            done.append((number, dict(move.split(" → ") for move in moves)))
            if number:
                self.check(int(line[2]) == len(moves), f"row {line[0]}: another number of changes")
        after = self.rows.copy()
        for row, (_, does) in enumerate(done):
            for name, text in does.items():
                after[name] = put(after[name], row, self.value(name, text))
        followed = [bool(number) for number, _ in done]
        if any(followed):
            good = self.asked.decide(after[followed])
            self.check(
                good.all(), f"rows of the report are refused after what it says: {after[followed][~good]}"
            )
        return done

    def members(self, number: int) -> list[int]:
        return [row for row, (own, _) in enumerate(self.done) if own == str(number + 1)]

    def explanation(self, number: int, part: str) -> None:
        head, *lines = part.splitlines()
        found = HEAD.match(head)
        self.check(found and int(found[1]) == number + 1, f"the head reads otherwise: {head}")
        if not found:
            return
        members = self.members(number)
        size = sum(self.people[row] for row in members)
        self.check(
            number_of(found[2]) == size, f"explanation {number + 1} is said to cover {found[2]}, not {size}"
        )
        listed, _, more = found[3].partition(" and ")
        told = [self.label[row] for row in members]
        count = len(listed.split(", ")) + (int(more.split()[0]) if more else 0)
        self.check(listed.split(", ") == told[:12] and count == len(told), f"{head}: the rows are {told}")
        changes = {}
        for line in lines:
            match = CHANGE.match(line)
            self.check(match, f"a change reads otherwise: {line}")
            if match:
                changes[match[1]] = match[2]
                self.origins(number, match[1], match[3])
        moved = {name for row in members for name in self.done[row][1]}
        self.check(
            set(changes) == moved, f"explanation {number + 1} tells {set(changes)}, rows change {moved}"
        )
        if self.asked.explainer.share == "features":
            for name, text in changes.items():
                values = re.findall(r'"([^"]*)"', text) or [text]
                taken = {does[name] for _, does in map(self.done.__getitem__, members) if name in does}
                self.check(set(values) == taken, f"{name}: {values} are told, rows take {taken}")
        else:
            self.promised(number, changes)

    def origins(self, number: int, name: str, text: str) -> None:
        """Where rows come from, and how many from each."""
        movers = [row for row in self.members(number) if name in self.done[row][1]]
        total = 0
        for count, where in re.findall(rf"{COUNT} from ((?:(?!, [\d,]+ from ).)+)", text):
            total += number_of(count)
            own = [row for row in movers if self.lies(name, plain(self.rows[name].iloc[row]), where)]
            size = sum(self.people[row] for row in own)
            self.check(number_of(count) == size, f"{name}: {count} are said to come from {where}, not {size}")
        self.check(total == sum(self.people[row] for row in movers), f"{name}: the origins leave out rows")

    def promised(self, number: int, changes: dict[str, str]) -> None:
        """Whether the model accepts every row of a group with whatever the words let it take."""
        values = {name: self.tried(name, text) for name, text in changes.items()}
        for name, numbers in values.items():
            cells = {self.cell(name, x) for x in numbers}
            self.check(len(cells) == 1, f"{name} -> {changes[name]} is more than one cell")
        drawn = [{name: all_[t % len(all_)] for name, all_ in values.items()} for t in range(DRAWN)]
        longest = max(map(len, values.values()), default=1)
        for name, all_ in values.items():  # each number of a range once, the others drawn
            others = {other: self.rng.choice(len(x), longest) for other, x in values.items()}
            drawn += [
                {o: all_[t] if o == name else values[o][others[o][t]] for o in values}
                for t in range(len(all_))
            ]
        corners = product(*([(name, all_[0]), (name, all_[-1])] for name, all_ in values.items()))
        drawn += [dict(corner) for corner in corners]
        members = self.members(number)
        rows = self.rows.iloc[members]
        many = rows.iloc[np.repeat(np.arange(len(rows)), len(drawn))].reset_index(drop=True)
        for name in values:
            own = [self.cell(name, plain(value)) for value in rows[name]]
            goal = self.cell(name, values[name][0])
            moves = np.repeat(np.array(own) != goal, len(drawn))
            does = [name in self.done[row][1] for row in members]
            self.check(does == [cell != goal for cell in own], f"{name}: other rows move than should")
            new = pd.Series([draw[name] for draw in drawn] * len(rows))
            many[name] = new.where(moves, many[name])
        good = self.asked.decide(many)
        first = many[~good].head(1).to_dict("records")
        self.check(good.all(), f"explanation {number + 1}, {changes}: the model refuses {first}")

    # Rows that cannot be helped, by trying everything.

    def helps(self, row: int, most: int, without: Sequence[str] = ()) -> bool:
        """Whether a change of so many features, within the rules, makes the model accept a row."""
        own, limits = self.rows.iloc[row], {r: g for r, g in self.asked.limits.items() if r not in without}
        goals = {name: list(self.goals(name, plain(own[name]), limits)) for name in self.features}
        tried = []
        for changed in (c for k in range(1, most + 1) for c in combinations(goals, k)):
            if set(limits.get("apart", ("", ""))) <= set(changed):
                continue
            tried += [dict(zip(changed, choice, strict=True)) for choice in product(*map(goals.get, changed))]
        if not tried:
            return False
        many = self.rows.iloc[[row] * len(tried)].reset_index(drop=True)
        for name in goals:
            moved = [name in choice for choice in tried]
            new = pd.Series([choice.get(name, own[name]) for choice in tried])
            many[name] = new.where(moved, many[name])
        return bool(self.asked.decide(many).any())

    def goals(self, name: str, own: Any, limits: dict[str, Any]) -> Iterator[Any]:
        """Values that a row may go to from its own cell."""
        one, here = self.features[name], self.cell(name, own)
        values = one.get("targets") or one.get("numbers") or one["levels"]
        if limits.get("immutable") == name:
            return
        regular = len(one["levels"]) - len(one.get("special", []))
        for level, value in enumerate(values):
            if value is None or level == here or level >= regular:
                continue
            if limits.get("increase") == name and (level < here or here >= 10_000):
                continue
            if limits.get("range", ("",))[0] == name:
                low, high = limits["range"][1:]
                if not low <= value <= high:
                    continue
            yield value

    def beyond_help(self, line: str) -> None:
        found = re.match(r"rows? (.*?): (.*)", line)
        listed, _, _ = found[1].partition(" and ")
        rows = [self.label.index(label) for label in listed.split(", ")]
        words, most = {str(rule): kind for kind, rule in self.named_rules()}, self.asked.explainer.max_changes
        p = len(self.features)
        most = min(most, p)
        reason = found[2]
        for row in rows:
            self.check(
                not self.helps(row, most), f"row {self.label[row]} is said to be beyond help, it is not"
            )
            if needed := re.search(r"(\d+) changes would do", reason):
                k = int(needed[1])
                right = self.helps(row, k) and not self.helps(row, k - 1)
                self.check(right, f"row {self.label[row]}: {k} changes would not do, or fewer would")
            if "no number of changes would do" in reason:
                self.check(not self.helps(row, p), f"row {self.label[row]}: some number of changes would do")
            if "none of the targets together" in reason:
                able = self.helps(row, p, list(self.asked.limits))
                self.check(not able, f"row {self.label[row]} can be helped without rules")
            if could := re.search(r"could be helped without (.*?)(?:; it is not known|$)", reason):
                ever = p if "no number of changes" in reason else most
                for rule in re.findall(r'"(.*?)"', could[1]):
                    able = self.helps(row, ever, [words[rule]])
                    self.check(able, f"row {self.label[row]} cannot be helped without {rule!r}")

    def named_rules(self) -> Iterable[tuple[str, object]]:
        return zip(self.asked.limits, self.asked.explainer.rules, strict=True)

    # Tables and the page.

    def short(self, text: str) -> None:
        found = re.search(rf"{COUNT} explanations? covers? {COUNT} of {COUNT} (?:rows?|person|people)", text)
        helped = sum(n for n, (number, _) in zip(self.people, self.done, strict=True) if number)
        told = [number_of(x) for x in found.groups()]
        self.check(told == [len(self.result.explanations), helped, sum(self.people)], f"repr: {text}")
        if not callable(self.asked.explainer.model):
            self.check(f"wanted {self.asked.positive!r}" in text, f"repr does not say what is wanted: {text}")

    def tables(self) -> None:
        table, share = self.result.to_frame(), self.asked.explainer.share
        for number, line in enumerate(table.to_dict("records")):
            members = self.members(number)
            self.check(line["rows_covered"] == len(members), "to_frame counts other rows")
            size = sum(self.people[row] for row in members)
            self.check(line.get("people_covered", size) == size, "to_frame counts other people")
            changed = [name for name in line["changed_features"].split("; ") if name]
            moved = {name for row in members for name in self.done[row][1]}
            self.check(moved <= set(changed), f"to_frame: {changed} change, rows change {moved}")
            if share == "features":
                continue
            after = self.rows.iloc[members].copy()
            for name in changed:
                own = [self.cell(name, plain(value)) for value in after[name]]
                goal = self.cell(name, plain(line[name]))
                after[name] = pd.Series([line[name]] * len(after), after.index).where(
                    np.array(own) != goal, after[name]
                )
            self.check(self.asked.decide(after).all(), "the model refuses rows after what to_frame says")
            for name in set(self.features) - set(changed):
                value = line[name]
                if not pd.isna(value):
                    same = [self.is_said(name, plain(own), value) for own in self.rows[name].iloc[members]]
                    self.check(all(same), f"to_frame: not all rows of {number + 1} have {name} {value}")
        given = self.result.assignment_frame()
        self.check([str(label) for label in given.index] == self.label, "assignment_frame lists other rows")
        after = self.rows.copy()
        for row, line in enumerate(given.to_dict("records")):
            number, does = self.done[row]
            own = "" if pd.isna(line["explanation"]) else str(line["explanation"])
            self.check(own == number, "assignment_frame and report put a row elsewhere")
            news = [name for name in self.features if not pd.isna(line[name])]
            self.check(set(news) == set(does), "assignment_frame and report change other features")
            for name in news:
                after[name] = put(after[name], row, line[name])
            if not pd.isna(line["needed_changes"]):
                k = int(line["needed_changes"])
                self.check(self.helps(row, k) and not self.helps(row, k - 1), f"{k} changes are not needed")
        explained = [bool(number) for number, _ in self.done]
        if any(explained):
            good = self.asked.decide(after[explained])
            self.check(good.all(), "the model refuses rows after what assignment_frame says")

    def is_said(self, name: str, own: Any, said: Any) -> bool:
        if isinstance(said, str) and not isinstance(self.asked.frame[name].iloc[0], str):
            said = re.sub("^<= ", "at most ", re.sub("^> ", "more than ", said))
            return self.lies(name, own, said)
        return self.cell(name, own) == self.cell(name, plain(said))

    def report(self, summary: str) -> None:
        """The page says what the summary says, and its tiles and bars count what its table lists."""
        tiles = {
            name: number_of(text)
            for name, text in re.findall(r"<dt>([^<]*)</dt><dd>([\d,]+)</dd>", self.page)
        }
        several = "people" if self.asked.people else "rows"
        helped = sum(n for n, (number, _) in zip(self.people, self.done, strict=True) if number)
        self.check(tiles[f"{several} refused"] == sum(self.people), "the page counts other refused rows")
        self.check(tiles["covered"] == helped, "the page counts other covered rows")
        self.check(
            tiles["explanations"] == len(self.result.explanations), "the page counts explanations otherwise"
        )
        bars = re.findall(
            r'<th scope="row">([^<]*)</th><td><span class="bar".*?class="value">([\d,]+)', self.page
        )
        for name, count in bars:
            both = zip(self.people, self.done, strict=True)
            change = sum(n for n, (_, does) in both if unescape(name) in does)
            self.check(
                number_of(count) == change, f"the page counts {count} that change {name}, not {change}"
            )
        for number, card in enumerate(
            re.findall(r'<article class="card" id=.*?</article>', self.page, re.DOTALL)
        ):
            self.card(number, card, summary)
            for what in re.findall(r"<li>([^<:]*: [^<]*)</li>", card):
                name, value = unescape(what).split(": ", 1)
                own = [plain(self.rows[name].iloc[row]) for row in self.members(number)]
                self.check(all(self.lies(name, x, value) for x in own), f"not all of a card have {what}")
        for reached, total in re.findall(
            r"([\d,]+) of ([\d,]+) explanations covers? at least half", self.page
        ):
            sizes = sorted(
                (sum(self.people[r] for r in self.members(n)) for n in range(int(number_of(total)))),
                reverse=True,
            )
            k = int(number_of(reached))
            right = 2 * sum(sizes[:k]) >= helped > 2 * sum(sizes[: k - 1])
            self.check(right, f"not {reached} of {total} explanations cover half")

    def card(self, number: int, card: str, summary: str) -> None:
        """A card of the page says of changes what the summary says."""
        _, _, after = summary.partition(f"Explanation {number + 1} covers")
        rest, _, _ = after.partition("\n\n")
        pattern = r'"feature">(.*?)<.*?<strong>(.*?)</strong>(?: <small>(.*?)</small>)?'
        for change in re.findall(pattern, card, re.DOTALL):
            name, text, origins = (re.escape(unescape(part)) for part in change)
            same = re.search(rf"{name} +-> {text} +\({origins}\)", rest)
            self.check(same, f"a card says {change}, the summary does not")


def number_of(text: str) -> float:
    """A printed number; what follows as the end of a sentence is not part of it."""
    return float(text.rstrip(".,").replace(",", ""))


def missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic) else None if value is pd.NA else value


def put(column: pd.Series, row: int, value: Any) -> pd.Series:
    """Replace one value of a column."""
    made = column.astype(object)
    made.iloc[row] = value
    return made.infer_objects()


def judged(asked: Asked) -> tuple[int, list[str]]:
    """Ask, and judge the words of the answer: how many claims were checked, and what is wrong."""
    result = asked.explainer.explain(asked.frame, people=asked.people, **asked.goal)
    judge = Judge(asked, result)
    faults = judge.run()
    return judge.checked, faults
