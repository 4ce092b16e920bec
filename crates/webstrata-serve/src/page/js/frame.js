// The marked page in a frame that can do nothing: no scripts, no forms, no origin. What would ask
// other servers for something is taken out before, so that looking at a page never calls home.

import { el } from "./dom.js";

const GONE = "script, link, meta, iframe, frame, object, embed, template, noscript, video, audio, source, track";
// Everything that browsers load by themselves or go to when somebody clicks.
const ATTRIBUTES = ["src", "srcset", "href", "xlink:href", "action", "formaction", "background", "poster", "ping", "data", "autofocus", "autoplay", "target", "imagesrcset"];
// Before the page's own styles, so that these win.
const PLAIN = "html{background:#fff;color:#333}body{font:15px/1.5 system-ui,sans-serif;margin:14px;overflow-wrap:anywhere}.webstrata-image{font-style:italic;color:#666}";

/** The page without anything that loads, leads elsewhere or runs: to be shown, and to be saved. */
export function harmless(html) {
  // Parsers complain about a base that our policy forbids; the server writes tags without < and > inside.
  const page = new DOMParser().parseFromString(html.replace(/<base[^<>]*>/gi, ""), "text/html");
  page.querySelectorAll(GONE).forEach((node) => node.remove());
  page.querySelectorAll("*").forEach((node) => {
    for (const name of ATTRIBUTES) node.removeAttribute(name);
    if (node.hasAttribute("style")) node.setAttribute("style", withoutAddresses(node.getAttribute("style")));
  });
  page.querySelectorAll("style").forEach((sheet) => (sheet.textContent = withoutAddresses(sheet.textContent)));
  page.querySelectorAll("img, canvas").forEach((node) => node.replaceWith(standIn(page, node)));
  const plain = page.createElement("style");
  plain.textContent = PLAIN;
  const policy = page.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; style-src 'unsafe-inline'";
  const charset = page.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  page.head.prepend(charset, policy, plain);
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** A frame with such a page in it. */
export function frameOf(page) {
  return el("iframe", {
    class: "page-frame",
    title: "The page with its main text marked",
    sandbox: "",
    referrerpolicy: "no-referrer",
    srcdoc: page,
    onload: (event) => (event.target.dataset.shown = ""),
  });
}

// Style sheets load images, fonts and other sheets. An escaped name is none that pages use in earnest.
function withoutAddresses(css) {
  return /\\|@import|image-set|src\(/i.test(css) ? "" : css.replace(/url\([^)]*\)?/gi, "none");
}

function standIn(page, image) {
  const text = page.createElement("span");
  text.className = "webstrata-image";
  text.textContent = image.getAttribute("alt") ? `[${image.getAttribute("alt")}]` : "";
  return text;
}
