"""A real Spark cluster of two worker processes on this machine, beside the command line."""

from __future__ import annotations

import errno
import functools
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from archives import crawl, lines, page, record, text

import webstrata

pyspark = pytest.importorskip("pyspark", minversion="4.0")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java", allow_module_level=True)

import pyarrow
from cluster import QUIET, executors
from test_same_records import options

from webstrata import spark as webstrata_spark
from webstrata.spark import archives as spark_archives
from webstrata.spark import pages as spark_pages
from webstrata.spark.__main__ import main as driver
from webstrata.spark.duplicates import decide
from webstrata.spark.progress import Progress

pytestmark = QUIET


@pytest.fixture(scope="module")
def crawled(spark):
    crawl(spark.folder / "crawl")
    return spark.folder


def in_order(frame):
    return frame.orderBy("archive", "offset", "within")


def test_pages_of_data_frames(spark):
    pages = [page(number) for number in range(5)]
    frame = spark.createDataFrame(
        [(n, f"https://a.example/{n}", one) for n, one in enumerate(pages)],
        "n int, url string, html string",
    )
    made = webstrata_spark.extract(frame, formats=("links", "metadata", "blocks", "json"))
    rows = {row["n"]: row for row in made.collect()}
    documents = webstrata.extract_many(
        [(one, f"https://a.example/{n}") for n, one in enumerate(pages)],
        formats=("links", "metadata", "blocks"),
    )
    for number, document in enumerate(documents):
        row = rows[number]
        assert (row["text"], row["words"]) == (document.text, document.words)
        assert json.loads(row["record"]) == document.to_dict()
        assert row["metadata"]["title"] == document.title
    links = webstrata_spark.links(frame).collect()
    expected = [
        (
            f"https://a.example/{number}",
            link.url,
            link.text,
            link.rel,
            link.in_content,
            link.internal,
        )
        for number, one in enumerate(pages)
        for link in webstrata.extract(one, url=f"https://a.example/{number}").links
    ]
    assert sorted(map(tuple, links), key=str) == sorted(expected, key=str)
    with pytest.raises(webstrata.OptionError, match="no column"):
        webstrata_spark.extract(frame, html="page")
    with pytest.raises(TypeError, match="did you mean `favor`"):
        webstrata_spark.extract(frame, favour="recall")


def test_random_pages_with_random_requests(spark, cases):
    frames = []
    for number, case in enumerate(cases[:60]):
        asked = options(case["request"])
        row = (number, bytearray(case["page"], "latin-1"), asked.pop("url", None), asked.pop("charset", None))
        frame = spark.createDataFrame([row], "n int, page binary, url string, label string")
        asked["formats"] += ("json",)
        made = webstrata_spark.extract(frame, "page", charset="label", keep=["n"], **asked)
        frames.append(made.select("n", "record"))
    # A frame for each request, and one job for all.
    rows = {row["n"]: row["record"] for row in functools.reduce(type(frames[0]).union, frames).collect()}
    for number, case in enumerate(cases[:60]):
        assert json.loads(rows[number]) == case["record"], (number, case["request"])


@pytest.mark.parametrize("extractor", ["strata", "strata+site"])
def test_records_are_those_of_the_command_line(spark, crawled, command, tmp_path, extractor):
    expected = lines(
        command, [str(crawled / "crawl"), "--extractor", extractor], tmp_path / "out", tmp_path
    )
    assert len(expected) > 40
    made = webstrata_spark.extract_warc(
        spark, str(crawled / "crawl"), extractor=extractor, formats=("json",)
    )
    assert [row["record"] for row in in_order(made).collect()] == expected
    if extractor == "strata":
        pages = webstrata_spark.read_warc(spark, str(crawled / "crawl" / "*.warc*"))
        made = webstrata_spark.extract_pages(pages, formats=("json",))
        assert [row["record"] for row in in_order(made).collect()] == expected


def test_filters_are_those_of_the_command_line(spark, crawled, command, tmp_path):
    filters = ["--min-words", "30", "--language", "en", "--status", "200-299,404"]
    expected = lines(command, [str(crawled / "crawl"), *filters], tmp_path / "out", tmp_path)
    made = webstrata_spark.extract_warc(
        spark,
        str(crawled / "crawl"),
        min_words=30,
        languages=["en"],
        statuses="200-299,404",
        formats=("json",),
    )
    assert [row["record"] for row in in_order(made).collect()] == expected


