"""Pipelines over a real Spark cluster of two worker processes, beside `webstrata corpus run`."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from archives import crawl, text

import webstrata
from webstrata import _webstrata

pytest.importorskip("pyspark", minversion="4.0")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java", allow_module_level=True)

from cluster import QUIET, executors, kill_executor
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

from webstrata import spark as webstrata_spark
from webstrata.spark import corpus
from webstrata.spark.corpus import _Run, _in_rounds, connected

pytestmark = QUIET


def by_spark(path: Path, **options) -> tuple[list[str], list[str], dict]:
    out, rejected = (path.parent / name for name in ("by-spark", "dropped-by-spark"))
    counts = webstrata_spark.run(
        path, str(out), rejected=str(rejected), overwrite=True, **options
    )
    written = [
        [line for part in sorted(folder.glob("part-*")) for line in lines_of(part)]
        for folder in (out, rejected)
    ]
    assert not list(path.parent.glob("*.stage-*"))
    return written[0], written[1], counts._asdict()


def test_records_are_those_of_the_command(spark, command, tmp_path):
    mixed(tmp_path)
    path = pipeline(tmp_path, FILTERS + NEAR, sources='["in/", "*.jsonl", "more", "in/page-1.html"]')
    expected = by_command(command, path)
    kept, dropped, counts = expected
    # All of it happened.
    assert len(kept) > 30 and len(dropped) > 10
    assert counts["problems"].keys() >= {"not-html", "damaged", "no-page"}
    assert counts["dropped"].keys() >= {"deduplicate/url-key", "deduplicate/main-text"}
    assert by_spark(path) == expected
    # Of a file system that only Spark knows.
    moved = pipeline(
        tmp_path, FILTERS + NEAR, sources='["viewfs://crawl/data/mixed/lines.jsonl"]'
    )
    (spark.folder / "mixed").mkdir()
    shutil.copy(tmp_path / "lines.jsonl", spark.folder / "mixed" / "lines.jsonl")
    ids = [json.loads(line)["id"] for line in by_spark(moved)[0]]
    assert ids and set(ids) <= {
        json.loads(line)["id"] for line in [*kept, *dropped]
    } | {f"viewfs://crawl/data/mixed/lines.jsonl#{n}" for n in range(10**6)}


@pytest.mark.parametrize(
    "steps",
    [
        "",
        NEAR,
        '[[deduplicate]]\nmethod = "repeated-lines"\nkeep = 2\n',
        '[[deduplicate]]\nmethod = "repeated-paragraphs"\n',
        '[[deduplicate]]\nmethod = "repeated-lines"\nmin-left = 12\n' + NEAR,
    ],
)
def test_decisions_are_those_of_one_after_the_other(spark, command, tmp_path, steps):
    notice = "All times of the harbour are those of the lighthouse."
    texts = versions(120)
    texts = [f"{one}\n\n{notice}" if n % 3 else one for n, one in enumerate(texts)]
    texts += [notice, texts[5], f"{notice}\n{notice}\nshort"]
    urls = [f"https://a.example/{n % 90}" for n in range(len(texts))]
    write_texts(tmp_path, texts, urls)
    path = pipeline(tmp_path, steps, sources='["texts-*.jsonl"]')
    expected = by_command(command, path)
    # Groups are found by joins, not by the driver.
    assert by_spark(path, driver_pairs=0) == expected
    if steps:
        assert expected[2]["repeated"] > 20 or expected[2]["dropped"]["deduplicate/main-text"] > 20


def test_tables_and_pieces_are_those_of_the_command(spark, command, tmp_path):
    crawl(tmp_path / "in", files=2, pages=8)
    steps = '[extract]\nwith = ["metadata", "markdown"]\n' + NEAR
    steps += '[chunk]\nsize = 40\noverlap = 10\n'
    path = pipeline(tmp_path, steps, form="parquet")
    _, _, counts = by_command(command, path)
    assert by_spark(path)[2] == counts
    expected = spark.read.parquet(str(tmp_path / "corpus" / "part-*"))
    made = spark.read.parquet(str(tmp_path / "by-spark"))
    assert dict(made.dtypes) == dict(expected.dtypes) and "chunk" in made.columns
    rows = [[tuple(row) for row in frame.orderBy("id").collect()] for frame in (made, expected)]
    assert rows[0] == rows[1] and len(rows[0]) > counts["written"]
    lines = pipeline(tmp_path, steps, form="jsonl.gz")
    shutil.rmtree(tmp_path / "corpus")
    shutil.rmtree(tmp_path / "dropped")
    expected = by_command(command, lines)
    assert by_spark(lines) == expected


def test_tables_are_sources(spark, command, tmp_path):
    tables(tmp_path)
    path = pipeline(tmp_path, COLUMNS + FILTERS + NEAR, sources='["one.parquet", "*.arrow"]')
    expected = by_command(command, path)
    assert len(expected[0]) > 10 and expected[2]["problems"] == {"no-page": 4}
    assert by_spark(path) == expected
    # Handed over by Spark as a whole, which is how files of other file systems come.
    assert by_spark(path, through="spark") == expected


def test_skew_kills_no_task(spark, command, tmp_path):
    """One site, one paragraph on all pages, one text of which there are thousands of versions."""
    notice = "We use cookies and such things to make the harbour a better place for all of you."
    base = text(5, words=90).split()
    texts = []
    for number in range(6000):
        if number % 2:
            words = list(base)
            words[number % 90] = f"version{number}"
            texts.append(f"{' '.join(words)}\n\n{notice}")
        else:
            texts.append(f"{text(7000 + number, words=40)}\n\n{notice}")
    urls = [f"https://one.example/page/{number}" for number in range(len(texts))]
    write_texts(tmp_path, texts, urls)
    for steps in (NEAR, '[[deduplicate]]\nmethod = "repeated-paragraphs"\n'):
        path = pipeline(tmp_path, steps, sources='["texts-*.jsonl"]')
        shutil.rmtree(tmp_path / "corpus", ignore_errors=True)
        shutil.rmtree(tmp_path / "dropped", ignore_errors=True)
        expected = by_command(command, path)
        assert by_spark(path) == expected
    assert expected[2]["repeated"] > 3000


def test_groups_of_pages_by_joins_are_those_of_the_driver(spark, tmp_path):
    draw = random.Random(7)
    edges = [(draw.randrange(300), draw.randrange(300)) for _ in range(200)]
    # A long chain, and a page that all others are connected to.
    edges += [(1000 + n, 1001 + n) for n in range(30)] + [(2000, 2001 + n) for n in range(60)]
    edges = sorted({(max(pair), min(pair)) for pair in edges if pair[0] != pair[1]})
    expected = connected(edges)
    frame = spark.createDataFrame(edges, "a bigint, b bigint")
    job = _Run(spark, "", "", webstrata.Extractor("strata"), str(tmp_path), 0)
    found = _in_rounds(job, frame).collect()
    assert sorted(map(tuple, found)) == expected


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes by /proc")
def test_a_worker_that_is_killed_loses_nothing(spark, command, tmp_path, monkeypatch):
    crawl(tmp_path / "in", files=12, pages=60)
    path = pipeline(tmp_path, FILTERS + NEAR)
    expected = by_command(command, path)
    before = executors(spark)
    assert len(before) == 2
    killed: list[int] = []

    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while job.is_alive() and not killed:
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info and info.numTasks == 12 and 2 <= info.numCompletedTasks <= 8:
                    os.kill(before[0], signal.SIGKILL)
                    killed.append(before[0])
                    return
            time.sleep(0.005)

    job = threading.current_thread()
    monkeypatch.setattr("webstrata.spark.corpus.TASK_BYTES", 1)
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = by_spark(path)
    killer.join(10)
    assert killed, "the job was over too soon"
    assert found == expected
    assert killed[0] not in executors(spark)


def attempts(spark) -> int:
    """Stages that ran more than once."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(None)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return len({stage.stageId for stage in stages if stage and stage.currentAttemptId > 0})


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes by /proc")
def test_an_executor_that_is_killed_in_a_shuffle_loses_nothing(spark, command, tmp_path, monkeypatch):
    """It dies while a task of it reads what a shuffle has brought, and its own part of the shuffle is gone with it."""
    crawl(tmp_path / "in", files=6, pages=40)
    path = pipeline(tmp_path, FILTERS + NEAR)
    expected = by_command(command, path)
    undisturbed = by_spark(path)
    before = (executors(spark), attempts(spark))
    mark = tmp_path / "killed"
    in_order = corpus._in_order

    def dying(batches):
        for batch in batches:
            yield batch
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                kill_executor(mark)

    def in_order_and_dying(job, groups):
        return in_order(job, groups.mapInArrow(dying, groups.schema))

    monkeypatch.setattr(corpus, "_in_order", in_order_and_dying)
    monkeypatch.setattr(corpus, "TASK_BYTES", 1)
    assert by_spark(path) == undisturbed == expected
    assert int(mark.read_text()) in before[0], "no executor was killed"
    # What the dead one had for others was made again.
    assert attempts(spark) > before[1]


