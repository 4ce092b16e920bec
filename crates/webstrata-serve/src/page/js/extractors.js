// The extractors to choose from, and the editor: an extractor is a list of steps as TOML, and a
// changed one is tried at once.

import { get } from "./api.js";
import { byId, el, showError } from "./dom.js";

/** The value of the choice that is the editor's. */
const OWN = "your own";

/** By name, as the server describes them. */
let extractors = new Map();
/** The first paragraph of what each filter does. */
export const filterDocs = new Map();
let own = "";

/** Calls `onApply` when an extractor was edited. */
export function bindExtractors(onApply) {
  byId("edit").addEventListener("click", () => (byId("editor").hidden ? openEditor() : closeEditor()));
  byId("editor-close").addEventListener("click", closeEditor);
  byId("editor").addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeEditor();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("editor").requestSubmit();
  });
  byId("editor").addEventListener("submit", (event) => {
    event.preventDefault();
    own = byId("toml").value;
    if (!byId("extractor").querySelector(`[value="${OWN}"]`)) byId("extractor").append(el("option", { value: OWN }, OWN));
    byId("extractor").value = OWN;
    tellExtractor();
    onApply();
  });
}

function openEditor() {
  if (byId("extractor").value !== OWN) byId("toml").value = extractors.get(byId("extractor").value)?.toml ?? own;
  byId("editor").hidden = false;
  byId("edit").setAttribute("aria-expanded", "true");
  byId("toml").focus();
}

function closeEditor() {
  byId("editor").hidden = true;
  byId("edit").setAttribute("aria-expanded", "false");
  byId("edit").focus();
}

/** Lists the extractors that the server knows. */
export async function listExtractors() {
  try {
    const answer = await get("extractors");
    extractors = new Map(answer.extractors.map((extractor) => [extractor.name, extractor]));
    for (const { steps } of answer.extractors) for (const { filter, doc } of steps) filterDocs.set(filter, doc.split("\n\n")[0]);
    byId("extractor").replaceChildren(...answer.extractors.map(({ name }) => el("option", { value: name }, name)));
    byId("extractor").value = answer.default;
    tellExtractor();
    showError("", "extractors");
  } catch (error) {
    showError(error.message, "extractors");
  }
}

/** Says what the chosen extractor is for; only some have doubts that one can decide either way. */
export function tellExtractor() {
  const { about, paper, favor } = extractors.get(byId("extractor").value) ?? { about: "an extractor that you edited", favor: false };
  byId("extractor-about").textContent = about;
  byId("extractor-about").title = [about, paper].filter(Boolean).join("\n");
  byId("favor").disabled = !favor;
  byId("favor").title = favor ? "" : "This extractor has no doubts to decide about";
}

/** What is asked of the server, and the name to call it by. */
export function extractorAsked() {
  const name = byId("extractor").value;
  return { name, extractor: name === OWN ? own : name, isOwn: name === OWN };
}
