"""Near-duplicates: datatrove's MinHash and text-dedup beside `webstrata dedup`, against all pairs of texts.

    pip install 'datatrove[processing,io]' spacy text-dedup
    cargo run --release -p webstrata-corpus --example near_duplicates texts.jsonl decisions.jsonl 0.7 pairs.jsonl
    python bench/near_duplicates.py texts.jsonl decisions.jsonl pairs.jsonl 0.7

`pairs.jsonl` has all pairs of main texts of at least that similarity: the Jaccard coefficient of their runs of 5 words. A text
that is removed is right if there is such a pair with another one. What comparing all with all removes, one after the other, is what
there is to find. datatrove compares runs of 5 words by 14 buckets of 8 min-hashes, text-dedup by bands for the threshold out of
250 min-hashes, its defaults.
"""

import json
import sys
import tempfile
from pathlib import Path


def lines(path: str) -> list[dict]:
    # Not by `splitlines`: texts have separators of lines that are none in JSON.
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def by_datatrove(texts: list[dict]) -> set[str]:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts"
        source.mkdir()
        (source / "0.jsonl").write_text(
            "".join(json.dumps({"id": one["id"], "text": one["text"]}) + "\n" for one in texts)
        )
        config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
        stages = [
            [JsonlReader(str(source)), MinhashDedupSignature(f"{folder}/signatures", config=config)],
            [MinhashDedupBuckets(f"{folder}/signatures", f"{folder}/buckets", config=config)],
            [MinhashDedupCluster(f"{folder}/buckets", f"{folder}/remove", config=config)],
            [
                JsonlReader(str(source)),
                MinhashDedupFilter(f"{folder}/remove"),
                JsonlWriter(f"{folder}/kept", compression=None),
            ],
        ]
        for number, stage in enumerate(stages):
            tasks = config.num_buckets if number == 1 else 1
            LocalPipelineExecutor(stage, tasks=tasks, workers=1, logging_dir=f"{folder}/logs/{number}").run()
        kept = {one["id"] for part in Path(folder, "kept").glob("*.jsonl") for one in lines(str(part))}
    return {one["id"] for one in texts} - kept


def by_text_dedup(texts: list[dict], threshold: float) -> set[str]:
    from datasets import Dataset, load_from_disk
    from text_dedup.minhash import main
    from text_dedup.utils import IOArgs, MetaArgs, MinHashArgs

    with tempfile.TemporaryDirectory() as folder:
        rows = {name: [one[name] for one in texts] for name in ("id", "text")}
        Dataset.from_dict(rows).save_to_disk(f"{folder}/texts")
        main.callback(
            io_args=IOArgs(path=f"{folder}/texts", output=f"{folder}/kept", local=True, num_proc=1),
            meta_args=MetaArgs(column="text"),
            # Short texts are no duplicates of each other: what has no runs is left alone, as by the others.
            minhash_args=MinHashArgs(ngram=5, threshold=threshold, min_length=0),
        )
        kept = set(load_from_disk(f"{folder}/kept")["id"])
    return {one["id"] for one in texts} - kept


def main() -> None:
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    texts, decisions, pairs = (lines(path) for path in sys.argv[1:4])
    # Texts without a word repeat nothing; the others take them for copies of each other.
    texts = [one for one in texts if one["text"].strip()]
    threshold = float(sys.argv[4])
    order = {one["id"]: number for number, one in enumerate(texts)}
    similar: dict[str, set[str]] = {}
    for pair in pairs:
        similar.setdefault(pair["a"], set()).add(pair["b"])
        similar.setdefault(pair["b"], set()).add(pair["a"])
    wanted: set[str] = set()
    for one in texts:
        earlier = (other for other in similar.get(one["id"], ()) if order[other] < order[one["id"]])
        if any(other not in wanted for other in earlier):
            wanted.add(one["id"])
    ours = {one["id"] for one in decisions if one["duplicate_of"]}
    ends = [(pair["a"], pair["b"]) for pair in pairs]
    removed = {
        "webstrata": ours,
        "datatrove": by_datatrove(texts),
        "text-dedup": by_text_dedup(texts, threshold),
    }
    print(f"{len(texts)} texts, {len(pairs)} pairs of at least {threshold}, {len(wanted)} to remove\n")
    print("| | removed | right | precision | pairs of which one is gone |")
    print("|---|---:|---:|---:|---:|")
    for name, ids in removed.items():
        right = len(ids & similar.keys())
        precision = f"{right / len(ids):.3f}" if ids else "–"
        print(f"| {name} | {len(ids)} | {right} | {precision} | {sum(not ids.isdisjoint(pair) for pair in ends)} of {len(ends)} |")


if __name__ == "__main__":
    main()
