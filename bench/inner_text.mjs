// Writes what Chromium's `innerText` has for every `<pre>` of a set's pages, for `cargo xtask structure --inner-text FILE`:
//
//   npm install --prefix DIR playwright-core
//   NODE_PATH=DIR/node_modules node bench/inner_text.mjs SETS/SET > FILE
//
// A line for each page that has any: {"id": …, "pre": [ … ]}, a `<pre>` inside another one left out. Scripts do not run, and
// nothing but the file itself is loaded. CHROMIUM names the browser; /usr/bin/chromium by default.
//
// What readers do not see as code is taken out first: the line break that ends a block, which the browser does not show but
// `innerText` counts; buttons; numbers of lines, which are elements or cells with nothing but 1, 2, 3 and so on in them.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const modules = path.resolve(process.env.NODE_PATH ?? "node_modules");
const { chromium } = createRequire(path.join(modules, "x.js"))("playwright-core");

/** Runs in the page. */
function codeBlocks() {
  const isBlock = (element) => !/^(inline|none|contents|ruby)/.test(getComputedStyle(element).display);
  const lastOf = (element) => {
    let last = element.lastChild;
    while (last?.lastChild) last = last.lastChild;
    return last;
  };
  const dropLastBreak = (block) => {
    const last = lastOf(block);
    if (!last) return;
    // A block with nothing else is one empty line: a character without width holds its place, which `innerText` counts once.
    if (!block.textContent.trim()) {
      if (block.textContent.includes("\n") || last.nodeName === "BR") block.textContent = "\u200b";
      return;
    }
    if (last.nodeName === "BR") last.remove();
    else if (last.nodeType === 3 && last.data.endsWith("\n")) last.data = last.data.slice(0, -1);
  };
  const counts = (numbers) => numbers.length > 0 && numbers.every((number, at) => Number(number) === Number(numbers[0]) + at);
  const dropNumbers = (pre) => {
    const isNumber = (element) => /^\s*\d+\s*$/.test(element.textContent);
    const all = [...pre.querySelectorAll("*")].filter((element) => !element.children.length && isNumber(element));
    // Elements with the same name, of which there is one a line.
    const byName = Map.groupBy(all, (element) => element.nodeName + element.className);
    for (const group of byName.values()) {
      const numbers = group.map((element) => element.textContent.trim());
      if (numbers.length > 1 && numbers[0] === "1" && counts(numbers)) group.forEach((element) => element.remove());
    }
    for (const cell of pre.querySelectorAll("td, pre")) {
      const lines = cell.textContent.trim().split(/\s+/);
      if (lines[0] === "1" && counts(lines)) cell.remove();
    }
  };
  const code = (pre) => {
    pre.querySelectorAll("button").forEach((button) => button.remove());
    dropNumbers(pre);
    [...pre.querySelectorAll("*")].filter(isBlock).forEach(dropLastBreak);
    return pre.innerText.replaceAll("\u200b", "");
  };
  const isColumn = (text) => /^\s*1(\s+\d+)*\s*$/.test(text);
  const outer = [...document.querySelectorAll("pre")].filter((pre) => !pre.parentElement.closest("pre"));
  return outer.map(code).filter((text) => !isColumn(text));
}

const pages = path.resolve(process.argv[2], "pages");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
for (const name of readdirSync(pages).filter((name) => name.endsWith(".html")).sort()) {
  const file = path.join(pages, name);
  if (!/<pre[\s>]/i.test(readFileSync(file, "latin1"))) continue;
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  await page.route("**/*", (route) => (route.request().url() === address ? route.continue() : route.abort()));
  try {
    await page.goto(address, { waitUntil: "commit", timeout: 20_000 });
    await page.waitForLoadState("domcontentloaded", { timeout: 20_000 });
    const pre = await page.evaluate(codeBlocks);
    console.log(JSON.stringify({ id: name.slice(0, -5), pre }));
  } catch (error) {
    console.error(name, String(error));
  }
  await page.close();
}
await browser.close();
