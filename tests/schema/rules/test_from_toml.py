import pytest

from oneformany import (
    AtMostSteps,
    Forbid,
    Immutable,
    Linked,
    NeverTarget,
    NotTogether,
    Observed,
    OnlyDecrease,
    OnlyIncrease,
    Range,
    rules_from_toml,
)
from oneformany.exceptions import InputError

TEXT = """
immutable = ["sex", "age"]
only_increase = ["education"]
only_decrease = ["debts"]

[at_most_steps]
savings = 1

[range.amount]
low = 250
high = 10000

[never_target]
job = ["none"]

[[forbid]]
feature = "housing"
from = "own"
to = "rent"

[[implies]]
if = { job = "none" }
then = { income = ["none", "little"] }

[[linked]]
features = ["amount", "duration"]
one_way = true

[[not_together]]
features = ["job", "housing"]

[[observed]]
features = ["job", "housing"]
at_least = 5
"""


def test_every_rule_can_be_written_down(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(TEXT)
    rules = rules_from_toml(path)
    implies = rules.pop(8)
    assert (implies.if_, implies.then) == ({"job": "none"}, {"income": ["none", "little"]})
    assert rules == [
        Immutable("sex"),
        Immutable("age"),
        OnlyIncrease("education"),
        OnlyDecrease("debts"),
        AtMostSteps("savings", 1),
        Range("amount", 250, 10000),
        NeverTarget("job", ["none"]),
        Forbid("housing", "own", "rent"),
        Linked("amount", "duration", one_way=True),
        NotTogether("job", "housing"),
        Observed("job", "housing", at_least=5),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("immutable = 'sex'", "'immutable' cannot be read: a list of features"),
        (
            "unchanging = ['sex']",
            "'unchanging' is not a kind of rule; there are 'immutable', 'only_increase'",
        ),
        ("imutable = ['sex']", r"'imutable' is not a kind of rule; did you mean 'immutable'\?"),
        (
            "[[forbid]]\nfeature = 'x'\nfrom = 3",
            "'forbid' cannot be read: 'to' is missing beside feature = x, from = 3; it needs",
        ),
        ("[range.x]\nlo = 3", r"'range' cannot be read: 'lo' is not known there; did you mean 'low'\?"),
        ("[range.x]\nlow = '3'", "'range' cannot be read: .*'3' to inf of 'x' is not a range of numbers"),
        ("[[implies]]\nif = {}\nthen = {x = 3}", "'implies' cannot be read: .*'if' must name features"),
        ("[range]\nx = 250", "'range' cannot be read: x needs low"),
        (
            "[[observed]]\nfeatures = ['a']\natleast = 5",
            r"'atleast' is not known there; did you mean 'at_least'\?",
        ),
        ("linked = ['a', 'b']", "a list of tables is needed"),
        ("[[never_target]]\nfeature = 'x'", "'never_target' cannot be read: one table is needed, begun by"),
        ("immutable = [", "cannot be read as rules"),
    ],
)
def test_what_is_not_a_rule_is_refused(tmp_path, text, words):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        rules_from_toml(path)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read as rules: there is no such file"):
        rules_from_toml(tmp_path / "none.toml")


def test_the_example_of_the_documentation_is_a_file_of_rules(tmp_path):
    sample = (rules_from_toml.__doc__ or "").partition("For example::")[2].partition("Raises")[0]
    path = tmp_path / "rules.toml"
    path.write_text("\n".join(line.strip() for line in sample.splitlines()))
    assert len(rules_from_toml(path)) == 14
