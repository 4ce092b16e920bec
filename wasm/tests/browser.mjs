// A browser to look at pages with: headless Chromium, driven by the DevTools protocol over two pipes. No port is
// opened and no package is needed: messages are JSON, with a zero byte behind each.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How often a condition is looked at before it is given up, and the pause between two looks. */
const LOOKS = 1500;
const PAUSE = 20;
/** The longest that the browser may take to answer. */
const PATIENCE = 60_000;

/** The browser's program; none where somebody wants these tests left out. */
export function program() {
  const named = process.env.WEBSTRATA_BROWSER;
  if (named === 'none') return undefined;
  const names = named ? [named] : ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const found = names.find((name) => spawnSync(name, ['--version']).status === 0);
  const remedy = 'name one in WEBSTRATA_BROWSER, or leave these tests out with WEBSTRATA_BROWSER=none';
  assert.ok(found, `no Chromium found: \`apt-get install chromium\`, or ${remedy}`);
  return found;
}

export class Browser {
  #child;
  #profile = mkdtempSync(join(tmpdir(), 'webstrata-browser-'));
  #waiting = new Map();
  #calls = 0;
  #session;
  #origin;
  #rest = '';
  wrong = [];

  /** Starts a browser for the pages of this origin; nothing else may be asked for anything. */
  static async start(program, origin) {
    const browser = new Browser();
    browser.#origin = origin;
    const flags = [
      '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run',
      '--disable-background-networking', '--disable-sync', '--disable-component-update', '--disable-dev-shm-usage',
      '--mute-audio', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', `--user-data-dir=${browser.#profile}`,
      'about:blank',
    ];
    // It has children of its own; all are in one group.
    browser.#child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true });
    browser.#child.on('exit', () => browser.#giveUp('the browser has ended'));
    browser.#child.stdio[3].on('error', () => browser.#giveUp('the browser does not listen'));
    browser.#child.stdio[4].setEncoding('utf8').on('data', (piece) => browser.#hear(piece));
    const { targetId } = await browser.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true });
    browser.#session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'DOM']) await browser.call(`${domain}.enable`);
    await browser.call('Emulation.setFocusEmulationEnabled', { enabled: true });
    return browser;
  }

  #hear(piece) {
    const messages = (this.#rest + piece).split('\0');
    this.#rest = messages.pop();
    for (const message of messages.map((text) => JSON.parse(text))) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (!waiting) this.#note(message);
      else if (message.error) waiting.reject(new Error(JSON.stringify(message.error)));
      else waiting.resolve(message.result);
    }
  }

  /** Errors on the console, and requests to anybody else. */
  #note({ method, params }) {
    if (method === 'Runtime.exceptionThrown') this.wrong.push(`exception: ${JSON.stringify(params)}`);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.wrong.push(`console: ${JSON.stringify(params.args)}`);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.wrong.push(`log: ${params.entry.text} ${params.entry.url}`);
    if (method === 'Network.requestWillBeSent') {
      const own = [this.#origin, 'data:', 'blob:', 'about:'];
      const { url } = params.request;
      if (!own.some((start) => url.startsWith(start))) this.wrong.push(`a request to ${url}`);
    }
  }

  #giveUp(why) {
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }

  /** Calls a method of the protocol. */
  call(method, params = {}) {
    const id = ++this.#calls;
    const message = { id, method, params, ...(this.#session && { sessionId: this.#session }) };
    return new Promise((resolve, reject) => {
      const silent = setTimeout(() => reject(new Error(`${method}: the browser is silent`)), PATIENCE);
      const heard = (end) => (value) => {
        clearTimeout(silent);
        end(value);
      };
      this.#waiting.set(id, { resolve: heard(resolve), reject: heard(reject) });
      this.#child.stdio[3].write(`${JSON.stringify(message)}\0`);
    });
  }

  async go(path) {
    await this.call('Page.navigate', { url: this.#origin + path });
    await this.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** The value of an expression, awaited. */
  async value(expression) {
    const answer = await this.call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    assert.equal(answer.exceptionDetails, undefined, JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  }

  async wait(condition) {
    for (let look = 0; look < LOOKS; look++) {
      if (await this.value(`Boolean(${condition})`)) return;
      await pause(PAUSE);
    }
    assert.fail(`never so: ${condition}; ${this.wrong.join('\n')}`);
  }

  /** Chooses a value of a `<select>`, as its keys would. */
  choose(id, value) {
    const chosen = `Object.assign(document.getElementById('${id}'), { value: '${value}' })`;
    return this.value(`${chosen}.dispatchEvent(new Event('change', { bubbles: true }))`);
  }

  async giveFile(selector, file) {
    const { root } = await this.call('DOM.getDocument');
    const { nodeId } = await this.call('DOM.querySelector', { nodeId: root.nodeId, selector });
    await this.call('DOM.setFileInputFiles', { nodeId, files: [file] });
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      process.kill(-this.#child.pid, 'SIGKILL');
      await ended;
    }
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
