//! Records to a web address.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Failed, Sink};
use crate::Error;
use crate::fetch::{FetchSettings, Fetcher};
use crate::store::{KeptRecord, Position};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Records of one request, and bytes of them.
const MOST: (usize, usize) = (64, 1 << 20);

/// Posts records to a web address, as lines of JSON, again and again until they are taken.
///
/// The field `Idempotency-Key` has the numbers of the first and the last record, `17-80`. After a kill the
/// same records may come again, cut into other requests: to tell, compare `stream.sequence`.
///
/// A record that the server refuses for what it is (400, 413, 415, 422) is tried alone, then written to the
/// file of refused records and counted. Everything else that goes wrong may be mended: it is tried again.
pub struct Webhook {
    url: String,
    refused: PathBuf,
    fetcher: Fetcher,
}

/// The answer of the server.
enum PostOutcome {
    Taken,
    Refused,
}

impl Webhook {
    /// An address, the file for records that it refuses, and fields of each request.
    pub fn new(
        url: &str,
        refused: &Path,
        fields: &BTreeMap<String, String>,
    ) -> Result<Webhook, Error> {
        // Whoever starts the stream chose the address: it may well be on this machine.
        let allow = vec!["all".parse().map_err(|_| Error::new("`all` is no network"))?];
        let headers = fields.clone();
        let settings =
            FetchSettings { allow, headers, timeout: TIMEOUT, ..FetchSettings::default() };
        let fetcher = Fetcher::new(settings)?;
        Ok(Webhook { url: url.to_owned(), refused: refused.to_owned(), fetcher })
    }

    fn post(&self, records: &[KeptRecord]) -> Result<PostOutcome, Failed> {
        let first = records.first().map_or(0, |kept| kept.sequence);
        let last = records.last().map_or(0, |kept| kept.sequence);
        let key = format!("{first}-{last}");
        let fields = [("Content-Type", "application/x-ndjson"), ("Idempotency-Key", &key)];
        let mut body = Vec::new();
        for kept in records {
            body.extend_from_slice(&kept.record);
            body.push(b'\n');
        }
        let receipt = self.fetcher.post(&self.url, &fields, &body).map_err(|failure| {
            let retry_after = failure.retry_after;
            Failed { retry_after, ..Failed::new(&self.url, failure.message()) }
        })?;
        match receipt.status {
            200..300 => Ok(PostOutcome::Taken),
            400 | 413 | 415 | 422 => Ok(PostOutcome::Refused),
            status => {
                let failed = Failed::new(&self.url, format_args!("answered {status}"));
                Err(Failed { retry_after: receipt.retry_after, ..failed })
            }
        }
    }

    /// Posts one record, and puts it aside if it is refused. How many were.
    fn post_alone(&self, kept: &KeptRecord) -> Result<u64, Failed> {
        Ok(match self.post(std::slice::from_ref(kept))? {
            PostOutcome::Taken => 0,
            PostOutcome::Refused => {
                self.write_refused(kept)?;
                1
            }
        })
    }

    /// Writes a record that the server refuses to the file of refused records.
    fn write_refused(&self, kept: &KeptRecord) -> Result<(), Failed> {
        let write = || -> io::Result<()> {
            let mut file = OpenOptions::new().create(true).append(true).open(&self.refused)?;
            file.write_all(&[&kept.record[..], b"\n"].concat())?;
            file.sync_data()
        };
        write().map_err(|error| Failed::new(self.refused.display(), error))
    }
}

impl Sink for Webhook {
    fn name(&self) -> String {
        format!("webhook:{}", self.url)
    }

    /// Takes the first of the records, as many as go into one request.
    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed> {
        let mut position = position.clone();
        let mut size = 0;
        let fits = |kept: &&KeptRecord| {
            size += kept.record.len();
            size <= MOST.1
        };
        let count = records.iter().take(MOST.0).take_while(fits).count().max(1).min(records.len());
        let portion = &records[..count];
        if let PostOutcome::Refused = self.post(portion)? {
            let before = position.next;
            for kept in portion {
                match self.post_alone(kept) {
                    Ok(refused) => position.refused += refused,
                    // Those before it are done: they must not be refused a second time.
                    Err(_) if position.next != before => return Ok(position),
                    Err(failed) => return Err(failed),
                }
                position.next = kept.sequence + 1;
            }
        }
        position.next = portion.last().map_or(position.next, |kept| kept.sequence + 1);
        Ok(position)
    }
}
