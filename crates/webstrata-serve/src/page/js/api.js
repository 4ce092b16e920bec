// All requests go through here, to the server that the page came from and nowhere else.

const TOKEN = "webstrata-token";

/** Settings that the page asks the server for once. */
export const info = { fetch: false, index: false, streams: false, token: false };

let token = "";
try {
  token = sessionStorage.getItem(TOKEN) ?? "";
} catch {
  // Storage is switched off: the token holds until the page is left.
}

/** The token is forgotten with the tab. */
export function setToken(given) {
  token = given;
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // As above.
  }
}

export const hasToken = () => token !== "";

/** An answer that was an error, in one line; status 0 where there was no answer. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Relative to the page, so that a proxy may serve it under any path.
function address(path, parameters) {
  const url = new URL(`v1/${path}`, document.baseURI);
  url.hash = "";
  for (const [name, value] of Object.entries(parameters ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") url.searchParams.append(name, one);
    }
  }
  return url;
}

async function ask(path, { parameters, signal, ...request }) {
  const headers = new Headers(request.headers);
  if (token) headers.set("authorization", `Bearer ${token}`);
  let answer;
  try {
    answer = await fetch(address(path, parameters), { ...request, headers, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "The server does not answer: is webstrata serve still running?");
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

async function failure(answer) {
  let message = `${answer.status} ${answer.statusText}`.trim();
  try {
    message = (await answer.json()).error.message || message;
  } catch {
    // Not our server's kind of error, such as one of a proxy: the status says it.
  }
  if (answer.status === 401) document.dispatchEvent(new Event("token-needed"));
  return new ApiError(answer.status, message);
}

/** Asks for JSON. */
export async function get(path, parameters, signal) {
  return (await ask(path, { parameters, signal })).json();
}

/**
 * Sends a page. A file travels as its own bytes, with its options in the address: only the server
 * knows how to find its charset. Text and addresses travel as JSON.
 */
export function sendPage(path, page, options, signal) {
  if (page.file) {
    // Whatever the browser takes it for: it was chosen to be read as a page.
    const headers = { "content-type": "application/octet-stream" };
    const flat = Object.entries(options).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value]);
    const parameters = { ...Object.fromEntries(flat), url: page.address };
    return ask(path, { method: "POST", headers, parameters, body: page.file, signal });
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== "");
  const body = { ...Object.fromEntries(given), html: page.html, url: page.address || undefined };
  const headers = { "content-type": "application/json" };
  // Where only the form of the answer is asked for, it stands in the address for both kinds.
  const parameters = options.format ? { format: options.format } : undefined;
  delete body.format;
  return ask(path, { method: "POST", headers, parameters, body: JSON.stringify(body), signal });
}

/** Only the last request of a kind counts: a new one cancels the one before. */
export class Latest {
  #controller = null;

  start() {
    this.#controller?.abort();
    this.#controller = new AbortController();
    return this.#controller.signal;
  }
}

/** Was it only that somebody asked for something else meanwhile? */
export const wasCancelled = (error) => error?.name === "AbortError";
