"""Pages in tables: Arrow, pandas, Polars, DuckDB."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from archives import page, record

import webstrata

pa = pytest.importorskip("pyarrow")

PAGES = [page(number) for number in range(5)]
NEW = [
    "text",
    "title",
    "language",
    "text_language",
    "page_type",
    "confidence",
    "words",
    "page_words",
    "encoding",
    "extractor",
    "limits",
    "error",
]


def table(kind=None, pages=PAGES):
    kind = kind or pa.string()
    html = [one.encode() for one in pages] if "binary" in str(kind) else pages
    return pa.record_batch(
        {
            "number": pa.array(range(len(pages)), pa.int64()),
            "html": pa.array(html, kind),
            "url": [f"https://harbour.example/{n}" for n in range(len(pages))],
        }
    )


def expected(**options):
    urls = [f"https://harbour.example/{n}" for n in range(len(PAGES))]
    return list(webstrata.extract_many(zip(PAGES, urls), **options))


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
    + ([pa.string_view(), pa.binary_view()] if hasattr(pa, "string_view") else []),
    ids=str,
)
def test_every_layout_of_texts(kind):
    made = webstrata.extract_batch(table(kind))
    assert isinstance(made, pa.RecordBatch)
    assert made.schema.names == ["number", "url", *NEW]
    made.validate(full=True)
    for row, document in zip(made.to_pylist(), expected()):
        assert (row["text"], row["words"]) == (document.text, document.words)
        assert row["page_type"] == document.page_type
        assert row["confidence"] == pytest.approx(document.confidence)
        assert row["limits"] == [] and row["error"] is None


def test_what_is_asked_for():
    formats = ("markdown", "html", "metadata", "links", "blocks", "posts", "json")
    made = webstrata.extract_batch(table(), formats=formats, jobs=2)
    assert made.schema.names[-7:] == [*formats[:-1], "record"]
    made.validate(full=True)
    for row, document in zip(made.to_pylist(), expected(formats=formats[:6])):
        assert row["markdown"] == document.markdown and row["html"] == document.html
        assert row["metadata"]["title"] == document.title
        assert row["metadata"]["authors"] == document.authors
        assert [link["url"] for link in row["links"]] == [link.url for link in document.links]
        assert [link["internal"] for link in row["links"]] == [
            one.internal for one in document.links
        ]
        assert [
            (one["text"], one["content"], one["label"], one["words"], one["part"])
            for one in row["blocks"]
        ] == [(one.text, one.is_content, one.label, one.words, one.part) for one in document.blocks]
        assert json.loads(row["record"]) == document.to_dict()


def test_threads_change_nothing():
    one = webstrata.extract_batch(table(pages=PAGES * 8))
    assert webstrata.extract_batch(table(pages=PAGES * 8), jobs=3).equals(one)


def test_rows_without_a_page():
    batch = pa.record_batch({"html": [None, PAGES[0], ""]})
    made = webstrata.extract_batch(batch, formats=("links", "metadata")).to_pylist()
    assert set(made[0].values()) == {None}
    assert made[1]["words"] > 20
    assert made[2]["text"] == "" and made[2]["links"] == []
    nothing = webstrata.extract_batch(pa.record_batch({"html": pa.nulls(2)}))
    assert nothing.column("text").null_count == 2
    assert webstrata.extract_batch(batch.slice(1, 1)).to_pylist()[0]["text"] == made[1]["text"]


def test_names():
    batch = pa.record_batch({"page": PAGES[:1], "text": ["mine"], "where": ["https://a.example/"]})
    with pytest.raises(
        webstrata.OptionError, match='no column "html" in the table, which has page'
    ):
        webstrata.extract_batch(batch)
    with pytest.raises(webstrata.OptionError, match='has a column "text" already.*keep=.*prefix='):
        webstrata.extract_batch(batch, html="page")
    with pytest.raises(webstrata.OptionError, match='no column "link"'):
        webstrata.extract_batch(batch, html="page", url="link")
    with pytest.raises(webstrata.OptionError, match='no column "other"'):
        webstrata.extract_batch(batch, html="page", keep=["other"])
    with pytest.raises(webstrata.DataError, match='the column "n" has Int64'):
        webstrata.extract_batch(pa.record_batch({"n": [1]}), html="n")
    with pytest.raises(TypeError, match="expected an Arrow table"):
        webstrata.extract_batch([1])
    with pytest.raises(TypeError, match="did you mean `favor"):
        webstrata.extract_batch(batch, html="page", favour=1)
    made = webstrata.extract_batch(batch, html="page", url="where", prefix="main_")
    assert made.schema.names == ["text", "where", *("main_" + name for name in NEW)]
    made = webstrata.extract_batch(batch, html="page", keep=["where"])
    assert made.schema.names == ["where", *NEW]


def test_tables_and_arrays():
    two = pa.Table.from_batches([table(), table()])
    made = webstrata.extract_batch(two)
    assert isinstance(made, pa.Table) and made.num_rows == 2 * len(PAGES)
    none = webstrata.extract_batch(two.schema.empty_table())
    assert none.schema == made.schema and none.num_rows == 0
    made = webstrata.extract_batch(pa.array(PAGES))
    assert made.schema.names == NEW
    made = webstrata.extract_batch(pa.chunked_array([PAGES, PAGES]))
    assert isinstance(made, pa.Table) and made.num_rows == 2 * len(PAGES)


def test_charsets_come_from_a_column():
    html = "<p>Die Fähre fährt zu jeder vollen Stunde.".encode("iso-8859-2")
    batch = pa.record_batch({"html": [html, html], "charset": ["iso-8859-2", "no such"]})
    made = webstrata.extract_batch(batch, charset="charset").to_pylist()
    assert made[0]["encoding"] == "ISO-8859-2"
    # What is text already is what it is.
    said = pa.record_batch({"html": ["<meta charset=koi8-r><p>Fähre"]})
    assert webstrata.extract_batch(said).to_pylist()[0]["encoding"] == "UTF-8"


def test_a_page_that_takes_too_long_costs_itself_alone():
    deep = "<div>" * 1_000_000 + "deep"
    batch = pa.record_batch({"html": [PAGES[0], deep, PAGES[1]]})
    made = webstrata.extract_batch(batch, deadline_ms=1000).to_pylist()
    assert [made[0]["text"], made[2]["text"]] == [one.text for one in expected()[:2]]
    assert made[1]["error"] is None and made[1]["limits"] != []


def test_archives_as_batches():
    records = [
        record(f"https://www.harbour.example/{n}", page(n).encode(), number=n) for n in range(10)
    ]
    data = b"".join(records)
    batches = list(webstrata.warc_batches(io.BytesIO(data), batch_rows=4))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]
    rows = pa.Table.from_batches(batches).to_pylist()
    assert [row["html"] for row in rows] == [page(n).encode() for n in range(10)]
    for row, one in zip(rows, webstrata.read_warc(io.BytesIO(data))):
        for name in (
            "id",
            "url",
            "fetched",
            "digest",
            "record_id",
            "file",
            "offset",
            "within",
            "status",
        ):
            assert row[name] == getattr(one, name)
    assert {row["domain"] for row in rows} == {"harbour.example"}
    small = list(webstrata.warc_batches(io.BytesIO(data), batch_bytes=1))
    assert len(small) == 10
    broken = records[0][:-300] + data[len(records[0]) :]
    rows = [
        row for batch in webstrata.warc_batches(io.BytesIO(broken)) for row in batch.to_pylist()
    ]
    assert [row["problem"] for row in rows if row["html"] is None] == ["wrong-length"]
    assert all(row["message"] for row in rows if row["problem"])
    numbered = next(webstrata.warc_batches(io.BytesIO(data), archive=7)).to_pylist()
    assert {row["archive"] for row in numbered} == {7}


def test_records_of_archives():
    data = b"".join(record(f"https://a.example/{n}", page(n).encode(), number=n) for n in range(4))
    [batch] = webstrata.warc_records(io.BytesIO(data), formats=("json", "links"), name="crawl.warc")
    for row, one in zip(
        batch.to_pylist(), webstrata.read_warc(io.BytesIO(data), name="crawl.warc")
    ):
        written = json.loads(row["record"])
        assert (row["id"], row["text"], row["url"]) == (one.id, written["text"], one.url)
        assert written["record_id"] == row["record_id"] == one.record_id
        assert written["fetched"] == row["fetched"] == one.fetched
        assert [link["url"] for link in row["links"]] == [link["url"] for link in written["links"]]
    assert list(webstrata.warc_records(io.BytesIO(data), min_words=100_000)) == []
    assert list(webstrata.warc_records(io.BytesIO(data), languages="de")) == []
    with pytest.raises(webstrata.OptionError, match="languages: expected codes"):
        webstrata.warc_records(io.BytesIO(data), languages="german")


def test_pandas():
    pandas = pytest.importorskip("pandas", minversion="2.2")
    frame = pandas.DataFrame({"html": PAGES, "number": range(len(PAGES))})
    texts = webstrata.extract_batch(pa.RecordBatch.from_pandas(frame)).to_pandas()
    assert list(texts["text"]) == [document.text for document in expected()]
    assert list(texts["number"]) == list(frame["number"])


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"html": PAGES, "number": range(len(PAGES))})
    texts = polars.from_arrow(webstrata.extract_batch(frame))
    assert texts["text"].to_list() == [document.text for document in expected()]
    assert texts.filter(polars.col("words") > 20).height == len(PAGES)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        pages = pa.table({"html": PAGES, "number": range(len(PAGES))})  # noqa: F841, DuckDB finds it by its name
        found = database.sql("SELECT * FROM pages WHERE number < 3 ORDER BY number")
        texts = webstrata.extract_batch(found)  # noqa: F841
        rows = database.sql("SELECT number, text FROM texts ORDER BY number").fetchall()
    assert rows == [(number, one.text) for number, one in enumerate(expected()[:3])]


def test_without_pyarrow():
    pytest.importorskip("polars")
    code = """
import sys
sys.modules["pyarrow"] = None
import polars, webstrata
made = webstrata.extract_batch(polars.DataFrame({"html": ["<p>High water is at noon."]}), extractor="keep-all")
assert polars.DataFrame(made)["text"].to_list() == ["High water is at noon.\\n"]
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
