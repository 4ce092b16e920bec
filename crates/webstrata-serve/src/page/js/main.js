// Starts the page: views by the part of the address behind #, colours, keys, token.

import { get, hasToken, info, setToken } from "./api.js";
import { byId, forgetErrors, showError } from "./dom.js";
import { listExtractors } from "./extractors.js";
import { bindInspector, openFirst } from "./inspect.js";
import { bindSearch, showSearch } from "./search.js";
import { showFetch } from "./source.js";
import { bindStreams, hideStreams, showStreams } from "./streams.js";

const VIEWS = ["inspect", "search", "streams"];
const TITLES = { inspect: "Inspector", search: "Search", streams: "Streams" };
const KEYS = "webstrata-keys";
const THEMES = ["auto", "light", "dark"];

function route() {
  const [name, parameters] = location.hash.slice(1).split("?");
  if (name === "main") return;
  const view = VIEWS.includes(name) ? name : "inspect";
  for (const other of VIEWS) byId(`view-${other}`).hidden = other !== view;
  for (const link of document.querySelectorAll("nav [data-view]")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[view]} · webstrata`;
  if (view === "streams") showStreams();
  else hideStreams();
  if (view === "search") showSearch(new URLSearchParams(parameters ?? ""));
}

function bindTheme() {
  const switcher = byId("theme");
  const show = () => {
    const theme = document.documentElement.dataset.theme ?? "auto";
    switcher.dataset.state = theme;
    switcher.setAttribute("aria-label", `Colours: ${theme}. Change`);
    switcher.title = `Colours: ${theme}`;
  };
  switcher.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "auto";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("webstrata-theme", next);
    } catch {
      // Not kept where storage is off; it holds until the page is left.
    }
    show();
  });
  show();
}

// Keys that do something everywhere, except where somebody writes.
function bindKeys() {
  addEventListener("keydown", (event) => {
    // Those who speak to their computer, or mistype, can switch the letters off (WCAG 2.1.4).
    if (!byId("keys-on").checked) return;
    const writes = event.target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select");
    if (writes || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const act = {
      "/": focusField,
      "?": () => byId("keys").showModal(),
      1: () => (location.hash = "#inspect"),
      2: () => (location.hash = "#search"),
      3: () => (location.hash = "#streams"),
      b: () => focusIfShown("blocks"),
      d: () => focusIfShown("curve"),
      o: () => document.querySelector("#outputs [aria-selected=true]")?.focus(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  try {
    byId("keys-on").checked = localStorage.getItem(KEYS) !== "off";
    byId("keys-on").addEventListener("change", () => localStorage.setItem(KEYS, byId("keys-on").checked ? "on" : "off"));
  } catch {
    // Not kept where storage is off.
  }
  byId("keys-open").addEventListener("click", () => byId("keys").showModal());
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
}

function focusIfShown(id) {
  if (byId(id).offsetParent) byId(id).focus();
}

function focusField() {
  if (!byId("view-search").hidden) byId("q").focus();
  else if (!byId("view-inspect").hidden && !byId("result").hidden) byId("block-find").focus();
  else if (!byId("view-inspect").hidden) byId("html").focus();
}

function bindToken() {
  const dialog = byId("token");
  // Whoever closed it without a token is not asked again and again.
  let dismissed = false;
  const open = () => {
    if (!dialog.open && !dismissed) dialog.showModal();
  };
  dialog.addEventListener("cancel", () => (dismissed = true));
  byId("token-open").addEventListener("click", () => {
    dismissed = false;
    open();
  });
  document.addEventListener("token-needed", () => {
    byId("token-open").hidden = false;
    byId("token-wrong").hidden = !hasToken();
    open();
  });
  byId("token-form").addEventListener("submit", () => {
    setToken(byId("token-value").value.trim());
    byId("token-value").value = "";
    dismissed = false;
    learn();
  });
  byId("token-cancel").addEventListener("click", () => {
    dismissed = true;
    dialog.close();
  });
}

// What this server can do, then the view that the address names.
async function learn() {
  try {
    Object.assign(info, await get("info"));
    byId("version").textContent = info.release ? `webstrata ${info.release}` : "";
    byId("token-open").hidden = !info.token;
    // A link cannot show a token.
    byId("metrics-link").hidden = info.token;
    showFetch();
    if (info.token && !hasToken()) document.dispatchEvent(new Event("token-needed"));
    else {
      await listExtractors();
      openFirst();
    }
  } catch (error) {
    showError(error.message);
  }
  route();
}

bindTheme();
bindKeys();
bindToken();
bindInspector();
bindSearch();
bindStreams();
byId("error").querySelector("button").addEventListener("click", forgetErrors);
addEventListener("hashchange", () => {
  forgetErrors();
  route();
});
route();
learn();
