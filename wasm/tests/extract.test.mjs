// The package as it is shipped, in Node: what it says is what the native library says.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import * as webstrata from 'webstrata';
import { WebstrataError, explain, extract, extractJSON, extractors, init, version } from 'webstrata';

import { cases, everything, invented, native, random, randomPages } from './pages.mjs';

const PAGE = `<title>An hourly ferry | The Harbour Post</title><nav><a href=/>Home</a></nav><h1>An hourly ferry</h1><p>The ferry between the two
  islands will run every hour from Monday on, the harbour office <a href=/says>said</a> after a winter of two crossings.
  <p hidden>Nobody sees that the ferry is late on most days of the week and most weeks of the year.
  <p>Tickets cost the same as before and are sold on board, in coins only.`;

const wrong = (line, call) =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof WebstrataError && error instanceof Error && error.name === 'WebstrataError');
    assert.ok(error.message.includes(line) && !error.message.includes('\n'), `${error.message}: no ${line}`);
    return true;
  });

function check(files, flags, say) {
  const expected = native(files, ...flags);
  assert.equal(expected.length, files.length);
  files.forEach((file, index) => assert.equal(say(readFileSync(file)), expected[index], file));
}

test('records are those of the native library, byte for byte', () => {
  const files = invented();
  assert.ok(files.length > 15);
  check(files, [], (page) => extractJSON(page, everything));
  for (const { name } of extractors()) {
    check(files, ['--extractor', name], (page) => extractJSON(page, { ...everything, extractor: name }));
  }
});

test('explanations are those of the native library', () => {
  const expected = native(invented(), '--explain');
  invented().forEach((file, index) => {
    assert.deepEqual(explain(readFileSync(file), everything), JSON.parse(expected[index]), file);
  });
});

