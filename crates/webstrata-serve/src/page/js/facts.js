// What is known about the page as a whole, in one strip.

import { count, duration, el, percent } from "./dom.js";

/** The facts of a run as pairs of terms and values. */
export function facts(run) {
  const { record, blocks } = run;
  const kept = blocks.filter((block) => block.content).length;
  const rows = [
    ["Kept", keptWords(record)],
    ["Blocks", `${count(kept)} of ${count(blocks.length)}`],
    ["Type", record.page_type],
    ["Confidence", record.confidence === undefined ? null : percent(record.confidence)],
    ["Language", record.language || record.metadata?.language?.value],
    ["Extractor", record.extractor === run.asked.name ? null : run.asked.isOwn ? record.extractor : `fell back to ${record.extractor}`],
    ["Encoding", record.encoding],
    ["Limits hit", record.limits.length === 0 ? "none" : record.limits.join(", "), record.limits.length > 0],
    ["Time", duration(run.took)],
  ];
  const title = record.title && el("div", { class: "fact-title" }, el("dt", null, "Title"), el("dd", { dir: "auto" }, record.title));
  const found = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return [title, ...found.map(([name, value, warn]) => el("div", { class: warn ? "warn" : null }, el("dt", null, name), el("dd", null, value)))].filter(Boolean);
}

function keptWords({ words, page_words: all }) {
  const share = all > 0 ? words / all : 0;
  const bar = el("span", { class: "share-bar" });
  bar.style.width = `${Math.round(share * 100)}%`;
  return el("span", { class: "kept-words" }, `${count(words)} of ${count(all)} words`, el("span", { class: "share", "aria-hidden": "true" }, bar), percent(share));
}
