"""The picture of the README: the report of ``examples/german_credit.py``, as Chromium shows it.

    python benchmarks/readme_picture.py

needs ``chromium`` on the path and writes ``docs/figures/report.png``.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from measuring import script_parser

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "figures" / "report.png"
WIDTH, HEIGHT = 1180, 890
COLOURS = 64


def main() -> None:
    """Make the report, take its picture, and keep few colours: a small file."""
    script_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        example = ROOT / "examples" / "german_credit.py"
        subprocess.run([sys.executable, str(example), folder], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (our own file)
        shot = Path(folder) / "shot.png"
        subprocess.run(  # noqa: S603 (a picture of our own page)
            [  # noqa: S607 (whichever Chromium is installed)
                "chromium",
                "--headless",
                "--no-sandbox",
                "--hide-scrollbars",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={shot}",
                (Path(folder) / "german.html").as_uri(),
            ],
            check=True,
            capture_output=True,
        )
        Image.open(shot).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
