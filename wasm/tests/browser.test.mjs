// The package as it is shipped, in a browser, and its demo page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { after, before, test } from 'node:test';

import { extract } from 'webstrata';

import { Browser, program } from './browser.mjs';
import { everything, invented, native } from './pages.mjs';

const FOLDER = new URL('node_modules/webstrata/', import.meta.url);
const FILES = ['core.js', 'demo.html', 'demo.js', 'index.js', 'webstrata.wasm'];
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

const chromium = program();
const skip = chromium ? false : 'WEBSTRATA_BROWSER=none';
let server;
let browser;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const [path, query] = request.url.slice(1).split('?');
    // Browsers ask for it by themselves.
    if (path === 'favicon.ico') return response.writeHead(204).end();
    if (!FILES.includes(path)) return response.writeHead(404).end();
    // A server that does not know the type of modules, which browsers then do not compile as they arrive.
    const type = query === 'untyped' ? 'application/octet-stream' : TYPES[extname(path)];
    response.writeHead(200, { 'content-type': type }).end(readFileSync(new URL(path, FOLDER)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await Browser.start(chromium, `http://127.0.0.1:${server.address().port}`);
});

after(async () => {
  await browser?.stop();
  server?.closeAllConnections();
  server?.close();
});

const output = () => browser.value("document.getElementById('output').textContent");
const says = (id, words) => browser.wait(`document.getElementById('${id}').textContent.includes(${JSON.stringify(words)})`);

test('the demo shows text, Markdown and the record of what is pasted', { skip }, async () => {
  await browser.go('/demo.html');
  await browser.wait("document.querySelectorAll('#extractor option').length > 10");
  const html = readFileSync(invented()[0], 'utf8');
  await browser.value("document.getElementById('html').focus()");
  await browser.call('Input.insertText', { text: html });
  await says('output', 'chain ferry');
  // A text field has line feeds only.
  const expected = extract(html.replaceAll('\r', ''), { formats: ['markdown'], deadlineMs: 60_000 });
  assert.equal(await output(), expected.text);
  await browser.choose('show', 'markdown');
  await says('output', '# Chain ferry');
  assert.equal(await output(), expected.markdown);
  await browser.choose('show', 'record');
  await says('output', '"confidence"');
  assert.equal(JSON.parse(await output()).text, expected.text);
  await browser.choose('extractor', 'article');
  await says('facts', 'by article');
  assert.equal(await browser.value("document.getElementById('favor').disabled"), true);
  await browser.giveFile('#file', invented().find((file) => file.includes('koi8')));
  await says('output', '"encoding": "KOI8-R"');
  assert.equal(await browser.value("document.getElementById('error').textContent"), '');
  assert.deepEqual(browser.wrong, []);
});

test('records in a browser and in its workers are those of the native library', { skip }, async () => {
  await browser.go('/demo.html');
  const files = invented();
  const expected = native(files);
  const pages = JSON.stringify(files.map((file) => readFileSync(file).toString('base64')));
  const records = `async (index, pages) => {
    const { extractJSON, init } = await import(index);
    await Promise.all([init(), init()]);
    const bytes = (page) => Uint8Array.from(atob(page), (letter) => letter.charCodeAt(0));
    return pages.map((page) => extractJSON(bytes(page), ${JSON.stringify(everything)}));
  }`;
  assert.deepEqual(await browser.value(`(${records})('./index.js', ${pages})`), expected);
  const code = `onmessage = async ({ data }) => postMessage(await (${records})(...data))`;
  // The demo's policy has no workers; a page without one stands for others.
  await browser.go('/core.js');
  const worker = `new Promise((resolve, reject) => {
    const code = URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }));
    const worker = new Worker(code, { type: 'module' });
    Object.assign(worker, { onmessage: ({ data }) => resolve(data), onerror: (event) => reject(event.message) });
    worker.postMessage([location.origin + '/index.js', ${pages}]);
  })`;
  assert.deepEqual(await browser.value(worker), expected);
  assert.deepEqual(browser.wrong, []);
});

test('a browser needs init, says so, and takes the module from anywhere', { skip }, async () => {
  await browser.go('/core.js');
  const found = await browser.value(`(async () => {
    const { WebstrataError, extract, init } = await import('/index.js');
    const line = (call) => { try { return call() } catch (error) { return [error instanceof WebstrataError, error.message] } };
    const early = line(() => extract('<p>x'));
    const missing = await init('/nowhere.wasm').catch((error) => error.message);
    const texts = [];
    const page = '<p>High water is at noon today.';
    for (const source of ['/webstrata.wasm?untyped', fetch('/webstrata.wasm'), undefined]) {
      await init(source);
      texts.push(extract(page, { extractor: 'keep-all' }).text);
    }
    const deadline = extract('<div>'.repeat(1e6), { deadlineMs: 1 }).limits;
    return { early, missing, texts, deadline };
  })()`);
  assert.deepEqual(found.early, [true, 'the module is not loaded yet: `await init()` first']);
  assert.equal(found.missing, 'webstrata.wasm: 404 Not Found');
  assert.deepEqual(found.texts, Array(3).fill('High water is at noon today.\n'));
  assert.ok(found.deadline.includes('deadline'));
  // The one that is missing is missing.
  assert.deepEqual(browser.wrong.filter((line) => !line.includes('nowhere')), []);
});
