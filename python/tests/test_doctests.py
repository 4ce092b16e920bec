"""The examples in docstrings, in the README and in the documentation."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import webstrata

ROOT = Path(__file__).parent.parent
# Pages with examples, where the tests run beside them.
PAGES = [ROOT / "README.md", ROOT.parent / "docs" / "python.md"]
# These need packages that are not asked for here; their own tests have them.
OPTIONAL = {"webstrata.arrow", "webstrata.datatrove", "webstrata.ray", "webstrata.spark"}


def documented() -> Iterator[tuple[str, str]]:
    """All docstrings with examples: of what is public, native or not, and of its methods."""
    modules = [webstrata]
    for found in pkgutil.walk_packages(webstrata.__path__, "webstrata."):
        if not any(found.name == name or found.name.startswith(name + ".") for name in OPTIONAL):
            modules.append(importlib.import_module(found.name))
    seen = set()
    for module in modules:
        things: list[tuple[str, Any]] = [(module.__name__, module)]
        for name, thing in inspect.getmembers(module):
            if name.startswith("_") or not (inspect.isclass(thing) or inspect.isroutine(thing)):
                continue
            if not (thing.__module__ or "").startswith("webstrata"):
                continue
            things.append((f"{module.__name__}.{name}", thing))
            if inspect.isclass(thing):
                members = inspect.getmembers(thing)
                things += [(f"{module.__name__}.{name}.{one}", member) for one, member in members]
        for name, thing in things:
            text = getattr(thing, "__doc__", None)
            if isinstance(text, str) and ">>>" in text and text not in seen:
                seen.add(text)
                yield name, text
    for page in PAGES:
        if page.exists():
            yield page.name, page.read_text(encoding="utf-8")


EXAMPLES = dict(documented())


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    text = EXAMPLES[name]
    if name.endswith(".md"):
        # A fence would be taken for output.
        text = text.replace("```python", "").replace("```", "")
    if "pyarrow" in text or "to_pydict" in text:
        pytest.importorskip("pyarrow")
    example = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.failed == 0, "".join(said)


def test_there_are_examples() -> None:
    native = [
        "Document",
        "Extractor",
        "UrlTree",
        "extract",
        "explain",
        "segment",
        "dedup",
        "pagerank",
    ]
    assert {f"webstrata.{name}" for name in native} <= set(EXAMPLES)


def test_everything_public_says_what_it_is() -> None:
    for name in webstrata.__all__:
        thing = getattr(webstrata, name)
        if name == "__version__":
            continue
        assert thing.__doc__, name
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        for one, member in inspect.getmembers(thing):
            if not one.startswith("_"):
                assert member.__doc__, f"{name}.{one}"
