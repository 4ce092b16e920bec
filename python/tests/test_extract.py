"""One page in, one document out."""

from __future__ import annotations

import array
import copy
import inspect
import json
import mmap
import pickle
import tempfile
from pathlib import Path
from unittest import mock

import pages
import pytest

import webstrata


def test_the_main_text() -> None:
    document = webstrata.extract(pages.NEWS)
    assert document.text.startswith("The ferry between the two islands")
    assert "Imprint" not in document.text and "Tides" not in document.text
    assert str(document) == document.text
    assert document and not webstrata.extract("")
    assert document.words < document.page_words
    assert document.encoding == "UTF-8" and document.extractor == "strata"
    assert document.limits == [] and document.error is None


def test_what_a_document_has() -> None:
    document = webstrata.extract(pages.NEWS, url="https://harbour.example/news/1")
    assert document.title == "An hourly ferry"
    assert document.authors == ["Jane Doe"]
    assert document.date == "2025-09-04"
    assert document.site == "The Harbour Post"
    assert document.description == "More crossings from Monday on."
    assert document.language == "en" and document.declared_language == "en"
    assert document.page_type == "article"
    assert document.confidence is not None and 0.5 < document.confidence <= 1
    assert document.url == "https://harbour.example/news/1"
    assert document.markdown.startswith("# An hourly ferry\n\nThe ferry")
    assert "<h1>An hourly ferry</h1>" in document.html
    assert document.metadata["authors"] == [{"value": "Jane Doe", "source": "meta"}]
    assert repr(document).startswith("<webstrata.Document title='An hourly ferry' words=")
    for missing in (document.modified, document.canonical, document.image, document.licence):
        assert missing is None
    assert document.tags == []


def test_blocks() -> None:
    blocks = webstrata.extract(pages.NEWS).blocks
    assert [block.text for block in blocks][:3] == [
        "Home Tides Jobs",
        "An hourly ferry",
        blocks[2].text,
    ]
    menu, heading, text = blocks[:3]
    assert (menu.is_content, menu.label) == (False, "boilerplate")
    assert (heading.is_content, heading.label) == (True, "headline")
    assert (text.is_content, text.label) == (True, "content")
    assert (menu.part, heading.part, text.part) == ("navigation", "title", "body")
    assert text.score > menu.score and 0 <= menu.score <= 1
    assert text.path == "html/body/main/p" and "p" in text.selector
    assert text.counts["words"] == text.words and text.counts["linked_words"] == 1
    assert menu.link_density == 1 and text.text_density > 5
    assert text.to_dict()["text"] == text.text
    assert repr(menu) == "<webstrata.Block boilerplate 'Home Tides Jobs'>"


def test_links() -> None:
    links = webstrata.extract(pages.NEWS, url="https://harbour.example/news/1").links
    inside = [link for link in links if link.in_content]
    assert [link.url for link in inside] == ["https://harbour.example/timetable"]
    assert (inside[0].text, inside[0].internal, inside[0].rel) == ("timetable", True, None)
    assert len(links) == 6
    blocks = webstrata.extract(pages.NEWS).blocks
    assert inside[0].block is not None and "timetable" in blocks[inside[0].block].text
    assert webstrata.extract(pages.NEWS).links[0].internal is None
    assert links[0].to_dict() == {
        "url": "https://harbour.example/",
        "text": "Home",
        "block": 0,
        "in_content": False,
        "internal": True,
    }


def test_formats_are_made_at_once_and_others_when_asked_for() -> None:
    some = webstrata.extract(pages.NEWS, formats=("text", "markdown"), keep_page=False)
    assert some.markdown.startswith("# An")
    assert some.title == "An hourly ferry"
    for missing in ("html", "links", "blocks", "posts", "authors", "metadata"):
        with pytest.raises(webstrata.MissingPart, match="formats="):
            getattr(some, missing)
    assert not hasattr(some, "html")
    kept = webstrata.extract(pages.NEWS)
    assert "markdown" not in kept.to_dict()
    assert kept.markdown == some.markdown
    assert "markdown" not in kept.to_dict(), "a document is data that does not change"
    every = webstrata.extract(
        pages.NEWS, formats=["markdown", "html", "metadata", "links", "blocks", "posts"]
    )
    assert {"markdown", "html", "metadata", "links", "blocks", "posts"} < set(every.to_dict())


