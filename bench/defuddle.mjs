// Writes defuddle's Markdown of a set's pages, for `cargo xtask structure` and `cargo xtask threads`, --outputs OUT:
//
//   npm install --prefix DIR defuddle jsdom
//   NODE_PATH=DIR/node_modules node bench/defuddle.mjs SETS/SET OUT [TYPE]
//
// It writes OUT/defuddle/SET.jsonl. TYPE: only pages that SETS/SET/meta.tsv says to be of this type. Each page has 60 s;
// one that fails or takes longer has an empty text.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import path from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const MOST_SECONDS = 60;

if (isMainThread) {
  const [set, out, type] = process.argv.slice(2);
  const rows = (file) =>
    existsSync(file) ? readFileSync(file, "utf8").split("\n").map((line) => line.split("\t")) : [];
  const urls = new Map(rows(path.join(set, "urls.tsv")));
  const ids = type
    ? rows(path.join(set, "meta.tsv")).filter((row) => row[1] === type).map((row) => row[0])
    : readdirSync(path.join(set, "pages")).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));
  ids.sort();
  const lines = [];
  let next = 0;
  // A thread that reads pages until there are none left; a page that takes too long ends it, and another begins.
  const read = async () => {
    let worker;
    while (next < ids.length) {
      const at = next++;
      const file = path.join(set, "pages", `${ids[at]}.html`);
      worker ??= new Worker(new URL(import.meta.url));
      const text = await new Promise((done) => {
        const give_up = (why) => {
          console.error(ids[at], String(why));
          worker.terminate();
          worker = undefined;
          done("");
        };
        const late = setTimeout(() => give_up("too late"), MOST_SECONDS * 1000);
        worker.removeAllListeners();
        worker.once("message", (text) => (clearTimeout(late), done(text)));
        worker.once("error", (error) => (clearTimeout(late), give_up(error)));
        // Where an address is not known, its cell is empty.
        worker.postMessage({ file, url: urls.get(ids[at]) || undefined });
      });
      lines[at] = JSON.stringify({ id: ids[at], text });
    }
    await worker?.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, read));
  const file = path.join(out, "defuddle", `${path.basename(path.resolve(set))}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, lines.join("\n") + "\n");
} else {
  const modules = path.resolve(process.env.NODE_PATH ?? "node_modules");
  const { JSDOM, VirtualConsole } = createRequire(path.join(modules, "x.js"))("jsdom");
  const { Defuddle } = await import(path.join(modules, "defuddle/dist/node.js"));
  parentPort.on("message", async ({ file, url = "https://example.org/" }) => {
    try {
      const dom = new JSDOM(readFileSync(file), { url, virtualConsole: new VirtualConsole() });
      // `useAsync` would ask servers for what the page has not.
      const result = await Defuddle(dom.window.document, url, { markdown: true, useAsync: false });
      parentPort.postMessage(result.contentMarkdown ?? result.content ?? "");
      dom.window.close();
    } catch (error) {
      console.error(file, String(error));
      parentPort.postMessage("");
    }
  });
}
