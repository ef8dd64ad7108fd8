"""Tests that a file is written whole, and that what is not a file stays what it is."""

import os
from threading import Thread

from oneformany.files import write_whole


def test_a_file_is_replaced_and_no_draft_is_left(tmp_path):
    for content in ("old", b"new"):
        write_whole(tmp_path / "x", content)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x", "new")]


def test_a_link_stays_one_and_is_written_through(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_pipe_stays_one_and_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = Thread(target=lambda: found.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    write_whole(tmp_path / "pipe", "words")
    reader.join(10)
    assert found == ["words"]
    assert (tmp_path / "pipe").is_fifo()
