"""Explanations and pages with marks."""

from __future__ import annotations

import json

import pytest

import webstrata

PAGE = """<title>Tides</title><ul><li><a href="/">Home</a><li><a href="/jobs">Jobs</a></ul>
<h1>Tides</h1><p onclick="x()">High water is at noon today, the harbour office says, and the ferry to the islands
leaves an hour earlier than it does on all the other days of the week.</p><script>x()</script>
<footer>Imprint</footer>"""


@pytest.mark.parametrize("name", [extractor.name for extractor in webstrata.extractors()])
def test_what_is_explained_is_what_is_extracted(name: str) -> None:
    document = webstrata.extract(PAGE, extractor=name, formats=("blocks",))
    explanation = webstrata.explain(PAGE, extractor=name)
    assert explanation.text == document.text
    assert explanation.extractor == document.extractor
    content = [block["text"] for block in explanation.blocks if block["content"]]
    assert content == [block.text for block in document.blocks if block.is_content]
    for block in explanation.blocks:
        changes = [
            number
            for number, step in enumerate(explanation.steps)
            if block["index"] in step["kept"] + step["dropped"]
        ]
        if changes:
            step = explanation.steps[changes[-1]]["step"]
            assert block["decided_by"] == {"step": changes[-1], "filter": step["filter"]}
        else:
            assert not block["content"]


def test_fallbacks_are_explained() -> None:
    # Nothing of this is an article; what is shown is the extractor that found the text all the same.
    page = "<p>Ja.</p>"
    document = webstrata.extract(page)
    assert webstrata.explain(page).extractor == document.extractor
    assert webstrata.explain(page).text == document.text


def test_an_explanation_is_data() -> None:
    explanation = webstrata.explain(PAGE, formats=("metadata",), url="https://harbour.example/")
    data = explanation.to_dict()
    assert dict(explanation) == data == json.loads(explanation.to_json())
    assert set(data) == {"version", "record", "blocks", "steps"}
    assert explanation["record"] == explanation.record
    assert explanation.record["metadata"]["title"]["value"] == "Tides"
    assert explanation.record["url"] == "https://harbour.example/"
    with pytest.raises(KeyError):
        explanation["block"]
    lines = str(explanation).splitlines()
    assert len(lines) == len(explanation.blocks)
    assert sum(line.startswith("+") for line in lines) == sum(
        block["content"] for block in explanation.blocks
    )
    assert repr(explanation).startswith("<webstrata.Explanation blocks=")


def test_extractors_explain() -> None:
    article = webstrata.Extractor("article")
    assert article.explain(PAGE).to_dict() == webstrata.explain(PAGE, extractor="article").to_dict()
    assert len(article.explain(PAGE).steps) > 3


def test_favor_is_explained() -> None:
    steps = webstrata.explain(PAGE, favor="recall").steps
    assert steps != webstrata.explain(PAGE).steps


def test_marks() -> None:
    marked = webstrata.highlight(PAGE)
    assert '<mark class="webstrata-content">High water' in marked
    assert "x()" not in marked
    assert marked == webstrata.extract(PAGE).highlight() == webstrata.explain(PAGE).highlight()
    with pytest.raises(webstrata.MissingPart):
        webstrata.extract(PAGE, keep_page=False).highlight()


def test_notebooks_show_a_page_that_can_do_nothing() -> None:
    shown = webstrata.extract(PAGE + '<img src="https://tracker.example/a.png">')._repr_html_()
    assert shown is not None
    assert shown.startswith("<iframe sandbox ") and shown.endswith('"></iframe>')
    # The page cannot end the attribute that it stands in.
    inside = shown[shown.index('srcdoc="') + len('srcdoc="') : -len('"></iframe>')]
    assert '"' not in inside
    assert inside.startswith(
        "<!doctype html>\n<meta http-equiv=&quot;Content-Security-Policy&quot;"
    )
    assert webstrata.extract(PAGE, keep_page=False)._repr_html_() is None
    assert "<iframe sandbox " in webstrata.explain(PAGE)._repr_html_()


def test_options() -> None:
    for function in (webstrata.explain, webstrata.highlight):
        with pytest.raises(TypeError, match="has no option keep_page"):
            function(PAGE, keep_page=True)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="did you mean `favor"):
            function(PAGE, favour=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no option formats"):
        webstrata.highlight(PAGE, formats=("text",))  # type: ignore[call-arg]
