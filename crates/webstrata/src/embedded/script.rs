//! Data in scripts that are programs: `window.X = {…}`, `JSON.parse("…")`, the rows that Next.js pushes.
//!
//! What is assigned need not be JSON: Nuxt writes a function that returns an object, with names for
//! keys. So nothing is parsed into a tree. The data is read once from left to right, and each string is
//! given out with the key before it. That takes linear time and no recursion.

/// Strings inside strings inside … are data only so far.
const MAX_NESTING: u32 = 3;

/// Calls `found` with each key and the string behind it, for all that a script assigns to a property of
/// `window`, or to a variable in its first statement.
pub(super) fn assigned(script: &str, found: &mut impl FnMut(&str, &str)) {
    let bytes = script.as_bytes();
    let mut at = 0;
    while let Some(equals) = memchr::memchr(b'=', &bytes[at..]).map(|found| at + found) {
        at = equals + 1;
        let value = script[at..].trim_start();
        let start = script.len() - value.len();
        let is_data = value.starts_with(['{', '[', '(', '"', '\''])
            || value.starts_with("JSON.parse(")
            || value.starts_with("function(");
        if is_data && is_global(script[..equals].trim_end()) {
            at = pairs(script, start, 0, found).max(at);
        }
    }
}

/// Does this end with `window.X`, or is it `var X` and nothing else?
fn is_global(before: &str) -> bool {
    let tail_start = before.len().saturating_sub(100);
    let tail_start = (tail_start..=before.len()).find(|at| before.is_char_boundary(*at));
    let tail = &before[tail_start.unwrap_or(before.len())..];
    let names = |c: char| !(c.is_ascii_alphanumeric() || "_$.[]\"'".contains(c));
    let start = tail.char_indices().rfind(|(_, c)| names(*c));
    let start = start.map_or(0, |(at, c)| at + c.len_utf8());
    let (rest, name) = tail.split_at(start);
    ["window.", "window[", "self.", "globalThis."].iter().any(|global| name.starts_with(global))
        || (before.len() < 100 && matches!(rest.trim(), "var" | "let" | "const"))
}

/// Reads data from `start` to where its brackets are closed, and returns where that is.
fn pairs(text: &str, start: usize, nesting: u32, found: &mut impl FnMut(&str, &str)) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut depth = 0u32;
    // The last name or string, and the one that a colon stood behind.
    let mut last = (0, 0);
    let mut key = None;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' | b'(' => {
                depth += 1;
                at += 1;
                if bytes[at - 1] == b'{' {
                    key = None;
                }
            }
            b'}' | b']' | b')' => {
                at += 1;
                if depth <= 1 {
                    return at;
                }
                depth -= 1;
            }
            quote @ (b'"' | b'\'' | b'`') => {
                let Some(end) = string_end(bytes, at) else { return bytes.len() };
                last = (at + 1, end);
                let raw = &text[at + 1..end];
                at = end + 1;
                if quote != b'`' && raw.len() > 2 && !next_is_colon(bytes, at) {
                    let (from, to) = key.unwrap_or((0, 0));
                    let key = &text[from..to];
                    let value = unescaped(raw);
                    if nesting < MAX_NESTING && looks_like_data(&value) {
                        pairs(&value, 0, nesting + 1, found);
                    } else {
                        found(key, &value);
                    }
                }
                if depth == 0 {
                    return at;
                }
            }
            b':' => {
                key = Some(last);
                at += 1;
            }
            // What follows a comma has the same key only inside an array, which no name follows.
            b';' if depth == 0 => return at,
            byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                let is_name =
                    |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
                let end = bytes[at..].iter().position(|byte| !is_name(byte));
                let end = end.map_or(bytes.len(), |end| at + end);
                last = (at, end);
                at = end;
            }
            _ => at += 1,
        }
    }
    at
}

fn next_is_colon(bytes: &[u8], at: usize) -> bool {
    bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// A string that is itself an object or an array of objects.
fn looks_like_data(value: &str) -> bool {
    (value.starts_with('{') && value.ends_with('}') && value.contains(':'))
        || (value.starts_with("[{") && value.ends_with("}]"))
}

/// Where the quote is that ends the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = bytes[start];
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes[at] == quote {
            return Some(at);
        }
        at += 2;
    }
}

