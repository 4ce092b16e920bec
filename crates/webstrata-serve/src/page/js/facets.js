// What the results are about: topics as a tree and as a sorted list, and the other dimensions as
// filters. Facets that many results share stand out, as in the thesis' prototype (Figure 3.8).

import { button, byId, el, percent, plural } from "./dom.js";

/** The facet that is no topic: all links count alike. */
export const GENERAL = "general importance";
/** The dimensions that filter, and what choosing one of their facets asks for. */
const FILTERS = {
  host: (name) => ({ host: name }),
  language: (name) => ({ language: name }),
  "page type": (name) => ({ type: name }),
  date: (name) => ({ from: name, to: name }),
};
const MOST = 12;

export class Facets {
  /** `isChosen(name)`, `isFiltered(filters)`, `onFacet(name)` to rank by one, `onGeneral()`, `onFilter(filters)`. */
  constructor(given) {
    Object.assign(this, given);
    this.order = "tree";
    for (const radio of document.querySelectorAll("[name=facet-order]")) {
      radio.addEventListener("change", () => {
        this.order = radio.value;
        if (this.answer) this.show(this.answer);
      });
    }
  }

  /** Shows an answer of the server; the focus stays with the facet that was chosen. */
  show(answer) {
    this.answer = answer;
    const focused = document.activeElement?.dataset.facet;
    const dimension = (name) => answer.dimensions.find((one) => one.name === name)?.facets ?? [];
    const topics = withGeneral(dimension("topic"));
    byId("topics-box").hidden = topics.length === 0;
    const topic = (facet, text) => this.topic(facet, text);
    byId("topics").replaceChildren(...(this.order === "tree" ? tree(topics, topic) : topics.map((facet) => el("li", null, topic(facet, facet.name)))));
    byId("dimensions").replaceChildren(...Object.entries(FILTERS).map(([name, filters]) => this.dimension(name, dimension(name), filters)));
    byId("dimensions").hidden = byId("dimensions").childElementCount === 0;
    if (focused) document.querySelector(`#facets [data-facet="${CSS.escape(focused)}"]`)?.focus();
  }

  topic(facet, text) {
    const general = facet.name === GENERAL;
    const title = general ? "Rank by all links alike" : `Rank by ${facet.name}`;
    const onclick = () => (general ? this.onGeneral() : this.onFacet(facet.name));
    return row(facet, text, { title, onclick, outstanding: facet.highlighted, pressed: this.isChosen(facet.name) });
  }

  dimension(name, facets, filters) {
    if (facets.length === 0) return "";
    const few = facets.slice(0, MOST);
    const rest = facets.length - few.length;
    const filter = (facet, text) => row(facet, text, {
      title: `Only ${name} ${facet.name}`,
      onclick: () => this.onFilter(filters(facet.name)),
      pressed: this.isFiltered(filters(facet.name)),
    });
    return el("section", { class: "dimension" },
      el("h3", null, name),
      el("ul", { class: "facet-list", "aria-label": `Filter by ${name}` }, tree(few, filter)),
      rest > 0 && el("p", { class: "hint" }, `and ${plural(rest, "other")}`),
    );
  }
}

function row(facet, text, { title, onclick, pressed, outstanding }) {
  const bar = el("span", { class: "facet-bar", "aria-hidden": "true" });
  bar.style.width = `${Math.round(Math.min(1, facet.share) * 100)}%`;
  const inside = [bar, el("span", { class: "facet-name" }, text.replaceAll("_", " ")), el("span", { class: "facet-share" }, facet.share === null ? "" : percent(facet.share))];
  return button(inside, onclick, { class: `facet${outstanding ? " outstanding" : ""}`, title, "aria-pressed": String(pressed), "data-facet": facet.name });
}

/** Items of nested lists: what is below a facet follows it, siblings keep their order. */
export function tree(facets, show) {
  const names = new Set(facets.map((facet) => facet.name));
  // A parent that few results have is not listed: then it is the next one above.
  const listed = (name) => {
    while (name && !names.has(name)) name = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : null;
    return name || null;
  };
  const children = new Map();
  for (const facet of facets) {
    const parent = listed(facet.parent);
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(facet);
  }
  const branch = (parent) => (children.get(parent) ?? []).map((facet) =>
    el("li", null, show(facet, facet.label ?? facet.name), children.has(facet.name) ? el("ul", null, branch(facet.name)) : null));
  return branch(null);
}

// General importance first, then by share. It is there to go back to even if few results have it.
function withGeneral(facets) {
  if (facets.length === 0) return [];
  const general = facets.find((facet) => facet.name === GENERAL) ?? { name: GENERAL, parent: null, share: null };
  const topics = facets.filter((facet) => facet.name !== GENERAL);
  return [general, ...topics.sort((a, b) => b.share - a.share || (a.name < b.name ? -1 : 1))];
}
