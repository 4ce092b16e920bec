"""From a web archive to filtered, deduplicated Parquet: `webstrata corpus run` beside datatrove, with trafilatura and with
resiliparse inside.

    pip install 'datatrove[io]==0.10.1' spacy nltk regex 'xxhash<4' tldextract ftfy trafilatura==2.3.1 lxml_html_clean resiliparse
    python bench/datatrove_pipeline.py PROGRAM SETS_DIR [--megabytes N] [--keep FILE.warc.gz]

The archive is made of pages of wcxb-dev. The steps are the same on both sides: extraction, the rules of Gopher (repetition,
quality) and FineWeb, masked addresses, near-duplicates by MinHash (runs of 5 words, 14 bands of 8). Each run is a process of
its own that works on one core; CPU time is that of the process and its children.
"""

import argparse
import gzip
import io
import json
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

from bulk import record
from harness import manifest

PIPELINE = """
sources = ["{archive}"]

[[filter]]
name = "gopher-repetition"
[[filter]]
name = "gopher-quality"
[[filter]]
name = "fineweb"
[[filter]]
name = "mask-personal"

[[deduplicate]]
method = "main-text"
threshold = 0.7

[output]
folder = "{out}"
format = "parquet"
"""


def make(archive: Path, sets_dir: Path, megabytes: int) -> tuple[int, int]:
    """Writes pages until they have so many bytes, with the heads of their records."""
    count = size = 0
    with archive.open("wb") as file:
        for page in manifest.select(sets_dir, ["wcxb-dev"], None):
            if size >= megabytes * 1_000_000:
                break
            bytes_ = record("response", count, page.path.read_bytes())
            member = io.BytesIO()
            with gzip.GzipFile(fileobj=member, mode="wb", compresslevel=6, mtime=0) as packed:
                packed.write(bytes_)
            file.write(member.getvalue())
            count, size = count + 1, size + len(bytes_)
    return count, size


def measured(command: list[str]) -> tuple[float, int]:
    """CPU seconds and the peak of memory in MB, of the process and those that it starts."""
    pid = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{command}: failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def peer(extractor: str, archive: str, folder: str) -> None:
    """What a process of datatrove does."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.filters import FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
    from datatrove.pipeline.formatters import PIIFormatter
    from datatrove.pipeline.readers import JsonlReader, WarcReader
    from datatrove.pipeline.writers import JsonlWriter, ParquetWriter

    class Resiliparse(BaseExtractor):
        name = "Resiliparse"

        def __init__(self, timeout: float) -> None:
            super().__init__(timeout)

        def extract(self, text: str) -> str:
            from resiliparse.extract.html2text import extract_plain_text

            return extract_plain_text(text, main_content=True)

    # A second a page, datatrove's default, loses the slowest pages on a busy machine.
    timeout = 60
    inner = {
        "trafilatura": lambda: Trafilatura(favour_precision=False, deduplicate=False, timeout=timeout),
        "resiliparse": lambda: Resiliparse(timeout=timeout),
    }[extractor]()
    path = Path(archive)
    minhash = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
    stages = [
        [
            WarcReader(str(path.parent), glob_pattern=path.name),
            inner,
            GopherRepetitionFilter(),
            GopherQualityFilter(),
            FineWebQualityFilter(),
            PIIFormatter(),
            JsonlWriter(f"{folder}/texts"),
        ],
        [JsonlReader(f"{folder}/texts"), MinhashDedupSignature(f"{folder}/signatures", config=minhash)],
        [MinhashDedupBuckets(f"{folder}/signatures", f"{folder}/buckets", config=minhash)],
        [MinhashDedupCluster(f"{folder}/buckets", f"{folder}/remove", config=minhash)],
        [
            JsonlReader(f"{folder}/texts"),
            MinhashDedupFilter(f"{folder}/remove"),
            ParquetWriter(f"{folder}/corpus"),
        ],
    ]
    for number, stage in enumerate(stages):
        tasks = minhash.num_buckets if number == 2 else 1
        LocalPipelineExecutor(stage, tasks=tasks, workers=1, logging_dir=f"{folder}/logs/{number}").run()
    written = 0
    for stats in Path(f"{folder}/logs/4").glob("stats.json"):
        steps = json.loads(stats.read_text())
        written = steps[-1]["stats"].get("total", {})
    print("written:", written, file=sys.stderr)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    if usage.ru_maxrss:
        print("children:", usage.ru_maxrss // 1024, "MB", file=sys.stderr)


def main() -> None:
    if sys.argv[1:2] == ["--peer"]:
        return peer(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="webstrata, built with --release")
    parser.add_argument("sets_dir", type=Path, help="holds wcxb-dev/pages/*.html")
    parser.add_argument("--megabytes", type=int, default=200, help="of the archive, unpacked (%(default)s)")
    parser.add_argument("--keep", type=Path, help="keep the archive here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        archive = (args.keep or scratch / "pages.warc.gz").resolve()
        count, size = make(archive, args.sets_dir, args.megabytes)
        pipeline = scratch / "corpus.toml"
        pipeline.write_text(PIPELINE.format(archive=archive, out=scratch / "out"))
        ours = [str(args.program.resolve()), "corpus", "run", "--quiet", "--jobs", "1", str(pipeline)]
        rows = {}
        best = None
        for _ in range(3):
            shutil.rmtree(scratch / "out", ignore_errors=True)
            one = measured(ours)
            best = one if best is None or one < best else best
        rows["webstrata corpus run"] = best
        print("webstrata", *best, file=sys.stderr)
        for extractor in ["trafilatura", "resiliparse"]:
            out = scratch / extractor
            command = [sys.executable, __file__, "--peer", extractor, str(archive), str(out)]
            rows[f"datatrove with {extractor}"] = measured(command)
            print(extractor, *rows[f"datatrove with {extractor}"], file=sys.stderr)
        print(f"{count} pages, {size / 1e6:.1f} MB unpacked\n")
        print("| pipeline | CPU s | MB/s a core | times as fast | peak memory |")
        print("|---|---:|---:|---:|---:|")
        for name, (seconds, memory) in rows.items():
            ratio = seconds / rows["webstrata corpus run"][0]
            print(f"| {name} | {seconds:.1f} | {size / 1e6 / seconds:.1f} | {ratio:.1f} | {memory} MB |")
        parts = json.loads((scratch / "out" / "manifest.json").read_text())
        print("\nwritten by webstrata:", parts["counts"]["written"])


if __name__ == "__main__":
    main()
