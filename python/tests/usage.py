"""The package as people use it; checked by mypy, run by no one."""

from __future__ import annotations

import webstrata
from webstrata import Document, Duplicates, Explanation, Extractor, Segment, UrlTree
from webstrata.compat import boilerpy3, resiliparse, trafilatura


def pages() -> None:
    document: Document = webstrata.extract(
        b"<p>", url="https://example.org/", favor=1.5, hidden="mark"
    )
    text: str = document.text
    title: str | None = document.title
    links: tuple[webstrata.Link, ...] = document.links
    many: list[Document] = list(
        webstrata.extract_many(
            [("<p>", "https://example.org/"), b"<p>"], jobs=2, formats="markdown"
        )
    )
    mine: Extractor = Extractor.from_toml("", models={"a": "b"})
    again: Document = mine.extract("<p>", formats=["blocks", "links"])
    explanation: Explanation = mine.explain(memoryview(b"<p>"))
    marked: str = webstrata.highlight("<p>", extractor=mine)
    chosen: Document = webstrata.extract("<p>", text="flat", include=["byline"], exclude="caption")
    posts: tuple[webstrata.Post, ...] = chosen.posts
    votes: list[int | None] = [post.votes for post in posts]
    part: str = chosen.blocks[0].part
    print(text, title, links, many, again, explanation["blocks"], marked, votes, part)


def texts() -> None:
    segments: list[Segment] = webstrata.segment("<p>", method="plain", threshold=0.3)
    found: Duplicates = webstrata.dedup(["a", "b"], hashes=64)
    found = webstrata.dedup([b"<p>"], method="fulltext", width=60)
    tree: UrlTree = UrlTree("site", memory=1 << 20)
    is_new: bool = tree.add("https://example.org/", b"<p>", time=1)
    document: Document = tree.classify("https://example.org/", "<p>", formats=("html",))
    key: str | None = webstrata.url_key("https://example.org/")
    print(segments, found.groups, is_new, document, key, "https://example.org/" in tree)


def ranks() -> None:
    plain: dict[str, float] = webstrata.pagerank([("a", "b")], bias={"a": 1.0})
    numbers: dict[int, float] = webstrata.pagerank([(1, 2), (2, 3)], hosts=lambda node: node % 2)
    topics: dict[str, dict[int, float]] = webstrata.pagerank([(1, 2)], topics={"north": [1]})
    print(plain, numbers, topics)


def others() -> None:
    one: str | None = trafilatura.extract("<p>", include_links=True)
    two: str = resiliparse.extract_plain_text("<p>", main_content=True)
    three: str = boilerpy3.extractors.ArticleExtractor().get_content("<p>")
    print(one, two, three)


def mistakes() -> None:
    webstrata.extract("<p>", favour="recall")  # type: ignore[call-arg]
    webstrata.extract("<p>", hidden="show")  # type: ignore[arg-type]
    webstrata.extract("<p>", formats=("pdf",))  # type: ignore[arg-type]
    webstrata.extract("<p>", exclude=("captoin",))  # type: ignore[arg-type]
    webstrata.extract(3)  # type: ignore[arg-type]
