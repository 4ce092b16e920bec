// The inspector: a page comes in, an explanation and a curve come out, and every switch asks anew.

import { Latest, sendPage, wasCancelled } from "./api.js";
import { align, changes } from "./align.js";
import { BlockList } from "./blocks.js";
import { Curve, legend } from "./curve.js";
import { byId, bytes, count, el, forgetErrors, plural, say, settle, showError } from "./dom.js";
import { explainBlock, explainNothing, histories } from "./explain.js";
import { bindExtractors, extractorAsked, filterDocs, tellExtractor } from "./extractors.js";
import { facts } from "./facts.js";
import { keepPage, keptPage, lastPage } from "./kept_page.js";
import { KINDS, kindsOf } from "./kinds.js";
import { Outputs, partsFor } from "./outputs.js";
import { bindSource, examplePage } from "./source.js";
import { makeTabs } from "./tabs.js";

/** What is shown: the page, its last two explanations, the chosen block. */
const state = { page: null, run: null, before: null, selected: -1 };
const explaining = new Latest();
const segmenting = new Latest();
let list;
let curve;
let outputs;
let tabs;
/** Pages that came; only the last one counts. */
let loads = 0;

/** Binds the view to its elements, once. */
export function bindInspector() {
  list = new BlockList({ onSelect: (index, origin) => select(index, origin), onHover: hover });
  curve = new Curve({ onSelect: (index) => list.select(index, "curve"), onHover: hover });
  outputs = new Outputs(async (parts) => (await sendPage("explain", state.page, { ...options(), with: parts })).json());
  tabs = makeTabs(byId("outputs"), (name) => outputs.fill(name));
  // On a phone, the text comes first.
  tabs.show(isNarrow() ? "text" : "why");
  byId("curve-legend").replaceWith(legend());
  byId("kinds").replaceChildren(...kindLegend());
  bindSource((page) => load(page, { isNew: true }));
  addEventListener("popstate", () => restore());
  bindExtractors(() => explain());
  byId("options").addEventListener("submit", (event) => event.preventDefault());
  byId("options").addEventListener("change", (event) => {
    tellExtractor();
    explain();
    if (event.target.id === "hidden") segment();
  });
  byId("cutting").addEventListener("submit", (event) => event.preventDefault());
  byId("method").addEventListener("change", () => segment());
  const slowly = settle(120, () => segment());
  byId("threshold").addEventListener("input", () => {
    byId("threshold-value").textContent = threshold() ?? "default";
    slowly();
  });
  const filter = () => list.setFilter(byId("block-filter").value, byId("block-find").value.trim());
  byId("block-filter").addEventListener("change", filter);
  byId("block-find").addEventListener("input", settle(120, filter));
  byId("compare-forget").addEventListener("click", () => {
    byId("compare-pin").checked = false;
    compareWith(null);
    byId("facts").focus();
  });
  explainNothing();
}

const isNarrow = () => matchMedia("(max-width: 980px)").matches;

// A page that was there before.
async function restore(page = keptPage()) {
  if (!page) return false;
  byId("html").value = page.html ?? "";
  byId("address").value = page.address ?? "";
  await load(page, {});
  return true;
}

/** The page that was there before the tab was loaded again; the first time, an example. */
export async function openFirst() {
  const isFirst = location.hash === "";
  if (state.page || (await restore(keptPage() ?? lastPage())) || !isFirst) return;
  const page = await examplePage();
  if (!page || state.page) return;
  await load({ ...page, isExample: true }, { isFirst });
}

function options() {
  const favor = byId("favor").disabled ? null : new FormData(byId("options")).get("favor");
  return {
    extractor: extractorAsked().extractor,
    favor: favor === "balanced" || favor === null ? undefined : favor,
    hidden: byId("hidden").value,
  };
}

const threshold = () => (byId("threshold").value === "0" ? undefined : Number(byId("threshold").value).toFixed(2));

/** Another page: nothing of the one before is compared with it. `isNew`: Back goes to the one before it. */
async function load(page, { isNew, isFirst }) {
  loads += 1;
  const mine = loads;
  forgetErrors();
  state.page = page;
  state.run = null;
  state.before = null;
  state.selected = -1;
  // What is shown is of the page before.
  byId("result").hidden = true;
  list.forget();
  curve.forget();
  explainNothing();
  // What is fetched is fetched once: the explanation brings the page along.
  if (page.html === undefined && !page.file) await explain();
  else await Promise.all([explain(), segment()]);
  if (mine !== loads || !state.run) return;
  if (isNew || isFirst) await keepPage(state.page, isFirst || !history.state?.page);
  if (mine !== loads) return;
  const kept = state.run.blocks.findIndex((block) => block.content);
  if (kept >= 0 && state.selected < 0) list.open(kept);
  // Whoever pressed a button in there goes on where the answer is.
  const inside = byId("source").contains(document.activeElement);
  byId("source").open = false;
  if (inside) byId("facts").focus();
}