def test_the_record_is_versioned() -> None:
    document = webstrata.extract(pages.NEWS)
    record = document.to_dict()
    assert record["version"] == 2
    assert json.loads(document.to_json()) == record
    assert record["confidence"] == document.confidence


def test_any_buffer_is_a_page() -> None:
    expect = webstrata.extract(pages.NEWS).text
    raw = pages.NEWS.encode()
    with tempfile.TemporaryFile() as file:
        file.write(raw)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            for page in (raw, bytearray(raw), memoryview(raw), array.array("B", raw), mapped):
                assert webstrata.extract(page).text == expect


def test_str_is_text_already() -> None:
    page = "<meta charset=koi8-r><p>Übergröße, naïve café"
    assert webstrata.extract(page, extractor="keep-all").text == "Übergröße, naïve café\n"
    assert (
        webstrata.extract(page, extractor="keep-all", charset="koi8-r").text
        == "Übergröße, naïve café\n"
    )
    latin = "<p>naïve café".encode("latin-1")
    assert webstrata.extract(latin, extractor="keep-all", charset="latin1").text == "naïve café\n"
    assert (
        webstrata.extract("\ud83d\ude00 a\ud800b", extractor="keep-all").text
        == "\U0001f600 a\ufffdb\n"
    )


def test_favor() -> None:
    doubtful = pages.NEWS.replace(
        "</main>", "<p>Seen at the pier: two gulls and one dog.</p></main>"
    )
    kept = [
        webstrata.extract(doubtful, favor=favor).words
        for favor in ("precision", "balanced", "recall", 50)
    ]
    assert kept == sorted(kept) and kept[0] < kept[-1]
    assert webstrata.extract(doubtful, favor=1.0) == webstrata.extract(doubtful)


def test_hidden_text_and_width() -> None:
    page = "<p hidden>Low water</p><p>High water is at noon"
    assert webstrata.extract(page, extractor="keep-all").text == "High water is at noon\n"
    assert "Low" in webstrata.extract(page, extractor="keep-all", hidden="keep").text
    marked = webstrata.extract(page, extractor="keep-all", hidden="mark").blocks
    assert marked[0].labels == ["hidden"]
    long = "<p>" + "tide and ferry " * 20
    narrow = webstrata.extract(long, width=20).blocks[0]
    assert narrow.text_density < webstrata.extract(long).blocks[0].text_density


def test_links_and_images_in_markdown() -> None:
    page = pages.NEWS.replace("<p>Tickets", '<p><img src="/a.png" alt="A pier">Tickets')
    plain = webstrata.extract(page, formats="markdown").markdown
    rich = webstrata.extract(
        page, formats="markdown", links=True, images=True, url="https://h.example/"
    ).markdown
    assert "](" not in plain
    assert (
        "[timetable](https://h.example/timetable)" in rich
        and "![A pier](https://h.example/a.png)" in rich
    )


FIGURE = """<figure><img src="/pier.png"><figcaption>The old pier at low water</figcaption></figure>
<ul><li>Coins are taken</li><li>Notes are not taken</li></ul><p>Tickets"""


def test_the_shape_of_text() -> None:
    page = pages.NEWS.replace("<p>Tickets", FIGURE)
    structured = webstrata.extract(page)
    assert structured == webstrata.extract(page, text="structured")
    assert "\n\n- Coins are taken\n- Notes are not taken\n\n" in structured.text
    flat = webstrata.extract(page, text="flat").text
    assert flat.startswith("An hourly ferry\nThe ferry between")
    assert "\n\n" not in flat and "\nCoins are taken\n" in flat