def test_typed_columns_are_those_of_the_commands_parquet(spark, crawled, command, tmp_path):
    out = tmp_path / "table"
    run = [
        command,
        "warc",
        str(crawled / "crawl"),
        "--out",
        str(out),
        "--format",
        "parquet",
        "--quiet",
    ]
    subprocess.run(run, check=True, timeout=300)
    expected = spark.read.parquet(str(out / "*.parquet"))
    made = webstrata_spark.extract_warc(spark, str(crawled / "crawl"))
    assert made.columns[1:] == expected.columns
    assert dict(made.dtypes[1:]) == dict(expected.dtypes)
    rows = [tuple(row)[1:] for row in in_order(made).collect()]
    assert sorted(map(str, rows)) == sorted(str(tuple(row)) for row in expected.collect())


def test_any_hadoop_file_system(spark, crawled):
    by_tasks = webstrata_spark.extract_warc(spark, str(crawled / "crawl"), formats=("json",))
    by_spark = webstrata_spark.extract_warc(spark, "viewfs://crawl/data/crawl", formats=("json",))
    with_names = [row["record"] for row in in_order(by_tasks).collect()]
    others = [row["record"] for row in in_order(by_spark).collect()]
    assert [one.replace("viewfs://crawl/data", str(crawled)) for one in others] == with_names
    archives = spark_archives.find(spark, ["viewfs://crawl/data/crawl/*.gz"])
    assert [archive.name for archive in archives] == [
        "viewfs://crawl/data/crawl/crawl-00.warc.gz",
        "viewfs://crawl/data/crawl/crawl-03.warc.gz",
    ]
    handed_over = webstrata_spark.read_warc(spark, str(crawled / "crawl"), through="spark")
    assert handed_over.count() == webstrata_spark.read_warc(spark, str(crawled / "crawl")).count()
    with pytest.raises(webstrata.ArchiveError, match="no such file"):
        webstrata_spark.read_warc(spark, str(crawled / "none*.warc"))
    (crawled / "empty").mkdir(exist_ok=True)
    with pytest.raises(webstrata.ArchiveError, match="no archives in it"):
        webstrata_spark.read_warc(spark, str(crawled / "empty"))


def test_a_bad_file_costs_itself(spark, crawled, tmp_path):
    good = crawled / "crawl" / "crawl-00.warc.gz"
    (tmp_path / "crawl").mkdir()
    shutil.copy(good, tmp_path / "crawl" / "good.warc.gz")
    (tmp_path / "crawl" / "bad.warc.gz").write_bytes(b"\x1f\x8b" + b"nonsense" * 100)
    # Reading it fails, also at the last attempt.
    (tmp_path / "crawl" / "failing.warc").symlink_to("/proc/self/mem")
    odd = tmp_path / "crawl" / "a#b%20c d.warc.gz"
    shutil.copy(good, odd)
    names = [str(tmp_path / "crawl" / "*d.warc.gz"), str(odd), str(tmp_path / "crawl" / "f*")]
    pages = webstrata_spark.read_warc(spark, [*names, str(good)], problems=True)
    # The archives are known by now: this one goes before its task comes.
    pages = pages.union(webstrata_spark.read_warc(spark, soon_gone(tmp_path), problems=True))
    (tmp_path / "gone.warc").unlink()
    rows = pages.select("file", "problem", "message", "html").collect()
    alone = webstrata_spark.read_warc(spark, str(good)).count()
    assert sum(row["html"] is not None for row in rows) == 3 * alone
    assert sum(row["file"] == str(odd) and row["html"] is not None for row in rows) == alone
    assert any(row["file"].endswith("bad.warc.gz") and row["problem"] for row in rows)
    for name in ("gone.warc", "failing.warc"):
        messages = [row["message"] for row in rows if row["file"].endswith(name)]
        assert len(messages) == 1 and messages[0]


def soon_gone(folder):
    path = folder / "gone.warc"
    path.write_bytes(record("https://a.example/", b"<p>Here"))
    return str(path)