/// The chunks that scripts push for React: `self.__next_f.push([1,"…"])`.
pub(super) fn pushed(script: &str, chunks: &mut String) {
    const PUSH: &str = "__next_f.push([1,";
    let mut rest = script;
    while let Some(at) = rest.find(PUSH) {
        rest = rest[at + PUSH.len()..].trim_start();
        if !rest.starts_with('"') {
            continue;
        }
        let Some(end) = string_end(rest.as_bytes(), 0) else { return };
        chunks.push_str(&unescaped(&rest[1..end]));
        rest = &rest[end..];
    }
}

/// A string literal's characters.
pub(super) fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else { return text };
        rest = &rest[c.len_utf8()..];
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' | 'f' | 'v' | '0' => text.push(' '),
            '\n' => {}
            'x' => text.push(take_hex(&mut rest, 2).and_then(char::from_u32).unwrap_or('\u{fffd}')),
            'u' => text.push(take_unit(&mut rest)),
            other => text.push(other),
        }
    }
    text.push_str(rest);
    text
}

/// The character of `\u`, whose second half may follow.
fn take_unit(rest: &mut &str) -> char {
    if let Some(braced) = rest.strip_prefix('{') {
        let Some((digits, after)) = braced.split_once('}').filter(|(digits, _)| digits.len() <= 6)
        else {
            return '\u{fffd}';
        };
        *rest = after;
        return u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
    }
    let Some(first) = take_hex(rest, 4) else { return '\u{fffd}' };
    if (0xd800..0xdc00).contains(&first)
        && let Some(mut after) = rest.strip_prefix("\\u")
        && let Some(second @ 0xdc00..0xe000) = take_hex(&mut after, 4)
    {
        *rest = after;
        return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            .unwrap_or('\u{fffd}');
    }
    char::from_u32(first).unwrap_or('\u{fffd}')
}

fn take_hex(rest: &mut &str, digits: usize) -> Option<u32> {
    let number = u32::from_str_radix(rest.get(..digits)?, 16).ok()?;
    *rest = &rest[digits..];
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(script: &str) -> String {
        let mut all = String::new();
        assigned(script, &mut |key, value| all.push_str(&format!("{key}={value};")));
        all
    }

    #[test]
    fn keys_and_strings() {
        assert_eq!(
            found(r#"window.X = {"a": "one\n\u00e9", b: ['two'], c: 1};"#),
            "a=one\né;b=two;"
        );
        assert_eq!(
            found(r#"window["X"]=JSON.parse("{\"a\":\"one \\\"two\\\"\"}")"#),
            r#"a=one "two";"#
        );
        assert_eq!(found("var state = {a: 'one'}; x = {b: 'two'}"), "a=one;");
        assert_eq!(found("foo(); var state = {a: 'one'};"), "");
        assert_eq!(found("x.y = {a: 'one'}; if (window.z == 'two') {}"), "");
        let nuxt =
            "window.__NUXT__=(function(a,b){return {data:[{body:\"one\\u003Cp\\u003E\"}]}}(1,2));";
        assert_eq!(found(nuxt), "body=one<p>;");
    }

    #[test]
    fn anything_ends() {
        for script in
            ["window.X={", "window.X=\"", "window.X='\\", "window.X={a:'\\u12", "window.é="]
        {
            assert_eq!(found(script), "", "{script}");
        }
        assert_eq!(unescaped("\\ud83d\\ude00\\u{1F600}\\x41\\ud83d."), "😀😀A\u{fffd}.");
        let deep = format!("window.X={}", "[".repeat(1 << 20));
        assert_eq!(found(&deep), "");
    }

    #[test]
    fn spaces_of_several_bytes() {
        assert_eq!(found("f();\u{a0}window.X={a:'one'};\u{3000}y = 'two'"), "a=one;");
        assert_eq!(found("var\u{a0}state = {a: 'one'}"), "a=one;");
    }

    proptest! {
        #[test]
        fn any_script_ends(script in "(window\\.x|var|=|\\{|\\}|\\[|'|\"|\\\\|\\\\u|[a-f0-9]|:|;|é|\u{a0}|　|😀| ){0,40}") {
            found(&script);
            unescaped(&script);
            pushed(&script, &mut String::new());
        }
    }

    #[test]
    fn rows_of_react() {
        let mut chunks = String::new();
        pushed(
            r#"self.__next_f.push([0]);self.__next_f.push([1,"1:\"a"]);__next_f.push([1,"b\""])"#,
            &mut chunks,
        );
        assert_eq!(chunks, "1:\"ab\"");
    }
}
