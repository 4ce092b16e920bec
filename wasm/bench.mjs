// How fast the package is beside the native library, on the same pages and in turns, so that both have the same
// machine: `wasm/build && cargo build --release -p webstrata-wasm --example native && node wasm/bench.mjs DIR [ROUNDS]`.

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { extractJSON } from './npm/node.js';

const [folder, rounds = 5] = process.argv.slice(2);
const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps', '--locked'], {
  cwd: new URL('.', import.meta.url),
  maxBuffer: 1 << 28,
});
const native = join(JSON.parse(metadata).target_directory, 'release/examples/native');
const files = readdirSync(folder).map((name) => join(folder, name));
const pages = files.map((file) => readFileSync(file));
const megabytes = pages.reduce((sum, page) => sum + page.length, 0) / 1e6;

/** Seconds of this process, or of the other one as it says itself: what others do meanwhile does not count. */
const ways = {
  native: () => Number(execFileSync(native, ['--time', ...files])),
  wasm: () => timed((page) => extractJSON(page)),
  'wasm, strings': () => timed((text) => extractJSON(text), pages.map((page) => page.toString())),
};

function timed(work, all = pages) {
  const before = process.cpuUsage();
  for (const page of all) work(page);
  return process.cpuUsage(before).user / 1e6;
}

// The engine compiles what it runs often anew, and better.
timed((page) => extractJSON(page));
const best = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) best[name] = Math.min(best[name] ?? Infinity, way());
}
console.log(`${files.length} pages, ${megabytes.toFixed(1)} MB, the best of ${rounds} rounds`);
for (const [name, seconds] of Object.entries(best)) {
  const speed = `${(megabytes / seconds).toFixed(1)} MB/s, ${((1e3 * seconds) / files.length).toFixed(2)} ms a page`;
  console.log(`${name}: ${speed}, ${(seconds / best.native).toFixed(2)} times the native time`);
}
