// The blocks of a page as a list. Rows have one height, so that of 20,000 blocks only those in view
// are elements; the whole text of a block stands in its explanation.

import { byId, count, el, percent, plural } from "./dom.js";
import { KINDS } from "./kinds.js";

/** More rows than this would be higher than browsers can scroll. */
const MOST = 200_000;
/** Rows that are kept ready above and below the window. */
const MARGIN = 8;

export class BlockList {
  /** `onSelect(index)` when a block is chosen, `onHover(index or null)` when one is pointed at. */
  constructor({ onSelect, onHover }) {
    this.box = byId("blocks");
    this.space = byId("blocks-space");
    this.note = byId("blocks-note");
    this.onSelect = onSelect;
    this.blocks = [];
    this.visible = [];
    this.rows = new Map();
    this.selected = -1;
    this.hovered = -1;
    this.filter = "all";
    this.words = "";
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("click", (event) => {
      const index = this.indexOf(event);
      if (index !== null) this.select(index, "list");
    });
    this.box.addEventListener("pointerover", (event) => onHover(this.indexOf(event)));
    this.box.addEventListener("pointerleave", () => onHover(null));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** Shows these blocks; `kinds` and `marks` are of the same length. */
  show(blocks, kinds, marks) {
    this.blocks = blocks.slice(0, MOST);
    this.kinds = kinds;
    this.marks = marks;
    this.cut = blocks.length - this.blocks.length;
    if (this.selected >= this.blocks.length) this.selected = -1;
    this.refilter();
  }

  /** Another page comes: nothing is chosen, and it begins at its beginning. */
  forget() {
    this.selected = -1;
    this.box.removeAttribute("aria-activedescendant");
    this.box.scrollTop = 0;
  }

  /** Which blocks are listed: all, kept, dropped or changed ones, with these letters in them. */
  setFilter(filter, words) {
    this.filter = filter;
    this.words = words.toLowerCase();
    this.refilter();
  }

  refilter() {
    const passes = (index) => {
      const block = this.blocks[index];
      if (this.filter === "kept" && !block.content) return false;
      if (this.filter === "dropped" && block.content) return false;
      if (this.filter === "changed" && !this.marks[index]) return false;
      return !this.words || block.text.toLowerCase().includes(this.words);
    };
    this.visible = [...this.blocks.keys()].filter(passes);
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    const notes = [];
    if (this.visible.length < this.blocks.length) {
      notes.push(`${count(this.visible.length)} of ${plural(this.blocks.length, "block")} listed.`);
    }
    if (this.cut > 0) notes.push(`The last ${plural(this.cut, "block")} are left out here.`);
    this.note.textContent = notes.join(" ");
    this.note.hidden = notes.length === 0;
    if (this.placeOf(this.selected) < 0) this.box.removeAttribute("aria-activedescendant");
    this.draw();
  }

  // Where a block stands among those listed, which are sorted; -1 if it is not.
  placeOf(index) {
    let low = 0;
    let high = this.visible.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.visible[middle] < index) low = middle + 1;
      else high = middle;
    }
    return this.visible[low] === index ? low : -1;
  }

  rowHeight() {
    return parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 48;
  }

  draw() {
    const height = this.rowHeight();
    this.space.style.height = `${this.visible.length * height}px`;
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - MARGIN);
    const last = Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + MARGIN;
    const wanted = new Set(this.visible.slice(first, last));
    // The chosen row stays an element: `aria-activedescendant` points at it.
    if (this.placeOf(this.selected) >= 0) wanted.add(this.selected);
    for (const [index, row] of this.rows) {
      if (wanted.has(index)) continue;
      row.remove();
      this.rows.delete(index);
    }
    for (const index of wanted) {
      const row = this.rows.get(index) ?? this.row(index);
      row.style.transform = `translateY(${this.placeOf(index) * height}px)`;
    }
  }

  row(index) {
    const block = this.blocks[index];
    const kind = this.kinds[index];
    const mark = this.marks[index];
    const verdict = block.content ? "kept" : "dropped";
    const change = mark ? `, ${mark} by the last change` : "";
    const name = `Block ${index}, ${verdict}, ${KINDS[kind].name}, part: ${block.part}${change}, ${plural(block.counts.words, "word")}: `;
    const bar = el("span", { class: "score-bar" });
    bar.style.width = `${Math.round(Math.min(1, Math.max(0, block.score)) * 100)}%`;
    const row = el(
      "div",
      {
        role: "option",
        id: `block-${index}`,
        class: `block ${verdict} kind-${kind}${mark ? ` ${mark}` : ""}`,
        "aria-label": name + block.text.slice(0, 200),
        "aria-setsize": this.visible.length,
        "aria-posinset": this.placeOf(index) + 1,
        "aria-selected": index === this.selected,
      },
      el("span", { class: "sign", title: `${KINDS[kind].name}, ${verdict}` }, KINDS[kind].sign),
      el("span", { class: "block-text", dir: "auto" }, block.text.slice(0, 400)),
      el(
        "span",
        { class: "numbers" },
        mark && el("span", { class: "change" }, mark === "added" ? "+ added" : "− removed"),
        el("span", { class: "part", title: "part: what the block is on its page" }, block.part),
        el("span", { class: "score", title: "score: the classifier's probability of content" }, bar, block.score.toFixed(2)),
        el("span", { class: "words", title: "words" }, count(block.counts.words), el("small", null, " w")),
        el("span", { class: "linked", title: "share of words in links" }, percent(block.link_density), el("small", null, " linked")),
      ),
    );
    row.classList.toggle("hovered", index === this.hovered);
    this.rows.set(index, row);
    this.space.append(row);
    return row;
  }

  indexOf(event) {
    const row = event.target.closest?.("[role=option]");
    return row ? Number(row.id.slice("block-".length)) : null;
  }

  /** Marks the block that is pointed at elsewhere. */
  hover(index) {
    this.rows.get(this.hovered)?.classList.remove("hovered");
    this.hovered = index ?? -1;
    this.rows.get(this.hovered)?.classList.add("hovered");
  }

  /** Chooses a block, brings it into view and tells. */
  select(index, origin) {
    this.rows.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = index;
    this.scrollTo(index);
    this.rows.get(index)?.setAttribute("aria-selected", "true");
    this.box.setAttribute("aria-activedescendant", this.rows.has(index) ? `block-${index}` : "");
    this.onSelect(index, origin);
  }

  /** Chooses the block that a page is opened at, with what follows it in view. */
  open(index) {
    this.select(index, "first");
    this.box.scrollTop = (this.placeOf(index) - 1) * this.rowHeight();
    this.draw();
  }

  scrollTo(index) {
    const at = this.placeOf(index);
    const height = this.rowHeight();
    const top = at * height;
    const { scrollTop, clientHeight } = this.box;
    if (at >= 0 && top < scrollTop) this.box.scrollTop = top - height;
    else if (at >= 0 && top + height > scrollTop + clientHeight) {
      this.box.scrollTop = top + 2 * height - clientHeight;
    }
    this.draw();
  }

  key(event) {
    const last = this.visible.length - 1;
    const at = this.placeOf(this.selected);
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight()) - 1);
    const lettersOn = byId("keys-on").checked;
    const moves = {
      ArrowDown: () => at + 1,
      ArrowUp: () => at - 1,
      PageDown: () => at + page,
      PageUp: () => at - page,
      Home: () => 0,
      End: () => last,
      n: () => (lettersOn ? this.nextTurn(at, 1) : at),
      p: () => (lettersOn ? this.nextTurn(at, -1) : at),
    };
    const move = moves[event.key];
    if (!move || last < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.select(this.visible[Math.min(last, Math.max(0, move()))], "list");
  }

  // The next row where kept turns to dropped or back: how one walks a long page.
  nextTurn(at, step) {
    const content = (place) => this.blocks[this.visible[place]].content;
    let place = Math.max(0, at);
    while (this.visible[place + step] !== undefined) {
      place += step;
      if (content(place) !== content(place - step)) return place;
    }
    return place;
  }
}
