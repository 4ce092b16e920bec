"""Pages per second and core: Spark beside the command line, on the same archives.

    python bench/spark.py --command target/dist/webstrata crawl/*.warc.gz

Build both with the profile `dist` first (`maturin develop --profile dist`). Without archives, invented ones are written to a
temporary folder. The first runs of a job have the start of Python workers and the JVM's warming up in them; the first and
the mean of those behind the first `--warm` are shown, none has the start of Spark itself, which is shown by itself. Where the machine
does other things, too, the seconds of processors that each took say more than those on the clock.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Seconds on the clock and of processors.
Taken = tuple[float, float]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", nargs="*", help="web archives")
    parser.add_argument("--command", required=True, help="the command line, built with the profile dist")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3, help="that are counted")
    parser.add_argument("--warm", type=int, default=4, help="runs of Spark that are not counted")
    parser.add_argument("--extractor", default="strata")
    return parser.parse_args()


def invented(folder: Path) -> list[str]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from archives import crawl

    return [str(path) for path in crawl(folder / "crawl", files=16, pages=400)]


def busy() -> float:
    """Seconds of processors that all processes below this one have taken, Spark's among them."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    taken: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            # Its own, and those of children that are gone.
            taken[int(entry.name)] = sum(map(int, fields[11:15])) / ticks

    def is_below(process: int) -> bool:
        while process > 1 and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    return sum(seconds for process, seconds in taken.items() if is_below(process))


def by_command(args: argparse.Namespace, archives: list[str], folder: Path) -> Taken:
    out = folder / "command"
    shutil.rmtree(out, ignore_errors=True)
    begin, before = time.perf_counter(), busy()
    run = [args.command, "warc", *archives, "--out", str(out), "--format", "parquet", "--quiet"]
    subprocess.run([*run, "--extractor", args.extractor, "--jobs", str(args.cores)], check=True)
    return time.perf_counter() - begin, busy() - before


def main() -> None:
    args = arguments()
    folder = Path(tempfile.mkdtemp(prefix="webstrata-spark-"))
    archives = args.archives or invented(folder)
    size = sum(Path(path).stat().st_size for path in archives)
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    from webstrata import spark as webstrata_spark

    begin = time.perf_counter()
    spark = (
        SparkSession.builder.master(f"local-cluster[{args.cores},1,1024]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", str(args.cores))
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate()
    )
    spark.range(args.cores).count()
    start = time.perf_counter() - begin

    def by_spark() -> Taken:
        begin, before = time.perf_counter(), busy()
        records = webstrata_spark.extract_warc(spark, archives, extractor=args.extractor)
        records.write.mode("overwrite").parquet(str(folder / "spark"))
        return time.perf_counter() - begin, busy() - before

    pages = webstrata_spark.read_warc(spark, archives).count()
    first = by_spark()
    for _ in range(args.warm - 1):
        by_spark()
    times: dict[str, list[Taken]] = {"command": [], "spark": []}
    # By turns, so that whatever else the machine does meets both.
    for _ in range(args.runs):
        times["command"].append(by_command(args, archives, folder))
        times["spark"].append(by_spark())
    spark.stop()
    print(
        f"{pages} pages, {size / 1e6:.0f} MB packed, {len(archives)} archives, "
        f"{args.cores} cores, {args.extractor}"
    )
    mean = {name: [sum(each) / len(each) for each in zip(*all)] for name, all in times.items()}
    print(
        "| | seconds | pages per second and core | of the command | of processors | of the command |"
    )
    print("|---|---|---|---|---|---|")
    clock, processors = mean["command"]
    for name, (seconds, cpu) in (
        ("`webstrata warc`", mean["command"]),
        ("Spark, steady", mean["spark"]),
        ("Spark, first job", first),
    ):
        rate = pages / seconds / args.cores
        print(
            f"| {name} | {seconds:.1f} | {rate:.0f} | {clock / seconds:.2f} | {cpu:.1f} | {processors / cpu:.2f} |"
        )
    print(f"| start of Spark | {start:.1f} | | | | |")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
