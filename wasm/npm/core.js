// What all platforms share. index.js and node.js say where the module comes from.

export const version = '0.1.0';

/** What is wrong with options, or why a page could not be worked on: one line. */
export class WebstrataError extends Error {
  name = 'WebstrataError';
}

/** As in the library: bytes of a page that are read where `maxBytes` does not say. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Memory of a module never shrinks: one that a large page has made larger than this is not used again. */
const LARGEST_KEPT = 256 * 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let compiled;
let exports;
/** Where the platform can, gives the compiled module at once. */
let loadAtOnce;

/** Lets functions work without `init`. */
export function setLoader(loader) {
  loadAtOnce = loader;
}

/** Makes functions use this module. */
export function setModule(module) {
  compiled = module;
  exports = undefined;
}

export const hasModule = () => compiled !== undefined;

/** Compiles whatever a caller of `init` has. */
export async function compile(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  const response = isResponse(given) ? given : await fetch(given);
  if (!response.ok) throw new WebstrataError(`webstrata.wasm: ${response.status} ${response.statusText}`.trim());
  const type = response.headers.get('content-type') ?? '';
  // Browsers compile while bytes arrive, but only if the server names the type.
  if (type.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

const isResponse = (given) => typeof Response === 'function' && given instanceof Response;

/** The record of a page. */
export const extract = (html, options) => JSON.parse(extractJSON(html, options));

/** The same, as a line of JSON. */
export const extractJSON = (html, options) => ask('extract', html, options);

/** What became of each block of a page, and by which step. */
export const explain = (html, options) => JSON.parse(ask('explain', html, options));

/** The built-in extractors. */
export const extractors = () => JSON.parse(call((module) => module.extractors()));

function ask(what, html, options = {}) {
  const json = encoder.encode(written(options));
  const isText = typeof html === 'string';
  const page = isText ? encoder.encode(html) : bytesOf(html);
  const most = typeof options?.maxBytes === 'number' ? options.maxBytes : MAX_BYTES;
  // One byte more than is read, so that the record can say that there was more.
  const read = page.length > most ? page.subarray(0, most + 1) : page;
  return call((module) => {
    // Making room may move all memory, so that each view is made after it.
    put(module, module.page(read.length), read);
    put(module, module.options(json.length), json);
    return module[what](isText ? 1 : 0);
  });
}

function bytesOf(html) {
  if (html instanceof Uint8Array) return html;
  if (ArrayBuffer.isView(html)) return new Uint8Array(html.buffer, html.byteOffset, html.byteLength);
  // Of another realm (a frame, a test runner's) it is no instance of ours.
  if (Object.prototype.toString.call(html) === '[object ArrayBuffer]') return new Uint8Array(html);
  throw new WebstrataError('html: expected a string, an ArrayBuffer or a Uint8Array');
}

function written(options) {
  // What JSON would leave out without a word is wrong, and shall be said to be.
  const visible = (_, value) => {
    const isLost = ['function', 'symbol', 'bigint'].includes(typeof value);
    return isLost || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value;
  };
  try {
    return JSON.stringify(options ?? {}, visible);
  } catch {
    throw new WebstrataError('options: expected plain values that JSON can have');
  }
}

function put(module, address, bytes) {
  // Addresses are unsigned; JavaScript sees the sign.
  new Uint8Array(module.memory.buffer, address >>> 0, bytes.length).set(bytes);
}

/** Calls a module, and has another one the next time where this one must not be used again. */
function call(work) {
  const module = instance();
  let isRight;
  try {
    isRight = work(module);
  } catch (error) {
    exports = undefined;
    throw new WebstrataError(`the page could not be worked on: ${whyTrapped(module, error)}`, { cause: error });
  }
  try {
    const answer = output(module);
    if (isRight) return answer;
    throw new WebstrataError(answer);
  } finally {
    if (module.memory.buffer.byteLength > LARGEST_KEPT) exports = undefined;
  }
}

function instance() {
  if (exports) return exports;
  if (!compiled && loadAtOnce) compiled = loadAtOnce();
  if (!compiled) throw new WebstrataError('the module is not loaded yet: `await init()` first');
  // Looked up when called: not all platforms have it when this file is read.
  const now = () => globalThis.performance?.now() ?? Date.now();
  exports = new WebAssembly.Instance(compiled, { host: { now } }).exports;
  return exports;
}

function output(module) {
  const bytes = new Uint8Array(module.memory.buffer, module.output() >>> 0, module.output_length() >>> 0);
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new WebstrataError(`the answer has ${bytes.length} bytes, too many for a string`, { cause: error });
  }
}

function whyTrapped(module, error) {
  // A panic leaves its message; what ends for want of memory leaves none.
  let message = '';
  try {
    message = output(module);
  } catch {
    // Then there is only the engine's word.
  }
  return message.replaceAll('\n', ' ') || `${error.message}, perhaps it needs too much memory: lower \`maxBytes\``;
}
