// The marked page in a frame that can do nothing: no scripts, no forms, no origin. What would ask
// other servers for something is taken out before, so that looking at a page never calls home.

import { el } from "./dom.js";

const GONE = "script, style, link, meta, base, iframe, frame, object, embed, template, noscript, video, audio, source, track, portal, form > input[type=hidden]";
// Everything that browsers load by themselves or go to when somebody clicks.
const ATTRIBUTES = ["style", "src", "srcset", "href", "xlink:href", "action", "formaction", "background", "poster", "ping", "data", "target", "imagesrcset"];

// Before anything parses it: browsers complain about every style that our policy forbids. The server
// writes tags without < and > in their attributes, and style sheets without <.
function withoutStyles(html) {
  return html.replace(/<style[^<>]*>[^<]*<\/style>/gi, "").replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/ style="[^"]*"/gi, ""));
}

/** A frame with the page in it. */
export function highlightFrame(html) {
  const page = new DOMParser().parseFromString(withoutStyles(html), "text/html");
  page.querySelectorAll(GONE).forEach((node) => node.remove());
  page.querySelectorAll("*").forEach((node) => {
    for (const name of ATTRIBUTES) node.removeAttribute(name);
  });
  page.querySelectorAll("img, svg, picture, canvas").forEach((node) => {
    const name = node.getAttribute("alt") || node.querySelector?.("img[alt]")?.getAttribute("alt");
    const stand = page.createElement("span");
    stand.className = "webstrata-image";
    stand.textContent = name ? `[${name}]` : "";
    node.replaceWith(stand);
  });
  const sheet = page.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL("assets/frame.css", document.baseURI).href;
  page.head.append(sheet);
  const dark = document.documentElement.dataset.theme;
  if (dark) page.documentElement.dataset.theme = dark;
  return el("iframe", {
    class: "page-frame",
    title: "The page with its main text marked",
    sandbox: "",
    referrerpolicy: "no-referrer",
    srcdoc: `<!doctype html>${page.documentElement.outerHTML}`,
  });
}
