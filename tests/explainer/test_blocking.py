"""Tests that every unreachable row says what blocks it and how many changes would help."""

import time
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oneformany as ofm
from oneformany import Feature, Immutable, Linked, NeverTarget, NotTogether, OnlyIncrease, Schema
from oneformany.explainer import blocking
from oneformany.explainer.blocking import LIMIT, MODEL, blocked_rows
from oneformany.methods import solve_for
from oneformany.oracles.protocol import Answer
from oneformany.result.facts import Facts
from oneformany.result.result import Result
from oneformany.schema import allowed_moves
from oneformany.stop import Stop
from oneformany.verify import verify


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "income": rng.gamma(2.0, 900.0, n).round(2),
            "debts": rng.choice([0.0, 1.5, 2.25], n),
            "job": pd.Categorical(rng.choice(["none", "part", "full"], n), ["none", "part", "full"]),
        }
    )
    score = frame["age"] / 40 + frame["income"] / 2500 + (frame["job"] == "full") - frame["debts"] / 2
    return frame, (score + rng.normal(0, 0.2, n) > score.quantile(0.7)).astype(int).to_numpy()


def in_pipeline(classifier):
    numbers = ["age", "income", "debts"]
    return make_pipeline(
        make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(sparse_output=False), ["job"])),
        classifier,
    )


MODELS = {
    "logistic": lambda: in_pipeline(LogisticRegression()),
    "tree": lambda: in_pipeline(DecisionTreeClassifier(max_depth=4, random_state=0)),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=3),
}
RULES = [
    [],
    [Immutable("job")],
    [OnlyIncrease("age"), Immutable("income")],
    [NeverTarget("job", "full"), Immutable("debts")],
    [NotTogether("job", "income"), Immutable("age")],
    [Linked("job", "age", one_way=True), Immutable("age")],
]


def fewest(model, schema, row, rules, most):
    """The fewest changes that the model's own predict accepts, by trying everything."""
    before = schema.encode(row)
    allowed = allowed_moves(schema, rules)
    kept = [rule.restriction(schema, before) for rule in rules if not hasattr(rule, "feature")]
    for changes in range(1, most + 1):
        tried = []
        for features in combinations(range(len(schema.features)), changes):
            for cells in product(*(range(schema.levels[f]) for f in features)):
                after = before.copy()
                after[0, list(features)] = cells
                if may_move(schema, before[0], after[0], allowed) and all(
                    rule.holds(before, after).all() for rule in kept
                ):
                    tried.append(after)
        frames = [ofm_follow(schema, row, before, after) for after in tried]
        if frames and (model.predict(pd.concat(frames)) == 1).any():
            return changes
    return None


def may_move(schema, before, after, allowed):
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new and schema.features[place].target(int(new)) is None:
            return False
        if old != new and allowed[place] is not None and not allowed[place][old, new]:
            return False
    return True


def ofm_follow(schema, row, before, after):
    from oneformany.result.following import follow

    return follow(schema, row, before, after)


@pytest.mark.filterwarnings("ignore:the rule", "ignore:by the rule")
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: "+".join(map(repr, rules)) or "none")
@pytest.mark.parametrize("kind", MODELS)
def test_what_is_said_about_unreachable_rows_is_what_brute_force_finds(kind, rules):
    frame, target = rows_of(kind)
    model = MODELS[kind]().fit(frame, target)
    some = frame[model.predict(frame) == 0].head(25)
    result = ofm.OneForMany(
        model,
        max_changes=1,
        rules=rules,
        reference=frame,
        cells=ofm.Cells(bins={"age": 3, "income": 3}),
        share="point",
    ).explain(some)
    for entry in result.unreachable[:6]:
        row = some.iloc[[result.problem["rows"][entry.row]]]
        needed = fewest(model, result.schema, row, rules, 4)
        if entry.needed_changes is not None:
            assert needed == entry.needed_changes
            assert LIMIT in entry.blocked_by
            assert f"{needed} changes would do" in entry.reason
        if MODEL in entry.blocked_by:
            assert fewest(model, result.schema, row, [], 4) is None
        for rule in rules:
            if str(rule) in entry.blocked_by:
                rest = [other for other in rules if other is not rule]
                most = 1 if LIMIT in entry.blocked_by or needed is not None else 4
                assert fewest(model, result.schema, row, rest, most) is not None
                assert str(rule) in entry.reason
        if not rules or kind == "logistic":
            assert entry.needed_changes == needed or any(not hasattr(rule, "feature") for rule in rules)


def rows_of(kind):
    return rows(60, {"logistic": 1, "tree": 2, "histogram": 3}[kind])


def small(rules=(), threshold=2, max_changes=1):
    schema = Schema((Feature("a", ("no", "yes")), Feature("b", ("no", "yes")), Feature("c", ("no", "yes"))))
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 0]], threshold=threshold)
    problem = ofm.Problem([[0, 0, 0]], (2, 2, 2), oracle, max_changes, allowed_moves(schema, rules))
    return solve_for(Asking(problem, schema, rules), problem)


