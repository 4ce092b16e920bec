//! Pages as lines of JSON.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::arrival::{Arrival, Limits, Problem, ProblemKind};
use crate::unpack::{Damage, Unpacked, damage_kind};

/// The pages of a file with one JSON object a line.
pub(crate) struct Lines {
    unpacked: Unpacked,
    file: Arc<Path>,
    limits: Limits,
    line: Vec<u8>,
    /// The number of the line, if it is known: nobody counts those before a cursor, or those that damage has swallowed.
    number: Option<u64>,
    is_done: bool,
    /// Are lines with a `text` records?
    takes_records: bool,
}

/// The fields that are looked for. A page is `html`, or else `content` or `body`; its address is `url`, or
/// else where the request ended or began.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields<'a> {
    #[serde(borrow)]
    html: Option<&'a RawValue>,
    text: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
    body: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    url: Option<&'a RawValue>,
    response_url: Option<&'a RawValue>,
    request_url: Option<&'a RawValue>,
    fetched: Option<&'a RawValue>,
    date: Option<&'a RawValue>,
    time: Option<&'a RawValue>,
    timestamp: Option<&'a RawValue>,
    published: Option<&'a RawValue>,
}

impl Lines {
    pub(crate) fn new(unpacked: Unpacked, file: Arc<Path>, limits: Limits) -> Lines {
        let number = unpacked.is_at_beginning().then_some(0);
        let (line, is_done, takes_records) = (Vec::new(), false, false);
        Lines { unpacked, file, limits, line, number, is_done, takes_records }
    }

    /// Takes lines with a `text` for records of pages, see [`Arrival::is_record`].
    pub(crate) fn take_records(&mut self, takes: bool) {
        self.takes_records = takes;
    }

    /// Reads the next line into `line`, as far as the limit allows; `false` at the end of the file. Lines
    /// may span members.
    fn read_line(&mut self) -> Result<Option<(u64, u64)>, Damage> {
        self.line.clear();
        if self.unpacked.fill()?.is_empty() && !self.unpacked.next_member()? {
            return Ok(None);
        }
        self.number = self.number.map(|number| number + 1);
        let at = self.unpacked.position();
        loop {
            let here = self.unpacked.fill()?;
            if here.is_empty() {
                if self.unpacked.next_member()? {
                    continue;
                }
                return Ok(Some(at));
            }
            let end = memchr::memchr(b'\n', here);
            let piece = &here[..end.unwrap_or(here.len())];
            // One more than the limit tells that there was more.
            let room = self.limits.record.saturating_add(1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            let size = piece.len() + usize::from(end.is_some());
            self.unpacked.consume(size);
            if end.is_some() {
                return Ok(Some(at));
            }
        }
    }

    fn arrival(&self, at: (u64, u64)) -> Result<Arrival, (ProblemKind, String)> {
        use ProblemKind::{NoPage, TooLong};
        if self.line.len() > self.limits.record {
            let message = format!("a line of more than {} bytes; left out", self.limits.record);
            return Err((TooLong, message));
        }
        let line = self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line);
        let line = String::from_utf8_lossy(line.trim_ascii());
        if !line.starts_with('{') {
            return Err((NoPage, "no line of JSON: expected an object".into()));
        }
        let fields: Fields<'_> = serde_json::from_str(&line)
            .map_err(|error| (NoPage, format!("no line of JSON: {}", json_mistake(&error))))?;
        let pages = [fields.html, fields.content, fields.body];
        let is_text = |value: &&RawValue| value.get().starts_with('"');
        let record = fields.text.filter(|text| self.takes_records && is_text(text));
        let page = match record {
            Some(_) => Some(line.to_string()),
            None => pages.into_iter().find_map(|page| text(page.filter(is_text))),
        };
        let Some(page) = page else {
            let fields = if self.takes_records { "`text`, `html`" } else { "`html`" };
            let message =
                format!("the line has no page; expected a field {fields}, `content` or `body`");
            return Err((NoPage, message));
        };
        if page.len() > self.limits.page {
            let message = format!("its page has more than {} bytes; left out", self.limits.page);
            return Err((TooLong, message));
        }
        let urls = [fields.url, fields.response_url, fields.request_url];
        let dates = [fields.fetched, fields.date, fields.time, fields.timestamp, fields.published];
        Ok(Arrival {
            name: crate::source::name(&self.file, at),
            id: fields.id.and_then(|id| text(Some(id))),
            url: urls.into_iter().find_map(text),
            fetched: dates.into_iter().find_map(text),
            status: None,
            // JSON is UTF-8, whatever the page says of itself.
            content_type: Some(match record {
                Some(_) => Arrival::RECORD.into(),
                None => "text/html; charset=utf-8".into(),
            }),
            digest: None,
            file: self.file.clone(),
            offset: at.0,
            within: at.1,
            truncated: false,
            bytes: page.into_bytes(),
        })
    }

