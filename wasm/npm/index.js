// For browsers, their workers and bundlers: the module is fetched once.

import { compile, hasModule, setModule } from './core.js';

export { WebstrataError, explain, extract, extractJSON, extractors, version } from './core.js';

let loading;

/** Loads the module; again only if it is given one. */
export async function init(source) {
  if (source !== undefined) return setModule(await compile(source));
  if (hasModule()) return;
  // Bundlers know this way to write it, and copy the file.
  loading ??= compile(new URL('./webstrata.wasm', import.meta.url));
  try {
    setModule(await loading);
  } finally {
    loading = undefined;
  }
}
