// The density of a page's text, line by line, with the borders of its segments: the picture of the
// thesis' chapter on segmentation. A step is an atomic block, as wide as it has lines of wrapped text.

import { align } from "./align.js";
import { byId, count, el, plural, svg } from "./dom.js";

const HEIGHT = 132;
const PAD = { left: 30, right: 6, top: 8, bottom: 20 };

export class Curve {
  constructor({ onSelect, onHover }) {
    this.box = byId("curve");
    this.readout = byId("curve-readout");
    this.onSelect = onSelect;
    this.onHover = onHover;
    this.points = [];
    this.blocks = [];
    this.chosen = -1;
    this.box.addEventListener("pointermove", (event) => onHover(this.blockAt(event)));
    this.box.addEventListener("pointerleave", () => onHover(null));
    this.box.addEventListener("click", (event) => {
      const block = this.blockAt(event);
      if (block !== null) onSelect(block);
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** A segmented page. */
  setSegments(answer) {
    this.segments = answer.segments;
    this.points = answer.curve;
    this.texts = atomTexts(answer);
    let line = 0;
    this.starts = this.points.map((point) => (line += point.lines) - point.lines);
    this.lines = Math.max(1, line);
    this.connect();
  }

  /** The blocks of an explanation, whose verdicts colour the curve. */
  setBlocks(blocks) {
    this.blocks = blocks;
    this.connect();
  }

  /** Another page comes. */
  forget() {
    this.texts = null;
    this.blocks = [];
    this.select(-1);
    this.connect();
  }

  // Both ways: the points of each block, and the block of each point.
  connect() {
    if (!this.texts || this.blocks.length === 0) {
      this.pointsOf = null;
      this.blockOf = [];
      this.box.replaceChildren();
      return;
    }
    this.pointsOf = align(this.texts, this.blocks.map((block) => block.text));
    this.blockOf = new Array(this.points.length).fill(-1);
    this.pointsOf.forEach((range, block) => {
      for (let at = range?.[0] ?? 1; at <= (range?.[1] ?? 0); at += 1) {
        // Where blocks share a point, kept ones colour it.
        if (this.blockOf[at] < 0 || this.blocks[block].content) this.blockOf[at] = block;
      }
    });
    this.draw();
  }

  draw() {
    const width = Math.floor(this.box.clientWidth);
    if (!this.pointsOf || width < 60) return;
    this.inner = width - PAD.left - PAD.right;
    const highest = this.points.reduce((most, point) => Math.max(most, point.density), 1);
    this.top = Math.ceil(highest / 5) * 5;
    this.x = (line) => PAD.left + (line / this.lines) * this.inner;
    this.y = (density) => HEIGHT - PAD.bottom - (density / this.top) * (HEIGHT - PAD.top - PAD.bottom);
    this.marker = svg("rect", { class: "curve-chosen", y: PAD.top, height: HEIGHT - PAD.top - PAD.bottom, width: 0 });
    this.pointer = svg("rect", { class: "curve-hover", y: PAD.top, height: HEIGHT - PAD.top - PAD.bottom, width: 0 });
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, "aria-hidden": "true", focusable: "false" },
      svg("defs", null, hatching()),
      this.grid(width),
      svg("path", { class: "curve-dropped", d: this.area((point) => !this.isKept(point)) }),
      svg("path", { class: "curve-kept", d: this.area((point) => this.isKept(point)) }),
      svg("path", { class: "curve-line", d: this.outline() }),
      this.borders(),
      this.pointer,
      this.marker,
    );
    this.box.replaceChildren(picture);
    this.place(this.marker, this.chosen);
  }

  isKept(point) {
    return this.blocks[this.blockOf[point]]?.content ?? false;
  }

  // On a long page many steps share a pixel: the highest of them is drawn.
  columns(wanted) {
    const columns = [];
    for (let at = 0; at < this.points.length; at += 1) {
      const from = this.x(this.starts[at]);
      const to = this.x(this.starts[at] + this.points[at].lines);
      const density = wanted(at) ? this.points[at].density : 0;
      const last = columns[columns.length - 1];
      if (last && to - last.from < 1) {
        last.to = to;
        last.density = Math.max(last.density, density);
      } else columns.push({ from, to, density });
    }
    return columns;
  }

  area(wanted) {
    const floor = this.y(0).toFixed(1);
    return this.columns(wanted)
      .filter((column) => column.density > 0)
      .map(({ from, to, density }) => `M${from.toFixed(1)} ${floor}V${this.y(density).toFixed(1)}H${to.toFixed(1)}V${floor}Z`)
      .join("");
  }

  outline() {
    const steps = this.columns(() => true).map(({ to, density }) => `V${this.y(density).toFixed(1)}H${to.toFixed(1)}`);
    return `M${PAD.left} ${this.y(0)}${steps.join("")}`;
  }

  grid(width) {
    const group = svg("g", { class: "curve-grid" });
    for (let density = 0; density <= this.top; density += this.top > 20 ? 10 : 5) {
      const y = this.y(density);
      group.append(
        svg("line", { x1: PAD.left, x2: width - PAD.right, y1: y, y2: y }),
        svg("text", { x: PAD.left - 6, y: y + 3.5, "text-anchor": "end" }, String(density)),
      );
    }
    const steps = Math.max(2, Math.min(8, Math.floor(this.inner / 90)));
    for (let step = 0; step <= steps; step += 1) {
      const line = Math.round((this.lines * step) / steps);
      const anchor = step === 0 ? "start" : step === steps ? "end" : "middle";
      group.append(svg("text", { x: this.x(line), y: HEIGHT - 6, "text-anchor": anchor }, count(line)));
    }
    return group;
  }

  borders() {
    const group = svg("g", { class: "curve-borders" });
    // Closer than three pixels they would be a wall.
    if (this.segments.length > this.inner / 3) return group;
    for (const segment of this.segments.slice(1)) {
      const x = this.x(this.starts[segment.first_atom] ?? 0).toFixed(1);
      group.append(svg("line", { x1: x, x2: x, y1: PAD.top, y2: HEIGHT - PAD.bottom }));
    }
    return group;
  }

  blockAt(event) {
    if (!this.pointsOf || !this.x) return null;
    const left = this.box.getBoundingClientRect().left;
    const line = ((event.clientX - left - PAD.left) / this.inner) * this.lines;
    if (line < 0 || line > this.lines) return null;
    let low = 0;
    let high = this.points.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= line) low = middle;
      else high = middle - 1;
    }
    const block = this.blockOf[low];
    return block === undefined || block < 0 ? null : block;
  }

  place(rect, block) {
    const range = this.pointsOf?.[block];
    if (!rect || !this.x) return;
    if (!range) {
      rect.setAttribute("width", 0);
      return;
    }
    const from = this.x(this.starts[range[0]]);
    const to = this.x(this.starts[range[1]] + this.points[range[1]].lines);
    rect.setAttribute("x", (from - 1).toFixed(1));
    rect.setAttribute("width", Math.max(3, to - from + 2).toFixed(1));
  }

  /** Marks the block that is pointed at. */
  hover(block) {
    this.place(this.pointer, block ?? -1);
    this.tell(block ?? this.chosen);
  }

  /** Marks the block that is chosen. */
  select(block) {
    this.chosen = block;
    this.place(this.marker, block);
    this.tell(block);
    this.box.setAttribute("aria-valuemax", Math.max(0, this.blocks.length - 1));
    this.box.setAttribute("aria-valuenow", Math.max(0, block));
    this.box.setAttribute("aria-valuetext", this.sentence(block) || "no block chosen");
  }

  tell(block) {
    this.readout.textContent = this.sentence(block) || "Point at the curve or at a block, or walk with the arrow keys.";
  }

  /** How the page was cut, in a few words. */
  summary() {
    return this.segments ? `${plural(this.segments.length, "segment")} of ${plural(this.points.length, "atomic block")}` : "";
  }

  sentence(block) {
    const range = this.pointsOf?.[block];
    if (!range) return "";
    const first = this.points[range[0]];
    const from = this.starts[range[0]] + 1;
    const to = this.starts[range[1]] + this.points[range[1]].lines;
    const lines = from >= to ? `line ${count(to)}` : `lines ${count(from)}–${count(to)}`;
    const verdict = this.blocks[block].content ? "kept" : "dropped";
    return `Block ${block}, ${verdict}: ${lines}, ${first.density.toFixed(1)} words a line, segment ${first.segment}`;
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    const ends = { Home: 0, End: this.blocks.length - 1 }[event.key];
    if ((step === undefined && ends === undefined) || this.blocks.length === 0) return;
    event.preventDefault();
    const to = ends ?? this.chosen + step;
    this.onSelect(Math.min(this.blocks.length - 1, Math.max(0, to)));
  }
}

// What is dropped is hatched, so that the curve can be read without colours.
function hatching() {
  const stroke = svg("path", { d: "M0 4 4 0", class: "curve-hatch" });
  return svg("pattern", { id: "hatch", width: 4, height: 4, patternUnits: "userSpaceOnUse" }, stroke);
}

// A segment's text has a line for each of its atoms.
function atomTexts(answer) {
  const texts = new Array(answer.curve.length).fill("");
  for (const segment of answer.segments) {
    segment.text.split("\n").forEach((line, at) => {
      if (at < segment.atoms) texts[segment.first_atom + at] = line;
    });
  }
  return texts;
}

/** The legend below the curve. */
export function legend() {
  return el(
    "p",
    { class: "legend" },
    el("span", { class: "swatch swatch-kept" }, "kept"),
    el("span", { class: "swatch swatch-dropped" }, "dropped"),
    el("span", { class: "swatch swatch-border" }, "border of a segment"),
  );
}
