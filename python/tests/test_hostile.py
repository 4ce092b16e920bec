"""Any input: no crash, no hang, one bad page costs itself."""

from __future__ import annotations

import inspect
import time

import pages
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import webstrata

EVERYTHING = ("markdown", "html", "metadata", "links", "blocks", "posts")

#: Text with what str can hold and Unicode cannot.
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=2000)

TAGS = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<div class=a>",
        "</div>",
        "<a href=/x>",
        "</a>",
        "<table><td>",
        "<script>",
        "<!--",
        "<svg>",
    ]
)
PAGES = st.lists(
    st.one_of(TAGS, ANY_TEXT, st.sampled_from(["&amp;", "&#xd800;", "\0"])), max_size=60
).map("".join)


def check(page: object, extractor: str = "strata") -> None:
    document = webstrata.extract(page, extractor=extractor, formats=EVERYTHING)  # type: ignore[call-overload]
    document.text.encode()
    document.markdown.encode()
    assert document.words <= document.page_words
    assert document.error is None
    assert all(
        block.text == " ".join(block.text.split()) or block.text for block in document.blocks
    )
    assert webstrata.extract(page, extractor=extractor, formats=EVERYTHING) == document  # type: ignore[call-overload]


@given(st.binary(max_size=4000))
def test_any_bytes(page: bytes) -> None:
    check(page)


@given(ANY_TEXT)
def test_any_text(page: str) -> None:
    check(page)


@given(PAGES, st.sampled_from([extractor.name for extractor in webstrata.extractors()]))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_any_page_with_any_extractor(page: str, extractor: str) -> None:
    check(page, extractor)


@given(PAGES)
def test_str_and_its_bytes_are_one_page(page: str) -> None:
    mended = page.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    as_bytes = webstrata.extract(mended.encode(), charset="utf-8")
    if not mended.startswith("\ufeff"):
        assert webstrata.extract(page) == as_bytes


NAMES = [*inspect.signature(webstrata.extract).parameters, "favour", "\ud800\n"]


@given(
    st.dictionaries(
        st.sampled_from(NAMES[1:]),
        st.one_of(
            st.none(), st.booleans(), ANY_TEXT, st.integers(), st.floats(), st.lists(ANY_TEXT)
        ),
        max_size=3,
    )
)
def test_any_options(options: dict) -> None:
    try:
        webstrata.extract(pages.NEWS, **options)
    except (TypeError, webstrata.Error) as error:
        assert "\n" not in str(error)


def test_a_million_nested_tags_cost_their_deadline() -> None:
    page = pages.nested(1_000_000)
    document = webstrata.extract(page, deadline_ms=50)
    assert set(document.limits) & {"deadline", "depth"}
    assert "depth" in webstrata.extract(page).limits


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_hostile_page_costs_nothing_but_its_deadline(jobs: int) -> None:
    hundred = b"<p>" + b"<b>tide <i>and <u>ferry " * (100 * 1024 * 1024 // 24)
    batch = [pages.article(number) for number in range(20)]
    expect = [webstrata.extract(page).to_json() for page in batch]
    hostile = [hundred, pages.nested(1_000_000)]
    mixed = [*batch[:10], *hostile, *batch[10:]]
    results = list(webstrata.extract_many(mixed, jobs=jobs, deadline_ms=400))
    assert [document.to_json() for document in results[:10] + results[12:]] == expect
    # What comes first ends it: the time, or the memory that a page may take.
    assert set(results[10].limits) & {"deadline", "memory"}
    assert results[11].limits


def test_waiting_for_pages_does_not_hold_the_lock() -> None:
    """While pages are worked on, other threads run."""
    import threading

    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    page = b"<p>" + b"<b>tide <i>and ferry</b> " * 400_000
    webstrata.extract(page, deadline_ms=10_000)
    stop.set()
    thread.join()
    assert ticks > 3
