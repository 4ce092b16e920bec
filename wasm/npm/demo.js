// Texts are shown as texts: nothing of a page is parsed by the browser.

import { extract, extractors, init, version } from './index.js';

const of = (id) => document.getElementById(id);

/** The page: what is in the text field, or a file's bytes. */
let page = '';

function options() {
  const name = of('extractor').value;
  const chosen = extractors().find((extractor) => extractor.name === name);
  of('favor').disabled = !chosen.favor;
  return { extractor: name, favor: chosen.favor ? of('favor').value : undefined, deadlineMs: 2000 };
}

function show() {
  of('error').textContent = '';
  try {
    const formats = of('show').value === 'markdown' ? ['markdown'] : ['metadata', 'links', 'blocks'];
    const start = performance.now();
    const record = extract(page, { ...options(), formats });
    const took = performance.now() - start;
    const shown = { text: record.text, markdown: record.markdown, record: JSON.stringify(record, null, 2) };
    of('output').textContent = shown[of('show').value];
    const limits = record.limits.length ? `, limits hit: ${record.limits.join(', ')}` : '';
    of('facts').textContent =
      `${record.words} of ${record.page_words} words by ${record.extractor}, ${took.toFixed(1)} ms${limits}; webstrata ${version}`;
  } catch (error) {
    of('output').textContent = '';
    of('error').textContent = error.message;
  }
}

async function take(file) {
  if (!file) return;
  page = await file.arrayBuffer();
  of('html').value = '';
  of('html').placeholder = `${file.name}, ${file.size} bytes`;
  show();
}

try {
  await init();
  const names = extractors().map(({ name, about }) => Object.assign(new Option(name), { title: about }));
  of('extractor').replaceChildren(...names);
  for (const id of ['extractor', 'favor', 'show']) of(id).addEventListener('change', show);
  of('html').addEventListener('input', () => {
    page = of('html').value;
    show();
  });
  of('file').addEventListener('change', () => take(of('file').files[0]));
  addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dropping');
  });
  addEventListener('dragleave', () => document.body.classList.remove('dropping'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dropping');
    take(event.dataTransfer.files[0]);
  });
  of('output').textContent = '';
} catch (error) {
  of('output').textContent = '';
  of('error').textContent = error.message;
}
