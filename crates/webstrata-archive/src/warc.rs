//! Web archives (ISO 28500, WARC 1.0 and 1.1), record by record.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;

use crate::arrival::{Arrival, Limits, Problem, ProblemKind};
use crate::digest;
use crate::fields::Fields;
use crate::http::{self, Head, Undecoded};
use crate::input::Ahead;
use crate::statuses::Statuses;
use crate::unpack::{Damage, Unpacked, damage_kind};

/// How records begin.
pub(crate) const START: &[u8] = b"WARC/";

/// The same where there may be other text: the versions that there are.
const VERSION: &[u8] = b"WARC/1.";

/// What is looked at to tell a record from text that mentions the format.
const BEGINNING: usize = 24;

/// The longest head of a record, and how much of a response is read before its kind is known.
const MAX_HEAD: usize = 64 * 1024;

/// The pages of an archive.
pub(crate) struct Records {
    unpacked: Unpacked,
    file: Arc<Path>,
    limits: Limits,
    statuses: Statuses,
    /// Are digests compared?
    is_verified: bool,
    /// Where the record begins that is being read.
    at: (u64, u64),
    /// Something is wrong; the next record is to be searched.
    is_lost: bool,
    /// What went wrong in searching behind something wrong.
    next_trouble: Option<RecordError>,
    is_done: bool,
}

/// Why there is no page.
enum RecordError {
    Damage(Damage),
    /// The record is not what it says; the next one may begin anywhere behind this place.
    Wrong(ProblemKind, String, Option<u64>),
    /// The record is left out, and the next one begins right here.
    Refused(ProblemKind, String),
}

/// Why a page is left out.
type Refusal = (ProblemKind, String);

impl From<Damage> for RecordError {
    fn from(damage: Damage) -> RecordError {
        RecordError::Damage(damage)
    }
}

enum Read {
    Page(Box<Arrival>),
    /// A record that holds no page.
    Other,
    End,
}

impl Records {
    pub(crate) fn new(unpacked: Unpacked, file: Arc<Path>, limits: Limits) -> Records {
        let (at, statuses) = (unpacked.position(), Statuses::default());
        Records {
            unpacked,
            file,
            limits,
            statuses,
            is_verified: false,
            at,
            is_lost: false,
            next_trouble: None,
            is_done: false,
        }
    }

    /// Compares digests from now on.
    pub(crate) fn verify(&mut self) {
        self.is_verified = true;
    }

    pub(crate) fn set_statuses(&mut self, statuses: Statuses) {
        self.statuses = statuses;
    }

    /// See [`crate::Cursor::reread`].
    pub(crate) fn reread(&self) -> u64 {
        self.unpacked.reread()
    }

    fn record(&mut self) -> Result<Read, RecordError> {
        if !self.find_record()? {
            return Ok(Read::End);
        }
        self.at = self.unpacked.position();
        let none = "no record begins here; passed over to the next one";
        if !self.may_begin_record()? {
            return Err(RecordError::Wrong(ProblemKind::NoRecord, none.into(), None));
        }
        let head = self.head()?;
        if !head.starts_with(START) {
            return Err(RecordError::Wrong(ProblemKind::NoRecord, none.into(), None));
        }
        if let Some(inner) = second_head(&head) {
            // Right in plain files, and there is no going back in others.
            let next = self.at.0 + inner as u64;
            return Err(RecordError::Wrong(ProblemKind::CutOff, CUT_HEAD.into(), Some(next)));
        }
        let (fields, _) = Fields::parse(&head);
        let (block, _) = self.unpacked.position();
        let length = fields.get("Content-Length").and_then(|length| length.parse().ok());
        let Some(length) = length else {
            let message = "the record has no length".into();
            return Err(RecordError::Wrong(ProblemKind::WrongLength, message, Some(block)));
        };
        self.check_length(length, block)?;
        let page = self.page(&fields, length, block)?;
        match page {
            None => Ok(Read::Other),
            Some(page) => page
                .map(|page| Read::Page(Box::new(page)))
                .map_err(|(kind, message)| RecordError::Refused(kind, message)),
        }
    }

