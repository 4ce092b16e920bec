"""Many pages: in order, on many threads, in many processes."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pages
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webstrata


@given(st.lists(st.integers(0, 400), max_size=60), st.integers(1, 9))
@settings(deadline=None)
def test_results_keep_the_order(sizes: list[int], jobs: int) -> None:
    batch = [f"<p>page {number} " + "tide " * size for number, size in enumerate(sizes)]
    found = [
        document.text for document in webstrata.extract_many(batch, jobs=jobs, extractor="keep-all")
    ]
    assert found == [webstrata.extract(page, extractor="keep-all").text for page in batch]


def test_generators_in_and_out() -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        for number in itertools.count():
            taken += 1
            yield pages.article(number)

    for jobs in (1, 3):
        taken = 0
        results = webstrata.extract_many(endless(), jobs=jobs)
        assert iter(results) is results and taken == 0
        first = list(itertools.islice(results, 5))
        assert [document.title for document in first] == [
            f"Day {n}" for n in range(5)
        ]
        assert taken <= 5 + 8 * jobs, "only some pages ahead"
        del results


def test_pages_with_addresses() -> None:
    batch = [
        (pages.NEWS, "https://a.example/"),
        (pages.NEWS.encode(), "https://b.example/x"),
        pages.NEWS,
        (b"", None),
    ]
    found = list(webstrata.extract_many(batch, jobs=2, formats="links"))
    assert [document.url for document in found] == [
        "https://a.example/",
        "https://b.example/x",
        None,
        None,
    ]
    assert found[1].links[0].url == "https://b.example/"
    with pytest.raises(TypeError, match="url is the address of one page"):
        webstrata.extract_many([], url="https://a.example/")  # type: ignore[call-arg]
    for wrong in [("a", "b", "c"), (), ("a", 3)]:
        with pytest.raises(TypeError, match="pair of a page and its address"):
            list(webstrata.extract_many([wrong], jobs=1))  # type: ignore[list-item]


@pytest.mark.parametrize("jobs", [1, 3])
def test_what_the_iterator_raises_comes_in_its_turn(jobs: int) -> None:
    def broken() -> Iterator[str]:
        yield pages.NEWS
        yield pages.NEWS
        raise KeyError("no more")

    results = webstrata.extract_many(broken(), jobs=jobs)
    assert next(results).words > 0 and next(results).words > 0
    with pytest.raises(KeyError, match="no more"):
        next(results)
    assert list(results) == []
    with pytest.raises(TypeError, match="not iterable"):
        webstrata.extract_many(3)  # type: ignore[arg-type]
    for wrong in (0, -1, 100_000):
        with pytest.raises(webstrata.OptionError, match="jobs: expected a number from 1 to"):
            webstrata.extract_many([], jobs=wrong)


def test_a_slow_source_is_not_waited_for() -> None:
    first_came = threading.Event()

    def slow() -> Iterator[str]:
        for number in range(40):
            # The window has 16. Whoever waits for all of them waits in vain here, until this fails.
            if number == 14:
                assert first_came.is_set()
            if 2 <= number < 14:
                time.sleep(0.1)
            yield pages.article(number)

    results = webstrata.extract_many(slow(), jobs=2)
    assert next(results)
    first_came.set()
    assert len(list(results)) == 39


def test_interrupts_do_not_wait() -> None:
    def interrupted() -> Iterator[str]:
        yield pages.NEWS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(webstrata.extract_many(interrupted(), jobs=4))


def test_one_thread_at_a_time() -> None:
    def calls_back() -> Iterator[str]:
        yield pages.NEWS
        with pytest.raises(ValueError, match="already executing"):
            next(results)

    for jobs in (1, 3):
        results = webstrata.extract_many(calls_back(), jobs=jobs)
        assert len(list(results)) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs signals")
def test_what_a_signal_interrupts_is_not_lost() -> None:
    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    # Long enough that the alarm comes while it is waited for.
    long = "<p>page 0 " + "<b>tide</b> " * 2_000_000
    batch = [long, *(f"<p>page {n} tide" for n in range(1, 6))]
    try:
        results = webstrata.extract_many(iter(batch), jobs=2, extractor="keep-all")
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Alarm):
            next(results)
        found = [document.text.split()[1] for document in results]
        assert found == ["0", "1", "2", "3", "4", "5"]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_closing() -> None:
    with webstrata.extract_many(itertools.repeat(pages.NEWS), jobs=2) as results:
        assert next(results)
    assert list(results) == []
    results.close()


def test_one_page_is_not_many() -> None:
    for page in (pages.NEWS, pages.NEWS.encode(), bytearray(b"x")):
        with pytest.raises(TypeError, match="use extract, or pass"):
            webstrata.extract_many(page)


def test_cycles_are_collected() -> None:
    class Owner:
        def __init__(self) -> None:
            self.results = webstrata.extract_many(self.pages(), jobs=2)

        def pages(self) -> Iterator[str]:
            while True:
                yield pages.NEWS

    def make() -> weakref.ref[Owner]:
        owner = Owner()
        next(owner.results)
        return weakref.ref(owner)

    made = [make() for _ in range(5)]
    gc.collect()
    assert all(reference() is None for reference in made)


def test_pages_are_not_kept() -> None:
    document = next(webstrata.extract_many([pages.NEWS], jobs=1))
    with pytest.raises(webstrata.MissingPart):
        document.markdown
    assert next(webstrata.extract_many([pages.NEWS], jobs=1, keep_page=True)).markdown


def test_threads_end_with_their_iterator() -> None:
    before = native_threads()
    for _ in range(50):
        results = webstrata.extract_many((pages.article(n) for n in range(100)), jobs=4)
        next(results)
        del results
    gc.collect()
    # Threads that were told to end may take a moment for the page at hand.
    for _ in range(1000):
        if native_threads() <= before:
            break
        threading.Event().wait(0.01)
    assert native_threads() <= before


def native_threads() -> int:
    return psutil.Process().num_threads()


def test_threads_share_everything() -> None:
    extractor = webstrata.Extractor("strata")
    document = extractor.extract(pages.NEWS)
    expect = extractor.extract(pages.NEWS).markdown

    def work(_: int) -> bool:
        same = document.markdown == expect and document.blocks[1].text == "An hourly ferry"
        return same and extractor.extract(pages.NEWS) == document

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))


def work_in_process(number: int) -> tuple[str, webstrata.Document]:
    inner = list(webstrata.extract_many([pages.article(number)] * 2, jobs=2))
    return inner[0].text, webstrata.extract(pages.article(number), formats="markdown")


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes(method: str) -> None:
    # Fork while threads of ours and of others are running, as people do.
    results = webstrata.extract_many((pages.article(n) for n in range(500)), jobs=2)
    next(results)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            found = list(pool.map(work_in_process, range(8)))
    for number, (text, document) in enumerate(found):
        expect = webstrata.extract(pages.article(number))
        assert text == expect.text == document.text
        assert document.markdown.startswith(f"# Day {number}")
    assert sum(1 for _ in results) == 499


def work_on(results: Iterator[webstrata.Document]) -> str:
    try:
        return next(results).text
    except RuntimeError as error:
        return str(error)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_iterators_do_not_follow_into_a_forked_process() -> None:
    results = webstrata.extract_many((pages.article(n) for n in range(50)), jobs=2)
    next(results)
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.write(write, work_on(results).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        assert "make one behind the fork" in answer.read()
    os.waitpid(child, 0)
    assert sum(1 for _ in results) == 49


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_while_threads_work() -> None:
    """A child that was forked at any moment works, and drops what is not its own."""
    results = webstrata.extract_many((pages.article(n % 9) for n in itertools.count()), jobs=3)
    for _ in range(60):
        next(results)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            signal.alarm(30)
            del results
            batch = [pages.NEWS] * 3
            fine = all(webstrata.extract_many(batch, jobs=1)) and all(
                webstrata.extract_many(batch, jobs=2)
            )
            os._exit(0 if fine else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_extractors_go_to_processes() -> None:
    extractor = webstrata.Extractor("article")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(extractor.extract, pages.NEWS).result() == extractor.extract(pages.NEWS)
