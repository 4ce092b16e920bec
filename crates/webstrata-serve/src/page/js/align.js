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
 * null. Where both have the same letters this is exact; where one has more (hidden text, say), equal
 * texts are matched in their order.
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

function byText(left, right) {
  const places = new Map();
  left.bare.forEach((text, index) => {
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  });
  const taken = new Map();
  return right.bare.map((text) => {
    const known = places.get(text);
    if (!known || !text) return null;
    // The n-th of equal texts is the n-th over there.
    const nth = taken.get(text) ?? 0;
    taken.set(text, nth + 1);
    return nth < known.length ? [known[nth], known[nth]] : null;
  });
}

/**
 * What changed between two runs: for each block of `after`, "added", "removed" or null; and the
 * words that came and went.
 */
export function changes(before, after) {
  const ranges = align(before.map((block) => block.text), after.map((block) => block.text));
  const result = { marks: [], added: 0, removed: 0, addedWords: 0, removedWords: 0 };
  after.forEach((block, index) => {
    const range = ranges[index];
    const was = range !== null && anyContent(before, range);
    const mark = block.content === was ? null : block.content ? "added" : "removed";
    result.marks.push(mark);
    if (mark) {
      result[mark] += 1;
      result[`${mark}Words`] += block.counts.words;
    }
  });
  return result;
}

function anyContent(blocks, [first, last]) {
  for (let index = first; index <= last; index += 1) if (blocks[index].content) return true;
  return false;
}
