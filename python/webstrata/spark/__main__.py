"""The driver script: ``python -m webstrata.spark``, or this file for spark-submit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata.spark import Summary

_EXAMPLES = """\
Examples:
  python -m webstrata.spark crawl/*.warc.gz --out clean
  python -m webstrata.spark crawl/ --out clean --links links --problems problems
  python -m webstrata.spark 's3a://crawl/*.warc.gz' --out s3a://texts/clean --language en,de
  spark-submit --master yarn .../webstrata/spark/__main__.py 'hdfs:///crawl/*.warc.gz' --out hdfs:///clean

Paths are files, directories or globs of any Hadoop file system. The output is Parquet, with the columns of
`webstrata warc --format parquet`.

Exit codes: 0 pages were written, 1 no page was, 2 an archive cannot be read, or something failed."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m webstrata.spark",
        description="Clean, deduplicated main texts of web archives, by Apache Spark",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="+", metavar="WARC|DIR", help="web archives, directories of them, or globs")
    add("--out", required=True, metavar="DIR", help="where the pages go")
    add("--links", metavar="DIR", help="where the table of their links goes")
    add("--problems", metavar="DIR", help="where the table of what was passed over goes")
    add("--extractor", default="strata+site", metavar="NAME|TOML", help="[default: strata+site]")
    add("--no-dedup", action="store_true", help="keep near-duplicates")
    add(
        "--hashes",
        type=int,
        default=64,
        metavar="N",
        help="min-hashes in a fingerprint [default: 64]",
    )
    add("--share", type=float, default=0.5, help="that duplicates have in common [default: 0.5]")
    add("--order", choices=["arrival", "date"], default="arrival", help="which duplicate is kept")
    add("--min-words", type=int, default=1, metavar="N", help="of a main text [default: 1]")
    add("--language", metavar="LIST", help="only texts in these languages, such as en,de")
    add("--text", choices=["structured", "flat"], help="the shape of texts [default: structured]")
    add("--include", metavar="LIST", help="parts of pages to write, too, such as comment,byline")
    add("--exclude", metavar="LIST", help="parts of pages not to write, such as caption,table")
    add("--status", metavar="LIST", help="of servers' answers [default: 200-299]")
    add("--deadline-ms", type=float, metavar="MS", help="the time that one page may take")
    add("--max-bytes", type=int, metavar="N", help="of a page that are read")
    add(
        "--site-pages",
        type=int,
        metavar="N",
        help="of a site that are looked at together [default: 5000]",
    )
    add("--site-bytes", type=int, metavar="N", help="the same in bytes [default: 268435456]")
    add("--through", choices=["tasks", "spark"], help="how files come to tasks")
    add("--overwrite", action="store_true", help="replace what is there")
    add("--master", metavar="URL", help="Spark's; otherwise as configured")
    add("--conf", action="append", default=[], metavar="KEY=VALUE", help="more of Spark's settings")
    add("-q", "--quiet", action="store_true", help="no progress, no summary")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job; returns the exit code."""
    args = _parser().parse_args(arguments)
    for setting in args.conf:
        if "=" not in setting:
            return _failed(f"--conf {setting}: expected KEY=VALUE")
    try:
        import pyspark.sql  # noqa: F401
        from pyspark.errors import PySparkException
    except ImportError as error:
        return _failed(f"{error}; pip install 'webstrata[spark]'")
    import webstrata

    try:
        summary = _run(args)
    except (
        webstrata.Error,
        PySparkException,
        OSError,
        TypeError,
        ValueError,
        OverflowError,
    ) as error:
        return _failed(_line(error))
    except Exception as error:
        # Those of the bridge to Java, which has no types: whatever Hadoop says.
        if not type(error).__module__.startswith("py4j"):
            raise
        return _failed(_line(error))
    if not args.quiet:
        _show(summary._asdict())
    if "unreadable" in summary.problems or "internal" in summary.problems:
        return 2
    return 0 if summary.written else 1


def _run(args: argparse.Namespace) -> Summary:
    from pyspark.sql import SparkSession

    from webstrata import spark as webstrata_spark
    from webstrata.spark.progress import Progress

    builder = SparkSession.builder.appName("webstrata")
    if args.master:
        builder = builder.master(args.master)
    # Ours takes its place; in a pipe, Spark's own would still be there.
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    for setting in args.conf:
        key, _, value = setting.partition("=")
        builder = builder.config(key, value)
    # Whoever has one already keeps it.
    is_ours = SparkSession.getActiveSession() is None
    spark = builder.getOrCreate()
    options = {
        name: value
        for name in ("text", "deadline_ms", "max_bytes", "site_pages", "site_bytes", "through")
        if (value := getattr(args, name)) is not None
    }
    parts = {name: getattr(args, name) for name in ("include", "exclude")}
    options |= {name: names.split(",") for name, names in parts.items() if names}
    try:
        with Progress(spark.sparkContext, args.quiet):
            return webstrata_spark.clean(
                spark,
                args.paths,
                args.out,
                links=args.links,
                problems=args.problems,
                extractor=args.extractor,
                dedup=not args.no_dedup,
                hashes=args.hashes,
                share=args.share,
                order=args.order,
                min_words=args.min_words,
                languages=args.language.split(",") if args.language else None,
                statuses=args.status,
                overwrite=args.overwrite,
                **options,
            )
    finally:
        if is_ours:
            spark.stop()


def _line(error: BaseException) -> str:
    """The first line of a message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # Of Java's exceptions, the first line only says which call of Python's it was.
    if len(lines) > 1 and lines[1].startswith(": "):
        return lines[1][2:]
    return lines[0] if lines else type(error).__name__


def _failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def _show(summary: dict[str, object]) -> None:
    problems = summary.pop("problems")
    line: list[str] = [f"{name}: {count}" for name, count in summary.items()]
    print(", ".join(line), file=sys.stderr)
    if isinstance(problems, dict) and problems:
        each = ", ".join(f"{kind} {count}" for kind, count in sorted(problems.items()))
        print(f"passed over: {each}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