    /// Refuses a length that is wrong without reading as far as it says: otherwise a few records that lie would cost all
    /// that come behind them. What cannot be told so is checked when the record is read.
    fn check_length(&mut self, length: u64, block: u64) -> Result<(), RecordError> {
        match self.unpacked.look_ahead(length)? {
            Some(Ahead::BeyondEnd) => Err(too_short(block)),
            Some(Ahead::Bytes(bytes)) => {
                let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                let rest = &bytes[blank..];
                let is_end = START.starts_with(&rest[..rest.len().min(START.len())]);
                if is_end { Ok(()) } else { Err(wrong_length(block)) }
            }
            None => Ok(()),
        }
    }

    /// Goes to where the next record begins or should begin; `false` at the end of the file.
    fn find_record(&mut self) -> Result<bool, Damage> {
        loop {
            self.skip_blank()?;
            if !self.unpacked.fill()?.is_empty() {
                return Ok(true);
            }
            if !self.unpacked.next_member()? {
                return Ok(false);
            }
        }
    }

    /// Goes to the next place that looks like the beginning of a record, or to the next member that does.
    fn search(&mut self) -> Result<bool, Damage> {
        loop {
            if self.unpacked.position().1 == 0 && self.begins_record()? {
                return Ok(true);
            }
            if self.search_member()? {
                return Ok(true);
            }
            if !self.unpacked.next_member()? {
                return Ok(false);
            }
        }
    }

    /// The same within the member.
    fn search_member(&mut self) -> Result<bool, Damage> {
        let finder = memmem::Finder::new(VERSION);
        let mut before = b' ';
        loop {
            let here = self.unpacked.peek(VERSION.len())?;
            let found = finder.find(here);
            if found.is_none() && here.len() < VERSION.len() {
                return Ok(false);
            }
            let passed = found.unwrap_or(here.len() - (VERSION.len() - 1).min(here.len()));
            before = here[..passed].last().copied().unwrap_or(before);
            self.unpacked.consume(passed);
            if found.is_some() {
                if before == b'\n' || begins_head(self.unpacked.peek(BEGINNING)?) {
                    return Ok(true);
                }
                before = VERSION[0];
                self.unpacked.consume(1);
            }
        }
    }

    fn begins_record(&mut self) -> Result<bool, Damage> {
        Ok(self.unpacked.peek(START.len())?.starts_with(START))
    }

    /// The same where a member may end in the middle of the word, or right here.
    fn may_begin_record(&mut self) -> Result<bool, Damage> {
        let here = self.unpacked.peek(START.len())?;
        Ok(START.starts_with(&here[..here.len().min(START.len())]))
    }

    /// Passes over the ends of lines that separate records.
    fn skip_blank(&mut self) -> Result<(), Damage> {
        loop {
            let here = self.unpacked.fill()?;
            let blank = here.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let is_all = blank > 0 && blank == here.len();
            self.unpacked.consume(blank);
            if !is_all {
                return Ok(());
            }
        }
    }

    /// The head of the record, with the empty line that ends it.
    fn head(&mut self) -> Result<Vec<u8>, RecordError> {
        let mut head = Vec::new();
        let mut line = 0;
        while head.len() <= MAX_HEAD {
            let here = self.more()?;
            if here.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', here);
            let size = end.map_or(here.len(), |end| end + 1);
            head.extend_from_slice(&here[..size]);
            self.unpacked.consume(size);
            if end.is_some() {
                if head[line..].trim_ascii().is_empty() {
                    return Ok(head);
                }
                line = head.len();
                if self.unpacked.peek(VERSION.len())?.starts_with(VERSION) {
                    return Err(RecordError::Refused(ProblemKind::CutOff, CUT_HEAD.into()));
                }
            }
        }
        Err(RecordError::Wrong(ProblemKind::CutOff, "the record's head has no end".into(), None))
    }

    /// More bytes of the record; none where another one begins or the file ends. Records may span members
    /// if their writer knew nothing of records.
    fn more(&mut self) -> Result<&[u8], Damage> {
        if self.unpacked.fill()?.is_empty()
            && (!self.unpacked.next_member()? || self.begins_record()?)
        {
            return Ok(&[]);
        }
        self.unpacked.fill()
    }

