"""PageRank over a real Spark cluster of two worker processes, beside `webstrata links pagerank`."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess

import pytest

import webstrata

pytest.importorskip("pyspark", minversion="4.0")
pytest.importorskip("numpy")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java", allow_module_level=True)

from cluster import QUIET

from webstrata import spark as webstrata_spark

pytestmark = QUIET


def web(seed: int = 3) -> list[dict]:
    """Records of pages with links: hosts of all sizes, menus, dead ends, odd addresses."""
    draw = random.Random(seed)
    hosts = [f"h{n}.example" for n in range(8)]
    sizes = [120, 60, 30, 20, 10, 5, 2, 1]
    pages = [f"https://{h}/{n}" for h, size in zip(hosts, sizes) for n in range(size)]
    records = []
    for page in pages:
        host = page.split("/")[2]
        links = [(f"https://{host}/0", False, None), (f"HTTPS://{host}:443/x/../1#top", False, None)]
        inside = [other for other in pages if other.split("/")[2] == host]
        for _ in range(draw.randint(0, 6)):
            # Most links stay on their host, as on the Web.
            target = draw.choice(inside if draw.random() < 0.9 else pages)
            links.append((target, draw.random() < 0.5, draw.choice([None, "nofollow"])))
        links += [(page, True, None), ("https://seen.example/only", True, "me"), ("mailto:x@y", True, None)]
        records.append((page, [] if draw.random() < 0.1 else links + links[:1]))
    return [
        {
            "id": page,
            "url": page,
            "links": [
                {"url": url, "text": "", "rel": rel, "in_content": where, "internal": None}
                for url, where, rel in links
            ],
        }
        for page, links in records
    ]


def by_command(command, folder, records, *options) -> dict[str, float]:
    (folder / "web.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    graph = folder / "graph"
    shutil.rmtree(graph, ignore_errors=True)
    build = ["links", "build", folder / "web.jsonl", "--format", "records", "--out", graph, "--quiet"]
    rank = ["links", "pagerank", graph, "--out", folder / "ranks.tsv", "--error", "1e-9", "--quiet"]
    for arguments in (build, [*rank, *options]):
        run = [command, *map(str, arguments)]
        done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    lines = (folder / "ranks.tsv").read_text().splitlines()
    pairs = (line.split("\t") for line in lines if not line.startswith("#"))
    return {page: float(rank) for page, rank in pairs}


def tables(spark, records):
    links = [
        (one["url"], link["url"], link["rel"], link["in_content"])
        for one in records
        for link in one["links"]
    ]
    kind = "source string, target string, rel string, in_content boolean"
    pages = [(one["url"],) for one in records]
    return spark.createDataFrame(links, kind), spark.createDataFrame(pages, "url string")


def apart(found: dict[str, float], expected: dict[str, float]) -> float:
    assert found.keys() == expected.keys()
    return sum(abs(found[page] - expected[page]) for page in expected)


def test_ranks_are_those_of_the_command(spark, command, tmp_path):
    records = web()
    links, pages = tables(spark, records)
    expected = by_command(command, tmp_path, records)
    checkpoint = str(tmp_path / "state")
    # The largest host is in several parts.
    found = webstrata_spark.pagerank(
        links, pages, checkpoint=checkpoint, parts=3, max_iterations=2
    )
    early = {row["url"]: row["rank"] for row in found.collect()}
    assert apart(early, expected) > 1e-6
    # It goes on where it stopped, without the links.
    found = webstrata_spark.pagerank(
        links.limit(0), pages.limit(0), checkpoint=checkpoint, parts=3, error=5e-7
    )
    rows = found.collect()
    assert apart({row["url"]: row["rank"] for row in rows}, expected) < 1e-6
    assert {row["host"] for row in rows} == {f"h{n}.example" for n in range(8)} | {"seen.example"}
    assert len(list((tmp_path / "state").glob("state-*"))) == 2
    placed = spark.read.parquet(f"{checkpoint}/nodes")
    assert len({row["part"] for row in placed.where("host = 'h0.example'").collect()}) > 1
    with pytest.raises(webstrata.DataError, match="other settings"):
        webstrata_spark.pagerank(links, checkpoint=checkpoint, parts=2)


def test_ranks_by_content_links(spark, command, tmp_path):
    records = web(4)
    links, pages = tables(spark, records)
    weights = ["--boilerplate", "0", "--internal", "1", "--external", "2"]
    expected = by_command(command, tmp_path, records, *weights)
    found = webstrata_spark.pagerank(
        links,
        pages,
        checkpoint=str(tmp_path / "state"),
        boilerplate=0,
        internal=1,
        external=2,
        error=5e-7,
    )
    assert apart({row["url"]: row["rank"] for row in found.collect()}, expected) < 1e-6


def test_what_is_wrong_with_a_ranking(spark, tmp_path):
    links = spark.createDataFrame([], "source string, target string, rel string, in_content boolean")
    for wrong in (
        {"damping": 1.0},
        {"hosts": "site"},
        {"error": 0},
        {"content": 0, "boilerplate": 0},
        {"internal": -1},
    ):
        with pytest.raises(webstrata.OptionError, match=": expected"):
            webstrata_spark.pagerank(links, checkpoint=str(tmp_path / "state"), **wrong)
    found = webstrata_spark.pagerank(links, checkpoint=str(tmp_path / "state"))
    assert found.collect() == [] and found.columns == ["url", "host", "rank"]