def test_parts_of_the_page() -> None:
    page = pages.NEWS.replace("<p>Tickets", FIGURE)
    assert "The old pier" in webstrata.extract(page).text
    without = webstrata.extract(page, exclude=("caption",), formats=("markdown", "html"))
    assert "The old pier" not in without.text + without.markdown + without.html
    assert "Tickets" in without.text
    for caption in ("caption", ["captions"], {"caption"}, iter(["caption", "title"])):
        assert webstrata.extract(page, exclude=caption).text == without.text
    titled = webstrata.extract(page, include="title")
    assert titled.text.startswith("An hourly ferry\n\nThe ferry between")
    assert "Home" in webstrata.extract(page, include=["navigation"]).text
    [many] = webstrata.extract_many([page], exclude=["caption"], jobs=1)
    assert many.text == without.text
    assert webstrata.Extractor().extract(page, exclude=["caption"]).text == without.text


def test_reasons() -> None:
    plain = webstrata.extract(pages.NEWS)
    assert all(block.reasons is None for block in plain.blocks)
    document = webstrata.extract(pages.NEWS, reasons=True)
    for block in document.blocks:
        reasons = block.reasons
        assert reasons is not None
        told = sum(reason["weight"] for reason in reasons["reasons"])
        assert abs(reasons["base"] + told + reasons["rest"] - reasons["score"]) < 1e-3
        assert all(reason["text"] and reason["about"] for reason in reasons["reasons"])
        assert block.to_dict()["reasons"] == reasons
    assert webstrata.extract(pages.NEWS, reasons=True, extractor="article").blocks[0].reasons is None


def test_front_matter() -> None:
    document = webstrata.extract(pages.NEWS, front_matter=True)
    assert document.markdown.startswith("---\n") and "An hourly ferry" in document.markdown
    assert not document.text.startswith("---")
    assert webstrata.extract(pages.NEWS).markdown in document.markdown


THREAD = "".join(
    f"""<div class="post" id="p{number}"><div class="author">{name}</div>
<time datetime="2026-03-0{number}">March {number}</time><div class="content"><p>{name} has seen that
the ferry leaves an hour earlier than the table at the pier says, on day {number} of the month.</p></div></div>"""
    for number, name in enumerate(("Ada", "Bob", "Cem"), 1)
)


