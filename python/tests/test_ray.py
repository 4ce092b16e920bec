"""Ray Data, for real."""

from __future__ import annotations

import os
import signal

import pytest
from archives import crawl, page
from corpora import (
    COLUMNS,
    FILTERS,
    NEAR,
    by_command,
    lines_of,
    mixed,
    pipeline,
    tables,
    versions,
    write_texts,
)

import webstrata

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

# Ray's own.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster():
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=128 << 20,
        configure_logging=False,
        log_to_driver=False,
    )
    yield
    ray.shutdown()


def test_pages_of_a_dataset(cluster):
    from webstrata import ray as webstrata_ray

    pages = [page(number) for number in range(20)]
    dataset = ray.data.from_items(
        [{"number": number, "html": one} for number, one in enumerate(pages)]
    )
    texts = webstrata_ray.extract(dataset, batch_size=4, formats=("metadata",)).take_all()
    found = {row["number"]: row["text"] for row in texts}
    assert found == {number: one.text for number, one in enumerate(webstrata.extract_many(pages))}


def by_ray(path, **options):
    from webstrata import ray as webstrata_ray

    out, rejected = (path.parent / name for name in ("by-ray", "dropped-by-ray"))
    counts = webstrata_ray.run(path, str(out), rejected=str(rejected), overwrite=True, **options)
    written = [
        [line for part in sorted(folder.glob("part-*")) for line in lines_of(part)]
        for folder in (out, rejected)
    ]
    assert not list(path.parent.glob("*.stage-*"))
    return written[0], written[1], counts._asdict()


def test_records_are_those_of_the_command(cluster, command, tmp_path, monkeypatch):
    mixed(tmp_path)
    tables(tmp_path)
    # A task for each file.
    monkeypatch.setattr("webstrata.ray.TASK_BYTES", 1)
    sources = '["in/", "*.jsonl", "more", "in/page-1.html", "one.parquet", "two.arrow"]'
    path = pipeline(tmp_path, COLUMNS + FILTERS + NEAR, sources=sources)
    expected = by_command(command, path)
    assert len(expected[0]) > 30 and len(expected[1]) > 10
    assert expected[2]["problems"].keys() >= {"not-html", "damaged", "no-page"}
    assert by_ray(path) == expected
    # One after the other, as they are taken.
    assert by_ray(path, tasks=1) == expected


@pytest.mark.parametrize(
    "steps", ["", NEAR, '[[deduplicate]]\nmethod = "repeated-lines"\nmin-left = 12\n' + NEAR]
)
def test_decisions_are_those_of_the_command(cluster, command, tmp_path, steps):
    notice = "All times of the harbour are those of the lighthouse."
    texts = [f"{one}\n\n{notice}" if n % 3 else one for n, one in enumerate(versions(120))]
    write_texts(tmp_path, texts, [f"https://a.example/{n % 90}" for n in range(len(texts))])
    path = pipeline(tmp_path, steps, form="jsonl.gz", sources='["texts-*.jsonl"]')
    assert by_ray(path) == by_command(command, path)


def test_tables_and_pieces_are_those_of_the_command(cluster, command, tmp_path):
    import pyarrow.parquet as pq

    crawl(tmp_path / "in", files=2, pages=8)
    steps = '[extract]\nwith = ["metadata", "markdown"]\n' + NEAR
    steps += "[chunk]\nsize = 40\noverlap = 10\n"
    path = pipeline(tmp_path, steps, form="parquet")
    _, _, counts = by_command(command, path)
    assert by_ray(path)[2] == counts
    tables = [
        pq.read_table(part)
        for folder in ("by-ray", "corpus")
        for part in sorted((tmp_path / folder).glob("part-*"))
    ]
    assert len(tables) == 2 and tables[0].column_names == tables[1].column_names
    assert tables[0].to_pylist() == tables[1].to_pylist()
    assert len(tables[0]) > counts["written"]


def test_a_worker_that_is_killed_loses_nothing(cluster, command, tmp_path, monkeypatch):
    crawl(tmp_path / "in", files=6, pages=20)
    path = pipeline(tmp_path, FILTERS + NEAR)
    expected = by_command(command, path)
    monkeypatch.setattr("webstrata.ray.TASK_BYTES", 1)
    mark = tmp_path / "killed"
    judge = webstrata.ray._judge

    def dies_once(made, files, rejected):
        for batch in judge(made, files, rejected):
            yield batch
            if files[0][0] == 2 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("webstrata.ray._judge", dies_once)
    assert by_ray(path) == expected
    assert mark.exists()


def test_a_page_without_a_decision_is_an_error():
    import pyarrow as pa

    from webstrata.ray import _joined

    positions = [7, 8]
    rows = pa.table(
        {
            "position": pa.array(positions, pa.int64()),
            "reason": pa.array([None, None], pa.string()),
            "words": pa.array([3, 4], pa.int32()),
            "record": ["{}", "{}"],
            "headings": pa.array([None, None], pa.string()),
        }
    )

    class Deciding:
        def __init__(self, decided):
            self.decided = decided

        def add(self, pages):
            rows = [{"position": one, "reason": f"of {one}"} for one in self.decided]
            return [pa.RecordBatch.from_pylist(rows)] if rows else []

    assert _joined(rows, Deciding(positions))["reason"].to_pylist() == ["of 7", "of 8"]
    for decided in ([], [7], [8, 7], [7, 8, 9]):
        with pytest.raises(webstrata.InternalError, match="not those of the pages"):
            _joined(rows, Deciding(decided))


def test_what_a_run_says(cluster, tmp_path):
    from webstrata import ray as webstrata_ray

    crawl(tmp_path / "in", files=1, pages=8)
    for form, sources, wanted in (
        ("csv", '["in/"]', "Ray does not write csv; there are parquet, jsonl, jsonl.gz"),
        ("jsonl", '["s3://pages/"]', "Ray's tasks read files"),
        ("jsonl", '["https://a.example/"]', "an address; name it in `urls`"),
        ("jsonl", '["none/"]', "none/: No such file"),
        ("jsonl", '["in/*.jsonl"]', "no such files"),
    ):
        path = pipeline(tmp_path, "", form=form, sources=sources)
        with pytest.raises(webstrata.Error, match=wanted):
            webstrata_ray.run(path)
    path = pipeline(tmp_path, "")
    with pytest.raises(webstrata.DataError, match="has a source in it"):
        webstrata_ray.run(path, str(tmp_path), overwrite=True)
    with pytest.raises(webstrata.DataError, match="lie in each other"):
        webstrata_ray.run(path, rejected=str(tmp_path / "corpus" / "dropped"))
    webstrata_ray.run(path)
    with pytest.raises(webstrata.DataError, match="is there already"):
        webstrata_ray.run(path)
    # Nothing to write is a folder without lines, and a table without rows.
    steps = '[[filter]]\nname = "words"\nmin = 100000\n'
    webstrata_ray.run(pipeline(tmp_path, steps), overwrite=True)
    assert not list((tmp_path / "corpus").iterdir())
    counts = webstrata_ray.run(pipeline(tmp_path, steps, form="parquet"), overwrite=True)
    assert counts.written == 0 and len(list((tmp_path / "corpus").iterdir())) == 1
    assert not list(tmp_path.glob("*.stage-*"))
