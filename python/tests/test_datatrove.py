"""A pipeline of datatrove, for real."""

from __future__ import annotations

import pytest
from archives import page

import webstrata

pytest.importorskip("datatrove")

# datatrove's own, and its dependencies'.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_pipeline(tmp_path):
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor

    from webstrata.datatrove import WebstrataExtractor

    pages = [page(number) for number in range(6)]
    documents = [
        Document(text=one, id=str(number), metadata={"url": f"https://a.example/{number}"})
        for number, one in enumerate(["", *pages])
    ]
    # What is broken costs itself, and what is no address is none.
    documents.insert(2, Document(text=None, id="none"))
    documents.insert(3, Document(text=pages[0], id="broken", metadata=None))
    documents[3].metadata = None
    documents[1].metadata["url"] = 17
    found = []

    def gather(data, rank, world_size):
        for document in data:
            found.append(document)
            yield document

    LocalPipelineExecutor(
        pipeline=[documents, WebstrataExtractor(favor="precision"), gather],
        logging_dir=str(tmp_path / "logs"),
        tasks=1,
    ).run()
    assert [one.id for one in found] == ["1", "2", "3", "4", "5", "6"]
    for one, expected in zip(found, webstrata.extract_many(pages, favor="precision")):
        assert one.text == expected.text
        assert one.metadata["page_type"] == expected.page_type


def test_wrong_options_are_said_at_once():
    from webstrata.datatrove import WebstrataExtractor

    with pytest.raises(TypeError, match="did you mean `favor`"):
        WebstrataExtractor(favour="recall")
    assert (
        WebstrataExtractor()
        .extract("<p>High water is at noon today, says the office.")
        .startswith("High")
    )