    /// The page of the record, if it holds one; an error inside if it asks too much.
    fn page(
        &mut self,
        fields: &Fields<'_>,
        length: u64,
        block: u64,
    ) -> Result<Option<Result<Arrival, Refusal>>, RecordError> {
        let mut bytes = Vec::new();
        let kind = fields.get("WARC-Type").unwrap_or_default().to_ascii_lowercase();
        let content_type = fields.get("Content-Type").unwrap_or_default();
        let is_http = content_type.is_empty() || starts_with(&content_type, "application/http");
        if matches!(kind.as_str(), "response" | "resource") {
            self.read(&mut bytes, length.min(MAX_HEAD as u64), block)?;
        }
        let mut head = if kind == "response" && is_http {
            Head::parse(&bytes)
        } else {
            Head::without(fields.owned("Content-Type"))
        };
        if head.content_type.is_none() {
            head.content_type = fields.owned("WARC-Identified-Payload-Type");
        }
        let is_page = !bytes.is_empty()
            && self.statuses.has(head.status)
            && http::is_page(head.content_type.as_deref(), &bytes[head.length..]);
        if !is_page || length > self.limits.record as u64 {
            self.pass(length - bytes.len() as u64, block)?;
            self.end(block)?;
            let refused = || format!("a record of {length} bytes, over the limit; left out");
            return Ok(is_page.then(|| Err((ProblemKind::TooLong, refused()))));
        }
        let rest = length - bytes.len() as u64;
        self.read(&mut bytes, rest, block)?;
        self.end(block)?;
        if self.is_verified
            && let Some(wrong) = digest::wrong(fields, &head, &bytes)
        {
            let message = format!("its content has another {wrong}; left out");
            return Ok(Some(Err((ProblemKind::WrongDigest, message))));
        }
        Ok(Some(self.arrival(fields, &head, bytes)))
    }

    fn arrival(
        &self,
        fields: &Fields<'_>,
        head: &Head,
        mut bytes: Vec<u8>,
    ) -> Result<Arrival, Refusal> {
        bytes.drain(..head.length);
        let limit = self.limits.page;
        let body = head.decode(bytes, limit).map_err(|why| match why {
            Undecoded::TooLong => {
                let message = format!("its page has more than {limit} bytes; left out");
                (ProblemKind::TooLong, message)
            }
            Undecoded::Packed(encoding) => {
                let message =
                    format!("its page is packed as `{encoding}` and cannot be unpacked; left out");
                (ProblemKind::Packed, message)
            }
        })?;
        let url = fields.owned("WARC-Target-URI");
        Ok(Arrival {
            name: crate::source::name(&self.file, self.at),
            id: fields.owned("WARC-Record-ID").map(without_brackets),
            // The standard's grammar has them in brackets, nobody's archives do; except some.
            url: url.map(without_brackets),
            fetched: fields.owned("WARC-Date"),
            status: head.status,
            content_type: head.content_type.clone(),
            digest: fields.owned("WARC-Payload-Digest"),
            file: self.file.clone(),
            offset: self.at.0,
            within: self.at.1,
            truncated: body.is_cut || fields.get("WARC-Truncated").is_some(),
            bytes: body.bytes,
        })
    }

    /// Reads so many bytes of the record.
    fn read(&mut self, bytes: &mut Vec<u8>, length: u64, block: u64) -> Result<(), RecordError> {
        // At once what most pages take; a length that lies gets no more.
        bytes.reserve(length.min(1 << 20) as usize);
        let mut left = length;
        while left > 0 {
            let here = self.more()?;
            let size = left.min(here.len() as u64) as usize;
            bytes.extend_from_slice(&here[..size]);
            self.unpacked.consume(size);
            left -= size as u64;
            if size == 0 {
                return Err(too_short(block));
            }
        }
        Ok(())
    }

    /// Passes over so many bytes of the record.
    fn pass(&mut self, length: u64, block: u64) -> Result<(), RecordError> {
        let mut left = length;
        while left > 0 {
            let size = left.min(self.more()?.len() as u64);
            self.unpacked.consume(size as usize);
            left -= size;
            if size == 0 {
                return Err(too_short(block));
            }
        }
        Ok(())
    }