def test_which_errors_are_worth_another_attempt(spark):
    assert spark_archives.may_pass(OSError("connection reset"))
    assert spark_archives.may_pass(OSError(errno.EIO, "bad disk"))
    assert not spark_archives.may_pass(FileNotFoundError(errno.ENOENT, "nothing there"))
    assert not spark_archives.may_pass(webstrata.ArchiveError("no archive"))
    assert not spark_archives.may_pass(pyarrow.ArrowInvalid("no URI"))
    wrapped = webstrata.ArchiveError("unreadable")
    wrapped.__cause__ = OSError("timed out")
    assert spark_archives.may_pass(wrapped)
    assert spark_archives.attempts(spark) == 4  # In a cluster; a local Spark tries once.


def test_names_are_those_of_the_command_line():
    named = spark_archives.named
    assert named("./crawl/x.warc", "/data/crawl/x.warc") == "./crawl/x.warc"
    assert named("../crawl/*/*.warc", "/data/crawl/a/x#.warc") == "../crawl/a/x#.warc"
    assert named("/c/[ab].warc", "/c/a.warc") == "/c/a.warc"
    assert named("s3a://c/d*/", "/deep") == "s3a://c/deep"
    assert named(r"c\*.warc", "/data/c*.warc") == "c*.warc"
    assert spark_archives.arrow_uri("s3a://crawl/a b#?%.warc") == "s3://crawl/a%20b%23%3F%25.warc"
    assert spark_archives.arrow_uri("hdfs://n:1/x y") == "hdfs://n:1/x%20y"


