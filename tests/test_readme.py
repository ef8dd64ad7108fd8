"""Tests that the README's example runs as printed, and that its commands can be found."""

import re
from pathlib import Path

import pytest

from oneformany.result.result import Result

DECIMALS = r"\d+\.\d+"  # may differ between machines in their last digits
README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_as_printed(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - it is the README's own example
    result = Result.from_json(tmp_path / "result.json")
    assert result.status == "optimal"
    assert result.summary() in capsys.readouterr().out
    assert re.sub(DECIMALS, "#", result.summary()) in re.sub(DECIMALS, "#", README)


@pytest.mark.parametrize(("name", "end"), [("demo", "oneformany demo"), ("test", "pytest -q -n 2")])
def test_each_command_is_one_line_that_sets_everything_up(name, end):
    (command,) = re.findall(rf"<!-- {name} command -->\n```\n(.*?)\n```\n<!-- end -->", README, re.DOTALL)
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install -q ")
    assert command.endswith(end)
    assert "\n" not in command
