// What a block is for, with a sign for each kind: nothing is told by colour alone.

export const KINDS = {
  title: { sign: "T", name: "title" },
  headline: { sign: "H", name: "heading" },
  content: { sign: "¶", name: "content" },
  supplemental: { sign: "+", name: "supplement" },
  byline: { sign: "@", name: "date and author" },
  comments: { sign: "”", name: "comment" },
  related: { sign: "»", name: "related" },
  hidden: { sign: "○", name: "hidden" },
  boilerplate: { sign: "·", name: "boilerplate" },
};

/** The kind of a block, by what the extractor says; for headings, by their element too. */
export function kindOf(block, title) {
  const isHeading = /\/h[1-6](\/|$)/.test(block.path);
  if (block.labels.includes("hidden")) return "hidden";
  // Blocks that were fused share their labels, but only one of them is the title.
  if (block.labels.includes("title") && (isHeading || title?.includes(block.text))) return "title";
  if (block.labels.includes("article-metadata") && block.counts.words < 20) return "byline";
  if (block.class && block.class !== "content" && block.class !== "boilerplate") return block.class;
  if (block.content && isHeading) return "headline";
  return block.content ? "content" : "boilerplate";
}

/** The kinds of all blocks of an explanation. */
export const kindsOf = (run) => run.blocks.map((block) => kindOf(block, run.record.title));
