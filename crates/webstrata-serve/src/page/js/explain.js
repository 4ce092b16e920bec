// Why a block was kept or dropped, step by step.

import { button, byId, count, el, percent } from "./dom.js";
import { KINDS } from "./kinds.js";
import { copy } from "./save.js";

/** For each block, what the steps did to it: a list of [step, "kept" | "dropped" | "removed"]. */
export function histories(explanation) {
  const histories = explanation.blocks.map(() => []);
  explanation.steps.forEach((step, number) => {
    for (const verb of ["kept", "dropped", "removed"]) {
      for (const block of step[verb]) histories[block]?.push([number, verb]);
    }
  });
  return histories;
}

/** Shows the explanation of a block; `docs` has what each filter does. */
export function explainBlock(explanation, history, index, kind, mark, docs) {
  const block = explanation.blocks[index];
  const parts = [
    el("h3", { class: `why-head ${block.content ? "kept" : "dropped"}` }, `Block ${index} `, el("span", { class: "verdict" }, verdict(block))),
    el("p", { class: "why-sentence" }, sentence(explanation, block, history)),
    reasons(block.reasons),
    mark && el("p", { class: `why-change ${mark}` }, mark === "added" ? "Added by the last change." : "Removed by the last change."),
    el("blockquote", { class: "why-text", dir: "auto" }, block.text.slice(0, 5000), block.text.length > 5000 && " …"),
    chips(block, kind),
    el("h4", null, explanation.steps.length === 1 ? "The one step" : `The ${count(explanation.steps.length)} steps`),
    steps(explanation, block, history, docs),
    el("h4", null, "Counts"),
    counts(block),
    el("h4", null, "Place in the page"),
    place("Selector", block.selector),
    place("Path", block.path),
  ];
  byId("why").replaceChildren(...parts.flat().filter(Boolean));
}

/** Before a block is chosen. */
export function explainNothing() {
  const hint = "Choose a block, in the list or in the curve, to see which step decided about it and why.";
  byId("why").replaceChildren(el("p", { class: "hint" }, hint));
}

// What the trees of `strata` see in a block. A bar is as long as its reason is strong.
function reasons(told) {
  if (!told || told.reasons.length === 0) return null;
  const most = Math.max(...told.reasons.map((reason) => Math.abs(reason.weight)));
  const signed = (weight) => `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(1)}`;
  const probability = 1 / (1 + Math.exp(-told.score));
  const sum = `With a base of ${signed(told.base)} and all else (${signed(told.rest)}): ${signed(told.score)}, which is content with ${sure(probability)}.`;
  return [
    el("ul", { class: "reasons", "aria-label": "What speaks for and against it" }, told.reasons.map((reason) => {
      const bar = el("span", { class: "reason-bar", "aria-hidden": "true" });
      bar.style.width = `${Math.round((Math.abs(reason.weight) / most) * 100)}%`;
      return el("li", { class: reason.weight < 0 ? "against" : "for" },
        el("span", { class: "reason-weight" }, signed(reason.weight)),
        el("span", { class: "reason-text", dir: "auto" }, withCode(reason.text)),
        el("span", { class: "reason-track" }, bar));
    })),
    el("p", { class: "hint" }, sum),
  ];
}

// Nothing is sure.
const sure = (share) => (share > 0.995 ? "over 99 %" : share < 0.005 ? "under 1 %" : percent(share));

const verdict = (block) => (block.content ? "✓ kept" : "✕ dropped");

function sentence(explanation, block, history) {
  const decided = block.decided_by;
  const step = decided && `step ${decided.step + 1}, ${decided.filter}`;
  if (block.content) return step ? `Kept by ${step}.` : "Kept: it was content from the start.";
  const removed = history.find(([, verb]) => verb === "removed");
  const once = history.some(([, verb]) => verb === "kept");
  if (step && once) return `Kept at first, then dropped by ${step}.`;
  if (step) return `Not taken for content by ${step}.`;
  if (removed) return `No step kept it; step ${removed[0] + 1}, ${nameOf(explanation.steps[removed[0]])}, took it out.`;
  return "No step ever kept it.";
}

const nameOf = (step) => step.step.filter;

function chips(block, kind) {
  const chip = (text) => el("li", { class: "chip" }, text);
  return el("ul", { class: "chips", "aria-label": "Kind, part and labels" },
    el("li", { class: `chip kind-${kind}` }, `${KINDS[kind].sign} ${KINDS[kind].name}`),
    chip(`part: ${block.part}`),
    block.labels.map((label) => chip(label.replaceAll("-", " "))),
    block.site && chip(`on ${block.site.pages} of ${block.site.of} pages of the site`),
  );
}

function steps(explanation, block, history, docs) {
  const did = new Map(history);
  return el("ol", { class: "steps" }, explanation.steps.map((step, number) => {
    const verb = did.get(number);
    const decided = block.decided_by?.step === number;
    const { filter, ...parameters } = step.step;
    const totals = ["kept", "dropped", "removed"].filter((name) => step[name].length > 0);
    const effect = totals.map((name) => `${name} ${count(step[name].length)}`).join(", ");
    return el("li", { class: `${verb ?? "idle"}${decided ? " decided" : ""}` },
      el("span", { class: "step-name", title: docs.get(filter) }, filter),
      el("span", { class: "step-verb" }, verb ? { kept: "✓ kept this", dropped: "✕ dropped this", removed: "− took this out" }[verb] : decided ? "passed this over" : ""),
      decided && el("strong", { class: "step-decided" }, "decided"),
      el("span", { class: "step-more" }, [parametersOf(parameters), effect && `on the page: ${effect}`].filter(Boolean).join(" · ")),
      (verb || decided) && docs.has(filter) && el("span", { class: "step-more step-doc" }, withCode(docs.get(filter))),
    );
  }));
}

// Documentation names things between backticks.
function withCode(text) {
  return text.split("`").map((piece, at) => (at % 2 === 1 ? el("code", null, piece) : piece));
}

function parametersOf(parameters) {
  const written = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return Object.entries(parameters).map(([name, value]) => `${name} = ${written(value)}`).join(", ");
}

function counts(block) {
  const rows = [
    ["score", block.score.toFixed(4)],
    ["text density", `${block.text_density.toFixed(2)} words a line`],
    ["link density", percent(block.link_density)],
    ...Object.entries(block.counts).map(([name, number]) => [name.replaceAll("_", " "), count(number)]),
  ];
  return el("dl", { class: "counts" }, rows.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

function place(name, value) {
  return el("p", { class: "place" },
    el("span", { class: "place-name" }, name),
    el("code", null, value),
    button("Copy", (event) => copy(name.toLowerCase(), value, event.currentTarget), { class: "quiet", "aria-label": `Copy ${name.toLowerCase()}` }),
  );
}
