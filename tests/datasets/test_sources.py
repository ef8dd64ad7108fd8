import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from oneformany.datasets.dataset import sources_of
from oneformany.datasets.sources import Source, cache_folder, fetch
from oneformany.exceptions import DataUnavailableError, InputError

CONTENT = b"a,b\n1,2\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Every test has an empty cache of its own, and no named folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ONEFORMANY_CACHE", str(folder))
    monkeypatch.delenv("ONEFORMANY_DATA", raising=False)
    return folder


@pytest.fixture
def publisher(tmp_path):
    """A folder that stands for the publisher's server."""
    folder = tmp_path / "publisher"
    folder.mkdir()
    (folder / "table.csv").write_bytes(CONTENT)
    return folder


@pytest.fixture
def source(publisher):
    return Source(
        dataset="toy",
        file="table.csv",
        url=(publisher / "table.csv").as_uri(),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


def test_a_download_is_kept_in_the_cache_and_not_repeated(source, publisher, cache):
    assert fetch(source) == CONTENT.decode()
    assert [path.name for path in cache.iterdir()] == ["table.csv"]
    (publisher / "table.csv").unlink()
    assert fetch(source) == CONTENT.decode()


def test_a_damaged_cache_is_replaced_by_a_new_download(source, cache):
    fetch(source)
    (cache / "table.csv").write_bytes(CONTENT[:-2])
    assert fetch(source) == CONTENT.decode()
    assert (cache / "table.csv").read_bytes() == CONTENT


def test_a_download_with_a_wrong_checksum_is_refused_and_not_kept(source, publisher, cache):
    (publisher / "table.csv").write_bytes(b"<html>moved</html>")
    with pytest.raises(DataUnavailableError, match=r"18 bytes that are not .* table\.csv \(checksum"):
        fetch(source)
    assert not cache.exists()


def test_when_nothing_works_the_message_says_what_to_do(source):
    gone = replace(source, url=source.url.replace("table.csv", "gone.csv"))
    with pytest.raises(DataUnavailableError) as error:
        fetch(gone)
    for words in (
        "table.csv of the data set toy",
        gone.url,
        "data_dir=",
        "ONEFORMANY_DATA",
        "cache",
    ):
        assert words in str(error.value)
    assert isinstance(error.value, FileNotFoundError)


def test_a_cache_that_cannot_be_written_is_no_obstacle(source, cache):
    cache.write_text("a file where the folder should be")
    assert fetch(source) == CONTENT.decode()


def test_the_named_folder_comes_first_and_is_taken_as_it_is(source, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "table.csv").write_text("mine")
    assert fetch(source, tmp_path) == "mine"


def test_the_argument_wins_over_the_environment(source, tmp_path, monkeypatch):
    for name in ("argument", "environment"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "table.csv").write_text(name)
    monkeypatch.setenv("ONEFORMANY_DATA", str(tmp_path / "environment"))
    assert fetch(source) == "environment"
    assert fetch(source, tmp_path / "argument") == "argument"


def test_a_named_folder_without_the_file_leads_on_to_the_publisher(source, tmp_path):
    assert fetch(source, tmp_path) == CONTENT.decode()


def test_a_named_folder_that_does_not_exist_is_refused(source, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="data_dir names the folder"):
        fetch(source, tmp_path / "nowhere")
    monkeypatch.setenv("ONEFORMANY_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="ONEFORMANY_DATA names the folder"):
        fetch(source)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [("table.csv.gz", b"not gzip", "damaged gzip"), ("table.csv", b"\xff\xfe\xff", "not a text file")],
)
def test_a_damaged_file_in_the_named_folder_is_refused(source, tmp_path, file, content, words):
    (tmp_path / file).write_bytes(content)
    with pytest.raises(DataUnavailableError, match=words):
        fetch(source, tmp_path)


def test_the_cache_is_in_the_users_home_unless_another_folder_is_named(monkeypatch):
    monkeypatch.setenv("HOME", "base")
    monkeypatch.setenv("ONEFORMANY_CACHE", "mine")
    assert cache_folder() == Path("mine")
    monkeypatch.delenv("ONEFORMANY_CACHE")
    assert cache_folder() == Path("base/.cache/oneformany")


def test_the_publishers_are_asked_safely_and_files_are_pinned():
    sources = [source for name in ("compas", "adult", "credit") for source in sources_of(name)]
    assert len(sources) == 4
    for source in sources:
        assert source.url.startswith("https://")
        assert source.url.endswith(source.file)
        assert len(bytes.fromhex(source.sha256)) == 32
