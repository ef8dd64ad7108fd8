"""``python -m oneformany``: the command line."""

from oneformany.cli.app import app

__all__: list[str] = []

if __name__ == "__main__":
    app(prog_name="oneformany")
