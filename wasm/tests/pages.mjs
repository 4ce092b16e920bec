// Pages to try, and what the native library says of them.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository. */
const root = process.env.WEBSTRATA_ROOT;

/** The invented pages of the repository. */
export function invented() {
  const pages = join(root, 'crates/webstrata/tests/pages');
  return [join(root, 'examples/news.html'), ...readdirSync(pages).map((name) => join(pages, name, 'page.html'))];
}

/** All that `native` asks for, see examples/native.rs. */
export const everything = {
  url: 'https://harbour.example/a/',
  links: true,
  images: true,
  formats: ['text', 'markdown', 'html', 'metadata', 'links', 'blocks', 'posts'],
};

/** A line of JSON for each file. */
export function native(files, ...flags) {
  const lines = execFileSync(process.env.WEBSTRATA_NATIVE, [...flags, ...files], { maxBuffer: 1 << 30 });
  return lines.toString().trimEnd().split('\n');
}

/** Random pages with random requests and their records, see examples/cases of the library. */
export function cases(count) {
  const lines = execFileSync(process.env.WEBSTRATA_CASES, [String(count)], { maxBuffer: 1 << 30 });
  return lines.toString().trimEnd().split('\n').map((line) => JSON.parse(line));
}

/** Numbers that look random and are the same in every run (mulberry32). */
export function random(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) % below;
  };
}

const PIECES = [
  '<p>', '</p>', '<div class=nav>', '</div>', '<a href="/x?y=1&amp;z">', '</a>', '<table><tr><td>', '</table>', '<b><i>',
  '<!--', '-->', '<script>', '</script>', '<title>', '<h1>', '<ul><li>', '&eacute;&#x1F30A;', '<img src=a.png alt=sea>',
  '<pre><code>', '</code></pre>', '<svg><math>', '<frameset>', '<meta charset=shift_jis>', '<base href="//b.example/">',
  'The ferry runs every hour from Monday on, the harbour office said. ', '潮汐表はここにあります。', 'เรือข้ามฟากออกทุกชั่วโมง',
  'Паром ходит каждый час. ', '\0', '\ufeff', '   ', '<time datetime=2025-01-02>', '<div hidden>', '<',
];

/** Pages of pieces of HTML and of any bytes. */
export function randomPages(folder, count) {
  mkdirSync(folder);
  return Array.from({ length: count }, (_, number) => {
    const below = random(number);
    const parts = Array.from({ length: below(60) }, () => {
      const bytes = Buffer.from(PIECES[below(PIECES.length)]);
      return below(12) === 0 ? Buffer.from(Array.from({ length: below(40) }, () => below(256))) : bytes;
    });
    const file = join(folder, `${number}.html`);
    writeFileSync(file, Buffer.concat(parts));
    return file;
  });
}