    /// Is this the end of a record? Only then was its length right. Also reads a member to its end, where
    /// the checksum is.
    fn end(&mut self, block: u64) -> Result<(), RecordError> {
        self.skip_blank()?;
        if self.may_begin_record()? { Ok(()) } else { Err(wrong_length(block)) }
    }

    /// Makes a problem of the trouble, and goes on to what can be read behind it.
    fn go_on(&mut self, trouble: RecordError) -> Problem {
        let is_broken = matches!(&trouble, RecordError::Damage(Damage::Broken(_)));
        let from = if is_broken { (self.unpacked.position().0, 0) } else { self.at };
        let mut problem = self.problem(trouble);
        if self.is_lost {
            self.is_lost = false;
            match self.search() {
                Ok(found) => self.is_done |= !found,
                Err(damage) => {
                    // That is the next problem, and counts what is passed over for both.
                    self.next_trouble = Some(damage.into());
                    return problem;
                }
            }
        }
        problem.passed = self.unpacked.distance(from);
        problem
    }

    fn problem(&mut self, trouble: RecordError) -> Problem {
        let offset = self.at.0;
        match trouble {
            RecordError::Refused(kind, message) => Problem::at(&self.file, offset, kind, message),
            RecordError::Wrong(kind, message, from) => {
                self.is_lost = true;
                if let Some(from) = from
                    && let Err(damage) = self.unpacked.go_back(from)
                {
                    return self.problem(damage.into());
                }
                Problem::at(&self.file, offset, kind, message)
            }
            RecordError::Damage(Damage::Unreadable(error)) => {
                self.is_done = true;
                Problem::at(&self.file, offset, ProblemKind::Unreadable, error)
            }
            RecordError::Damage(Damage::Broken(message)) => {
                let (member, _) = self.unpacked.position();
                match self.unpacked.recover(|content| content.starts_with(START)) {
                    Ok(found) => self.is_done = !found,
                    Err(_) => self.is_done = true,
                }
                Problem::at(&self.file, member, damage_kind(message), message)
            }
        }
    }
}

impl Iterator for Records {
    type Item = Result<Arrival, Problem>;

    fn next(&mut self) -> Option<Result<Arrival, Problem>> {
        while !self.is_done {
            if let Some(trouble) = self.next_trouble.take() {
                return Some(Err(self.go_on(trouble)));
            }
            match self.record() {
                Ok(Read::Page(arrival)) => return Some(Ok(*arrival)),
                Ok(Read::Other) => {}
                Ok(Read::End) => self.is_done = true,
                Err(trouble) => return Some(Err(self.go_on(trouble))),
            }
        }
        None
    }
}

const CUT_HEAD: &str = "the record's head is cut off, another record begins in it; left out";

/// Does a record begin here, even in the middle of a line? Of text that only mentions the version, few
/// lines end with it, and then no field comes on the next one.
fn begins_head(here: &[u8]) -> bool {
    let Some([b'0'..=b'9', rest @ ..]) = here.strip_prefix(VERSION) else { return false };
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    let Some(line) = rest.strip_prefix(b"\n") else { return false };
    [&b"WARC-"[..], b"Content-"]
        .iter()
        .any(|name| line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)))
}

/// Where another head begins in the middle of a line, if the first one was cut off there. An address may
/// end like a version; but then the line is a field, and no field of the head comes twice.
fn second_head(head: &[u8]) -> Option<usize> {
    // More versions than these are a joke at our cost.
    const MOST: usize = 4;
    let versions = memmem::find_iter(head, VERSION).filter(|at| *at > 0);
    versions.filter(|at| begins_head(&head[*at..])).take(MOST).find(|at| {
        let (before, rest) = head.split_at(*at);
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        !before[line..].contains(&b':') || Fields::parse(rest).0.has_any_of(before)
    })
}

fn wrong_length(block: u64) -> RecordError {
    let message = "the record's length is wrong; left out".into();
    RecordError::Wrong(ProblemKind::WrongLength, message, Some(block))
}

fn too_short(block: u64) -> RecordError {
    let message = "the record ends before its length; left out".into();
    RecordError::Wrong(ProblemKind::CutOff, message, Some(block))
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start))
}

fn without_brackets(mut text: String) -> String {
    if text.starts_with('<') && text.ends_with('>') {
        text.pop();
        text.remove(0);
    }
    text
}
