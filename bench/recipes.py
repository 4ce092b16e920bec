#!/usr/bin/env python3
"""How much of recipes is in the texts of tools: python bench/recipes.py SETS/recipes-partial FILE.jsonl...

must/ID.txt of the set has the title, then ingredients and steps, a line each, that a text must have. Each file has the texts of
a tool, lines of {"id", "text"}, as `webstrata extract SETS/recipes-partial/pages` writes them. A line counts where its words
stand in the text one after the other; titles do not count.
"""

import json
import pathlib
import re
import sys

WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+")


def words(text):
    return " " + " ".join(WORDS.findall(text.lower())) + " "


def main():
    folder, *files = map(pathlib.Path, sys.argv[1:])
    print(f"{'':24}{'pages':>6}{'lines':>8}{'whole':>8}{'< half':>8}{'words':>8}")
    for file in files:
        shares, length = [], 0
        for line in file.open():
            page = json.loads(line)
            _, *must = (folder / "must" / f"{page['id']}.txt").read_text().splitlines()
            must = [line for line in map(words, must) if line.strip()]
            if must:
                text = words(page["text"] or "")
                shares.append(sum(line in text for line in must) / len(must))
                length += len(text.split())
        pages = len(shares)
        whole, half = sum(share == 1 for share in shares), sum(share < 0.5 for share in shares)
        print(
            f"{file.parent.name + '/' + file.stem:24}{pages:>6}{sum(shares) / pages:>8.4f}"
            f"{whole / pages:>8.3f}{half / pages:>8.3f}{length / pages:>8.0f}"
        )


if __name__ == "__main__":
    main()