def test_posts() -> None:
    assert webstrata.extract("<p>High water is at noon.").posts == ()
    document = webstrata.extract(
        f"<title>When does it leave? - Harbour forum</title><h1>When does it leave?</h1>{THREAD}",
        formats=("posts",),
    )
    assert len(document.posts) == len(document.to_dict()["posts"])
    for place, post in enumerate(document.posts, 1):
        assert post.position == place and "ferry leaves" in post.text
        assert post.to_dict()["text"] == post.text
        again = pickle.loads(pickle.dumps(post))
        assert again == post and hash(again) == hash(post)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"text": "plain"}, webstrata.OptionError, "text: expected structured or flat, not `plain`"),
        ({"text": True}, TypeError, "text: expected structured or flat, not true"),
        ({"exclude": "captoin"}, webstrata.OptionError, "exclude: unknown part `captoin`, did you mean `caption`?"),
        ({"include": 3}, TypeError, "include: expected a list of parts"),
        ({"front_matter": "yes"}, TypeError, "front_matter: expected true or false"),
        ({"favour": "recall"}, TypeError, "unknown option `favour`, did you mean `favor`?"),
        ({"xyzzy": 1}, TypeError, "expected one of `url`, `extractor`, "),
        (
            {"favor": "speed"},
            webstrata.OptionError,
            "favor: expected precision, balanced, recall or a number",
        ),
        ({"favor": 0}, webstrata.OptionError, "favor: expected"),
        ({"favor": []}, TypeError, "favor: expected precision, balanced, recall or a number from 0.01 to 100, not list"),
        (
            {"favor": "recall", "extractor": "article"},
            webstrata.OptionError,
            "`article` has no step `keep-likely`",
        ),
        ({"formats": "markdwon"}, webstrata.OptionError, "formats: unknown part `markdwon`, did you mean `markdown`?"),
        ({"formats": ["text", "docx"]}, webstrata.OptionError, "expected one of `blocks`, `metadata`, "),
        ({"formats": 3}, TypeError, "formats: expected a list of names, such as metadata and markdown, not 3"),
        ({"extractor": "artcile"}, webstrata.OptionError, "did you mean `article`?"),
        ({"extractor": 3}, TypeError, "extractor: expected a name"),
        ({"extractor": "no/such.toml"}, webstrata.ExtractorError, "no/such.toml: No such file"),
        ({"deadline_ms": 0}, webstrata.OptionError, "deadline_ms: expected a number of milliseconds"),
        ({"deadline_ms": float("nan")}, webstrata.OptionError, "deadline_ms"),
        ({"deadline_ms": float("inf")}, webstrata.OptionError, "deadline_ms"),
        ({"max_bytes": -1}, webstrata.OptionError, "max_bytes: expected a whole number from 1 to"),
        ({"max_bytes": 10**40}, webstrata.OptionError, "max_bytes: expected a whole number from 1 to"),
        ({"max_bytes": True}, TypeError, "max_bytes: expected a whole number from 1 to 2147483647, not true"),
        ({"deadline_ms": 10**400}, webstrata.OptionError, "deadline_ms: expected a number"),
        ({"extractor": "\ud800"}, webstrata.OptionError, "extractor: expected valid Unicode"),
        ({"favor": "\ud800"}, webstrata.OptionError, "favor: expected valid Unicode"),
        ({"width": "80"}, TypeError, "width: expected a whole number from 1 to 10000, not `80`"),
        ({"charset": "klingon"}, webstrata.OptionError, "charset: unknown charset `klingon`"),
        ({"hidden": "show"}, webstrata.OptionError, "expected drop, keep or mark"),
        ({"url": b"x"}, TypeError, "url: expected a text, not bytes"),
        ({"links": 1}, TypeError, "links: expected true or false, not 1"),
    ],
)
def test_wrong_options_say_what_is_right(options: dict, error: type, message: str) -> None:
    with pytest.raises(error) as raised:
        webstrata.extract("<p>x", **options)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_wrong_pages() -> None:
    for wrong in (None, 3, ["<p>x"], object()):
        with pytest.raises(TypeError, match="a page is str, bytes or anything with a buffer"):
            webstrata.extract(wrong)  # type: ignore[call-overload]


def test_what_python_says_of_a_page_stays() -> None:
    view = memoryview(b"<p>x")
    view.release()
    with pytest.raises(ValueError, match="released"):
        webstrata.extract(view)

    class Odd(str):
        def encode(self, *_: object) -> bytes:  # type: ignore[override]
            return b"no"

    class Own(bytes):
        pass

    assert webstrata.extract(Odd("High \ud800"), extractor="keep-all").text == "High \ufffd\n"
    assert webstrata.extract(Own(b"High"), extractor="keep-all").text == "High\n"
    assert webstrata.extract("x", url="https://h.example/\ud800").url == "https://h.example/\ufffd"
    with pytest.raises(TypeError, match="method of an extractor"):
        webstrata.Extractor().extract("x", extractor="article")  # type: ignore[call-arg]


def test_options_that_nobody_said() -> None:
    nothing = dict.fromkeys(
        ["url", "charset", "deadline_ms", "max_bytes", "width", "favor", "extractor"]
    )
    assert webstrata.extract(pages.NEWS, **nothing) == webstrata.extract(pages.NEWS)


def test_errors_are_what_python_expects() -> None:
    assert issubclass(webstrata.OptionError, ValueError) and issubclass(
        webstrata.OptionError, webstrata.Error
    )
    assert issubclass(webstrata.MissingPart, AttributeError)
    assert issubclass(webstrata.ArchiveError, OSError)


