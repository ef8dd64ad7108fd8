"""Tests that template, style and script travel with the package."""

import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

PARTS = ("template.html", "style.css", "script.js")


def test_the_parts_of_the_page_lie_beside_the_code():
    for name in PARTS:
        assert (files("oneformany.report") / name).is_file()


def test_the_wheel_holds_them(tmp_path):
    root = Path(__file__).parents[2]
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=root, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        names = set(wheel.namelist())
    assert {f"oneformany/report/{name}" for name in PARTS} <= names
