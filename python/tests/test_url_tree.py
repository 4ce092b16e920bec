"""Pages read with what their site's other pages say."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
import threading
import uuid
from pathlib import Path

import pytest
import xxhash
from hypothesis import given, settings, strategies

import webstrata
from webstrata import UrlTree

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
PAGES = {
    f"https://example.org/news/{word}": f"<p>Subscribe now!<p>Today's word is {word}.<p>All rights reserved"
    for word in WORDS
}


LONG = {
    f"https://example.org/news/{word}": f"""<nav><a href=/>Home</a> <a href=/news>News</a></nav><h1>{word}</h1>
<p>High water is at {word} today, the harbour office says, and the ferry to the islands leaves {word} hours earlier.
<p>The crew of ferry {word} was told so on the day before, which many of them say was {word} days too late for them.
<p>Whoever reads these pages every day may want to subscribe to the paper edition of the harbour post, too."""
    for word in WORDS
}


def filled(name: str = "site", pages: dict[str, str] = PAGES) -> UrlTree:
    tree = UrlTree(name)
    for url, page in pages.items():
        assert tree.add(url, page)
    return tree


def texts(tree: UrlTree, pages: dict[str, str] = PAGES) -> list[str]:
    return [tree.classify(url, page).text for url, page in pages.items()]


def test_the_template_is_removed() -> None:
    assert texts(filled()) == [f"Today's word is {word}.\n" for word in WORDS]
    alone = UrlTree("site")
    assert "Subscribe" in alone.classify("https://example.org/x", next(iter(PAGES.values()))).text


def test_a_page_counts_once() -> None:
    tree = filled()
    assert len(tree) == 7 and tree.domains == 1
    for url, page in PAGES.items():
        assert url in tree
        assert not tree.add(url + "?utm_source=feed", page)
    assert len(tree) == 7
    assert "https://example.org/other" not in tree and "mailto:x" not in tree
    assert repr(tree) == '<webstrata.UrlTree "site" pages=7>'
    assert tree.extractor.name == "site" and UrlTree().extractor.name == "strata+site"


def test_texts_are_counted() -> None:
    tree = filled()
    counted = dict(
        tree.texts("https://example.org/news/eight", "<p>Subscribe now!<p>Something new")
    )
    assert counted == {"Subscribe now!": 8, "Something new": 1}


@pytest.mark.parametrize("name", ["site", "strata+site"])
def test_saved_and_loaded(tmp_path: Path, name: str) -> None:
    tree = filled(name)
    path = tmp_path / "tree"
    tree.save(path)
    assert os.listdir(tmp_path) == ["tree"]
    for again in (UrlTree.load(path), UrlTree.load(str(path)), pickle.loads(pickle.dumps(tree))):
        assert texts(again) == texts(tree)
        assert len(again) == 7 and again.memory == tree.memory
        assert again.extractor == tree.extractor
        # It goes on where it was.
        assert again.add("https://example.org/news/eight", "<p>Subscribe now!<p>eight")
        assert len(again) == 8
    tree.save(path)
    assert path.read_bytes() == pickle.loads(pickle.dumps(tree)).__reduce__()[1][0]


def test_own_extractors_are_saved(tmp_path: Path) -> None:
    toml = webstrata.Extractor("site").to_toml().replace('name = "site"', 'name = "mine"')
    tree = UrlTree(webstrata.Extractor.from_toml(toml))
    tree.save(tmp_path / "tree")
    assert UrlTree.load(tmp_path / "tree").extractor == tree.extractor
    favoring = UrlTree("strata+site", favor="recall")
    assert pickle.loads(pickle.dumps(favoring)).extractor == favoring.extractor


def test_bad_files(tmp_path: Path) -> None:
    path = tmp_path / "tree"
    filled().save(path)
    whole = path.read_bytes()
    for wrong in (
        b"",
        b"{}",
        whole[:-1],
        whole[:40],
        whole + b"x",
        whole.replace(b"news", b"newt"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(webstrata.DataError) as raised:
            UrlTree.load(path)
        assert str(raised.value).startswith(str(path)) and "\n" not in str(raised.value)
    nothing = tmp_path / "nothing"
    with pytest.raises(FileNotFoundError, match="nothing") as absent:
        UrlTree.load(nothing)
    assert (absent.value.errno, Path(absent.value.filename)) == (errno.ENOENT, nothing)
    folder = tmp_path / "no" / "folder"
    with pytest.raises(FileNotFoundError) as absent:
        filled().save(folder)
    assert (absent.value.errno, Path(absent.value.filename)) == (errno.ENOENT, folder)


@pytest.mark.parametrize("wrong", [{"documents": 0}, {"age": -1}, {"memory": -1}, {"least": 1.5}])
def test_bounds_that_no_tree_has(tmp_path: Path, wrong: dict[str, float]) -> None:
    """What the constructor refuses, a file cannot say either, whatever its checksum."""
    path = tmp_path / "tree"
    filled().save(path)
    form, header, pages = path.read_bytes()[:-8].split(b"\n", 2)
    content = b"\n".join([form, json.dumps({**json.loads(header), **wrong}).encode(), pages])
    path.write_bytes(content + xxhash.xxh3_64_intdigest(content).to_bytes(8, "little"))
    with pytest.raises(webstrata.DataError):
        UrlTree.load(path)


def test_addresses_that_are_no_unicode() -> None:
    tree = filled()
    assert tree.add("https://harbour.example/\ud800", "<p>High water is at noon.")
    assert "https://harbour.example/\ufffd" in tree
    assert tree.classify("https://harbour.example/\ud800", "<p>Noon.").url.endswith("\ufffd")
    assert webstrata.url_key("https://harbour.example/\ud800") == webstrata.url_key(
        "https://harbour.example/\ufffd"
    )
    with pytest.raises(TypeError):
        webstrata.url_key(5)


@given(strategies.data())
@settings(max_examples=60, deadline=None)
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: strategies.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    filled().save(path)
    whole = bytearray(path.read_bytes())
    for _ in range(3):
        whole[data.draw(strategies.integers(0, len(whole) - 1))] = data.draw(
            strategies.integers(0, 255)
        )
    path.write_bytes(whole)
    try:
        UrlTree.load(path)
    except webstrata.DataError:
        pass


def test_old_pages_leave() -> None:
    tree = UrlTree("site", documents=3)
    for url, page in PAGES.items():
        tree.add(url, page)
    assert len(tree) == 3
    assert [url in tree for url in PAGES] == [False] * 4 + [True] * 3
    assert len(pickle.loads(pickle.dumps(tree))) == 3
    tree = UrlTree("site", age=10, least=1)
    for time, (url, page) in enumerate(PAGES.items()):
        tree.add(url, page, time=100 * time)
    assert len(tree) == 1


def test_many_threads() -> None:
    tree = UrlTree("site")

    def add(part: int) -> None:
        for number in range(part, 400, 4):
            tree.add(f"https://example.org/{number}", f"<p>Subscribe now!<p>Number {'x' * number}")
            tree.classify("https://example.org/0", "<p>Subscribe now!<p>Number nothing")

    threads = [threading.Thread(target=add, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tree) == 400
    assert dict(tree.texts("https://example.org/1", "<p>Subscribe now!"))["Subscribe now!"] == 400


def test_many_pages() -> None:
    tree = filled()
    pairs = [(page, url) for url, page in PAGES.items()]
    for jobs in (1, 3):
        documents = list(tree.classify_many(pairs, jobs=jobs, formats=("markdown",)))
        assert [document.text for document in documents] == texts(tree)
        assert documents[0].markdown.strip() == "Today's word is one."
    # Without an address, a page is read by itself.
    [alone] = tree.classify_many([pairs[0][0]])
    assert alone.text == webstrata.extract(pairs[0][0], extractor="site").text


def test_what_is_made_later() -> None:
    tree = filled()
    url, page = next(iter(PAGES.items()))
    assert tree.classify(url, page, keep_page=True).markdown.strip() == "Today's word is one."
    assert tree.classify(url, page).url == url
    with pytest.raises(webstrata.MissingPart):
        _ = tree.classify(url, page).markdown


def test_options() -> None:
    tree = UrlTree()
    with pytest.raises(webstrata.OptionError, match="is no address"):
        tree.add("tides", "<p>")
    with pytest.raises(webstrata.OptionError, match="is no address"):
        tree.classify("mailto:x", "<p>")
    with pytest.raises(webstrata.OptionError, match="does not ask for the site"):
        UrlTree("article")
    with pytest.raises(webstrata.OptionError, match="age"):
        UrlTree(age=-1)
    with pytest.raises(webstrata.OptionError, match="documents: expected 1 or more"):
        UrlTree(documents=0)
    with pytest.raises(TypeError, match="give it to UrlTree"):
        tree.classify("https://example.org/", "", favor="recall")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no option formats"):
        tree.add("https://example.org/", "", formats=())  # type: ignore[call-arg]
    assert tree and len(tree) == 0


def test_keys() -> None:
    key = webstrata.url_key
    assert key("https://www.example.org/tides/?utm_source=feed") == "example.org/tides"
    assert key("http://example.org/tides/index.html#top") == "example.org/tides"
    assert key("javascript:void(0)") is None
    assert key("https://example.org/a?id=1") != key("https://example.org/a?id=2")


def warc(pages: dict[str, str]) -> bytes:
    """A web archive of pages."""
    records = []
    for url, page in pages.items():
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}".encode()
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Date: 2026-03-01T00:00:00Z\r\n"
            f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        records.append(head.encode() + answer + b"\r\n\r\n")
    return b"".join(records)


@pytest.mark.parametrize("name", ["site", "strata+site"])
def test_the_command_says_the_same(tmp_path: Path, name: str) -> None:
    command = os.environ.get("WEBSTRATA_COMMAND")
    if not command:
        pytest.skip("WEBSTRATA_COMMAND does not name the command")
    (tmp_path / "pages.warc").write_bytes(warc(LONG))
    arguments = ["extract", "--extractor", name, "--format", "jsonl", "pages.warc"]
    done = subprocess.run(
        [command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["url"] for record in records] == list(LONG)
    found = texts(filled(name, LONG), LONG)
    assert [record["text"] for record in records] == found
    assert all("High water" in text for text in found)
    assert name != "site" or not any("subscribe" in text for text in found)
