// Search with facets, as in the prototype of the thesis (Figure 3.8). All that was asked stands in the
// address: back, forward and bookmarks do what one thinks.

import { Latest, get, info, wasCancelled } from "./api.js";
import { button, byId, count, duration, el, plural, say, settle, showError } from "./dom.js";
import { Facets, GENERAL } from "./facets.js";
import { hit } from "./hits.js";

/** What of the address goes to the server as it is. */
const ASKED = ["q", "facet", "host", "language", "type", "from", "to", "min_words", "in", "weight"];
const FILTERS = { host: "host", language: "language", type: "page type", from: "from", to: "to" };
/** Settings of the panel "more", with what holds where nothing is said. */
const MORE = { k: "100", threshold: "0.1", lambda: "", iterations: "", weight: "1", limit: "10" };
/** The inspector has a threshold, too. */
const field = (name) => byId(name === "threshold" ? "facet-threshold" : name);

const searching = new Latest();
let asked = new URLSearchParams();
let facets;

/** Binds the view, once. */
export function bindSearch() {
  // On a narrow screen results come before what they are about.
  if (matchMedia("(max-width: 980px)").matches) byId("facets").open = false;
  facets = new Facets({ isChosen, isFiltered, onFacet: toggleFacet, onGeneral: forgetFacets, onFilter: toggleFilters });
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    change((next) => next.set("q", byId("q").value.trim()));
  });
  for (const name of Object.keys(MORE)) field(name).addEventListener("change", () => changeField(name, field(name).value, MORE[name]));
  byId("in").addEventListener("change", () => changeField("in", byId("in").value, "main"));
  const later = settle(150, () => changeField("min_words", byId("min_words").value, "1"));
  byId("min_words").addEventListener("input", () => {
    showMinimum();
    later();
  });
}

/** Shows what the address asks for. */
export function showSearch(parameters) {
  asked = parameters;
  byId("no-index").hidden = info.index || !info.release;
  byId("search-form").hidden = !byId("no-index").hidden;
  fillForm();
  showChips();
  if (!byId("no-index").hidden || !asked.get("q")) {
    byId("found").hidden = true;
    byId("search-hint").hidden = !byId("no-index").hidden;
    return;
  }
  byId("search-hint").hidden = true;
  if (info.release) search();
}

function fillForm() {
  byId("q").value = asked.get("q") ?? "";
  for (const [name, usual] of Object.entries(MORE)) field(name).value = asked.get(name) ?? usual;
  byId("in").value = asked.get("in") ?? "main";
  byId("min_words").value = asked.get("min_words") ?? "1";
  showMinimum();
}

function showMinimum() {
  const words = Number(byId("min_words").value);
  byId("min_words-value").textContent = words > 1 ? `blocks of at least ${words} words` : "all blocks";
}

// Another question starts at its first page.
function change(edit) {
  const next = new URLSearchParams(asked);
  next.delete("offset");
  edit(next);
  go(next);
}

function go(next) {
  const hash = `#search?${next}`;
  // The same question once more is still a question.
  if (location.hash === hash) showSearch(next);
  else location.hash = hash;
}

function changeField(name, value, usual) {
  change((next) => (value === usual || value === "" ? next.delete(name) : next.set(name, value)));
}

// Without a facet, general importance is what pages are ranked by.
function isChosen(name) {
  const chosen = asked.getAll("facet");
  return name === GENERAL ? chosen.length === 0 : chosen.includes(name);
}

const isFiltered = (filters) => Object.entries(filters).every(([name, value]) => asked.get(name) === value);

const forgetFacets = () => change((next) => next.delete("facet"));

function toggleFacet(name) {
  change((next) => {
    const rest = next.getAll("facet").filter((one) => one !== name);
    const chosen = isChosen(name) ? rest : [...rest, name];
    next.delete("facet");
    for (const one of chosen) next.append("facet", one);
  });
}

function toggleFilters(filters) {
  const filtered = isFiltered(filters);
  change((next) => {
    for (const [name, value] of Object.entries(filters)) {
      if (filtered) next.delete(name);
      else next.set(name, value);
    }
  });
}

