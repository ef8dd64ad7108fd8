"""``python -m oneformany``: the command line."""

from oneformany.cli.app import app

if __name__ == "__main__":
    app(prog_name="oneformany")
