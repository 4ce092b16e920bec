"""The wheel has the licences of what is compiled into it."""

from __future__ import annotations

import importlib.resources


def test_third_party_notices() -> None:
    written = importlib.resources.files("webstrata").joinpath("THIRD-PARTY.txt").read_text("utf-8")
    for crate in ("pyo3 ", "arrow-array ", "encoding_rs ", "icu_segmenter ", "zstd-sys "):
        assert f"\n{crate}" in written, crate
    assert written.count("Permission is hereby granted") > 20
    # What only tests and builds use is not in it.
    assert "\nproptest " not in written and "\nserde_derive " not in written
