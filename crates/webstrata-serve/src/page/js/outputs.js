// The outputs of a page, a tab each. A tab is filled when it is looked at.

import { byId, bytes, count, el, percent, plural, webLink } from "./dom.js";
import { frameOf, harmless } from "./frame.js";
import { saveButtons } from "./save.js";

/** More letters than this make a page slow; copies and downloads have all of them. */
const MOST_LETTERS = 200_000;
const MOST_LINKS = 500;

/** What each tab shows of an explanation's record. */
const TEXTS = {
  text: { what: "text", file: "txt", type: "text/plain", of: (run) => run.record.text },
  markdown: { what: "Markdown", file: "md", type: "text/markdown", of: (run) => run.record.markdown ?? "" },
  html: { what: "HTML", file: "html", type: "text/html", of: (run) => run.record.html ?? "" },
  json: { what: "JSON", file: "json", type: "application/json", of: (run) => JSON.stringify(run, null, 2) },
};

/** What comes on request, and the tabs that need it. */
export const PARTS = ["metadata", "links", "markdown", "html"];
const NEEDS = { markdown: "markdown", html: "html", metadata: "metadata", links: "links" };

/** What a tab needs beside what every explanation has. */
export const partsFor = (tab) => (NEEDS[tab] ? PARTS : []);

export class Outputs {
  /** `more(parts)` explains the page once more, with these parts; they cost time on long pages. */
  constructor(more) {
    this.more = more;
    this.filled = new Set();
    this.run = null;
  }

  /** A new explanation: every tab is to be filled anew. */
  setRun(run, name) {
    this.run = run;
    this.name = name;
    this.filled.clear();
  }

  /** Fills the tab of this name, unless it is. */
  async fill(tab) {
    if (!this.run || tab === "why" || this.filled.has(tab)) return;
    this.filled.add(tab);
    const panel = byId(`panel-${tab}`);
    if (NEEDS[tab] && this.run.record[NEEDS[tab]] === undefined && !(await this.complete(tab, panel))) return;
    if (TEXTS[tab]) this.fillText(panel, TEXTS[tab]);
    else if (tab === "metadata") panel.replaceChildren(metadata(this.run.record.metadata ?? {}));
    else if (tab === "links") panel.replaceChildren(...links(this.run.record.links ?? []));
    else if (tab === "page") await this.fillPage(panel);
  }

  // Gets what the tab needs; false if it is not to be had, or if another run is shown by now.
  async complete(tab, panel) {
    const { run } = this;
    panel.replaceChildren(el("p", { class: "hint" }, "…"));
    try {
      const { record } = await this.more(PARTS);
      for (const part of PARTS) run.record[part] = record[part];
      return run === this.run;
    } catch (error) {
      this.filled.delete(tab);
      panel.replaceChildren(el("p", { class: "hint" }, error.message));
      return false;
    }
  }

  fillText(panel, { what, file, type, of }) {
    const run = this.run;
    const text = of(run);
    const shown = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS) : text;
    const size = bytes(new Blob([text]).size);
    const note = shown.length < text.length ? `${size}; the first ${count(MOST_LETTERS)} letters are shown, copies and downloads have all` : size;
    panel.replaceChildren(
      el("div", { class: "panel-bar" }, el("span", { class: "hint" }, note), saveButtons(what, () => text, () => `${this.name}.${file}`, type)),
      text ? el("pre", { tabindex: 0, dir: "auto", "aria-label": what, class: file === "txt" ? "wrapped prose" : "wrapped" }, shown) : el("p", { class: "hint" }, "Nothing was kept of this page."),
    );
  }

  async fillPage(panel) {
    const run = this.run;
    panel.replaceChildren(el("p", { class: "hint" }, "Marking the main text …"));
    try {
      const html = harmless((await this.more(["highlight"])).highlight ?? "");
      if (run !== this.run) return;
      panel.replaceChildren(
        el("div", { class: "panel-bar" },
          el("span", { class: "hint" }, "Scripts, images and links of the page are off."),
          saveButtons("the marked page", () => html, () => `${this.name}-marked.html`, "text/html")),
        frameOf(html),
      );
    } catch (error) {
      this.filled.delete("page");
      panel.replaceChildren(el("p", { class: "hint" }, error.message));
    }
  }
}

// `{value, source}` or a list of these.
function metadata(fields) {
  const rows = Object.entries(fields).flatMap(([name, found]) => (Array.isArray(found) ? found : [found]).map((one) => [name, one]));
  if (rows.length === 0) return el("p", { class: "hint" }, "The page says nothing about itself.");
  const value = (one) => (typeof one?.value === "string" ? one.value : JSON.stringify(one?.value ?? one));
  return el("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Metadata" }, el("table", { class: "plain" },
    el("caption", { class: "visually-hidden" }, "What the page says about itself"),
    el("thead", null, el("tr", null, ["Field", "Value", "Source"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", null, rows.map(([name, one]) => el("tr", null,
      el("th", { scope: "row" }, name.replaceAll("_", " ")),
      el("td", { dir: "auto" }, webLink(value(one), value(one))),
      el("td", { class: "source-name" }, one?.source ? el("code", null, one.source) : "")))),
  ));
}

function links(all) {
  if (all.length === 0) return [el("p", { class: "hint" }, "The page has no links.")];
  const content = all.filter((link) => link.in_content);
  const rest = all.filter((link) => !link.in_content);
  const share = el("p", { class: "hint" }, `${plural(all.length, "link")}, ${percent(content.length / all.length)} of them in the main text.`);
  return [share, linkList("In the main text", content, true), linkList("In boilerplate", rest, false)];
}

function linkList(title, links, open) {
  const shown = links.slice(0, MOST_LINKS);
  const cut = links.length - shown.length;
  return el("details", { open: open || undefined, class: "link-group" },
    el("summary", null, `${title} (${count(links.length)})`),
    el("ul", { class: "links" }, shown.map((link) => el("li", null,
      el("span", { class: "link-text", dir: "auto" }, link.text || "(no text)"),
      webLink(link.url, link.url, { class: "link-url" })))),
    cut > 0 && el("p", { class: "hint" }, `${plural(cut, "more link")}: the JSON has all.`),
  );
}
