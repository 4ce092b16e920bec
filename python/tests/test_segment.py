"""Segments."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings, strategies

import webstrata

PAGE = """<ul><li><a href="/">Home</a><li>Tides<li>Contact</ul><p>High water is at noon today, the harbour office
says, and the ferry to the islands leaves an hour earlier than it does on other days.<hr><p>Imprint"""
METHODS = [
    "word-wrap",
    "tag-gap",
    "plain",
    "smoothed",
    "smoothed-sparse",
    "rule-based",
    "just-rules",
]


@pytest.mark.parametrize("method", METHODS)
@given(
    texts=strategies.lists(strategies.text("ab .\u00e9", max_size=200), max_size=8),
    tags=strategies.lists(
        strategies.sampled_from(["p", "li", "h1", "b", "td"]), min_size=8, max_size=8
    ),
)
@settings(deadline=None)
def test_every_word_is_in_one_segment(method: str, texts: list[str], tags: list[str]) -> None:
    page = "".join(f"<{tag}>{text}</{tag}>" for tag, text in zip(tags, texts))
    segments = webstrata.segment(page, method=method)  # type: ignore[arg-type]
    together = "".join("".join(segment.text for segment in segments).split())
    # Pieces without a letter are no text.
    assert "".join(filter(str.isalnum, together)) == "".join(filter(str.isalnum, "".join(texts)))
    assert [segment.index for segment in segments] == list(range(len(segments)))


def test_what_is_known_of_segments() -> None:
    menu, text, *_rest = webstrata.segment(PAGE, method="plain")
    assert menu.text == "Home\nTides\nContact"
    assert (menu.tokens, menu.linked_tokens, menu.atoms, menu.first_atom) == (3, 1, 3, 0)
    assert menu.link_density == pytest.approx(1 / 3)
    assert menu.text_density < text.text_density
    assert text.lines > 1 and text.full_stops == 1
    assert str(menu) == menu.text
    assert repr(menu) == '<webstrata.Segment 0 "Home\\nTides\\nContact">'
    assert menu.to_dict()["text"] == menu.text
    assert pickle.loads(pickle.dumps([menu, text])) == [menu, text]
    assert menu != text and len({menu, pickle.loads(pickle.dumps(menu))}) == 1


def test_a_higher_threshold_fuses_more() -> None:
    counts = [
        len(webstrata.segment(PAGE, method="plain", threshold=threshold))
        for threshold in (0.0, 0.38, 1.0, float("inf"))
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1] == 1


def test_options() -> None:
    narrow = webstrata.segment(PAGE, method="word-wrap", width=20)
    assert len(narrow) > len(webstrata.segment(PAGE, method="word-wrap"))
    assert webstrata.segment("") == []
    assert webstrata.segment(PAGE.encode()) == webstrata.segment(PAGE)
    with pytest.raises(webstrata.OptionError, match="did you mean `smoothed"):
        webstrata.segment(PAGE, method="smoothd")  # type: ignore[arg-type]
    for wrong in (-1.0, float("nan")):
        with pytest.raises(webstrata.OptionError, match="threshold"):
            webstrata.segment(PAGE, threshold=wrong)
    with pytest.raises(TypeError, match="has no option formats"):
        webstrata.segment(PAGE, formats=("text",))  # type: ignore[call-arg]