class Asking:
    """Whoever asks wants to know what blocks the rows that cannot be helped."""

    def __init__(self, problem, schema, rules):
        self.given = problem, schema, rules

    def facts(self, answer):
        return Facts(unreachable=blocked_rows(answer.unreachable, *self.given))


def test_more_changes_are_named():
    (entry,) = small().unreachable
    assert (entry.needed_changes, entry.blocked_by) == (2, (LIMIT,))
    assert entry.reason.endswith("; 2 changes would do")
    assert entry.reason.count("would do") == 1


def test_a_rule_is_named():
    (entry,) = small([Immutable("b")], max_changes=2).unreachable
    assert (entry.needed_changes, entry.blocked_by) == (None, ("b cannot change",))
    assert 'no number of changes would do; could be helped without the rule "b cannot change"' in entry.reason


def test_several_rules_of_which_any_one_blocks_are_one_clause():
    schema = Schema(tuple(Feature(name, ("no", "yes")) for name in "ab"))
    rules = [NeverTarget("a", "yes"), NeverTarget("b", "yes")]
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=1)
    problem = ofm.Problem([[0, 0]], (2, 2), oracle, 1, allowed_moves(schema, rules))
    (entry,) = blocked_rows(ofm.solve(problem).unreachable, problem, schema, rules)
    assert entry.reason.endswith(
        'could be helped without any one of these rules: "nobody is sent to a yes"; "nobody is sent to b yes"'
    )


def helped(schema, oracle, before, rules, most):
    """Whether some point within so many changes is accepted, by looking at all of them."""
    points = np.array(list(product(*map(range, schema.levels))))
    points = points[(points != before).sum(axis=1) <= most]
    befores = np.tile(before, (len(points), 1))
    kept = oracle.positive(points)
    for feature, matrix in enumerate(allowed_moves(schema, rules)):
        if matrix is not None:
            kept &= matrix[befores[:, feature], points[:, feature]]
    for restriction in (r.restriction(schema, befores) for r in rules if not hasattr(r, "feature")):
        kept &= restriction.holds(befores, points)
    return bool(kept.any())


def some_rules(rng):
    names = rng.permutation(list("abcd")).tolist()
    kinds = [
        Immutable(names[0]),
        NeverTarget(names[1], "2"),
        ofm.Forbid(names[2], "0", "2"),
        Linked(*names[:2]),
        Linked(names[3], names[0], one_way=True),
        NotTogether(*names[1:3]),
        ofm.Implies({names[0]: ["1", "2"]}, {names[3]: "2"}),
        ofm.Implies({names[2]: "2"}, {names[1]: ["0", "1"]}),
    ]
    return [kinds[kind] for kind in rng.choice(len(kinds), int(rng.integers(2, 5)), replace=False)]


@pytest.mark.filterwarnings("ignore:the rule", "ignore:by the rule")
def test_all_rules_without_which_a_row_could_be_helped_are_named_and_no_other():
    schema, told = Schema(tuple(Feature(name, tuple("012"), ordered=True) for name in "abcd")), 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rules = some_rules(rng)
        oracle = ofm.AdditiveOracle(rng.integers(-2, 4, (4, 3)), threshold=int(rng.integers(3, 9)))
        before = np.array(rng.integers(0, 3, 4))
        kept = [r.restriction(schema, before[None]) for r in rules if not hasattr(r, "feature")]
        allowed = allowed_moves(schema, rules)
        problem = ofm.Problem([before], schema.levels, oracle, 2, allowed, restrictions=kept)
        for entry in blocked_rows(ofm.solve(problem).unreachable, problem, schema, rules):
            needed = next((n for n in range(5) if helped(schema, oracle, before, rules, n)), None)
            assert entry.needed_changes == needed
            most = 4 if needed is None else 2
            others = [(rule, [other for other in rules if other is not rule]) for rule in rules]
            alone = [rule for rule, rest in others if helped(schema, oracle, before, rest, most)]
            if needed is not None or alone:
                assert entry.blocked_by == (*([LIMIT] * (needed is not None)), *map(str, alone))
            assert "not known" not in entry.reason
            told += bool(alone)
    assert told > 20


