"""Stand-ins for other packages."""

from __future__ import annotations

import copy
import csv
import importlib
import inspect
import io
import json
import pickle
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Callable
from xml.etree import ElementTree

import pytest

import webstrata
from webstrata.compat import _documents, boilerpy3, resiliparse, trafilatura

TEXT = (
    "High water is at noon today, the harbour office says, and the <a href='/ferry'>ferry</a> to the islands leaves "
    "an hour <b>earlier</b> than it does on all the other days of the week."
)
PAGE = f"""<html lang="en"><head><title>Tides | The Harbour Post</title><meta name="author" content="Ada Tern">
<meta property="article:published_time" content="2026-03-01T10:00:00Z">
<meta property="og:site_name" content="The Harbour Post"></head><body>
<nav><ul><li><a href="/">Home</a><li><a href="/jobs">Jobs</a></ul></nav>
<article><h1>Tides</h1><p>{TEXT}</p><p>{TEXT.replace("High", "Low")}</p>
<table><tr><th>Day</th><th>Water</th></tr><tr><td>Monday</td><td>4.2 metres above the chart</td></tr></table>
<p>{TEXT.replace("High", "Half")}</p></article>
<footer><a href="/imprint">Imprint</a></footer></body></html>"""
URL = "https://harbour.example/tides"


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults; but for objects of the package that is stood in for."""
    simple = (str, int, bool, type(None), type(inspect.Parameter.empty))
    return [
        (one.name, one.kind, one.default if isinstance(one.default, simple) else None)
        for one in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize(
    "name",
    [
        "bare_extraction",
        "baseline",
        "extract",
        "extract_metadata",
        "extract_with_metadata",
        "html2txt",
    ],
)
def test_arguments_of_trafilatura(name: str) -> None:
    theirs = pytest.importorskip("trafilatura")
    assert parameters(getattr(trafilatura, name)) == parameters(getattr(theirs, name))


def test_document_of_trafilatura() -> None:
    theirs = pytest.importorskip("trafilatura.settings").Document
    assert parameters(trafilatura.Document) == parameters(theirs)
    assert list(trafilatura.Document().as_dict()) == list(theirs().as_dict())


def test_arguments_of_resiliparse() -> None:
    theirs = pytest.importorskip("resiliparse.extract.html2text")
    assert parameters(resiliparse.extract_plain_text) == parameters(theirs.extract_plain_text)


def test_arguments_of_boilerpy3() -> None:
    theirs = pytest.importorskip("boilerpy3.extractors")
    for name in boilerpy3.extractors.__all__:
        ours, their = getattr(boilerpy3.extractors, name), getattr(theirs, name)
        assert parameters(ours) == parameters(their)
        for method, function in inspect.getmembers(their, inspect.isfunction):
            if method.startswith(("get_content", "get_doc", "get_marked", "read_")):
                assert parameters(getattr(ours, method)) == parameters(function)
    document = importlib.import_module("boilerpy3.document")
    for name in boilerpy3.document.__all__:
        ours, their = getattr(boilerpy3.document, name), getattr(document, name)
        assert parameters(ours) == parameters(their)


def test_unknown_arguments() -> None:
    functions: tuple[Callable[..., Any], ...] = (
        trafilatura.extract,
        trafilatura.bare_extraction,
        resiliparse.extract_plain_text,
        boilerpy3.extractors.ArticleExtractor,
    )
    for function in functions:
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            function(PAGE, no_such_argument=1)


def test_trafilatura_text() -> None:
    text = trafilatura.extract(PAGE)
    assert text == webstrata.extract(PAGE, text="flat").text.strip()
    assert text is not None and "Monday" in text and "Home" not in text
    without = trafilatura.extract(PAGE, include_tables=False)
    assert without is not None and "Monday" not in without and "Half water" in without
    for page in ("", "<html></html>", b"", None):
        assert trafilatura.extract(page) is None
    assert trafilatura.extract(PAGE.encode()) == text
    assert trafilatura.extract(memoryview(PAGE.encode())) == text


def test_trafilatura_formats() -> None:
    markdown = trafilatura.extract(PAGE, output_format="markdown", include_links=True, url=URL)
    assert markdown is not None
    assert "# Tides" in markdown and "[ferry](https://harbour.example/ferry)" in markdown
    tables = trafilatura.extract(PAGE, output_format="markdown", include_tables=False)
    assert tables is not None and "Monday" not in tables
    data = json.loads(trafilatura.extract(PAGE, output_format="json") or "")
    assert data == {"text": trafilatura.extract(PAGE), "comments": ""}
    data = json.loads(
        trafilatura.extract(PAGE, output_format="json", with_metadata=True, url=URL) or ""
    )
    assert (data["title"], data["author"], data["date"]) == ("Tides", "Ada Tern", "2026-03-01")
    assert (data["source"], data["hostname"]) == (URL, "harbour.example")
    line = trafilatura.extract(
        PAGE, output_format="csv", with_metadata=True, url=URL, record_id="7"
    )
    [row] = csv.reader(io.StringIO(line or ""), delimiter="\t")
    assert row[:2] == [URL, "7"] and row[7] == trafilatura.extract(PAGE)
    header = trafilatura.extract(PAGE, with_metadata=True, url=URL)
    assert header is not None
    assert header.startswith(f"---\ntitle: Tides\nauthor: Ada Tern\nurl: {URL}\n")
    with pytest.raises(AttributeError, match="must be one of: csv, html"):
        trafilatura.extract(PAGE, output_format="pdf")


@pytest.mark.parametrize("output_format", ["xml", "xmltei", "html"])
def test_trafilatura_trees(output_format: str) -> None:
    written = trafilatura.extract(
        PAGE,
        output_format=output_format,
        with_metadata=True,
        include_links=True,
        include_formatting=True,
        include_comments=False,
        url=URL,
    )
    assert written is not None
    tree = ElementTree.fromstring(written)
    words = " ".join("".join(tree.itertext()).split())
    assert "High water is at noon today" in words and "ferry" in words and "Home" not in words
    names = {element.tag.split("}")[-1] for element in tree.iter()}
    if output_format == "html":
        assert {"h1", "p", "a", "strong", "table", "tr", "th", "td", "meta"} <= names
    else:
        assert {"head", "p", "ref", "hi", "table", "row", "cell"} <= names
    plain = ElementTree.fromstring(
        trafilatura.extract(PAGE, output_format=output_format, include_tables=False) or ""
    )
    assert "Monday" not in "".join(plain.itertext())


def test_trafilatura_documents() -> None:
    document = trafilatura.bare_extraction(PAGE, url=URL, with_metadata=True)
    assert isinstance(document, trafilatura.Document)
    assert (document.title, document.sitename) == ("Tides", "The Harbour Post")
    assert document.text == trafilatura.extract(PAGE)
    assert "High water" in "".join(document.body.itertext())
    as_dict = trafilatura.bare_extraction(PAGE, url=URL, with_metadata=True, as_dict=True)
    assert isinstance(as_dict, dict) and as_dict["title"] == "Tides"
    bare = trafilatura.bare_extraction(PAGE)
    assert isinstance(bare, trafilatura.Document) and bare.title is None
    known = trafilatura.extract_metadata(PAGE, default_url=URL)
    assert (known.author, known.url, known.text) == ("Ada Tern", URL, None)
    assert trafilatura.extract_metadata(PAGE, author_blacklist={"ada tern"}).author is None
    both = trafilatura.extract_with_metadata(PAGE, url=URL)
    assert both is not None and both.title == "Tides" and both.text == trafilatura.extract(PAGE)


def test_trafilatura_bodies_are_made_when_read(monkeypatch: pytest.MonkeyPatch) -> None:
    document = trafilatura.bare_extraction(PAGE)
    assert isinstance(document, trafilatura.Document)
    others = [document, copy.deepcopy(document), pickle.loads(pickle.dumps(document))]
    bodies = {ElementTree.tostring(one.body) for one in others}
    assert len(bodies) == 1 and b"High water" in bodies.pop()
    assert document.body is document.body
    mine = document.body = ElementTree.Element("body")
    assert document.as_dict()["body"] is mine

    def never(html: str) -> ElementTree.Element:
        raise AssertionError("nobody reads the body")

    monkeypatch.setattr(_documents, "parse", never)
    for output_format in ("txt", "markdown", "json", "csv"):
        assert trafilatura.extract(PAGE, output_format=output_format)
    with pytest.raises(AssertionError, match="nobody"):
        trafilatura.extract(PAGE, output_format="xml")


NO_ADDRESSES = ["http://[", "http://[::1", "http://a]/", "http://exa\u2100mple.com/"]


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_trafilatura_addresses_that_are_none(address: str) -> None:
    page = PAGE.replace("<head>", f'<head><link rel="canonical" href="{address}">')
    for known in (
        trafilatura.extract_metadata(page),
        trafilatura.extract_metadata(PAGE, default_url=address),
        trafilatura.bare_extraction(PAGE, url=address, with_metadata=True),
    ):
        assert isinstance(known, trafilatura.Document)
        assert (known.url, known.hostname) == (address, None)
    assert trafilatura.extract(page, url=address, output_format="xml", with_metadata=True)


def test_trafilatura_conditions() -> None:
    extract = trafilatura.extract
    assert extract(PAGE, target_language="en") and extract(PAGE, target_language="de") is None
    british = PAGE.replace('lang="en"', 'lang="EN-gb"')
    for wanted in ("en", "EN", "en_US", "en-gb", "en-Latn-GB"):
        assert extract(PAGE, target_language=wanted) and extract(british, target_language=wanted)
    assert extract(british, target_language="de_DE") is None
    blacklists: tuple[Any, ...] = ({URL}, [URL], (URL,), frozenset([URL]), URL)
    for blacklist in blacklists:
        assert extract(PAGE, url=URL, url_blacklist=blacklist) is None
        assert extract(PAGE, url=URL + "/2", url_blacklist=blacklist)
    for authors in (["ada tern"], "ada tern"):
        known: Any = trafilatura.bare_extraction
        assert known(PAGE, with_metadata=True, author_blacklist=authors).author is None
        read: Any = trafilatura.extract_metadata
        assert read(PAGE, author_blacklist=authors).author is None
    assert extract(PAGE, url=URL, only_with_metadata=True)
    assert extract(f"<p>{TEXT}", only_with_metadata=True) is None
    with pytest.raises(ValueError, match="max_tree_size"):
        extract(PAGE, max_tree_size=100)


def test_trafilatura_other_texts() -> None:
    words = trafilatura.html2txt(PAGE)
    assert "Home" in words and "Imprint" in words and "\n" not in words
    body, text, length = trafilatura.baseline(PAGE)
    assert length == len(text) and [p.text for p in body] == text.split("\n")
    for nothing in (None, "", b""):
        assert trafilatura.html2txt(nothing) == ""
        body, text, length = trafilatura.baseline(nothing)
        assert (len(body), text, length) == (0, "", 0)
        known = trafilatura.extract_metadata(nothing, default_url=URL)
        assert (known.title, known.url) == (None, URL)
        assert trafilatura.bare_extraction(nothing) is None


def test_trafilatura_objects() -> None:
    theirs = pytest.importorskip("trafilatura.settings")
    options = theirs.Extractor(output_format="markdown", links=True, precision=True, url=URL)
    assert trafilatura.extract(PAGE, options=options) == trafilatura.extract(
        PAGE, output_format="markdown", include_links=True, favor_precision=True, url=URL
    )
    lxml_html = pytest.importorskip("lxml.html")
    assert trafilatura.extract(lxml_html.fromstring(PAGE)) == trafilatura.extract(PAGE)
    pruned = trafilatura.extract(PAGE, prune_xpath="//table")
    assert pruned is not None and "Monday" not in pruned and "Half water" in pruned


PRUNED = f"<p>{TEXT}</p><p>{TEXT.replace('High', 'Low')}</p><table><tr><td>Monday</td></tr></table>"


@pytest.mark.parametrize(
    "page",
    [
        PRUNED,
        f'<?xml version="1.0" encoding="utf-8"?><html><body>{PRUNED}</body></html>',
        PRUNED.encode(),
        memoryview(PRUNED.encode()),
        f"<title>\ud800\x00</title>{PRUNED}",
    ],
    ids=["text", "declaration", "bytes", "memory", "surrogate"],
)
def test_trafilatura_pruning(page: Any) -> None:
    pytest.importorskip("lxml")

    def pruned(*expressions: str) -> str:
        return trafilatura.extract(page, prune_xpath=list(expressions), favor_recall=True) or ""

    assert "Monday" in pruned()
    assert "Monday" not in pruned("//table") and "Low water" in pruned("//table")
    assert pruned("//table", "//p") == "" and pruned("//*") == ""
    # What is no element below another stays.
    for expression in ("//p/text()", "//a/@href", "count(//p)", "string(//p)", "1 = 1", "/html"):
        assert "Monday" in pruned(expression)
    # What follows an element is not in it.
    assert "islands leaves" in pruned("//a") and "earlier" not in pruned("//a|//b")


def test_trafilatura_pruning_reads_bytes_as_webstrata() -> None:
    pytest.importorskip("lxml")
    page = f"<p>Café: {TEXT}</p>" * 3
    for encoding in ("utf-8", "windows-1252"):
        text = trafilatura.extract(page.encode(encoding), prune_xpath="//table")
        assert text is not None and text.startswith("Café: High")


@pytest.mark.parametrize("page", ["", b"", " \n", "<!-- -->", b"\xef\xbb\xbf", "\x00", None])
def test_trafilatura_pruning_of_nothing(page: Any) -> None:
    pytest.importorskip("lxml")
    assert trafilatura.extract(page, prune_xpath="//p") is None


def test_trafilatura_pruning_needs_lxml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(ImportError, match="^prune_xpath needs lxml: pip install lxml$"):
        trafilatura.extract(PAGE, prune_xpath="//p")


@pytest.mark.parametrize("output_format", ["xml", "xmltei", "html"])
def test_trafilatura_trees_are_well_formed(output_format: str) -> None:
    refused = "\x01\x0b\x1f\ufffe\uffff"
    page = PAGE.replace("Tides", f"Ti{refused}des \U0001f30a\ufffd").replace(
        "noon", f"no{refused}on"
    )
    written = trafilatura.extract(
        page, output_format=output_format, with_metadata=True, record_id=f"a{refused}\ud800b"
    )
    tree = ElementTree.fromstring(written or "")
    words = " ".join(tree.itertext())
    assert "water is at no" in words and "\U0001f30a\ufffd" in words
    assert not set(refused) & set(written or "")


def test_trafilatura_without_tables() -> None:
    table = "<table><tr><th>Day</th><th>Water</th></tr><tr><td>Monday</td><td>4.2</td></tr></table>"
    texts = [TEXT.replace("High", word) for word in ("| High", "Half", "Low", "No")]
    # Long enough to be main text with tables around it and without.
    code = "| code\n&lt;table> | &amp;amp;\nfor every boat, the water is read by the gauge below the bridge."
    page = (
        f"<article><p>{texts[0]}</p>{table}<pre>{code}</pre>"
        f"<blockquote><p>{texts[1]}</p>{table.replace('4.2', table)}</blockquote>"
        f"<ul><li>{texts[2]} {table}</li></ul><p title='<table>'>{texts[3]}</p></article>"
    )
    bare = page.replace(table.replace("4.2", table), "").replace(table, "")
    assert "4.2" not in bare
    for options in ({"output_format": "markdown"}, {"include_links": True}, {}):
        arguments: Any = {"favor_recall": True, "url": URL, **options}
        text = trafilatura.extract(page, include_tables=False, **arguments)
        assert text == trafilatura.extract(bare, include_tables=False, **arguments)
        assert text is not None and "Monday" not in text
        assert all(word in text for word in ("| High water", "| code", "Half", "Low", "No water"))
        assert "Monday" in (trafilatura.extract(page, **arguments) or "")


LISTS = """<h1>Tides</h1><p>High <a href="/ferry">ferry</a> water</p><ul><li>one<ul><li>inner</li></ul></li>
<li>two</li></ul><ol><li>a</li><li>b</li></ol><p>end</p>"""


@pytest.mark.parametrize(
    "options", [{}, {"list_bullets": False}, {"links": True}, {"preserve_formatting": False}]
)
def test_resiliparse(options: Any) -> None:
    text = resiliparse.extract_plain_text(LISTS, **options)
    assert "".join(filter(str.isalpha, text)).startswith("TidesHighferry")
    theirs = pytest.importorskip("resiliparse.extract.html2text")
    wanted = theirs.extract_plain_text(LISTS, **options)
    # Empty lines aside, of which they have fewer around lists.
    assert [line for line in text.split("\n") if line] == [
        line for line in wanted.split("\n") if line
    ]


PRE = """<p>a</p><ul><li><pre>one\n  two</pre></li><li>x<pre>three\n\nfour</pre>y</li><li><pre></pre>z</li></ul>
<pre>five</pre><p>b</p>"""


@pytest.mark.parametrize("bullets", [True, False])
def test_resiliparse_verbatim_lines(bullets: bool) -> None:
    lines = [
        line
        for line in resiliparse.extract_plain_text(PRE, list_bullets=bullets).split("\n")
        if line
    ]
    mark = "• " if bullets else ""
    space = " " * len(mark)
    assert lines == [
        "a",
        f"  {mark}one",
        "  two",
        f"  {mark}x",
        f"  {space}three",
        "four",
        f"  {space}y",
        f"  {mark}z",
        "five",
        "b",
    ]
    theirs = pytest.importorskip("resiliparse.extract.html2text")
    wanted = theirs.extract_plain_text(PRE, list_bullets=bullets).split("\n")
    assert lines == [line for line in wanted if line]
    assert (
        resiliparse.extract_plain_text(PRE, False, list_bullets=bullets)
        == "a one two x three four y z five b"
    )


def test_resiliparse_main_content() -> None:
    text = resiliparse.extract_plain_text(PAGE, main_content=True)
    assert "High water" in text and "Home" not in text
    assert "Home" in resiliparse.extract_plain_text(PAGE)
    assert "<h1>Tides</h1>" in resiliparse.extract_plain_text(
        PAGE, preserve_formatting="minimal_html"
    )
    assert resiliparse.extract_plain_text("") == ""
    # A title that is not in the text of the page is not in its text here.
    assert resiliparse.extract_plain_text("<title>Tides</title><p>High water") == "High water"
    hidden = "<p>Shown<p style='display:none'>Not shown"
    assert "Not" not in resiliparse.extract_plain_text(hidden)
    assert "Not shown" in resiliparse.extract_plain_text(hidden, hidden_elements=True)
    with pytest.raises(TypeError, match="neither string nor HTMLTree"):
        resiliparse.extract_plain_text(b"<p>")
    with pytest.raises(NotImplementedError):
        resiliparse.extract_plain_text(PAGE, skip_elements=["p"])
    tree = pytest.importorskip("resiliparse.parse.html").HTMLTree.parse(PAGE)
    assert "High water" in resiliparse.extract_plain_text(tree, main_content=True)


NAMES = [name for name in boilerpy3.extractors.__all__ if name != "Extractor"]


@pytest.mark.parametrize("name", NAMES)
def test_boilerpy3(name: str) -> None:
    extractor = getattr(boilerpy3.extractors, name)()
    document = extractor.get_doc(PAGE)
    assert extractor.get_content(PAGE) == document.content
    assert document.content == webstrata.extract(PAGE, extractor=extractor.filter, text="flat").text
    assert "water is at noon" in document.content
    everything = document.get_text(True, True)
    assert len(everything) >= len(document.content)
    assert len(document.get_text(False, True)) == len(everything) - len(document.content)
    assert '<mark class="webstrata-content">' in extractor.get_marked_html(PAGE)
    assert document.debug_string.count("\tCONTENT,") == sum(
        b.is_content for b in document.text_blocks
    )


@pytest.mark.parametrize("name", NAMES)
def test_boilerpy3_finds_the_same(name: str) -> None:
    theirs = pytest.importorskip("boilerpy3.extractors")
    texts = "".join(f"<p>{TEXT.replace('High', word)}</p>" for word in ("High", "Low"))
    page = f"<html><head><title>Tides</title></head><body>{texts}</body></html>"
    ours = getattr(boilerpy3.extractors, name)().get_content(page)
    assert ours.split() == getattr(theirs, name)().get_content(page).split()


def test_boilerpy3_blocks() -> None:
    document = boilerpy3.extractors.KeepEverythingExtractor().get_doc(PAGE)
    block = next(block for block in document.text_blocks if "High water" in block.text)
    assert block.num_words == len(block.text.split())
    assert block.num_words_in_anchor_text == 1
    assert block.link_density == pytest.approx(1 / block.num_words)
    assert block.text_density == pytest.approx(
        block.num_words_in_wrapped_lines / block.num_wrapped_lines
    )
    assert block.set_is_content(False) and not block.set_is_content(False)
    block.add_label("mine")
    assert block.has_label("mine") and block.remove_label("mine") and not block.remove_label("mine")
    titled = boilerpy3.extractors.ArticleExtractor().get_doc(
        "<title>Tides</title><h1>Tides</h1><p>Low."
    )
    assert titled.title == "Tides"


def test_boilerpy3_files(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(PAGE.encode())
    extractor = boilerpy3.extractors.ArticleExtractor()
    assert extractor.get_content_from_file(str(file)) == extractor.get_content(PAGE)
    assert extractor.get_marked_html_from_file(str(file)) == extractor.get_marked_html(
        PAGE.encode()
    )
    own = boilerpy3.extractors.Extractor(webstrata.Extractor("article"), raise_on_failure=False)
    assert own.get_content(PAGE) == extractor.get_content(PAGE)


class Server:
    """Answers with a page, on this machine."""

    page = PAGE.encode()
    content_type = "text/html; charset=utf-8"
    address = ""


@pytest.fixture
def server() -> Iterator[Server]:
    answers = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", answers.content_type)
            self.end_headers()
            self.wfile.write(answers.page)

        def log_message(self, *_: Any) -> None:
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    answers.address = f"http://127.0.0.1:{http.server_port}/"
    yield answers
    http.shutdown()
    thread.join()
    http.server_close()


def test_boilerpy3_addresses(server: Server) -> None:
    extractor = boilerpy3.extractors.ArticleExtractor(request_kwargs={"timeout": 30})
    assert extractor.get_content_from_url(server.address) == extractor.get_content(PAGE)
    assert extractor.get_marked_html_from_url(server.address) == extractor.get_marked_html(
        PAGE.encode()
    )
    assert extractor.read_from_url(server.address) == PAGE.encode()


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("iso-8859-1", "windows-1252"),
        ("Latin1", "windows-1252"),
        ("utf-8", "utf-8"),
        # Those that are none of the Web's, some of which Python knows.
        ("klingon", "koi8-r"),
        ("idna", "koi8-r"),
        ("punycode", "koi8-r"),
        ("utf-7", "koi8-r"),
        ("hex", "koi8-r"),
        ("", "koi8-r"),
    ],
)
def test_boilerpy3_charsets(server: Server, charset: str, encoding: str) -> None:
    word = (
        "\u041f\u043e\u043b\u0434\u0435\u043d\u044c"
        if encoding == "koi8-r"
        else "\u201cnaïve\u201d"
    )
    server.page = f"<meta charset=koi8-r><p>{word} noon".encode(encoding)
    server.content_type = f"text/html; charset={charset}"
    extractor = boilerpy3.extractors.KeepEverythingExtractor(request_kwargs={"timeout": 30})
    assert extractor.get_content_from_url(server.address) == f"{word} noon\n"
    assert word in extractor.get_marked_html_from_url(server.address)


@pytest.mark.parametrize("tag", ["blockquote", "ul><li", "div", "b", "table><tr><td", "em><strong"])
def test_deep_pages(tag: str) -> None:
    page = f"<{tag}>" * 3000 + f"<p>{TEXT}" * 3
    for output_format in ("txt", "markdown", "json", "csv", "html", "xml", "xmltei"):
        trafilatura.extract(
            page,
            output_format=output_format,
            favor_recall=True,
            include_formatting=True,
            include_links=True,
        )
    assert "High water is at noon" in resiliparse.extract_plain_text(page)
    resiliparse.extract_plain_text(page, main_content=True, links=True)
    assert "High water is at noon" in trafilatura.html2txt(page)
    boilerpy3.extractors.ArticleExtractor().get_doc(page)


def test_long_lines() -> None:
    """Whoever copies a line for each of its pieces takes long for these."""
    repeats = 40_000
    page = "<p>" + "<b>water is</b> noon <a href='/x'>x</a> " * repeats
    words = " ".join(["water is noon x"] * repeats)
    assert resiliparse.extract_plain_text(page) == words
    linked = " ".join(["water is noon x (/x)"] * repeats)
    assert resiliparse.extract_plain_text(page, links=True) == linked
    for formatting in (False, True):
        written = trafilatura.extract(
            page.replace("<a href='/x'>", "").replace("</a>", ""),
            output_format="xml",
            favor_recall=True,
            include_formatting=formatting,
        )
        tree = ElementTree.fromstring(written or "")
        assert " ".join("".join(tree.itertext()).split()) == words
        assert len(list(tree.iter("hi"))) == (repeats if formatting else 0)
