// What pages and hosts can do to a module: take its time, its memory, its life.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { WebstrataError, extract, extractJSON, init } from 'webstrata';

import { invented } from './pages.mjs';

const WASM = new URL('node_modules/webstrata/webstrata.wasm', import.meta.url);
const PAGE = '<p>The ferry between the two islands will run every hour from Monday on, the harbour office said.';

/** Every module that is started from here on. */
const started = [];
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...given) {
    super(...given);
    started.push(this.exports);
  }
};
const size = (module) => module.memory.buffer.byteLength;

test('a hundred megabytes end at their deadline', () => {
  const page = Buffer.alloc(100_000_000, '<p>ebb and flood ');
  assert.deepEqual(extract(page, { deadlineMs: 20 }).limits, ['deadline']);
  assert.ok(extract(PAGE, { deadlineMs: 60_000 }).limits.length === 0);
});

test('a million nested tags end at their deadline', () => {
  for (const tag of ['<div>', '<b>', '<table>', '<svg>', '<a href=x>']) {
    const page = Buffer.from(tag.repeat(1_000_000));
    const { limits } = extract(page, { deadlineMs: 1 });
    assert.ok(limits.includes('deadline'), `${tag} ${limits}`);
  }
  assert.deepEqual(extract('<div>'.repeat(100_000)).limits, ['depth'], 'there is no deadline unless it is set');
  assert.ok(extract(PAGE).text.startsWith('The ferry'));
});

test('many calls take no more memory than a few', () => {
  const pages = invented().map((file) => readFileSync(file));
  const all = () => pages.forEach((page) => extractJSON(page, { formats: ['markdown', 'links', 'blocks', 'metadata'] }));
  all();
  const module = started.at(-1);
  const before = size(module);
  for (let i = 0; i < 20; i++) all();
  for (let i = 0; i < 200; i++) assert.throws(() => extract(PAGE, { formats: ['x'] }), WebstrataError);
  assert.equal(started.at(-1), module);
  assert.ok(size(module) <= before + 65536 * 4, `${before} to ${size(module)} bytes`);
});

test('a module that has grown large is left for a new one', () => {
  extract(PAGE);
  const module = started.at(-1);
  extract(Buffer.alloc(270_000_000, '<p>x '), { deadlineMs: 1, maxBytes: 300_000_000 });
  const large = started.at(-1);
  assert.ok(size(large) > 256 * 1024 * 1024);
  assert.equal(extract(PAGE).words, 17);
  assert.notEqual(started.at(-1), large);
  assert.notEqual(started.at(-1), module);
});

test('after a panic there is an error with its message, and then a new module', () => {
  extract(PAGE);
  const module = started.at(-1);
  class Liar extends Uint8Array {
    get length() {
      return 2 ** 31 + 5;
    }
  }
  assert.throws(() => extract(new Liar(10)), (error) => {
    assert.ok(error instanceof WebstrataError && error.cause instanceof WebAssembly.RuntimeError);
    assert.match(error.message, /^the page could not be worked on: .*capacity overflow/);
    return true;
  });
  assert.equal(extract(PAGE).words, 17);
  assert.notEqual(started.at(-1), module);
});

/** The module with a memory that grows to `pages` of 64 KiB at most. */
function bounded(bytes, pages) {
  const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)]);
  const read = (at) => {
    for (let value = 0, shift = 0; ; shift += 7) {
      value |= (bytes[at] & 127) << shift;
      if (bytes[at++] < 128) return [value >>> 0, at];
    }
  };
  for (let at = 8; at < bytes.length; ) {
    const [length, body] = read(at + 1);
    if (bytes[at] === 5) {
      // One memory, no maximum, and the least that it has.
      assert.deepEqual([...bytes.subarray(body, body + 2)], [1, 0]);
      const section = [1, 1, ...number(read(body + 2)[0]), ...number(pages)];
      return Buffer.concat([bytes.subarray(0, at + 1), Buffer.from([section.length, ...section]), bytes.subarray(body + length)]);
    }
    at = body + length;
  }
  throw new Error('no memory in the module');
}

test('where memory is not enough there is an error, and then a new module', async () => {
  await init(bounded(readFileSync(WASM), 400));
  const page = '<p>ebb and flood '.repeat(400_000);
  const expected = { name: 'WebstrataError', message: /needs too much memory: lower `maxBytes`$/ };
  for (let i = 0; i < 2; i++) {
    assert.throws(() => extract(page), expected);
    assert.equal(extract(PAGE).words, 17);
  }
  assert.deepEqual(extract(page, { maxBytes: 100_000 }).limits, ['bytes']);
  await init(readFileSync(WASM));
  assert.deepEqual(extract(page).limits, ['memory']);
});

test('workers have modules of their own, and may share the compiled one', async () => {
  const compiled = await WebAssembly.compile(readFileSync(WASM));
  const files = invented();
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { readFileSync } from 'node:fs';
    import { extractJSON, init } from 'webstrata';
    await init(workerData.compiled);
    for (let i = 0; i < 3; i++) for (const file of workerData.files) parentPort.postMessage(extractJSON(readFileSync(file)));
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  // Code of a data address finds no packages by their names.
  const own = new URL(url.href.replace(encodeURIComponent("'webstrata'"), encodeURIComponent(`'${import.meta.resolve('webstrata')}'`)));
  const work = (shared) =>
    new Promise((resolve, reject) => {
      const lines = [];
      const worker = new Worker(own, { workerData: { files, compiled: shared } });
      worker.on('message', (line) => lines.push(line)).on('error', reject).on('exit', () => resolve(lines));
    });
  const expected = files.map((file) => extractJSON(readFileSync(file)));
  for (const lines of await Promise.all([work(compiled), work(compiled), work(), work()])) {
    assert.equal(lines.length, 3 * files.length);
    lines.forEach((line, index) => assert.equal(line, expected[index % files.length]));
  }
});
