"""A pipeline of datatrove, for real."""

from __future__ import annotations

import gzip
import json

import pytest
from archives import page

import webstrata

pytest.importorskip("datatrove")

# datatrove's own, and its dependencies'.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_pipeline(tmp_path):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    from webstrata.datatrove import WebstrataExtractor

    pages = [page(number) for number in range(6)] + [""]
    source = tmp_path / "pages" / "pages.jsonl"
    source.parent.mkdir()
    rows = [
        {"id": str(number), "text": one, "metadata": {"url": f"https://a.example/{number}"}}
        for number, one in enumerate(pages)
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(str(source.parent)),
            WebstrataExtractor(favor="precision"),
            JsonlWriter(str(tmp_path / "out"), output_filename="${rank}.jsonl.gz"),
        ],
        logging_dir=str(tmp_path / "logs"),
        tasks=1,
    ).run()
    [written] = (tmp_path / "out").glob("*.jsonl.gz")
    found = [json.loads(line) for line in gzip.decompress(written.read_bytes()).splitlines()]
    assert [row["id"] for row in found] == ["0", "1", "2", "3", "4", "5"]
    for row, one in zip(found, webstrata.extract_many(pages, favor="precision")):
        assert row["text"] == one.text
        assert row["metadata"]["page_type"] == one.page_type


def test_wrong_options_are_said_at_once():
    from webstrata.datatrove import WebstrataExtractor

    with pytest.raises(TypeError, match="did you mean favor"):
        WebstrataExtractor(favour="recall")
    assert (
        WebstrataExtractor()
        .extract("<p>High water is at noon today, says the office.")
        .startswith("High")
    )
