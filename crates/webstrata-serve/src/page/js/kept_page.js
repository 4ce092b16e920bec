// The page that is inspected stays where it is when the tab is loaded again, and Back goes to the one before it.
//
// Pages lie in the storage of the tab: nobody else sees them, and they go with it.

const NAME = "webstrata-page-";
const COUNT = "webstrata-pages";
/** Pages that are kept; those before them are forgotten. */
const MOST = 5;
/** Bytes of a page that fit into the storage of any browser. */
const LONGEST = 2_000_000;
/** Bytes that become letters at once. */
const CHUNK = 0x8000;

/** Keeps a page as the newest entry of the tab's history, or in place of the entry that is there. */
export async function keepPage(page, replaces) {
  let number;
  try {
    number = Number(sessionStorage.getItem(COUNT) ?? 0) + 1;
    sessionStorage.setItem(COUNT, number);
    sessionStorage.removeItem(NAME + (number - MOST));
    sessionStorage.setItem(NAME + number, JSON.stringify(await packed(page)));
  } catch {
    // Too long, or no storage: then the tab forgets the page.
  }
  if (replaces) history.replaceState({ page: number }, "", location.href);
  else history.pushState({ page: number }, "", location.href);
}

/** The page of this entry of the tab's history; null where there is none. */
export function keptPage() {
  return read(history.state?.page);
}

/** The page that came last. */
export function lastPage() {
  try {
    return read(sessionStorage.getItem(COUNT));
  } catch {
    return null;
  }
}

function read(number) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(NAME + number));
    if (kept?.bytes === undefined) return kept;
    const { bytes, ...page } = kept;
    const data = Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0));
    return { ...page, file: new File([data], page.name) };
  } catch {
    return null;
  }
}

// A file is kept as bytes: its encoding is the server's to find.
async function packed(page) {
  if (page.size > LONGEST) throw new Error("too long");
  const { file, ...rest } = page;
  if (!file) return rest;
  const data = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  for (let at = 0; at < data.length; at += CHUNK) letters += String.fromCharCode(...data.subarray(at, at + CHUNK));
  return { ...rest, bytes: btoa(letters) };
}
