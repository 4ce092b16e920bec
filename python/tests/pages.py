"""Pages for tests, all made up."""

from __future__ import annotations

NEWS = """<!doctype html><html lang="en"><head><title>An hourly ferry | The Harbour Post</title>
<meta property="og:site_name" content="The Harbour Post">
<meta name="author" content="Jane Doe"><meta name="description" content="More crossings from Monday on.">
<meta property="article:published_time" content="2025-09-04"></head><body>
<nav><a href="/">Home</a> <a href="/tides">Tides</a> <a href="/jobs">Jobs</a></nav>
<main><h1>An hourly ferry</h1>
<p>The ferry between the two islands will run every hour from Monday on, the harbour office said after a
winter of two crossings a day. The <a href="/timetable">timetable</a> hangs at both piers.</p>
<p>Tickets cost the same as before and are sold on board, in coins only, since the machine at the northern
pier has not worked since the storm of last March.</p>
<p>Whoever has a bicycle pays nothing for it, as long as there is room beside the mail, which goes first.</p>
</main><footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer></body></html>"""


WORDS = "harbour ferry island tide storm pier mail coin winter crossing office captain"


def article(number: int, paragraphs: int = 8) -> str:
    """A page like others of its site: the same menu, a text of its own."""
    words = WORDS.split()
    sentences = []
    for paragraph in range(paragraphs):
        chosen = [
            words[(number * 7 + paragraph * 5 + step * step) % len(words)] for step in range(30)
        ]
        sentences.append(
            f"<p>On day {number} the {' '.join(chosen)}, as number {paragraph} says.</p>"
        )
    return (
        f"<html><head><title>Day {number} | The Harbour Post</title></head><body>"
        "<ul><li><a href='/'>Home</a><li><a href='/tides'>Tides</a><li><a href='/jobs'>Jobs</a></ul>"
        f"<h1>Day {number}</h1>{''.join(sentences)}<p>Subscribe to our letter now!</p>"
        "<footer><a href='/imprint'>Imprint</a></footer></body></html>"
    )


def nested(depth: int) -> bytes:
    """Nested tags, deeper than anybody reads."""
    return b"<div><span>" * (depth // 2) + b"the bottom of the sea"
