// Nothing runs in what common readers of Markdown make of ours, though they let HTML through. The pages are those of
// crates/webstrata/examples/cases/hostile.rs. Run by wasm/test where npm can install the readers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import showdown from 'showdown';

const fences = new showdown.Converter({ ghCodeBlocks: true, tables: true, strikethrough: true, tasklists: true });
const readers = {
  marked: (text) => marked.parse(text),
  'markdown-it': (text) => new MarkdownIt({ html: true }).render(text),
  showdown: (text) => fences.makeHtml(text),
};

const RUNNING = new Set(
  ('applet audio base body button details embed form frame frameset iframe input isindex keygen link marquee math meta ' +
    'noembed noscript object plaintext script select source style svg template textarea title video xmp').split(' '),
);
const TAG = /<([a-z][^\s\/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>?/gi;
const ATTRIBUTE = /([^\s"'<>\/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;

const plain = (text) =>
  text
    .replace(/&#x([0-9a-f]+);?/gi, (_, code) => String.fromCodePoint(parseInt(code, 16)))
    .replace(/&#(\d+);?/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&colon;/gi, ':')
    .replace(/&(tab|newline);/gi, '');

function runs(html) {
  const found = [];
  for (const [, name, attributes] of html.matchAll(TAG)) {
    // A box of a list of tasks.
    if (RUNNING.has(name.toLowerCase()) && !/type="checkbox"/.test(attributes)) found.push(name);
    for (const [, attribute, value = ''] of attributes.matchAll(ATTRIBUTE)) {
      if (/^on|^style$|^srcdoc$/i.test(attribute) && !/^text-align/.test(value.slice(1))) found.push(`${name} ${attribute}`);
      const address = plain(value).replace(/[^!-~]|^["']/g, '').toLowerCase();
      if (/^(javascript|vbscript|data|blob|file|feed|view-source):/.test(address)) found.push(`${name} ${attribute}=${value}`);
    }
  }
  return found;
}

for (const page of ['<img src=x onerror=A>', '<SCRIPT>A</SCRIPT>', "<a href=' java\nscript:A'>a</a>", '<a href="&#106;avascript:A">a</a>']) {
  assert.ok(runs(page).length > 0, page);
}
assert.deepEqual(runs('<p><a href="https://harbour.example/?a=javascript:x">a</a> &lt;script&gt; <code>x</code></p>'), []);

const lines = execFileSync(process.env.WEBSTRATA_CASES, ['hostile'], { maxBuffer: 1 << 28 }).toString().trimEnd().split('\n');
assert.ok(lines.length > 200);
for (const [name, read] of Object.entries(readers)) {
  for (const line of lines) {
    const { page, markdown } = JSON.parse(line);
    assert.deepEqual(runs(read(markdown)), [], `${name}: ${page}\n${markdown}`);
  }
}
console.log(`readers of Markdown: nothing runs in ${Object.keys(readers).join(', ')}`);