def test_of_a_rule_that_cannot_be_settled_it_is_said_that_it_is_not_known(monkeypatch):
    monkeypatch.setattr("oneformany.oracles.constrained.MOST_RULED", 0)
    schema = Schema(tuple(Feature(name, ("no", "yes")) for name in "abc"))
    rules = [NotTogether("a", "b"), NeverTarget("c", "yes")]
    oracle = ofm.AdditiveOracle([[0, 1]] * 3, threshold=2)
    kept = [rules[0].restriction(schema, np.zeros((1, 3), dtype=int))]
    allowed = allowed_moves(schema, rules)
    problem = ofm.Problem([[0, 0, 0]], (2, 2, 2), oracle, 2, allowed, restrictions=kept)
    greedy = replace(problem, oracle=First(oracle))
    (entry,) = blocked_rows(ofm.solve(problem).unreachable, greedy, schema, rules)
    assert (entry.needed_changes, entry.blocked_by) == (None, (str(rules[0]),))
    assert entry.reason.endswith(
        'whether more changes would help is not known; could be helped without the rule "of a, b, no row '
        'changes more than one"; it is not known whether it could be helped without the rule "nobody '
        'is sent to c yes"'
    )


class First:
    """A classifier whose first point changes everything that may change."""

    def __init__(self, oracle):
        self.oracle = oracle

    def __getattr__(self, name):
        return getattr(self.oracle, name)

    def reach(self, question):
        point = np.where(question.domain[:, 1], 1, question.anchor)
        return Answer(point) if self.oracle.positive(point[None])[0] else Answer.none()


def test_rules_that_block_only_together_are_named_together():
    (entry,) = small([Immutable("a"), Immutable("b")], max_changes=2).unreachable
    assert entry.blocked_by == ("a cannot change together with b cannot change",)


def test_a_model_that_nothing_convinces_is_named():
    (entry,) = small(threshold=9).unreachable
    assert (entry.needed_changes, entry.blocked_by) == (None, (MODEL,))


def test_without_time_it_is_said_that_it_is_not_known():
    schema = Schema((Feature("a", ("no", "yes")), Feature("b", ("no", "yes"))))
    problem = ofm.Problem([[0, 0]], (2, 2), ofm.AdditiveOracle([[0, 1], [0, 1]], threshold=2), 1)
    (entry,) = blocked_rows(ofm.solve(problem).unreachable, problem, schema, stop=Stop(0))
    assert (entry.needed_changes, entry.blocked_by) == (None, ())
    assert "not examined within the time limit" in entry.reason


class Slow:
    """A classifier whose first question waits for a compiler, and that looks at the clock."""

    def __init__(self, oracle, first, later=0.0):
        self.oracle, self.wait, self.later = oracle, first, later

    def __getattr__(self, name):
        return getattr(self.oracle, name)

    def reach(self, question):
        time.sleep(self.wait)
        self.wait = self.later
        if question.stop.expired():
            return Answer.unknown()
        return self.oracle.reach(question)


def slowly(monkeypatch, first, later, seconds=None):
    """Two rows, whose budget without a limit is a fifth of a second and a little for each row."""
    monkeypatch.setattr(blocking, "SECONDS", 0.2)
    schema = Schema(tuple(Feature(name, ("no", "yes")) for name in "abc"))
    oracle = ofm.AdditiveOracle([[0, 1], [0, 1], [0, 0.1]], threshold=2)
    codes = [[0, 0, 0], [0, 0, 1]]
    problem = ofm.Problem(codes, (2, 2, 2), oracle, 1)
    result = ofm.solve(problem)
    slow = replace(problem, oracle=Slow(oracle, first, later))
    return [entry.reason for entry in blocked_rows(result.unreachable, slow, schema, stop=Stop(seconds))]


def test_rows_are_examined_also_where_the_first_question_compiles(monkeypatch):
    told = slowly(monkeypatch, first=1.0, later=0.0)
    assert all(reason.endswith("; 2 changes would do") for reason in told)


def test_what_is_left_of_a_limit_is_used(monkeypatch):
    told = slowly(monkeypatch, first=1.0, later=0.0, seconds=30)
    assert all(reason.endswith("; 2 changes would do") for reason in told)


def test_not_examined_is_said_in_words_that_are_true(monkeypatch):
    monkeypatch.setattr(blocking, "SECONDS_PER_ROW", 0.0)
    assert "not examined within the 0 seconds that are spent on it" in slowly(monkeypatch, 0.0, 0.3)[-1]
    assert "not examined within the time limit" in slowly(monkeypatch, 0.0, 0.1, seconds=0.15)[-1]


def test_tables_and_files_tell_it():
    result = small()
    frame = result.assignment_frame()
    assert frame.loc[0, ["needed_changes", "blocked_by"]].tolist() == [2, LIMIT]
    assert Result.from_json(result.to_json()).unreachable == result.unreachable


def test_verify_takes_the_reasons_as_words():
    result = small()
    assert verify(result.to_json()).ok


def test_where_no_row_is_beyond_help_there_is_nothing_to_say():
    schema = Schema((Feature("a", ("no", "yes")),))
    problem = ofm.Problem([[0]], (2,), ofm.AdditiveOracle([[0, 1]], threshold=1), 1)
    assert blocked_rows(ofm.solve(problem).unreachable, problem, schema) == ()
