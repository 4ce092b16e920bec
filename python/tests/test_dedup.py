"""Near-duplicates, against an oracle that compares each text with each."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

import webstrata


def shingles(text: str, size: int) -> set[tuple[str, ...]]:
    tokens = text.lower().split()
    return {tuple(tokens[at : at + size]) for at in range(max(1, len(tokens) - size + 1))}


def jaccard(a: str, b: str, size: int) -> float:
    of_a, of_b = shingles(a, size), shingles(b, size)
    return len(of_a & of_b) / len(of_a | of_b)


def greedy(texts: list[str], threshold: float, size: int) -> list[int]:
    """The texts that are kept: each that is not similar to one before it that is kept."""
    kept: list[int] = []
    for at, text in enumerate(texts):
        if all(jaccard(text, texts[other], size) < threshold for other in kept):
            kept.append(at)
    return kept


def made_up(seed: int, count: int) -> list[str]:
    """Texts of which some are others with a few words changed, or nothing alike: never in between."""
    draw = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        if texts and draw.random() < 0.4:
            words = draw.choice(texts).split()
            words[draw.randrange(len(words))] = f"other{number}"
            texts.append(" ".join(words))
        else:
            texts.append(" ".join(f"word{draw.randrange(10**9)}" for _ in range(300)))
    return texts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("jobs", [1, 3])
def test_what_is_kept_is_what_comparing_all_would_keep(seed: int, jobs: int) -> None:
    texts = made_up(seed, 120)
    found = webstrata.dedup(texts, hashes=128, jobs=jobs)
    kept = greedy(texts, 0.5, 6)
    assert found.kept == kept
    assert sorted(found.kept + found.duplicates) == list(range(len(texts)))
    for at, (of, similarity) in enumerate(zip(found.duplicate_of, found.similarity)):
        assert (of is None) == (similarity is None) == (at in kept)
        assert found.is_duplicate(at) == (of is not None)
        if of is not None and similarity is not None:
            assert of in kept and of < at
            assert similarity == pytest.approx(jaccard(texts[at], texts[of], 6), abs=0.2)
    assert found.groups == [
        [kept_one] + [at for at, of in enumerate(found.duplicate_of) if of == kept_one]
        for kept_one in kept
        if kept_one in found.duplicate_of
    ]


@given(
    strategies.lists(strategies.sampled_from(["a", "b c", "d e f g h i j", "", " – "]), max_size=40)
)
@settings(max_examples=50, deadline=None)
def test_equal_texts(texts: list[str]) -> None:
    found = webstrata.dedup(texts, threshold=1.0)
    first: dict[str, int] = {}
    wanted = []
    for at, text in enumerate(texts):
        has_words = any(map(str.isalnum, text))
        wanted.append(first.get(text) if has_words else None)
        first.setdefault(text, at)
    assert found.duplicate_of == wanted
    assert found.without_text == [
        at for at, text in enumerate(texts) if not any(map(str.isalnum, text))
    ]
    assert len(found) == len(texts)


def test_more_texts_than_are_taken_at_once() -> None:
    texts = [f"text number {number % 1500} of a long list of texts" for number in range(4000)]
    found = webstrata.dedup(iter(texts), threshold=1.0, jobs=2)
    assert found.kept == list(range(1500))
    assert found.duplicate_of[1500:] == [number % 1500 for number in range(1500, 4000)]


TEXT = "High water is at noon today, the harbour office says, and the ferry leaves an hour earlier than usual."


def test_documents_and_pages() -> None:
    pages = [f"<ul><li>{menu}</ul><h1>Tides</h1><p>{TEXT}" for menu in ("Home", "News of the town")]
    documents = list(webstrata.extract_many(pages, extractor="largest"))
    assert webstrata.dedup(documents).groups == [[0, 1]]
    assert webstrata.dedup(pages, method="rule-based", hashes=64).groups == [[0, 1]]
    assert webstrata.dedup([page.encode() for page in pages], method="plain", jobs=2).groups == [
        [0, 1]
    ]
    full = webstrata.dedup(pages, method="fulltext", threshold=1.0, hashes=64, width=60)
    assert full.groups == []


def test_memory_that_is_too_small() -> None:
    texts = [
        f"this is text {number} of many which all are different from {number}"
        for number in range(5000)
    ]
    found = webstrata.dedup(texts, memory=1, threshold=1.0)
    assert found.forgotten > 0
    assert found.cut == 0


def test_options() -> None:
    assert repr(webstrata.dedup(["a", "a", "b"])) == "<webstrata.Duplicates kept=2 duplicates=1>"
    with pytest.raises(webstrata.OptionError, match="threshold 0: expected more than 0"):
        webstrata.dedup([], threshold=0)
    for wrong in (0, -1, 5000):
        with pytest.raises(webstrata.OptionError, match="hashes: expected a number from 1 to 1024"):
            webstrata.dedup([], hashes=wrong)
        with pytest.raises(webstrata.OptionError, match="shingle: expected a number from 1 to 100"):
            webstrata.dedup([], shingle=wrong)
    with pytest.raises(webstrata.OptionError, match="memory: expected 0 or more"):
        webstrata.dedup([], memory=-1)
    with pytest.raises(webstrata.OptionError, match="did you mean `rule-based"):
        webstrata.dedup([], method="rule-bases")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match='method="rule-based"'):
        webstrata.dedup([b"page"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="pages"):
        webstrata.dedup(["a"], charset="utf-8")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="has no option extractor"):
        webstrata.dedup(["a"], extractor="article")  # type: ignore[call-overload]
    for position in (1, -1):
        with pytest.raises(IndexError):
            webstrata.dedup(["a"]).is_duplicate(position)
    with pytest.raises(ZeroDivisionError):
        webstrata.dedup(str(1 // number) for number in (1, 0))


@pytest.mark.parametrize(
    "options",
    [
        {"method": "rule-based"},
        {"method": "fulltext", "hashes": 64, "threshold": 0.7, "shingle": 3},
    ],
)
def test_the_command_says_the_same(tmp_path: Path, options: dict[str, object]) -> None:
    command = os.environ.get("WEBSTRATA_COMMAND")
    if not command:
        pytest.skip("WEBSTRATA_COMMAND does not name the command")
    pages = [f"<title>{at}</title><p>{text}<p>Imprint" for at, text in enumerate(made_up(9, 60))]
    lines = (json.dumps({"id": str(at), "html": page}) for at, page in enumerate(pages))
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    given = [f"--{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [command, "dedup", "--format", "json", *given, "pages.jsonl"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    positions = {row["name"]: at for at, row in enumerate(rows)}
    found = webstrata.dedup(pages, **options)  # type: ignore[call-overload]
    assert found.duplicates
    assert found.duplicate_of == [positions.get(row["duplicate_of"]) for row in rows]
    assert found.similarity == [row["similarity"] for row in rows]
