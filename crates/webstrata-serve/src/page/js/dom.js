// Makes elements without ever parsing a string as HTML: what pages say stays text.

const SVG = "http://www.w3.org/2000/svg";

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element with attributes (`onclick` and the like are listeners) and children. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Says something to those who listen instead of looking. */
export function say(message) {
  byId("status").textContent = message;
}

/** The last error of each request; what went well takes back only its own. */
const errors = new Map();

/** Shows an error of a request in one line, or takes it back. */
export function showError(message, request = "page") {
  errors.delete(request);
  if (message) errors.set(request, String(message).replace(/\s+/g, " "));
  const [shown] = errors.values();
  byId("error").hidden = !shown;
  byId("error").querySelector("span").textContent = shown ?? "";
}

/** Takes all errors back. */
export function forgetErrors() {
  errors.clear();
  showError("");
}

const whole = new Intl.NumberFormat("en");

/** 12345 as 12,345. */
export const count = (number) => (Number.isFinite(number) ? whole.format(number) : "–");

/** "1 block", "2 blocks". */
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** 0.123 as 12 %. */
export function percent(share) {
  if (!Number.isFinite(share)) return "–";
  const value = share * 100;
  return value > 0 && value < 1 ? "< 1 %" : `${Math.round(value)} %`;
}

/** 5432 as 5.4 kB. */
export function bytes(size) {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** 0.37 as 0.4 ms, 1234 as 1.2 s. */
export function duration(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Calls a function once, when nobody has asked for it during this time. */
export function settle(wait, action) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), wait);
  };
}

/**
 * The server escapes snippets and marks words with `<mark>`; nothing else is an element here, so
 * splitting at the marks and reading the five references is all of the parsing that is needed.
 */
export function marked(snippet) {
  const pieces = String(snippet ?? "").split(/(<mark>|<\/mark>)/);
  let inside = false;
  const nodes = [];
  for (const piece of pieces) {
    if (piece === "<mark>") inside = true;
    else if (piece === "</mark>") inside = false;
    else if (piece) nodes.push(inside ? el("mark", null, unescaped(piece)) : unescaped(piece));
  }
  return nodes;
}

const REFERENCES = { lt: "<", gt: ">", quot: '"', amp: "&", apos: "'" };

function unescaped(text) {
  return text
    .replace(/&#x([0-9a-f]{1,6});/gi, (whole, digits) => character(parseInt(digits, 16), whole))
    .replace(/&#([0-9]{1,7});/g, (whole, digits) => character(parseInt(digits, 10), whole))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => REFERENCES[name]);
}

function character(code, otherwise) {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

/** A link if the address is one of the web, plain text otherwise: `javascript:` is never a link. */
export function webLink(address, text, attributes) {
  const content = text || address;
  let url;
  try {
    url = new URL(address);
  } catch {
    return el("span", attributes, content);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return el("span", attributes, content);
  const safe = { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" };
  return el("a", { ...attributes, ...safe }, content);
}

/** A button that has a text, or a sign and a name. */
export function button(text, onclick, attributes) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}