def test_what_a_run_says(spark, tmp_path):
    crawl(tmp_path / "in", files=1, pages=8)
    run = webstrata_spark.run
    for steps, form, sources, wanted in (
        ('[[filter]]\nname = "word"\n', "jsonl", '["in/"]', "filter 1: no filter `word`"),
        ("", "csv", '["in/"]', "Spark does not write csv; there are parquet, jsonl, jsonl.gz"),
        ("", "jsonl", '["https://a.example/"]', "an address; name it in `urls`"),
        ("", "jsonl", '["none/*.warc"]', "none/\\*.warc: no such file"),
        ('[extract]\nextractor = "strata+site"\n', "jsonl", '["in/"]', "needs all pages of a site"),
    ):
        path = pipeline(tmp_path, steps, form=form, sources=sources)
        with pytest.raises(webstrata.Error, match=wanted) as raised:
            run(path)
        assert "\n" not in str(raised.value)
    path = pipeline(tmp_path, "")
    with pytest.raises(webstrata.DataError, match="lie in each other"):
        run(path, str(tmp_path / "in" / "out"))
    written = run(path).written
    assert written > 4
    with pytest.raises(webstrata.DataError, match="is there already"):
        run(path)
    assert not list(tmp_path.glob("*.stage-*"))
    # A file that cannot be read is counted, as by the command.
    (tmp_path / "in" / "bad.warc.gz").write_bytes(b"\x1f\x8b" + b"nonsense" * 100)
    counts = run(path, overwrite=True)
    assert counts.written == written and sum(counts.problems.values()) > 2
    assert _webstrata.CorpusPipeline(path.read_text()).part_size == 256 << 20
