//! Parts of the page that compute something, against the plainest way to compute it.

use webstrata_serve::ServerSettings;

use crate::open;

/// Letter by letter: the texts that share a letter's place.
const NAIVE: &str = "(from, to) => { \
    const owners = (texts) => texts.flatMap((text, at) => [...text.replace(/\\s+/g, '')].map(() => at)); \
    const [left, right] = [owners(from), owners(to)]; \
    return to.map((_, at) => { const shared = left.filter((_, place) => right[place] === at); \
      return shared.length ? [Math.min(...shared), Math.max(...shared)] : null; }); }";

#[test]
fn cuttings_are_aligned_as_letters_are() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    // The same letters, cut in two ways at random places; 400 pages from a fixed seed.
    let script = format!(
        "import('/assets/align.js').then(({{ align }}) => {{ const naive = {NAIVE}; \
         let seed = 7; const random = (below) => {{ seed = (seed * 48271) % 2147483647; return seed % below; }}; \
         const cut = (text) => {{ const parts = []; for (let at = 0; at < text.length;) {{ const size = 1 + random(6); \
           parts.push(text.slice(at, at + size)); at += size; if (random(9) === 0) parts.push(' '); }} return parts; }}; \
         for (let page = 0; page < 400; page += 1) {{ \
           const text = Array.from({{ length: random(40) }}, () => 'ab c\\u00e9'[random(5)]).join(''); \
           const [from, to] = [cut(text), cut(text)]; \
           const [got, expect] = [align(from, to), naive(from, to)].map((ranges) => JSON.stringify(ranges)); \
           if (got !== expect) return JSON.stringify({{ from, to, got, expect }}); }} \
         return ''; }})"
    );
    assert_eq!(browser.value(&script), serde_json::json!(""));
    browser.finish();
}

#[test]
fn what_only_one_cutting_has_is_matched_by_text() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    let script = "import('/assets/align.js').then(({ align, changes }) => { \
        const block = (text, content) => ({ text, content, counts: { words: 2 } }); \
        const before = [block('a a', false), block('b b', true), block('a a', true)]; \
        const after = [block('hidden', true), block('a a', true), block('b b', false), block('a a', true)]; \
        const { marks, added, removed, addedWords, removedWords } = changes(before, after); \
        return JSON.stringify([align(['x', 'y', 'x'], ['h', 'x', 'x', 'y']), marks, added, removed, addedWords, removedWords]); })";
    let expect = "[[null,[0,0],[2,2],null],[\"added\",\"added\",\"removed\",null],2,1,4,2]";
    assert_eq!(browser.value(script), serde_json::json!(expect));
    browser.finish();
}

#[test]
fn what_was_put_in_between_changes_no_other_match() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    // Texts with repetitions, some of them fused over there, and others put in between.
    let script = "import('/assets/align.js').then(({ align }) => { \
        let seed = 11; const random = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; }; \
        for (let page = 0; page < 200; page += 1) { \
          const from = Array.from({ length: 1 + random(30) }, (_, at) => `text ${at} ${'ab'[random(2)]}`); \
          const to = []; const expect = []; \
          for (let at = 0; at < from.length;) { \
            if (random(4) === 0) { to.push(`hidden ${page} ${at}`); expect.push(null); } \
            const size = Math.min(from.length - at, 1 + random(3)); \
            to.push(from.slice(at, at + size).join(' ')); expect.push([at, at + size - 1]); at += size; } \
          const got = align(from, to); \
          const wrong = got.findIndex((range, at) => range && JSON.stringify(range) !== JSON.stringify(expect[at])); \
          const single = got.findIndex((range, at) => !range && expect[at] && expect[at][0] === expect[at][1]); \
          if (wrong >= 0 || single >= 0) return JSON.stringify({ from, to, got, expect }); } \
        return ''; })";
    assert_eq!(browser.value(script), serde_json::json!(""));
    browser.finish();
}

#[test]
fn what_is_gone_was_removed() {
    let Some((_server, mut browser)) = open(ServerSettings::default(), "/") else { return };
    let script = "import('/assets/align.js').then(({ changes }) => { \
        const block = (text, content) => ({ text, content, counts: { words: 3 } }); \
        const { marks, added, removed, removedWords } = changes( \
          [block('a', true), block('hidden', true), block('b', true), block('c d', true)], \
          [block('a', true), block('b', true), block('c', true), block('d', true)]); \
        return JSON.stringify([marks, added, removed, removedWords]); })";
    let expect = "[[null,null,null,null],0,1,3]";
    assert_eq!(browser.value(script), serde_json::json!(expect));
    browser.finish();
}