def test_folders_are_sorted_as_by_the_command_line(spark, command, tmp_path):
    for name in ("a/x.warc", "a.b/x.warc", "a-b.WARC", "a%20?#*[].warc", "_hidden.warc", "é.warc"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(record("https://a.example/", page(1).encode()))
    source = str(tmp_path / "in")
    expected = lines(command, [source], tmp_path / "out", tmp_path)
    assert len(expected) == 6
    made = webstrata_spark.extract_warc(spark, [source, source + "/*.warc"], formats=("json",))
    assert [row["record"] for row in in_order(made).collect()] == expected
    # Spark does not see hidden files; this says so. What it names twice is there once.
    handed = webstrata_spark.extract_warc(
        spark, [source, source], formats=("json",), through="spark", problems=True
    )
    rows = in_order(handed).collect()
    assert [row["file"] for row in rows if row["problem"]] == [source + "/_hidden.warc"]
    visible = [one for one in expected if "_hidden" not in one]
    assert [row["record"] for row in rows if not row["problem"]] == visible


def test_files_too_long_to_be_handed_over_say_so(spark, crawled):
    setting = "spark.sql.sources.binaryFile.maxLength"
    source = str(crawled / "crawl")
    sizes = sorted(path.stat().st_size for path in (crawled / "crawl").iterdir())
    spark.conf.set(setting, str(sizes[-2]))
    try:
        mixed = [source, "viewfs://crawl/data/crawl"]
        pages = webstrata_spark.read_warc(spark, mixed, problems=True)
        rows = pages.select("file", "problem", "message").collect()
    finally:
        spark.conf.unset(setting)
    refused = [row for row in rows if row["problem"] == "unreadable"]
    assert len(refused) == 1 and "longer than" in refused[0]["message"]
    assert len({row["file"] for row in rows}) == 8


def test_an_extractor_of_a_file_travels_to_the_workers(spark, crawled, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(webstrata.Extractor("strata").to_toml())
    source = str(crawled / "crawl" / "crawl-00.warc.gz")
    # Bounds of sites mean nothing to it, and do no harm.
    made = webstrata_spark.extract_warc(spark, source, extractor=str(file), site_pages=7)
    pages = spark.createDataFrame([(page(1),)], "html string")
    extracted = webstrata_spark.extract(pages, url=None, extractor=file)
    file.unlink()
    assert made.count() > 0
    assert extracted.collect()[0]["text"] == webstrata.extract(page(1)).text
    for wrong in (0, 2**30 + 1, "many", True):
        with pytest.raises(webstrata.OptionError, match="site_bytes"):
            webstrata_spark.extract_warc(spark, source, site_bytes=wrong)


def test_batches_are_cut_into_slices(monkeypatch):
    monkeypatch.setattr(spark_pages, "SLICE_BYTES", 1000)
    batch = pyarrow.RecordBatch.from_pydict({"html": ["x" * 900] * 3 + ["y"] * 600})
    parts = list(spark_pages.slices(iter([batch])))
    assert pyarrow.Table.from_batches(parts).to_pydict() == batch.to_pydict()
    assert max(part.num_rows for part in parts) <= 256
    assert all(part.num_rows == 1 or part.nbytes <= 1000 for part in parts)
    assert [part.num_rows for part in spark_pages.slices(iter([batch.slice(0, 0)]))] == [0]


def test_near_duplicates(spark, command, tmp_path):
    texts = [text(seed, words=120) for seed in range(12)]
    for number in range(12, 40):
        # Versions of earlier texts that differ in more and more words, and chains of them.
        words = texts[(number * 5) % 12 if number % 3 else number - 1].split()
        for place in range(number % 9):
            words[(place * 17) % len(words)] = f"changed{number}"
        texts.append(" ".join(words))
    texts += [texts[0], texts[3], "", "short one"]
    numbered = [(f"{number:03d}", one) for number, one in enumerate(texts)]
    frame = spark.createDataFrame(numbered, "id string, text string")
    results = []
    for driver_pairs, stage in ((1000, None), (0, None), (0, str(tmp_path / "stage"))):
        found = webstrata_spark.dedup(frame, driver_pairs=driver_pairs, stage=stage).collect()
        results.append({row["id"]: (row["duplicate_of"], row["similarity"]) for row in found})
    assert results[0] == results[1] == results[2]
    assert len(results[0]) == len(texts)
    source = tmp_path / "texts.jsonl"
    source.write_text(
        "".join(json.dumps({"id": id, "html": f"<p>{one}</p>"}) + "\n" for id, one in numbered)
    )
    run = [command, "dedup", "--method", "fulltext", "--format", "json", "--quiet", str(source)]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=120)
    decisions = [json.loads(line) for line in done.stdout.splitlines()]
    names = {one["name"]: one["id"] for one in decisions}
    expected = {one["id"]: (names.get(one["duplicate_of"]), one["similarity"]) for one in decisions}
    assert {id: results[0][id] for id in expected} == expected
    assert sum(of is not None for of, _ in results[0].values()) > 10


def test_columns_of_near_duplicates(spark):
    one, other = text(1), text(2)
    rows = [(7, one, -1), (8, one, 5), (9, other, 0), (10, one, -20)]
    frame = spark.createDataFrame(rows, "number bigint, text string, rank int")
    found = webstrata_spark.dedup(frame, id="number", order=["rank"]).collect()
    expected = {7: 10, 8: 10, 9: None, 10: None}
    assert {row["number"]: row["duplicate_of"] for row in found} == expected
    for wrong in ({"id": "none"}, {"id": "number", "text": "rank"}, {"id": "part"}):
        with pytest.raises(webstrata.OptionError, match="column"):
            webstrata_spark.dedup(frame.withColumn("part", frame["rank"] / 2), **wrong)
    with pytest.raises(webstrata.OptionError, match="already"):
        webstrata_spark.dedup(frame.withColumn("similarity", frame["rank"]), id="number")


def test_who_is_kept_is_decided_one_after_the_other():
    # b is like a, c like b but not like a: c is kept, since b is not there any more.
    assert decide([("1", "b", "a"), ("2", "c", "b")]) == {"b"}
    assert decide([("1", "b", "a"), ("2", "c", "b"), ("3", "d", "c"), ("3", "d", "b")]) == {
        "b",
        "d",
    }


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes by /proc")
def test_a_worker_that_is_killed_loses_nothing(spark, tmp_path):
    crawl(tmp_path / "many", files=16, pages=60)
    names = [str(path) for path in sorted((tmp_path / "many").iterdir())]
    alone = [
        row
        for name in names
        for batch in webstrata.warc_records(name, formats=("json",))
        for row in batch.column("record").to_pylist()
        if row is not None
    ]
    before = executors(spark)
    assert len(before) == 2
    rows = []
    job = threading.Thread(
        target=lambda: rows.extend(
            in_order(webstrata_spark.extract_warc(spark, names, formats=("json",))).collect()
        )
    )
    tracker = spark.sparkContext.statusTracker()
    job.start()
    killed = None
    deadline = time.monotonic() + 120
    while job.is_alive() and killed is None and time.monotonic() < deadline:
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if (
                info
                and info.numTasks == len(names)
                and 2 <= info.numCompletedTasks <= 10
                and killed is None
            ):
                killed = before[0]
                os.kill(killed, signal.SIGKILL)
        time.sleep(0.005)
    job.join(120)
    assert killed is not None, "the job was over too soon"
    assert [row["record"] for row in rows] == alone
    assert killed not in executors(spark)


def test_hostile_pages_cost_their_own_deadline(spark, tmp_path):
    members = [
        gzip.compress(record(f"https://a.example/{n}", page(n).encode(), number=n))
        for n in range(6)
    ]
    nested = record("https://a.example/deep", b"<div>" * 1_000_000 + b"deep", number=50)
    long = record(
        "https://a.example/long", b"<p>High water, they say. " * (100_000_000 // 25), number=51
    )
    hostile = members[:3] + [gzip.compress(nested, 1), gzip.compress(long, 1)] + members[3:]
    (tmp_path / "plain.warc.gz").write_bytes(b"".join(members))
    (tmp_path / "hostile.warc.gz").write_bytes(b"".join(hostile))

    def texts(name):
        made = webstrata_spark.extract_warc(spark, str(tmp_path / name), deadline_ms=150)
        return {row["url"]: (row["text"], row["limits"]) for row in made.collect()}

    plain, with_hostile = texts("plain.warc.gz"), texts("hostile.warc.gz")
    for name in ("deep", "long"):
        _, limits = with_hostile.pop(f"https://a.example/{name}")
        assert limits
    assert with_hostile == plain


def test_one_job_from_archives_to_clean_tables(spark, crawled, tmp_path):
    out, links, problems = (str(tmp_path / name) for name in ("clean", "links", "problems"))
    source = str(crawled / "crawl")
    summary = webstrata_spark.clean(spark, source, out, links=links, problems=problems)
    written = spark.read.parquet(out)
    assert summary.written == written.count() > 0
    assert summary.duplicates > 0 and summary.pages == summary.written + summary.duplicates
    assert summary.problems["not-html"] == 4 and summary.problems.keys() <= {
        "not-html",
        "damaged",
        "cut-off",
        "wrong-length",
    }
    assert spark.read.parquet(problems).count() == sum(summary.problems.values())
    # The note below each page of a site is gone, and each text is there once.
    rows = written.select("text", "url").collect()
    assert not any("lighthouse" in row["text"] for row in rows)
    assert len({row["text"] for row in rows}) == len(rows)
    table = spark.read.parquet(links)
    assert summary.links == table.count() > 0
    assert table.columns == ["source", "target", "text", "rel", "in_content", "internal"]
    assert {row["source"] for row in table.select("source").collect()} <= {
        row["url"] for row in rows
    }
    assert not list(tmp_path.glob("*.stage*"))
    inside = str(tmp_path / "new" / "links")
    for places in ((str(tmp_path / "new"), inside), (source + "/new", None), (inside, inside)):
        with pytest.raises(webstrata.DataError, match="lie in each other"):
            webstrata_spark.clean(spark, source, places[0], links=places[1], overwrite=True)
    with pytest.raises(webstrata.DataError, match="lie in each other"):
        webstrata_spark.clean(spark, source, str(crawled), overwrite=True)
    with pytest.raises(webstrata.DataError, match="is there already"):
        webstrata_spark.clean(spark, source, out)


def test_large_sites_are_cut_into_runs(spark, crawled):
    source = str(crawled / "crawl")
    whole = webstrata_spark.extract_warc(spark, source, extractor="strata+site")
    runs = webstrata_spark.extract_warc(spark, source, extractor="strata+site", site_pages=1)
    sizes = webstrata_spark.extract_warc(spark, source, extractor="strata+site", site_bytes=1)
    by_id = {row["id"]: row["text"] for row in whole.collect()}
    # Each run goes its own way, and archives are read once.
    plan = runs._jdf.queryExecution().executedPlan().toString()
    assert "hashpartitioning(site" in plan and "run" in plan.split("hashpartitioning(site", 1)[1]
    both = webstrata_spark.extract_warc(spark, source, extractor="strata+site", problems=True)
    for frame in (runs, both):
        assert frame._jdf.queryExecution().optimizedPlan().toString().count("MapInArrow") == 1
    plain = webstrata_spark.extract_warc(spark, source, problems=True)
    kinds = [
        sorted(map(tuple, frame.where("problem IS NOT NULL").select("id", "problem").collect()))
        for frame in (plain, both)
    ]
    assert kinds[0] == kinds[1] and kinds[0]
    alone = {row["id"]: row["text"] for row in runs.collect()}
    assert by_id.keys() == alone.keys()
    # Without its site nobody knows the note for boilerplate.
    assert any("lighthouse" in one for one in alone.values())
    assert not any("lighthouse" in one for one in by_id.values())
    assert {row["id"]: row["text"] for row in sizes.collect()} == alone


def test_progress_is_a_line(spark):
    assert Progress(spark.sparkContext).line() == ""
    seen = []

    def watch():
        progress = Progress(spark.sparkContext)
        while not seen and job.is_alive():
            line = progress.line()
            if line:
                seen.append(line)

    def slow(batches):
        for batch in batches:
            time.sleep(0.5)
            yield batch

    job = threading.Thread(target=lambda: spark.range(4).mapInArrow(slow, "id bigint").count())
    watcher = threading.Thread(target=watch)
    job.start()
    watcher.start()
    job.join(60)
    watcher.join(60)
    assert seen and "tasks done" in seen[0]


def test_the_driver_script(tmp_path):
    crawl(tmp_path / "crawl", files=2, pages=6)
    run = [sys.executable, "-W", "error::SyntaxWarning", "-m", "webstrata.spark"]
    environment = dict(os.environ, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    environment.pop("PYSPARK_GATEWAY_PORT", None)
    shown = subprocess.run(
        [*run, "--help"], check=False, capture_output=True, text=True, timeout=60
    )
    assert shown.returncode == 0 and "Examples:" in shown.stdout
    settings = [
        "--master",
        "local[2]",
        "--conf",
        "spark.ui.enabled=false",
        "--conf",
        "spark.log.level=OFF",
    ]
    settings += [
        "--conf",
        "spark.driver.bindAddress=127.0.0.1",
        "--conf",
        "spark.sql.shuffle.partitions=2",
    ]
    arguments = [*run, "crawl/*.warc*", "--out", "clean", *settings]
    done = subprocess.run(
        arguments,
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert "pages: " in done.stderr and "passed over: " in done.stderr and "\r" not in done.stderr
    assert done.stdout == ""
    assert list((tmp_path / "clean").glob("*.parquet"))


def test_what_the_driver_script_says(spark, crawled, tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "clean")
    assert driver([str(tmp_path / "none*.warc"), "--out", out]) == 2
    assert "none*.warc: no such file" in capsys.readouterr().err
    source = str(crawled / "crawl" / "crawl-00.warc.gz")
    assert driver([source, "--out", str(crawled / "crawl")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert driver([source, "--out", out, "--extractor", "stratum"]) == 2
    assert "did you mean `strata`?" in capsys.readouterr().err
    assert driver([source, "--out", out, "--conf", "nonsense"]) == 2
    assert "expected KEY=VALUE" in capsys.readouterr().err
    for wrong in (["--min-words", "-1"], ["--site-pages", "0"], ["--hashes", "-3"]):
        assert driver([source, "--out", out, *wrong]) == 2
        said = capsys.readouterr().err
        assert said.startswith("error: ") and said.count("\n") == 1
    assert driver(["nosuch://x/y.warc", "--out", out]) == 2
    said = capsys.readouterr().err
    assert "nosuch" in said and said.count("\n") == 1
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pyspark.sql", None)
        assert driver([source, "--out", out]) == 2
    assert "webstrata[spark]" in capsys.readouterr().err
    assert driver([source, "--out", out, "--min-words", "9999", "--no-dedup", "-q"]) == 1
    assert capsys.readouterr().err == ""