    fn go_on(&mut self, damage: Damage) -> Problem {
        let (offset, _) = self.unpacked.position();
        match damage {
            Damage::Unreadable(error) => {
                self.is_done = true;
                Problem::at(&self.file, offset, ProblemKind::Unreadable, error)
            }
            Damage::Broken(message) => {
                let begins_line = |content: &[u8]| content.trim_ascii_start().starts_with(b"{");
                match self.unpacked.recover(begins_line) {
                    Ok(found) => self.is_done = !found,
                    Err(_) => self.is_done = true,
                }
                self.number = None;
                Problem::at(&self.file, offset, damage_kind(message), message)
            }
        }
    }

    /// A problem with the line that was read.
    fn problem(&self, offset: u64, kind: ProblemKind, message: String) -> Problem {
        Problem { line: self.number, ..Problem::at(&self.file, offset, kind, message) }
    }
}

impl Lines {
    /// Reads the next line that is not empty, and says where it begins.
    fn next_line(&mut self) -> Option<Result<(u64, u64), Problem>> {
        while !self.is_done {
            match self.read_line() {
                Ok(None) => self.is_done = true,
                Ok(Some(_)) if self.line.trim_ascii().is_empty() => {}
                Ok(Some(at)) => return Some(Ok(at)),
                Err(damage) => return Some(Err(self.go_on(damage))),
            }
        }
        None
    }
}

impl Iterator for Lines {
    type Item = Result<Arrival, Problem>;

    fn next(&mut self) -> Option<Result<Arrival, Problem>> {
        let at = match self.next_line()? {
            Ok(at) => at,
            Err(problem) => return Some(Err(problem)),
        };
        let arrival = self.arrival(at);
        Some(arrival.map_err(|(kind, message)| self.problem(at.0, kind, message)))
    }
}

/// What is wrong with a line of JSON, and in which column. To serde, each line is the first one.
pub fn json_mistake(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((what, _)) => format!("{what} in column {}", error.column()),
        None => message,
    }
}

/// The lines of a JSON lines file, compressed or not, for readers of other fields than those of pages.
pub struct JsonLines(pub(crate) Box<Lines>);

impl JsonLines {
    /// Where the line is that came last: `pages.jsonl:17`.
    pub fn place(&self) -> String {
        self.0.problem(0, ProblemKind::NoPage, String::new()).place()
    }

    /// How many bytes of the file are read, as it lies on the disk.
    pub fn position(&self) -> u64 {
        self.0.unpacked.read()
    }

    /// The next line as what its reader expects in it.
    pub fn parsed<T: DeserializeOwned>(&mut self) -> Option<Result<T, Problem>> {
        Some(self.next()?.and_then(|line| {
            let wrong = |error: serde_json::Error| {
                self.0.problem(0, ProblemKind::NoPage, json_mistake(&error))
            };
            serde_json::from_str(&line).map_err(wrong)
        }))
    }
}

impl Iterator for JsonLines {
    type Item = Result<String, Problem>;

    fn next(&mut self) -> Option<Result<String, Problem>> {
        let JsonLines(lines) = self;
        let (offset, _) = match lines.next_line()? {
            Ok(at) => at,
            Err(problem) => return Some(Err(problem)),
        };
        if lines.line.len() > lines.limits.record {
            let message = format!("a line of more than {} bytes; left out", lines.limits.record);
            return Some(Err(lines.problem(offset, ProblemKind::TooLong, message)));
        }
        Some(Ok(String::from_utf8_lossy(&lines.line).into_owned()))
    }
}

/// A string or a number as text. Half of a surrogate pair becomes a replacement character.
fn text(value: Option<&RawValue>) -> Option<String> {
    let value = value?.get();
    if !value.starts_with('"') {
        let is_number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        return is_number.then(|| value.to_owned());
    }
    let text = serde_json::from_str(value).ok().or_else(|| {
        let Bytes(bytes) = serde_json::from_str(value).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    });
    text.filter(|text: &String| !text.is_empty())
}

/// A string that may hold half of a surrogate pair, as programs that cut strings write it.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}
