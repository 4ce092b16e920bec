"""Random pages with random requests: the records are those of the library, and so those of the command and the server."""

from __future__ import annotations

from typing import Any

import webstrata


def options(request: dict[str, Any]) -> dict[str, Any]:
    """The same request, as Python writes it."""
    asked = dict(request)
    asked["formats"] = tuple(asked.pop("parts", ()))
    if "\n" in asked.get("extractor", ""):
        asked["extractor"] = webstrata.Extractor.from_toml(asked["extractor"])
    return asked


def test_alone(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 500
    for number, case in enumerate(cases):
        page = case["page"].encode("latin-1")
        document = webstrata.extract(page, **options(case["request"]))
        assert document.to_dict() == case["record"], (number, case["request"])
        # What is made later is made of the same page.
        if "links" in case["record"]:
            later = webstrata.extract(page, **{**options(case["request"]), "formats": ()})
            assert len(later.links) == len(case["record"]["links"]), number


def test_many(cases: list[dict[str, Any]]) -> None:
    """Side by side, each with options of its own, the records are the same."""
    for number, case in enumerate(cases[:60]):
        page = case["page"].encode("latin-1")
        asked = options(case["request"])
        url = asked.pop("url", None)
        item = page if url is None else (page, url)
        made = [document.to_dict() for document in webstrata.extract_many([item] * 3, jobs=2, **asked)]
        assert made == [case["record"]] * 3, (number, case["request"])
