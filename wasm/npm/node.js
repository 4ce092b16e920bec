// For Node: the module is read and compiled when it is first needed.

import { readFileSync } from 'node:fs';

import { compile, hasModule, setLoader, setModule } from './core.js';

export { WebstrataError, explain, extract, extractJSON, extractors, version } from './core.js';

const load = () => new WebAssembly.Module(readFileSync(new URL('./webstrata.wasm', import.meta.url)));

setLoader(load);

/** Loads the module; nobody needs to call it here. */
export async function init(source) {
  if (source !== undefined) setModule(await compile(source));
  else if (!hasModule()) setModule(load());
}
