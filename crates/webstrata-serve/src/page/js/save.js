// Copy and download.

import { button, el, say } from "./dom.js";

/** Two buttons for a text; `text` is a function, since the text may be long and changes. */
export function saveButtons(what, text, file, type) {
  return el(
    "span",
    { class: "save" },
    button("Copy", async (event) => copy(what, await text(), event.currentTarget), { class: "quiet", "aria-label": `Copy ${what}` }),
    button("Download", async () => download(await text(), file(), type), { class: "quiet", "aria-label": `Download ${what}` }),
  );
}

/** Puts a text on the clipboard, also where pages that came over plain HTTP may not. */
export async function copy(what, text, pressed) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "visually-hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`Copied ${what}.`);
  if (!pressed) return;
  const label = pressed.textContent;
  pressed.textContent = "Copied";
  pressed.disabled = true;
  setTimeout(() => {
    pressed.textContent = label;
    pressed.disabled = false;
  }, 1200);
}

function download(text, name, type) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  el("a", { href: url, download: name }).click();
  // The browser has the bytes as soon as the click is over; the address need not stay.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  say(`Saved ${name}.`);
}
