"""A real Spark cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

# Sockets that the JVM's gateway leaves to the end of the process, and what Spark itself calls deprecated.
QUIET = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def started(folder):
    """The session; `session.folder` is a folder that `viewfs://crawl/data` leads to, too."""
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("webstrata-tests")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.default.parallelism", "2")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.executorEnv.SPARK_LOCAL_IP", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", str(Path(__file__).parent))
        # Any name of a host leads to this machine's files: a file system that pyarrow does not know.
        .config("spark.hadoop.fs.viewfs.mounttable.crawl.link./data", f"file:{folder}")
        .config("spark.log.level", "OFF")
    )
    session = builder.getOrCreate()
    session.folder = folder
    return session


def executors(spark):
    """The executor processes of this application."""
    application = spark.sparkContext.applicationId
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "CoarseGrainedExecutorBackend" in line and application in line:
                found.append(int(entry.name))
    return found


def kill_executor(mark):
    """Kills the executor that this task runs in, and leaves its number in a file."""
    process = os.getpid()
    while "CoarseGrainedExecutorBackend" not in (Path("/proc") / str(process) / "cmdline").read_text():
        stat = (Path("/proc") / str(process) / "stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
    mark.write_text(str(process))
    os.kill(process, signal.SIGKILL)
