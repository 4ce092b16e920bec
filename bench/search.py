"""Asks an index of ours the questions of `million` through the Python package tantivy.

usage: search.py DIR

`cargo run --release -p webstrata-search --example million DIR` has made DIR/index and DIR/questions.json. The
questions are built of the same parts: each word in the title, which counts twice, or in the main text; all
words. Prints a row for each kind of question: p50, p99, and how many pages match in the median.
"""

import json
import statistics
import sys
import time
from pathlib import Path

from tantivy import Index, Occur, Query

ROUNDS = 9


def question(schema, text: str) -> Query:
    if text.startswith('"'):
        return anywhere(lambda field: Query.phrase_query(schema, field, text.strip('"').split()))
    words = [
        anywhere(lambda field, word=word: Query.term_query(schema, field, word, "freq"))
        for word in text.split()
    ]
    return words[0] if len(words) == 1 else Query.boolean_query([(Occur.Must, word) for word in words])


def anywhere(part) -> Query:
    title = Query.boost_query(part("title"), 2.0)
    return Query.boolean_query([(Occur.Should, title), (Occur.Should, part("main"))])


def main(folder: Path) -> None:
    index = Index.open(str(folder / "index" / "terms"))
    searcher, schema = index.searcher(), index.schema
    for kind, texts in json.loads((folder / "questions.json").read_text("utf-8")):
        times, totals = [[] for _ in texts], []
        for _ in range(ROUNDS):
            for text, of_text in zip(texts, times):
                start = time.perf_counter()
                found = searcher.search(question(schema, text), 10)
                of_text.append((time.perf_counter() - start) * 1e3)
                totals.append(found.count)
        # The time of a question is the median, so that others on the machine do not count.
        medians = sorted(statistics.median(of_text) for of_text in times)
        p50, p99 = medians[len(medians) // 2], medians[int(len(medians) * 0.99)]
        print(f"| {kind} | {p50:.2f} ms | {p99:.2f} ms | {statistics.median_low(totals)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
