// Checked by `tsc --noEmit`, never run.

import { type PageRecord, type Part, WebstrataError, explain, extract, extractJSON, extractors, init, version } from 'webstrata';

await init();
await init(fetch('webstrata.wasm'));
await init(new URL('webstrata.wasm', 'https://harbour.example/'));

const plain = extract('<p>', { favor: 2, extractor: { toml: '' }, hidden: 'mark', deadlineMs: 5 });
const text: string = plain.text;
const both = extract(new Uint8Array(), { formats: ['markdown', 'blocks'] });
const markdown: string = both.markdown;
const path: string = both.blocks[0].path;
const part: Part = both.blocks[0].part;
const votes: number | undefined = extract('', { formats: ['posts'], text: 'flat', exclude: ['caption'] }).posts[0].votes;
const any: PageRecord = both;
const maybe: string | undefined = any.html;
const decided: string | undefined = explain(new ArrayBuffer(1)).blocks[0].decided_by?.filter;
const lines: string[] = [extractJSON('', { maxBytes: 5 }), version, extractors()[0].toml, new WebstrataError('x').message];

// @ts-expect-error: it was not asked for
const html: string = both.html;
// @ts-expect-error: no such option
extract('', { extractr: 'article' });
// @ts-expect-error: no such format
extract('', { formats: ['markdwon'] });
// @ts-expect-error: no such part
extract('', { exclude: ['captoin'] });
// @ts-expect-error: no page
extract(5);

export { text, markdown, path, part, votes, maybe, decided, lines, html };
