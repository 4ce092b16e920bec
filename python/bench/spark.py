"""Pages per second and core: Spark beside the command line, on the same archives.

    python bench/spark.py --command target/release/webstrata crawl/*.warc.gz

Build both in release mode first (`maturin develop --release`). Without archives, invented ones are written to a
temporary folder. The first run of a job has the start of Python workers and the JVM's warming up in it; both it and
the mean of the later ones are shown, none has the start of Spark itself, which is shown by itself.
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


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archives", nargs="*", help="web archives")
    parser.add_argument("--command", required=True, help="the command line, built in release mode")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3, help="after the first")
    parser.add_argument("--extractor", default="strata")
    return parser.parse_args()


def invented(folder: Path) -> list[str]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from archives import crawl

    return [str(path) for path in crawl(folder / "crawl", files=16, pages=400)]


def by_command(args: argparse.Namespace, archives: list[str], folder: Path) -> float:
    out = folder / "command"
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    run = [args.command, "warc", *archives, "--out", str(out), "--format", "parquet", "--quiet"]
    subprocess.run([*run, "--extractor", args.extractor, "--jobs", str(args.cores)], check=True)
    return time.perf_counter() - begin


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
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", str(args.cores))
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate()
    )
    spark.range(args.cores).count()
    start = time.perf_counter() - begin

    def by_spark() -> float:
        begin = time.perf_counter()
        records = webstrata_spark.extract_warc(spark, archives, extractor=args.extractor)
        records.write.mode("overwrite").parquet(str(folder / "spark"))
        return time.perf_counter() - begin

    pages = webstrata_spark.read_warc(spark, archives).count()
    first = by_spark()
    times = {"command": [], "spark": []}
    # By turns, so that whatever else the machine does meets both.
    for _ in range(args.runs):
        times["command"].append(by_command(args, archives, folder))
        times["spark"].append(by_spark())
    spark.stop()
    mean = {name: sum(each) / len(each) for name, each in times.items()}
    rate = {name: pages / one / args.cores for name, one in mean.items()}
    print(
        f"{pages} pages, {size / 1e6:.1f} MB packed, {len(archives)} archives, {args.cores} cores, {args.extractor}"
    )
    print("| | seconds | pages per second and core | of the command |")
    print("|---|---|---|---|")
    print(f"| `webstrata warc` | {mean['command']:.2f} | {rate['command']:.0f} | 1.00 |")
    print(
        f"| Spark, steady | {mean['spark']:.2f} | {rate['spark']:.0f} | {rate['spark'] / rate['command']:.2f} |"
    )
    alone = pages / first / args.cores
    print(f"| Spark, first job | {first:.2f} | {alone:.0f} | {alone / rate['command']:.2f} |")
    print(f"| start of Spark | {start:.2f} | | |")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
