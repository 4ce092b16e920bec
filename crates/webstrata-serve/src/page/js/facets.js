// What the results are about: topics as a tree and as a sorted list, and the other dimensions as
// filters. Facets that many results share stand out, as in the thesis' prototype.

import { button, byId, el, percent } from "./dom.js";

/** Facets with at least this share stand out, where the server does not say. */
const OUTSTANDING = 0.25;
const GENERAL = "general importance";
/** The dimensions that filter, with the names of their parameters. */
const FILTERS = { host: "host", language: "language", "page type": "type" };
const MOST = 12;

export class Facets {
  /** `isChosen(name)`, `onFacet(name)` to rank by one, `onFilter({parameter: value})`. */
  constructor({ isChosen, onFacet, onFilter }) {
    Object.assign(this, { isChosen, onFacet, onFilter });
    this.order = "tree";
    for (const radio of document.querySelectorAll("[name=facet-order]")) {
      radio.addEventListener("change", () => {
        this.order = radio.value;
        if (this.answer) this.show(this.answer);
      });
    }
  }

  /** Shows an answer of the server. */
  show(answer) {
    this.answer = answer;
    const dimension = (name) => answer.dimensions.find((one) => one.name === name)?.facets ?? [];
    const topics = dimension("topic");
    byId("topics-box").hidden = topics.length === 0;
    byId("topics").replaceChildren(...(this.order === "tree" ? this.tree(topics) : this.list(topics)));
    byId("dimensions").replaceChildren(
      ...Object.entries(FILTERS).map(([name, parameter]) => this.dimension(name, dimension(name), (facet) => ({ [parameter]: facet.name }))),
      this.dimension("date", dimension("date"), (facet) => dates(facet.name)),
    );
  }

  // General importance first, then by share, children below their parents.
  tree(facets) {
    const names = new Set(facets.map((facet) => facet.name));
    const children = new Map();
    for (const facet of sorted(facets)) {
      // A parent that few results have is not listed: its children stand at the top then.
      const parent = names.has(facet.parent) ? facet.parent : null;
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent).push(facet);
    }
    const branch = (parent, depth) => (depth > 12 ? [] : children.get(parent) ?? []).map((facet) =>
      el("li", null, this.facet(facet, facet.label ?? facet.name), children.has(facet.name) ? el("ul", null, branch(facet.name, depth + 1)) : null));
    return branch(null, 0);
  }

  list(facets) {
    return sorted(facets).map((facet) => el("li", null, this.facet(facet, facet.name)));
  }

  facet(facet, text) {
    const general = facet.name === GENERAL;
    const chosen = general ? false : this.isChosen(facet.name);
    const outstanding = facet.highlighted ?? facet.share >= OUTSTANDING;
    const attributes = { class: `facet${outstanding ? " outstanding" : ""}`, "aria-pressed": String(chosen), title: general ? "The order of links alone" : `Rank by ${facet.name}` };
    const shown = el("span", { class: "facet-name" }, text.replaceAll("_", " "));
    const bar = el("span", { class: "facet-bar", "aria-hidden": "true" });
    bar.style.width = `${Math.round(Math.min(1, facet.share) * 100)}%`;
    const inside = [bar, shown, el("span", { class: "facet-share" }, percent(facet.share))];
    if (general) return el("span", { class: attributes.class, title: attributes.title }, inside);
    return button(inside, () => this.onFacet(facet.name), attributes);
  }

  dimension(name, facets, filters) {
    if (facets.length === 0) return "";
    const few = facets.slice(0, MOST);
    const rest = facets.length - few.length;
    return el("section", { class: "dimension" },
      el("h3", null, name),
      el("ul", { class: "facet-list", "aria-label": `Filter by ${name}` }, few.map((facet) => {
        const bar = el("span", { class: "facet-bar", "aria-hidden": "true" });
        bar.style.width = `${Math.round(Math.min(1, facet.share) * 100)}%`;
        return el("li", null, button([bar, el("span", { class: "facet-name" }, facet.label ?? facet.name), el("span", { class: "facet-share" }, percent(facet.share))],
          () => this.onFilter(filters(facet)), { class: "facet", title: `Only ${name} ${facet.name}` }));
      })),
      rest > 0 && el("p", { class: "hint" }, `and ${rest} more`),
    );
  }
}

function sorted(facets) {
  const first = (facet) => (facet.name === GENERAL ? 1 : 0);
  return [...facets].sort((a, b) => first(b) - first(a) || b.share - a.share || a.name.localeCompare(b.name));
}

// "2025" or "2025-04" as its first and last day.
function dates(name) {
  const [year, month] = name.split("-");
  if (!month) return { from: `${year}-01-01`, to: `${year}-12-31` };
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return { from: `${year}-${month}-01`, to: `${year}-${month}-${last}` };
}