async function explain() {
  if (!state.page) return;
  const signal = explaining.start();
  const began = performance.now();
  const asked = options();
  const named = extractorAsked();
  byId("view-inspect").setAttribute("aria-busy", "true");
  try {
    const isFetched = state.page.html === undefined && !state.page.file;
    const parts = [...partsFor(tabs.current()), ...(isFetched ? ["source"] : [])];
    const answer = await sendPage("explain", state.page, { ...asked, with: parts }, signal);
    const { source, ...run } = await answer.json();
    if (isFetched) {
      state.page = { html: source, address: run.record.url, name: state.page.name, size: new Blob([source]).size };
      byId("html").value = source;
      byId("address").value = run.record.url ?? "";
      segment();
    }
    run.took = performance.now() - began;
    run.asked = { ...asked, ...named };
    showError("", "explain");
    const before = byId("compare-pin").checked && state.before ? state.before : state.run;
    if (state.run) state.selected = sameBlock(state.run.blocks, run.blocks, state.selected);
    state.run = run;
    byId("result").hidden = false;
    const hint = state.page.isExample ? ", an example: open this to paste, drop or choose a page of your own" : `, ${bytes(state.page.size)}`;
    byId("source-name").textContent = state.page.name + hint;
    compareWith(before);
  } catch (error) {
    if (!wasCancelled(error)) showError(error.message, "explain");
  } finally {
    if (!signal.aborted) byId("view-inspect").removeAttribute("aria-busy");
  }
}

async function segment() {
  if (!state.page) return;
  const signal = segmenting.start();
  const method = byId("method").value;
  byId("threshold").disabled = ["word-wrap", "tag-gap", "just-rules"].includes(method);
  try {
    const cutting = { method, threshold: byId("threshold").disabled ? undefined : threshold(), hidden: byId("hidden").value };
    if (cutting.threshold) cutting.threshold = Number(cutting.threshold);
    const answer = await sendPage("segment", state.page, cutting, signal);
    curve.setSegments(await answer.json());
    showError("", "segment");
    curve.hover(null);
    byId("curve-summary").textContent = curve.summary();
  } catch (error) {
    if (!wasCancelled(error)) showError(error.message, "segment");
  }
}

// Extractors cut in different ways: the chosen block is the one that has its letters.
function sameBlock(before, after, selected) {
  if (selected < 0) return -1;
  const ranges = align(before.map((block) => block.text), after.map((block) => block.text));
  return ranges.findIndex((range) => range && range[0] <= selected && selected <= range[1]);
}

// Shows the run beside an earlier one of the same page, or alone.
function compareWith(before) {
  state.before = before;
  const { run } = state;
  const { blocks } = run;
  state.kinds = kindsOf(run);
  state.histories = histories(run);
  const change = before ? changes(before.blocks, blocks) : null;
  state.marks = change?.marks ?? new Array(blocks.length).fill(null);
  byId("facts").replaceChildren(...facts(run));
  showChange(change);
  if (!change && byId("block-filter").value === "changed") byId("block-filter").value = "all";
  byId("block-filter").querySelector("[value=changed]").disabled = !change;
  list.filter = byId("block-filter").value;
  list.show(blocks, state.kinds, state.marks);
  curve.setBlocks(blocks);
  outputs.setRun(withoutOurs(run), fileName(run));
  outputs.fill(tabs.current());
  if (state.selected >= 0) list.select(state.selected, "again");
  else {
    list.selected = -1;
    curve.select(-1);
    explainNothing();
  }
}

// What we noted on the answer is no part of it.
function withoutOurs({ took, asked, ...answer }) {
  return answer;
}

function showChange(change) {
  const line = byId("change");
  line.hidden = !change;
  const { run, before } = state;
  const kept = run.blocks.filter((block) => block.content).length;
  if (!change) {
    say(`${plural(kept, "block")} of ${count(run.blocks.length)} kept, ${count(run.record.words)} of ${plural(run.record.page_words, "word")}.`);
    return;
  }
  const was = before.blocks.filter((block) => block.content).length;
  const moved = (sign, mark) => el("span", { class: mark }, `${sign} ${plural(change[mark], "block")} (${plural(change[`${mark}Words`], "word")})`);
  const moves = change.added + change.removed > 0 ? [moved("+", "added"), moved("−", "removed")] : [el("span", null, "no block changed")];
  const arrow = (from, to) => [el("span", { class: "was" }, count(from)), " → ", el("strong", null, count(to))];
  byId("change-text").replaceChildren(
    ...moves,
    el("span", null, "kept blocks ", arrow(was, kept)),
    el("span", null, "words ", arrow(before.record.words, run.record.words)),
    el("span", { class: "against" }, `compared with ${describe(before.asked)}`),
  );
  say(`${change.added} blocks added, ${change.removed} removed; ${before.record.words} words before, ${run.record.words} now.`);
}

function describe({ name, favor, hidden }) {
  return [name, favor ?? "balanced", hidden === "drop" ? "" : `hidden text: ${hidden}`].filter(Boolean).join(", ");
}

function select(index, origin) {
  // Another page is on its way.
  if (!state.run) return;
  state.selected = index;
  curve.select(index);
  explainBlock(state.run, state.histories[index], index, state.kinds[index], state.marks[index], filterDocs);
  if (origin === "again" || origin === "first") return;
  tabs.show("why");
  // On a narrow screen the explanation stands below the list.
  if (origin === "list" && matchMedia("(max-width: 800px) and (pointer: coarse)").matches) byId("panels").scrollIntoView();
}

function hover(index) {
  list.hover(index);
  curve.hover(index);
}

function kindLegend() {
  return Object.entries(KINDS).map(([kind, { sign, name }]) => el("li", { class: `kind-${kind}` }, el("span", { class: "sign", "aria-hidden": "true" }, sign), name));
}

function fileName(run) {
  const name = (state.page.name || run.record.title || "page").replace(/\.[a-z]+$/i, "");
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "page";
}
