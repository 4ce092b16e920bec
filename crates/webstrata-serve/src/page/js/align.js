// Which pieces of one cutting of a page are which of another? Extractors cut pages in different
// ways, and the density curve has a cutting of its own; what they share is the order of the letters.

/** The texts without white space, and where each one ends in all of them together. */
function letters(texts) {
  let end = 0;
  const bare = texts.map((text) => text.replace(/\s+/gu, ""));
  return { bare, ends: bare.map((text) => (end += text.length)) };
}

/**
 * For each text of `to`, the range [first, last] of texts of `from` that it shares letters with, or
 * null. Where both have the same letters this is exact; where one has more (hidden text, say), texts
 * are matched in their order, and what was cut in another way by its letters.
 */
export function align(from, to) {
  const left = letters(from);
  const right = letters(to);
  return left.bare.join("") === right.bare.join("") ? byPosition(left, right) : byText(left, right);
}

function byPosition(left, right) {
  let at = 0;
  return right.bare.map((text, index) => {
    const end = right.ends[index];
    const start = end - text.length;
    while (at < left.ends.length && left.ends[at] <= start) at += 1;
    const first = at;
    let last = at;
    while (last + 1 < left.ends.length && left.ends[last] < end) last += 1;
    return text && first < left.ends.length ? [first, last] : null;
  });
}

/** How far a text is looked for when the two lists go different ways. */
const FAR = 64;

// Walks both lists side by side. Where texts differ, the next place is looked for where they agree
// again; what lies between is aligned by its letters if these are the same.
function byText(left, right) {
  const ranges = new Array(right.bare.length).fill(null);
  let [i, j] = [0, 0];
  let [gapLeft, gapRight] = [0, 0];
  const closeGap = () => {
    const [from, to] = [left.bare.slice(gapLeft, i), right.bare.slice(gapRight, j)];
    if (from.length === 0 || to.length === 0 || from.join("") !== to.join("")) return;
    byPosition(letters(from), letters(to)).forEach((range, at) => {
      ranges[gapRight + at] = range && [range[0] + gapLeft, range[1] + gapLeft];
    });
  };
  while (i < left.bare.length && j < right.bare.length) {
    if (left.bare[i] === right.bare[j]) {
      closeGap();
      if (right.bare[j]) ranges[j] = [i, i];
      [i, j] = [i + 1, j + 1];
      [gapLeft, gapRight] = [i, j];
    } else [i, j] = meet(left.bare, i, right.bare, j);
  }
  [i, j] = [left.bare.length, right.bare.length];
  closeGap();
  return ranges;
}

// The nearest place where both have the same text again; one step on if there is none near.
function meet(left, i, right, j) {
  const places = new Map();
  for (let far = 0; far <= FAR && i + far < left.length; far += 1) {
    if (left[i + far] && !places.has(left[i + far])) places.set(left[i + far], far);
  }
  let best = null;
  for (let far = 0; far <= FAR && j + far < right.length; far += 1) {
    const other = places.get(right[j + far]);
    if (other !== undefined && (best === null || other + far < best[0] + best[1])) best = [other, far];
  }
  const [stepLeft, stepRight] = best ?? [1, 1];
  return [i + stepLeft, j + stepRight];
}

/**
 * What changed between two runs: for each block of `after`, "added", "removed" or null; and the
 * words that came and went, those included that are not among the blocks any more.
 */
export function changes(before, after) {
  const ranges = align(before.map((block) => block.text), after.map((block) => block.text));
  const result = { marks: [], added: 0, removed: 0, addedWords: 0, removedWords: 0 };
  const found = new Set();
  after.forEach((block, index) => {
    const range = ranges[index];
    for (let at = range?.[0] ?? 1; at <= (range?.[1] ?? 0); at += 1) found.add(at);
    const was = range !== null && anyContent(before, range);
    const mark = block.content === was ? null : block.content ? "added" : "removed";
    result.marks.push(mark);
    if (mark) {
      result[mark] += 1;
      result[`${mark}Words`] += block.counts.words;
    }
  });
  before.forEach((block, index) => {
    if (!block.content || found.has(index)) return;
    result.removed += 1;
    result.removedWords += block.counts.words;
  });
  return result;
}

function anyContent(blocks, [first, last]) {
  for (let index = first; index <= last; index += 1) if (blocks[index].content) return true;
  return false;
}
