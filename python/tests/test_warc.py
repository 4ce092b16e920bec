"""Web archives in Python."""

from __future__ import annotations

import gzip
import io
import pickle

import pytest
from archives import pack, page, record
from hypothesis import given, settings
from hypothesis import strategies as st

import webstrata


def archive(count: int = 3) -> list:
    return [
        record(f"https://harbour.example/{n}", page(n).encode(), number=n) for n in range(count)
    ]


@pytest.mark.parametrize("packing", [None, "gz", "zst"])
def test_paths_and_files_give_the_same(tmp_path, packing):
    if packing == "zst":
        pytest.importorskip("pyarrow")
    packed = pack(archive(), packing)
    path = tmp_path / "crawl.warc"  # The name says nothing of the packing.
    path.write_bytes(packed)
    name = str(path)
    by_path = list(webstrata.read_warc(path))
    with open(path, "rb") as file:
        by_file = list(webstrata.read_warc(file))
    by_stream = list(webstrata.read_warc(Forward(packed), name=name))
    assert [one.page for one in by_path] == [page(n).encode() for n in range(3)]
    for others in (by_file, by_stream):
        assert [facts(one) for one in others] == [facts(one) for one in by_path]
    assert by_path[1].url == "https://harbour.example/1"
    assert by_path[1].id == f"{name}#{by_path[1].offset}"
    assert by_path[1].record_id == "urn:uuid:000000000001"
    assert (by_path[1].status, by_path[1].charset, by_path[1].truncated) == (200, "utf-8", False)


def facts(one):
    return (
        one.id,
        one.url,
        one.fetched,
        one.status,
        one.content_type,
        one.digest,
        one.record_id,
        one.file,
        one.offset,
        one.within,
        one.truncated,
        one.page,
    )


class Forward(io.RawIOBase):
    """A stream that never goes back, and gives little at once."""

    def __init__(self, data):
        self.rest = io.BytesIO(data)

    def read(self, size=-1):
        return self.rest.read(min(size, 1000))


def test_broken_records_are_passed_over_and_counted():
    members = [gzip.compress(one) for one in archive(5)]
    broken = bytearray(members[2])
    broken[30:40] = b"\xff" * 10
    packed = b"".join([*members[:2], bytes(broken), *members[3:]])
    told = []
    for stream in (io.BytesIO(packed), Forward(packed)):
        told.clear()
        pages = webstrata.read_warc(stream, on_problem=told.append)
        assert [one.url[-1] for one in pages] == ["0", "1", "3", "4"]
        assert pages.problem_counts == {"damaged": 1}
        assert pages.problems == told and len(told) == 1
        assert told[0].startswith("archive.warc#")


def test_statuses_and_lengths():
    records = archive(1) + [record("https://a.example/", b"<p>Gone", status="404 Not Found")]
    packed = b"".join(records)
    assert len(list(webstrata.read_warc(io.BytesIO(packed)))) == 1
    for statuses in ("200-299,404", [200, 404]):
        assert len(list(webstrata.read_warc(io.BytesIO(packed), statuses=statuses))) == 2
    assert [one.status for one in webstrata.read_warc(io.BytesIO(packed), statuses=404)] == [404]
    pages = webstrata.read_warc(io.BytesIO(packed), max_bytes=500)
    assert list(pages) == [] and pages.problem_counts == {"too-long": 1}
    with pytest.raises(webstrata.OptionError, match="statuses: expected HTTP statuses"):
        webstrata.read_warc(io.BytesIO(packed), statuses="many")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(webstrata.ArchiveError) as missing:
        webstrata.read_warc(tmp_path / "none.warc")
    assert missing.value.errno == 2 and "none.warc" in str(missing.value)

    class Failing(io.RawIOBase):
        def read(self, size=-1):
            raise ConnectionResetError("the line is dead")

    with pytest.raises(webstrata.ArchiveError, match="the line is dead") as dead:
        list(webstrata.read_warc(Failing()))
    assert isinstance(dead.value.__cause__, ConnectionResetError)
    with pytest.raises(webstrata.ArchiveError, match="binary mode"):
        list(webstrata.read_warc(io.StringIO("WARC/1.0")))
    with pytest.raises(TypeError, match="a path or a file opened in binary mode, not int"):
        webstrata.read_warc(3)


def test_archived_pages_are_pages():
    html = (
        "<title>Fähre</title><p>Die Fähre fährt zu jeder vollen Stunde über den Sund, sagt das Amt."
    )
    # The page does not say; the server did.
    packed = record("https://a.example/x", html.encode("iso-8859-2"), charset="iso-8859-2")
    [one] = webstrata.read_warc(io.BytesIO(packed))
    document = webstrata.extract(one, extractor="keep-all")
    assert document.encoding == "ISO-8859-2" and "Fähre" in document.text
    assert document.url == "https://a.example/x"
    assert webstrata.extract(one, url="https://b.example/").url == "https://b.example/"
    assert webstrata.extract(one, charset="windows-1252").encoding == "windows-1252"
    [many] = webstrata.extract_many([one], extractor="keep-all", jobs=1)
    assert many == document
    again = pickle.loads(pickle.dumps(one))
    assert facts(again) == facts(one)
    assert webstrata.extract(again, extractor="keep-all") == document
    assert repr(one) == '<webstrata.ArchivedPage "https://a.example/x">'


def test_pages_go_through_many_as_they_are_read():
    pages = webstrata.read_warc(io.BytesIO(b"".join(archive(40))))
    documents = list(webstrata.extract_many(pages, jobs=2))
    assert [document.url for document in documents] == [
        f"https://harbour.example/{n}" for n in range(40)
    ]
    assert all(document.words > 20 for document in documents)


_PIECES = [record("https://a.example/", b"<p>High water", number=n) for n in range(3)]
_PIECES += [gzip.compress(one) for one in _PIECES] + [
    _PIECES[0][:90],
    _PIECES[0][90:],
    b"WARC/1.0\r\n",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_PIECES) | st.binary(max_size=40), max_size=8).map(b"".join))
def test_any_bytes_come_to_an_end(data):
    by_file, by_stream = webstrata.read_warc(io.BytesIO(data)), webstrata.read_warc(Forward(data))
    assert [facts(one) for one in by_file] == [facts(one) for one in by_stream]
    assert by_file.problems == by_stream.problems
    batches = list(webstrata.warc_batches(io.BytesIO(data), batch_rows=2))
    assert sum(batch.num_rows for batch in batches) == len(
        list(webstrata.read_warc(io.BytesIO(data)))
    ) + len(by_file.problems)