test('any bytes give the record of the native library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webstrata-'));
  try {
    check(randomPages(join(folder, 'pages'), 1500), [], (page) => extractJSON(page, everything));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('random requests give the record of the native library', () => {
  const names = { parts: 'formats', max_bytes: 'maxBytes', front_matter: 'frontMatter' };
  const lines = cases(1000);
  assert.equal(lines.length, 1000);
  for (const { request, page, record } of lines) {
    const options = Object.fromEntries(Object.entries(request).map(([name, value]) => [names[name] ?? name, value]));
    if (options.extractor?.includes('\n')) options.extractor = { toml: options.extractor };
    assert.deepEqual(extract(Buffer.from(page, 'latin1'), options), record, JSON.stringify(options));
  }
});

test('any string gives a record, lone surrogates and all', () => {
  const all = { extractor: 'keep-all' };
  assert.equal(extract('<p>Ebb \ud800 and \udfff flood', all).text, 'Ebb \ufffd and \ufffd flood\n');
  const below = random(7);
  for (let i = 0; i < 500; i++) {
    const units = Array.from({ length: below(200) }, () => (below(2) ? 0x20 + below(0x60) : below(0x10000)));
    const html = String.fromCharCode(...units);
    assert.deepEqual(extract(html, everything), extract(Buffer.from(html), { ...everything, charset: 'utf-8' }));
  }
});

test('pages are strings, buffers and views', () => {
  const record = extract(PAGE);
  const bytes = new TextEncoder().encode(`....${PAGE}`);
  assert.deepEqual(extract(bytes.subarray(4)), record);
  assert.deepEqual(extract(bytes.buffer.slice(4)), record);
  assert.deepEqual(extract(new DataView(bytes.buffer, 4)), record);
  assert.deepEqual(extract(Buffer.from(PAGE)), record);
  assert.equal(extract('').text, '');
  assert.equal(extract(new Uint8Array()).text, '');
  for (const html of [undefined, null, 5, {}, []]) wrong('html: expected a string', () => extract(html));
  const german = Buffer.from('<p>Ebbe um f\xfcnf', 'latin1');
  assert.equal(extract(german, { extractor: 'keep-all', charset: 'latin1' }).text, 'Ebbe um fünf\n');
});

test('options do what they say', () => {
  const { text, markdown, html, links, metadata, blocks } = extract(PAGE, everything);
  assert.ok(text.startsWith('The ferry between') && !text.includes('Home') && !text.includes('late'));
  assert.ok(markdown.startsWith('# An hourly ferry\n') && markdown.includes('[said](https://harbour.example/says)'));
  assert.ok(html.includes('<h1>An hourly ferry</h1>'));
  assert.equal(metadata.title.value, 'An hourly ferry');
  assert.deepEqual(links.map((link) => link.in_content), [false, true]);
  const flat = extract(PAGE, { ...everything, text: 'flat' }).text;
  assert.deepEqual(blocks.filter((block) => block.content).map((block) => block.text), flat.trimEnd().split('\n'));
  assert.deepEqual(blocks.map((block) => block.part), ['navigation', 'title', 'body', 'other', 'body']);
  assert.deepEqual(extract(PAGE, everything).posts, []);
  assert.equal(extract(PAGE, { include: ['title'] }).text, `An hourly ferry\n\n${extract(PAGE).text}`);
  const list = `${PAGE}<table><caption>Days</caption><tr><th>Day</th><th>Ferries</th></tr><tr><td>Monday</td><td>24</td></tr></table>`;
  const excluded = { favor: 'recall', formats: ['markdown'], exclude: ['table', 'caption', 'title'], frontMatter: true };
  const chosen = extract(list, excluded);
  assert.ok(!chosen.text.includes('Ferries') && !chosen.markdown.includes('Ferries') && !chosen.markdown.includes('# '));
  assert.ok(chosen.markdown.startsWith('---\n'));
  const bare = extract(PAGE, { formats: ['text'], url: null, favor: undefined });
  assert.ok(!('markdown' in bare) && !('blocks' in bare) && !('url' in bare));
  assert.ok(extract(PAGE, { hidden: 'keep', extractor: 'keep-all' }).text.includes('late'));
  const words = (favor) => extract(readFileSync(invented()[0]), { favor }).words;
  assert.ok(words('recall') >= words('balanced') && words(2) === words('recall') && words(0.5) === words('precision'));
  assert.deepEqual(extract(PAGE, { maxBytes: 40 }).limits, ['bytes']);
  assert.deepEqual(extract(PAGE, { maxBytes: PAGE.length, deadlineMs: 60_000 }).limits, []);
  const toml = "name = 'mine'\nsteps = [ { filter = 'keep-all' }, { filter = 'drop-short', min-words = 10 } ]";
  assert.equal(extract(PAGE, { extractor: { toml } }).extractor, 'mine');
  assert.equal(explain(PAGE, { extractor: { toml } }).steps[1].step.filter, 'drop-short');
});

test('what is wrong gets one line with the remedy', () => {
  wrong('unknown option `extractr`, did you mean `extractor`?', () => extract(PAGE, { extractr: 'article' }));
  wrong('unknown option `deadline_ms`, did you mean `deadlineMs`?', () => explain(PAGE, { deadline_ms: 5 }));
  wrong('unknown extractor `artcile`, did you mean `article`?', () => extract(PAGE, { extractor: 'artcile' }));
  wrong('unknown part `markdwon`, did you mean `markdown`?', () => extract(PAGE, { formats: ['markdwon'] }));
  wrong('unknown part `captoin`, did you mean `caption`?', () => extract(PAGE, { exclude: ['captoin'] }));
  wrong('`text`: expected structured or flat, not `plain`', () => extract(PAGE, { text: 'plain' }));
  wrong('`extractor`: line 1', () => extract(PAGE, { extractor: { toml: 'name = ' } }));
  wrong('options: expected an object', () => extract(PAGE, 'article'));
  wrong('options: expected an object', () => extract(PAGE, ['article']));
  const circle = {};
  circle.url = circle;
  wrong('options: expected plain values', () => extract(PAGE, circle));
  for (const favor of [NaN, Infinity, 0, '0.5', 1n, () => 1, Symbol('x')]) {
    wrong('`favor`: expected precision', () => extract(PAGE, { favor }));
  }
  for (const maxBytes of [0, -1, NaN, 2 ** 31, '5']) wrong('`maxBytes`: expected', () => extract(PAGE, { maxBytes }));
  assert.equal(extract(PAGE).title, 'An hourly ferry');
});

test('the package tells what it is', async () => {
  const manifest = JSON.parse(readFileSync(new URL('node_modules/webstrata/package.json', import.meta.url)));
  assert.equal(version, manifest.version);
  assert.equal(manifest.dependencies, undefined);
  const names = ['WebstrataError', 'explain', 'extract', 'extractJSON', 'extractors', 'init', 'version'];
  assert.deepEqual(Object.keys(webstrata).sort(), names);
  const browsers = await import(new URL('node_modules/webstrata/index.js', import.meta.url));
  assert.deepEqual(Object.keys(browsers).sort(), names);
  const list = extractors();
  assert.equal(list.find((one) => one.name === 'strata').favor, true);
  assert.equal(list.find((one) => one.name === 'article').favor, false);
  const { toml } = list.find((one) => one.name === 'article');
  assert.equal(extract(PAGE, { extractor: { toml } }).text, extract(PAGE, { extractor: 'article' }).text);
  await init();
  await init(readFileSync(new URL('node_modules/webstrata/webstrata.wasm', import.meta.url)));
  assert.equal(extract(PAGE).title, 'An hourly ferry');
});