function showChips() {
  const chip = (text, title, remove) => el("li", null, button([text, el("span", { "aria-hidden": "true" }, " ×")], remove, { class: "chip", "aria-label": `Remove ${title}` }));
  const chips = [
    ...asked.getAll("facet").map((name) => chip(name, `facet ${name}`, () => toggleFacet(name))),
    ...Object.entries(FILTERS).filter(([name]) => asked.get(name)).map(([name, label]) =>
      chip(`${label}: ${asked.get(name)}`, `filter ${label}`, () => change((next) => next.delete(name)))),
  ];
  const lost = byId("chips").contains(document.activeElement);
  byId("chips").replaceChildren(...chips);
  byId("chips").hidden = chips.length === 0;
  if (lost) (byId("chips").querySelector("button") ?? byId("q")).focus();
}

async function search() {
  const signal = searching.start();
  const parameters = Object.fromEntries(ASKED.map((name) => [name, asked.getAll(name)]));
  const limit = Number(asked.get("limit") ?? MORE.limit);
  const offset = Number(asked.get("offset") ?? 0);
  byId("found").setAttribute("aria-busy", "true");
  const settings = Object.fromEntries(["k", "threshold", "lambda", "iterations"].map((name) => [name, asked.get(name) ?? MORE[name]]));
  const facetsAsked = get("facets", { ...parameters, ...settings }, signal);
  // Both are asked at once; where the hits fail, nobody waits for the facets any more.
  facetsAsked.catch(() => {});
  try {
    showHits(await get("search", { ...parameters, limit, offset }, signal), limit, offset);
    showError("", "search");
    await showFacets(facetsAsked);
  } catch (error) {
    if (wasCancelled(error)) return;
    showError(error.message, "search");
    // Hits of the question before would be taken for hits of this one.
    byId("found").hidden = true;
  } finally {
    if (!signal.aborted) byId("found").removeAttribute("aria-busy");
  }
}

// Hits are worth showing without facets.
async function showFacets(answer) {
  try {
    facets.show(await answer);
    showError("", "facets");
  } catch (error) {
    if (wasCancelled(error)) throw error;
    facets.show({ dimensions: [] });
    showError(error.message, "facets");
  }
}

function showHits(answer, limit, offset) {
  byId("found").hidden = false;
  const { hits, total } = answer;
  const last = Math.min(total, offset + hits.length);
  const range = total === 0 ? "No page" : `${count(offset + 1)}–${count(last)} of ${plural(total, "page")}`;
  const order = asked.get("weight") === "0" ? "by their text alone" : asked.getAll("facet").length > 0 ? `by ${asked.getAll("facet").join(" and ")}` : `by ${GENERAL}`;
  const relaxed = answer.relaxed ? "No page has all words, these have some of them: " : "";
  byId("found-count").textContent = `${relaxed}${range}, ranked ${order}, in ${duration(answer.took_ms)}`;
  say(total === 0 ? "No page has these words." : byId("found-count").textContent);
  const advice = "No page has these words. Try fewer or other words, or take filters away.";
  const lost = byId("hits").contains(document.activeElement) || byId("paging").contains(document.activeElement);
  byId("hits").start = offset + 1;
  byId("hits").replaceChildren(...(hits.length > 0 ? hits.map((one) => hit(one, (name) => (name === GENERAL ? forgetFacets() : toggleFacet(name)), Number(asked.get("weight") ?? 1))) : [el("li", { class: "nothing" }, advice)]));
  const turn = (to) => {
    const next = new URLSearchParams(asked);
    if (to > 0) next.set("offset", String(to));
    else next.delete("offset");
    go(next);
    byId("main").scrollIntoView();
  };
  byId("paging").replaceChildren(
    offset > 0 ? button("← Previous", () => turn(Math.max(0, offset - limit))) : "",
    last < total ? button("Next →", () => turn(offset + limit)) : "",
  );
  // What had the focus is gone: the count of results is where one reads on.
  if (lost) byId("found-count").focus();
}