def test_documents_can_be_pickled_and_compared() -> None:
    document = webstrata.extract(pages.NEWS, formats=("markdown", "links", "blocks", "metadata"))
    for again in (pickle.loads(pickle.dumps(document)), copy.deepcopy(document)):
        assert again == document and hash(again) == hash(document)
        assert again.markdown == document.markdown and again.language == document.language
        with pytest.raises(webstrata.MissingPart):
            again.html
    assert document != webstrata.extract("<p>x") and document != 3 and document == mock.ANY
    for part in (document.blocks[0], document.links[0]):
        again = pickle.loads(pickle.dumps(part))
        assert again == part and hash(again) == hash(part) and again.to_dict() == part.to_dict()
    assert document.blocks[0] != document.blocks[1]


def test_extractors(tmp_path: Path) -> None:
    names = [extractor.name for extractor in webstrata.extractors()]
    assert names[0] == "strata" and {"article", "bte", "swarm"} < set(names)
    article = webstrata.Extractor("article")
    assert article.about and article.extract(pages.NEWS).extractor == "article"
    assert not article.asks_for_site and webstrata.Extractor("strata+site").asks_for_site
    again = webstrata.Extractor.from_toml(article.to_toml())
    assert again == article and hash(again) == hash(article) and article != 3
    assert pickle.loads(pickle.dumps(again)) == article
    recall = webstrata.Extractor("strata", favor="recall")
    assert pickle.loads(pickle.dumps(recall)) == recall != webstrata.Extractor()
    assert repr(article) == '<webstrata.Extractor "article">'
    file = tmp_path / "mine.toml"
    file.write_text(article.to_toml())
    for extractor in (file, str(file), article, "article"):
        assert webstrata.extract(pages.NEWS, extractor=extractor).extractor == "article"
    assert next(article.extract_many([pages.NEWS], jobs=1)).extractor == "article"


def test_extractors_with_models(tmp_path: Path) -> None:
    (tmp_path / "mine.tree").write_text(
        "name: mine\nabout: links\n\nlink-density <= 0.5: content\nlink-density > 0.5: boilerplate\n"
    )
    toml = 'name = "mine"\nsteps = [{ filter = "classify", model = "mine.tree" }]\n'
    (tmp_path / "mine.toml").write_text(toml)
    with pytest.raises(webstrata.ExtractorError, match="models="):
        webstrata.Extractor.from_toml(toml)
    model = (tmp_path / "mine.tree").read_text()
    mine = webstrata.Extractor.from_file(tmp_path / "mine.toml")
    assert mine == webstrata.Extractor.from_toml(toml, models={"mine.tree": model})
    assert "Imprint" not in mine.extract(pages.NEWS).text
    assert pickle.loads(pickle.dumps(mine)) == mine


def test_broken_extractors() -> None:
    for toml, message in [
        ("name = 3", "the extractor:1: "),
        ('name = "x"\nsteps = [\n{ filter = "clasify" }]', "did you mean"),
        ('name = "x"\nsteps = []\nfallback = ["artcile"]', "did you mean `article`?"),
    ]:
        with pytest.raises(webstrata.ExtractorError, match=message.replace("?", r"\?")) as raised:
            webstrata.Extractor.from_toml(toml)
        assert "\n" not in str(raised.value)
    with pytest.raises(TypeError, match="favor only"):
        webstrata.Extractor("strata", hidden="keep")  # type: ignore[call-arg]


def test_signatures_can_be_read() -> None:
    signature = inspect.signature(webstrata.extract)
    assert signature.parameters["page"].kind is inspect.Parameter.POSITIONAL_ONLY
    assert signature.parameters["extractor"].default == "strata"
    assert (
        "deadline_ms" in signature.parameters
        and "jobs" in inspect.signature(webstrata.extract_many).parameters
    )
