// Where a store's sites stand, read again every few seconds.

import { Latest, get, info, wasCancelled } from "./api.js";
import { byId, bytes, count, el, plural, say, showError } from "./dom.js";

const EVERY = 5000;
const asking = new Latest();
let timer = 0;
let sort = { column: "site", down: false };
let latest = null;

const errors = (site) => Object.values(site.errors ?? {}).reduce((sum, number) => sum + number, 0);

/** Columns: name, what they are sorted by, what they show. */
const COLUMNS = [
  ["site", "Site", (site) => site.name, (site) => site.name],
  ["pages", "Pages", (site) => site.pages, (site) => count(site.pages)],
  ["duplicates", "Duplicates", (site) => site.duplicates, (site) => count(site.duplicates)],
  ["waiting", "Waiting", (site) => site.waiting, (site) => count(site.waiting)],
  ["lost", "Given up", (site) => site.lost, (site) => count(site.lost)],
  ["errors", "Errors", errors, errorCell],
  ["lag", "Lag", (site) => site.lag ?? -1, (site) => (site.lag === null || site.lag === undefined ? "–" : span(site.lag))],
  ["template", "Template", (site) => site.template, (site) => plural(site.template, "block")],
  ["bytes", "Read", (site) => site.bytes, (site) => bytes(site.bytes)],
  ["last_success", "Last answer", (site) => site.last_success ?? 0, (site) => (site.last_success ? `${span(now() - site.last_success)} ago` : "never")],
  ["next_poll", "Next poll", (site) => site.next_poll ?? Infinity, (site) => nextPoll(site.next_poll)],
];

export function bindStreams() {
  byId("streams-pause").addEventListener("click", (event) => {
    const paused = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", String(paused));
    event.currentTarget.textContent = paused ? "Go on" : "Pause";
    say(paused ? "Paused." : "Refreshed every five seconds.");
    if (paused) clearTimeout(timer);
    else refresh();
  });
  byId("streams-head").replaceChildren(el("tr", null, COLUMNS.map(([id, name]) => el("th", { scope: "col", "data-column": id },
    el("button", { type: "button", onclick: () => sortBy(id) }, name)))));
}

/** Starts to look, once it is known whether there is something to look at. */
export function showStreams() {
  byId("no-streams").hidden = info.streams || !info.release;
  if (info.streams) refresh();
}

/** Nobody looks: nobody asks. */
export function hideStreams() {
  clearTimeout(timer);
  asking.start();
}

const isPaused = () => byId("streams-pause").getAttribute("aria-pressed") === "true";

async function refresh() {
  clearTimeout(timer);
  const signal = asking.start();
  try {
    latest = await get("streams", {}, signal);
    byId("streams-state").hidden = false;
    showError("", "streams");
    draw();
  } catch (error) {
    if (wasCancelled(error)) return;
    showError(error.message, "streams");
    // Nobody is asked for the token every five seconds.
    if (error.status === 401) return;
  }
  if (!isPaused() && !byId("view-streams").hidden) timer = setTimeout(refresh, EVERY);
}

function sortBy(column) {
  // Numbers are looked at from the highest down.
  sort = { column, down: sort.column === column ? !sort.down : column !== "site" && column !== "next_poll" };
  draw();
  say(`Sorted by ${COLUMNS.find(([id]) => id === column)[1]}, ${sort.down ? "highest" : "lowest"} first.`);
}

function draw() {
  if (!latest) return;
  const sites = Object.entries(latest.sites ?? {}).map(([name, site]) => ({ name, ...site }));
  const [, , key] = COLUMNS.find(([id]) => id === sort.column);
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  sites.sort((a, b) => (sort.down ? -1 : 1) * order(key(a), key(b)) || order(a.name, b.name));
  for (const head of byId("streams-head").querySelectorAll("th")) {
    if (head.dataset.column === sort.column) head.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  drawRows(sites);
  const age = now() - latest.time;
  // One that was killed did not come to say that it stopped; its status only grows old.
  const state = !latest.running ? "stopped" : age > 120 ? "running, but silent" : "running";
  const facts = [
    ["State", state],
    ["Status", `${span(age)} old`],
    ["Sites", count(sites.length)],
    ["Records", count(latest.records)],
    ["To deliver", count(latest.undelivered)],
    ["Kept", count(latest.kept)],
    ["Refused", count(latest.refused)],
    ["Documents", count(latest.documents)],
  ];
  byId("streams-facts").replaceChildren(...facts.map(([name, value]) => el("div", { class: name === "State" && state !== "running" ? "warn" : null }, el("dt", null, name), el("dd", null, value))));
}

// Rows stay and only what changed in them is replaced: whoever reads an error or holds the focus
// there is not disturbed by the next refresh.
function drawRows(sites) {
  const body = byId("streams-rows");
  const known = new Map([...body.rows].map((row) => [row.dataset.site, row]));
  const rows = sites.map((site) => {
    const row = known.get(site.name) ?? el("tr", { "data-site": site.name });
    COLUMNS.forEach((column, at) => fillCell(row, at, column, site));
    return row;
  });
  if (rows.length !== body.rows.length || rows.some((row, at) => row !== body.rows[at])) body.replaceChildren(...rows);
}

function fillCell(row, at, [id, name, , show], site) {
  const cell = at === 0 ? el("th", { scope: "row" }, show(site)) : el("td", { "data-name": name }, show(site));
  cell.classList.toggle("warn", id === "errors" && errors(site) > 0);
  const old = row.cells[at];
  if (!old) row.append(cell);
  else if (old.textContent !== cell.textContent) old.replaceWith(cell);
}

function errorCell(site) {
  const total = errors(site);
  if (total === 0) return "0";
  const kinds = Object.entries(site.errors).map(([kind, number]) => `${kind}: ${count(number)}`).join(", ");
  return el("details", { class: "errors" }, el("summary", null, `⚠ ${count(total)}`), el("p", null, kinds), site.last_error && el("p", null, site.last_error));
}

const now = () => Math.floor(Date.now() / 1000);

function nextPoll(time) {
  if (time === null || time === undefined) return "–";
  return time <= now() ? "due" : `in ${span(time - now())}`;
}

function span(seconds) {
  const rest = Math.max(0, Math.round(seconds));
  if (rest < 60) return `${rest} s`;
  if (rest < 3600) return `${Math.round(rest / 60)} min`;
  return rest < 172_800 ? `${Math.round(rest / 3600)} h` : `${Math.round(rest / 86_400)} d`;
}
