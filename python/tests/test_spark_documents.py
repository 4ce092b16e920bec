"""What docs/spark.md shows, run: its commands, and its Python in the order of the page.

Lines of ```` ```sh ```` are run, those of ```` ```sh others ```` are not: they install, or need a cluster. Addresses of S3 and HDFS lead to
a folder here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archives import crawl, page

pytest.importorskip("pyspark", minversion="4.0")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java", allow_module_level=True)

REPOSITORY = Path(__file__).parents[2]
DOCUMENT = REPOSITORY / "docs" / "spark.md"
if not DOCUMENT.exists():
    pytest.skip("the documents are not here", allow_module_level=True)

PIPELINE = """
sources = ["crawl/"]
[[filter]]
name = "gopher-quality"
[[deduplicate]]
method = "main-text"
[output]
folder = "corpus"
format = "jsonl"
"""

BEFORE = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
pages = [(open(f"page-{n}.html").read(), f"https://a.example/{n}") for n in range(3)]
df = spark.createDataFrame(pages, "html string, url string")
"""

AFTER = """
assert texts.where("text <> '' AND markdown <> ''").count() == 3
assert pages.count() > 0 and records.count() >= kept.count()
assert links.count() > 0 and ranks.count() > 0
assert summary.pages > 0 and counts.written > 0
"""


def blocks(kind: str) -> list[str]:
    """The blocks of code of a kind."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path):
    crawl(tmp_path / "crawl", files=2, pages=8)
    (tmp_path / "crawl" / "short.html").write_text("<p>The ferry leaves at seven.</p>")
    for number in range(3):
        (tmp_path / f"page-{number}.html").write_text(page(number))
    (tmp_path / "corpus.toml").write_text(PIPELINE)
    return tmp_path


def here(code: str, folder: Path) -> str:
    return re.sub(r"s3a://|hdfs:///", f"file:{folder}/", code)


def run(folder: Path, arguments: list[str]) -> None:
    settings = ["spark.ui.enabled=false", "spark.driver.bindAddress=127.0.0.1"]
    settings += ["spark.driver.host=127.0.0.1", "spark.sql.shuffle.partitions=2"]
    submit = ["--master", "local[2]", *(part for one in settings for part in ("--conf", one))]
    env = dict(
        os.environ,
        PYSPARK_SUBMIT_ARGS=shlex.join([*submit, "pyspark-shell"]),
        PYSPARK_PYTHON=sys.executable,
        SPARK_LOCAL_IP="127.0.0.1",
    )
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"


def test_commands(folder):
    lines = [line for block in blocks("sh") for line in block.splitlines() if line]
    assert lines
    for line in lines:
        python, *arguments = shlex.split(here(line, folder))
        assert python == "python", f"{line}: begins its block with `sh others`, or is ours"
        run(folder, arguments)
    assert list((folder / "clean").glob("*.parquet")) and list((folder / "links").iterdir())


def test_python(folder):
    job = [block for block in blocks("python") if "sys.exit" in block]
    rest = [block for block in blocks("python") if block not in job]
    assert len(job) == 1 and len(rest) > 1
    script = "\n".join([BEFORE, *rest, AFTER])
    (folder / "all.py").write_text(here(script, folder))
    run(folder, ["all.py"])
    # What spark-submit runs on a cluster, with the arguments of the page.
    (folder / "job.py").write_text(job[0])
    (submit,) = (line for block in blocks("sh others") for line in block.splitlines() if " job.py " in line)
    shutil.rmtree(folder / "clean")
    run(folder, ["job.py", *shlex.split(here(submit.split(" job.py ")[1], folder))])


def test_files_that_others_name():
    lines = [line for block in blocks("sh others") for line in block.splitlines()]
    named = [word for line in lines for word in line.split() if word.startswith(("python/", "bench/"))]
    assert named and all((REPOSITORY / word).exists() for word in named)
