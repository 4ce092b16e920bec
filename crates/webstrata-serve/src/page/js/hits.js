// One result of a search.

import { button, el, marked, webLink } from "./dom.js";

/** A result as a list item; a click on one of its facets ranks by that facet. Ranks count with `weight`. */
export function hit(found, onFacet, weight) {
  const about = [found.host, found.language, found.page_type, found.date?.slice(0, 10)].filter(Boolean).join(" · ");
  return el("li", { class: "hit" },
    el("h3", { dir: "auto" }, webLink(found.url || found.id, found.title || found.url || found.id)),
    el("p", { class: "hit-url" }, found.url || found.id),
    el("p", { class: "snippet", dir: "auto" }, marked(found.snippet)),
    el("p", { class: "hit-about" }, about, about && " · ", score(found, weight)),
    found.facets?.length > 0 && el("ul", { class: "hit-facets", "aria-label": "Facets of this page" }, found.facets.map((facet) => el("li", null,
      button([label(facet.name), " ", el("small", null, facet.membership.toFixed(2))], () => onFacet(facet.name), { class: "chip", title: `Rank by ${facet.name}; membership ${facet.membership.toFixed(4)}` })))),
  );
}

// The parts of Equation 3.5: what the text says times what the links say.
function score(found, weight) {
  const parts = Number.isFinite(found.text_score) && Number.isFinite(found.rank) ? ` = text ${found.text_score.toFixed(2)} × rank ${found.rank.toFixed(2)}${weight === 1 ? "" : `^${weight}`}` : "";
  return el("span", { class: "hit-score", title: "score = text score × rank to the power of the weight" }, `score ${found.score.toFixed(2)}`, el("span", { class: "parts" }, parts));
}

const label = (name) => name.split("/").slice(-2).join(" / ").replaceAll("_", " ");
