// The examples of the README run, and print what they say.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const readme = readFileSync(new URL('node_modules/webstrata/README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

const run = (code) => {
  const flags = ['--input-type=module', '--eval', code];
  return execFileSync(process.execPath, flags, { cwd: new URL('.', import.meta.url), timeout: 60_000 }).toString();
};

test('examples', () => {
  const expected = [
    /^The ferry(?!.*Home).*# An hourly ferry\n.*\nAn hourly ferry\nhttps:\/\/harbour.example\/\n$/s,
    /^High water is at noon today, the harbour office says.\n\n$/,
    /^\[ 'bytes', 'deadline' \]\n$/,
    /'strata'.*\[ \[ false, 'drop-short' \], \[ true, 'keep-all' \] \]\ntrue `extractor`: unknown extractor `artcile`, did you/s,
  ];
  assert.equal(examples.length, expected.length);
  examples.forEach((code, index) => assert.match(run(code), expected[index]));
});

test('the package has the licences of what is compiled into it', () => {
  const written = readFileSync('node_modules/webstrata/THIRD-PARTY.txt', 'utf8');
  for (const crate of ['encoding_rs', 'serde_json', 'icu_segmenter']) assert.ok(written.includes(`\n${crate} `), crate);
  assert.ok(!written.includes('\nproptest ') && written.includes('Permission is hereby granted'));
});
