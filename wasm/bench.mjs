// How fast the package is beside the native library, on the same pages. First `wasm/build` and
// `cargo build --profile dist -p webstrata-wasm --example native`, then `node wasm/bench.mjs DIR [ROUNDS]`.

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { extract, extractJSON } from './npm/node.js';

const [folder, rounds = 7] = process.argv.slice(2);
const metadata = execFileSync('cargo', ['metadata', '--format-version', '1', '--no-deps', '--locked'], {
  cwd: new URL('.', import.meta.url),
  maxBuffer: 1 << 28,
});
const native = join(JSON.parse(metadata).target_directory, 'dist/examples/native');
const files = readdirSync(folder).map((name) => join(folder, name));
const pages = files.map((file) => readFileSync(file));
const megabytes = pages.reduce((sum, page) => sum + page.length, 0) / 1e6;

/** Each page counts with its best round: what others do on the machine meanwhile does not. */
function seconds(work, all) {
  let sum = 0;
  for (const page of all) {
    let best = Infinity;
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      work(page);
      best = Math.min(best, performance.now() - start);
    }
    sum += best / 1e3;
  }
  return sum;
}

// The engine compiles what it runs often anew, and better.
for (const page of pages) extractJSON(page);
const lines = execFileSync(native, ['--time', String(rounds), ...files]).toString().trimEnd().split('\n');
const ways = {
  native: lines.reduce((sum, line) => sum + Number(line), 0),
  bytes: seconds((page) => extractJSON(page), pages),
  strings: seconds((page) => extractJSON(page), pages.map((page) => page.toString())),
  'bytes, parsed': seconds((page) => extract(page), pages),
};
console.log(`${files.length} pages, ${megabytes.toFixed(1)} MB, each the best of ${rounds} rounds`);
for (const [name, time] of Object.entries(ways)) {
  const speed = `${(megabytes / time).toFixed(1)} MB/s, ${((1e3 * time) / files.length).toFixed(2)} ms a page`;
  console.log(`${name}: ${speed}, ${(time / ways.native).toFixed(2)} times the native time`);
}
