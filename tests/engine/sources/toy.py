"""The source that ``docs/extending.md`` shows, taken from there: a catalogue, and nothing outside of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[3] / "docs" / "extending.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
(SHOWN,) = (block for block in BLOCKS if "class Catalogue" in block)
NAMES: dict[str, Any] = {"np": np}
exec(SHOWN, NAMES)  # noqa: S102 (what the page shows is what is tested)
Catalogue = NAMES["Catalogue"]
