//! Elements that React sends as rows of JSON (`["$","p",null,{"children":"…"}]`), as markup again.

use serde_json::Value;

use super::{cost, escape};

/// One of the rows that React sends.
pub(super) enum Row<'a> {
    /// A text, as it is.
    Text(&'a str),
    Json(Value),
}

/// The rows as markup, as much as `most` bytes. What only arranges the page, or leads away from the
/// text, is left out.
pub(super) fn markup(rows: &str, most: usize, memory: usize) -> String {
    let mut html = String::new();
    self::rows(rows, memory, |row| {
        match row {
            Row::Text(text) if text.contains("</") => html.push_str(text),
            Row::Text(_) => {}
            Row::Json(value) => write(&value, &mut html, most),
        }
        html.len() < most
    });
    html
}

/// Calls `found` with each row that takes no more than `memory`, until it returns false.
pub(super) fn rows(rows: &str, memory: usize, mut found: impl FnMut(Row<'_>) -> bool) {
    let mut rest = rows;
    while !rest.is_empty() {
        let Some((_, row)) = rest.split_once(':').filter(|(id, _)| is_id(id)) else {
            // Not a row: go on with the next line.
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        };
        if let Some((length, text)) = row.strip_prefix('T').and_then(|text| text.split_once(',')) {
            // A text of so many bytes.
            let length = usize::from_str_radix(length, 16).unwrap_or(0).min(text.len());
            let end = (length..=text.len()).find(|end| text.is_char_boundary(*end));
            let (text, after) = text.split_at(end.unwrap_or(text.len()));
            if !found(Row::Text(text)) {
                return;
            }
            rest = after;
            continue;
        }
        let (line, after) = row.split_once('\n').unwrap_or((row, ""));
        rest = after;
        // Nested deeper than serde_json allows is left out.
        if line.starts_with(['[', '{'])
            && cost(line) <= memory
            && let Ok(value) = serde_json::from_str::<Value>(line)
            && !found(Row::Json(value))
        {
            return;
        }
    }
}

fn is_id(id: &str) -> bool {
    id.len() <= 8 && id.trim_start().bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Writes a value that stands where children do. The depth is that of JSON, which has a bound.
fn write(value: &Value, html: &mut String, most: usize) {
    if html.len() > most {
        return;
    }
    match value {
        // References to other rows, dates and the like.
        Value::String(text) if text.starts_with('$') => {}
        Value::String(text) => html.push_str(&escape(text)),
        Value::Array(values) => match values.as_slice() {
            [Value::String(mark), Value::String(name), _, Value::Object(props), ..]
                if mark == "$" =>
            {
                element(name, props, html, most);
            }
            values => {
                values.iter().filter(|v| !is_name(v)).for_each(|value| write(value, html, most));
            }
        },
        Value::Object(fields) => {
            fields.values().filter(|v| v.is_array()).for_each(|value| write(value, html, most));
        }
        _ => {}
    }
}

/// Short strings in arrays name parts of the route; sentences have spaces.
fn is_name(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.contains(' '))
}

fn element(name: &str, props: &serde_json::Map<String, Value>, html: &mut String, most: usize) {
    let is_html = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    const LEFT_OUT: &[&str] = &[
        "nav", "footer", "aside", "button", "form", "script", "style", "svg", "head", "title",
        "template", "noscript", "iframe", "link", "meta",
    ];
    if LEFT_OUT.contains(&name) {
        return;
    }
    let tag = if is_html { name } else { "div" };
    html.push_str(&format!("<{tag}>"));
    let inner = props.get("dangerouslySetInnerHTML").and_then(|html| html.get("__html"));
    if let Some(inner) = inner.and_then(Value::as_str).filter(|inner| !inner.starts_with('$')) {
        html.push_str(inner);
    }
    match props.get("children") {
        // Children that are single words are text here.
        Some(Value::Array(children)) if children.first().is_none_or(|first| first != "$") => {
            children.iter().for_each(|child| write(child, html, most));
        }
        Some(children) => write(children, html, most),
        None => {}
    }
    html.push_str(&format!("</{tag}>"));
}
