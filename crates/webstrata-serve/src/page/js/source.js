// How a page comes in: pasted, dropped, chosen, fetched, or one of the examples.

import { info } from "./api.js";
import { byId, showError } from "./dom.js";

/** Calls `onPage({html | file | address, name, size})` for every page that comes. */
export function bindSource(onPage) {
  const form = byId("source-form");
  const area = byId("html");

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const html = area.value;
    if (isAddress(html)) return onAddress(html.trim());
    if (!html.trim()) {
      showError("There is no HTML yet: paste some, drop a file, or try an example.");
      area.focus();
      return;
    }
    onPage({ html, address: byId("address").value.trim(), name: "Pasted page", size: new Blob([html]).size });
  });

  area.addEventListener("paste", () => setTimeout(() => isAddress(area.value) && onAddress(area.value.trim())));

  byId("fetch-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const address = byId("fetch-url").value.trim();
    if (address) onPage({ address, name: address, size: 0 });
  });

  const takeFile = (file) => file && onPage({ file, address: "", name: file.name, size: file.size });
  byId("file").addEventListener("change", (event) => {
    takeFile(event.target.files[0]);
    // The same file may be chosen again after it was edited.
    event.target.value = "";
  });
  byId("file-button").addEventListener("click", () => byId("file").click());

  for (const example of document.querySelectorAll("[data-example]")) {
    example.addEventListener("click", async () => {
      const page = await examplePage(example);
      if (page) onPage(page);
    });
  }
  bindDrop(takeFile);
}

/** The page of an example's button: of the first one, if none is named. */
export async function examplePage(example = document.querySelector("[data-example]")) {
  try {
    const answer = await fetch(new URL(`assets/${example.dataset.example}`, document.baseURI));
    if (!answer.ok) throw new Error(`The example is missing: ${answer.status}`);
    const html = await answer.text();
    byId("html").value = html;
    return { html, address: example.dataset.address ?? "", name: example.dataset.example, size: new Blob([html]).size };
  } catch (error) {
    showError(error.message);
    return null;
  }
}

/** Is it an address, and no page? */
const isAddress = (text) => /^\s*(https?:\/\/|www\.)[^\s<>]+\s*$/i.test(text);

// Many paste an address where the page goes.
function onAddress(address) {
  if (!info.fetch) {
    showError("That is an address, and this server fetches no pages: paste the page's source, or start it with webstrata serve --fetch.");
    return;
  }
  byId("html").value = "";
  byId("fetch-url").value = /^www\./i.test(address) ? `https://${address}` : address;
  showError("That is an address: press Fetch, and the server gets the page.");
  byId("fetch-form").querySelector("button").focus();
}

// A file may be dropped anywhere: the browser would open it in place of this page otherwise.
function bindDrop(takeFile) {
  const carries = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => carries(event) && over(1));
  addEventListener("dragleave", (event) => carries(event) && over(-1));
  addEventListener("dragover", (event) => carries(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    over(-depth);
    location.hash = "#inspect";
    takeFile(event.dataTransfer.files[0]);
  });
}

/** Where the server fetches pages, their addresses can be given. */
export function showFetch() {
  byId("fetch-form").hidden = !info.fetch;
}
