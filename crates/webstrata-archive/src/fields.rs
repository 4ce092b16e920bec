//! Named fields at the head of a record or of a response, read as leniently as browsers do.

use std::borrow::Cow;
use std::collections::HashSet;

/// The fields of a head, in order.
pub struct Fields<'a> {
    fields: Vec<(&'a [u8], Cow<'a, [u8]>)>,
}

impl<'a> Fields<'a> {
    /// Reads lines `Name: value` up to an empty line; lines of other shapes are passed over. Returns the
    /// fields and how long the head is, which is `None` if no empty line ends it.
    pub fn parse(head: &'a [u8]) -> (Fields<'a>, Option<usize>) {
        let mut fields: Vec<(&[u8], Cow<'_, [u8]>)> = Vec::new();
        let mut at = 0;
        while let Some(end) = memchr::memchr(b'\n', &head[at..]) {
            let line = head[at..at + end].trim_ascii_end();
            at += end + 1;
            if line.is_empty() {
                return (Fields { fields }, Some(at));
            }
            add(&mut fields, line);
        }
        add(&mut fields, head[at..].trim_ascii_end());
        (Fields { fields }, None)
    }

    /// The value of the first field of this name.
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let named =
            |(field, _): &&(&[u8], Cow<'_, [u8]>)| field.eq_ignore_ascii_case(name.as_bytes());
        let (_, value) = self.fields.iter().find(named)?;
        Some(String::from_utf8_lossy(value)).filter(|value| !value.is_empty())
    }

    /// Is there a field here that is in this other head, too?
    pub fn has_any_of(&self, head: &[u8]) -> bool {
        let (other, _) = Fields::parse(head);
        // A set, since heads may have been made of thousands of fields.
        let names: HashSet<Vec<u8>> =
            other.fields.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        self.fields.iter().any(|(name, _)| names.contains(&name.to_ascii_lowercase()))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.fields.iter().map(move |(name, value)| (text(name), text(value)))
    }

    /// The value of the first field of this name, as a text of its own.
    pub fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(Cow::into_owned)
    }
}

fn add<'a>(fields: &mut Vec<(&'a [u8], Cow<'a, [u8]>)>, line: &'a [u8]) {
    if line.first().is_some_and(u8::is_ascii_whitespace) {
        if let Some((_, value)) = fields.last_mut() {
            let value = value.to_mut();
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        }
    } else if let Some(colon) = memchr::memchr(b':', line) {
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        fields.push((name, Cow::Borrowed(value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_shape_of_lines() {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type : text/html;\r\n  charset=utf-8\nno field\n\
            X:\r\nX: late\r\ncontent-type: other\r\n\r\nbody: none";
        let (fields, length) = Fields::parse(head);
        assert_eq!(length, Some(head.len() - b"body: none".len()));
        assert_eq!(fields.get("content-type").unwrap(), "text/html; charset=utf-8");
        assert_eq!((fields.get("X"), fields.get("body")), (None, None));
    }

    #[test]
    fn a_head_without_end() {
        let (fields, length) = Fields::parse(b"A: 1\r\nB: 2");
        assert_eq!((fields.get("b").as_deref(), length), (Some("2"), None));
        assert_eq!(Fields::parse(b"").1, None);
    }
}
