"""Documents and their blocks, as boilerpy3 has them."""

from __future__ import annotations

from typing import Any

__all__ = ["DefaultLabels", "TextBlock", "TextDocument"]


class DefaultLabels:
    """What blocks may be called."""

    TITLE = "de.l3s.boilerpipe/TITLE"
    ARTICLE_METADATA = "de.l3s.boilerpipe/ARTICLE_METADATA"
    INDICATES_END_OF_TEXT = "de.l3s.boilerpipe/INDICATES_END_OF_TEXT"
    MIGHT_BE_CONTENT = "de.l3s.boilerpipe/MIGHT_BE_CONTENT"
    STRICTLY_NOT_CONTENT = "de.l3s.boilerpipe/STRICTLY_NOT_CONTENT"
    HR = "de.l3s.boilerpipe/HR"
    MARKUP_PREFIX = "<"


# What webstrata calls them.
LABELS = {
    "title": DefaultLabels.TITLE,
    "article-metadata": DefaultLabels.ARTICLE_METADATA,
    "end-of-text": DefaultLabels.INDICATES_END_OF_TEXT,
    "might-be-content": DefaultLabels.MIGHT_BE_CONTENT,
    "strictly-not-content": DefaultLabels.STRICTLY_NOT_CONTENT,
}


class TextBlock:
    """A piece of a page's text."""

    def __init__(
        self,
        text: str,
        contained_text_elements: set[int] | None = None,
        num_words: int = 0,
        num_words_in_anchor_text: int = 0,
        num_words_in_wrapped_lines: int = 0,
        num_wrapped_lines: int = 0,
        offset_blocks: int = 0,
    ) -> None:
        self.is_content = False
        self.labels: set[str] = set()
        self.text = text
        self.contained_text_elements = contained_text_elements or set()
        self.num_words = num_words
        self.num_words_in_anchor_text = num_words_in_anchor_text
        self.num_words_in_wrapped_lines = num_words_in_wrapped_lines or num_words
        self.num_wrapped_lines = num_wrapped_lines if num_words_in_wrapped_lines else 1
        self.num_full_text_words = 0
        self.tag_level = 0
        self.offset_blocks_start = offset_blocks
        self.offset_blocks_end = offset_blocks
        self.text_density = self.num_words_in_wrapped_lines / max(self.num_wrapped_lines, 1)
        self.link_density = num_words_in_anchor_text / num_words if num_words else 0.0

    @classmethod
    def _of(cls, block: Any, place: int) -> TextBlock:
        counts = block.counts
        made = cls(
            block.text,
            None,
            counts["words"],
            counts["linked_words"],
            counts["words_in_full_lines"],
            counts["full_lines"],
            place,
        )
        made.is_content = block.is_content
        made.labels = {LABELS[label] for label in block.labels if label in LABELS}
        made.tag_level = block.path.count("/") + 1 if block.path else 0
        return made

    def set_is_content(self, is_content: bool) -> bool:
        """Says whether it is content, and whether that is new."""
        is_new = is_content != self.is_content
        self.is_content = is_content
        return is_new

    def add_label(self, label: str) -> None:
        """Adds a label."""
        self.labels.add(label)

    def has_label(self, label: str) -> bool:
        """Does it have a label?"""
        return label in self.labels

    def remove_label(self, label: str) -> bool:
        """Takes a label away; was it there?"""
        was_there = label in self.labels
        self.labels.discard(label)
        return was_there

    def __repr__(self) -> str:
        kind = "CONTENT" if self.is_content else "boilerplate"
        return (
            f"[{self.offset_blocks_start}-{self.offset_blocks_end}; tl={self.tag_level}; "
            f"nw={self.num_words};nwl={self.num_wrapped_lines}; ld={self.link_density}]\t"
            f"{kind},{self.labels}\n{self.text}"
        )


class TextDocument:
    """A page: its title and its blocks."""

    def __init__(self, text_blocks: list[TextBlock], title: str | None = None) -> None:
        self.title = title
        self.text_blocks = text_blocks

    @property
    def content(self) -> str:
        """The main text."""
        return self.get_text(True, False)

    def get_text(self, include_content: bool, include_non_content: bool) -> str:
        """The text of blocks that are content, of those that are not, or of all."""
        wanted = {True: include_content, False: include_non_content}
        blocks = (block for block in self.text_blocks if wanted[block.is_content])
        return "".join(f"{block.text}\n" for block in blocks)

    @property
    def debug_string(self) -> str:
        """All blocks with what was counted in them."""
        return "".join(f"{block}\n" for block in self.text_blocks)
