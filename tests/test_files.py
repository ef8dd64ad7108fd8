"""Tests that a file is written whole, and that what is not a file stays what it is."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from stat import S_IMODE
from threading import Thread

import pytest

from oneformany.exceptions import InputError
from oneformany.files import write_whole

KILLED = """
import os, signal, sys
from oneformany.files import write_whole
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
write_whole(sys.argv[1], "new")
"""


@pytest.fixture(params=["with files that have no name", "without them"])
def _system(request, monkeypatch):
    """Not every system can write a file before it has a name."""
    if request.param == "without them":
        monkeypatch.delattr(os, "O_TMPFILE")


def names_in(folder):
    return [path.name for path in folder.iterdir()]


@pytest.fixture(params=[0o600, 0o640, 0o444])
def mode(request):
    return request.param


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


@pytest.mark.usefixtures("_system")
def test_many_write_one_name_at_once_and_a_reader_never_meets_half_a_file(tmp_path):
    path, whole = tmp_path / "x", {letter * 200_000 for letter in "abcd"}
    write_whole(path, "a" * 200_000)
    with ThreadPoolExecutor(5) as threads:
        saves = [threads.submit(write_whole, path, text) for text in sorted(whole) * 15]
        met = set()
        while not all(save.done() for save in saves):
            met.add(path.read_text())
    assert [save.result() for save in saves] == [None] * 60
    assert met <= whole
    assert names_in(tmp_path) == ["x"]


@pytest.mark.usefixtures("_system")
def test_a_file_keeps_who_may_read_it(tmp_path, mode):
    (tmp_path / "x").write_text("old")
    (tmp_path / "x").chmod(mode)
    write_whole(tmp_path / "x", "new")
    assert (tmp_path / "x").read_text() == "new"
    assert S_IMODE((tmp_path / "x").stat().st_mode) == mode


@pytest.mark.usefixtures("_system")
def test_a_new_file_may_be_read_by_whom_the_system_lets(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "x", "new")
    finally:
        os.umask(before)
    assert S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def can_do_without_names(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except (OSError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("old", ["old", None])
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file_and_no_draft(tmp_path, old):
    if old is not None:
        (tmp_path / "x").write_text(old)
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "x"], check=False)
    assert done.returncode == -signal.SIGKILL
    found = {path.name: path.read_text() for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert found == ({} if old is None else {"x": old})
    assert not can_do_without_names(tmp_path) or len(names_in(tmp_path)) == len(found)


@pytest.mark.usefixtures("_system")
def test_a_full_disk_leaves_the_old_file_and_is_told_with_its_name(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    write_whole(tmp_path / "x", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as told:
        write_whole(tmp_path / "x", "new")
    assert told.value.filename == str(tmp_path / "x")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x", "old")]


def test_what_is_written_through_a_link_is_written_whole(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with (tmp_path / "real").open() as reading:
        write_whole(tmp_path / "link", "new")
        assert reading.read() == "old"


def test_a_name_as_long_as_names_can_be_is_written(tmp_path):
    write_whole(tmp_path / ("x" * 255), "new")
    assert names_in(tmp_path) == ["x" * 255]


def test_standard_output_is_not_replaced_where_it_is_a_file(tmp_path):
    code = "from oneformany.files import write_whole; write_whole('/dev/stdout', 'one'); print('two')"
    with (tmp_path / "x").open("a") as out:
        subprocess.run([sys.executable, "-c", code], check=True, stdout=out)
    assert (tmp_path / "x").read_text() == "onetwo\n"


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        write_whole(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []
