"""What datatrove's filters say of each text, beside what ours say: a table by filter.

    pip install datatrove spacy
    webstrata extract --format jsonl --output texts.jsonl DIR
    cargo run --release -p webstrata-corpus --example verdicts texts.jsonl > ours.jsonl
    python bench/datatrove_filters.py texts.jsonl ours.jsonl
"""

import collections
import json
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

FILTERS = {
    "gopher-quality": GopherQualityFilter(),
    "gopher-repetition": GopherRepetitionFilter(),
    "c4": C4QualityFilter(),
    "fineweb": FineWebQualityFilter(),
}


def lines(path: str) -> list[dict]:
    with open(path) as file:
        return [json.loads(line) for line in file]


def main() -> None:
    texts, ours = lines(sys.argv[1]), lines(sys.argv[2])
    same = collections.Counter()
    dropped = collections.Counter()
    differences = collections.defaultdict(collections.Counter)
    same_text = kept_by_both = 0
    for record, mine in zip(texts, ours, strict=True):
        for name, filter_ in FILTERS.items():
            document = Document(text=record["text"], id=record["id"])
            try:
                said = filter_.filter(document)
            except (ZeroDivisionError, IndexError):
                said = (False, "error")
            theirs = "keep" if said is True else said[1]
            agrees = (theirs == "keep") == (mine[name] == "keep")
            same[name] += agrees
            dropped[name] += theirs != "keep"
            if not agrees:
                differences[name][f"theirs {theirs}, ours {mine[name]}"] += 1
                if "-v" in sys.argv:
                    print(name, record["id"], theirs, mine[name])
            elif name == "c4" and theirs == "keep":
                kept_by_both += 1
                same_text += document.text == mine["c4-text"]
    for name in FILTERS:
        share = 100 * same[name] / len(texts)
        print(f"{name}: {len(texts)} texts, dropped {dropped[name]}, the same verdict {share:.2f} %")
        print("   ", dict(differences[name]))
    print(f"c4: the same lines left in {same_text} of {kept_by_both} texts that both keep")


main()
