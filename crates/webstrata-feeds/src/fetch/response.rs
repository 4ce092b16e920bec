//! What a server answered.

use std::net::IpAddr;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use webstrata_archive::warc_writer::{Exchange, Truncated};

/// What a server said about the version that it sent, to be sent back so that it need not send the same
/// again (RFC 9110, section 13). As it came, byte by byte.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Validators {
    /// The `ETag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// An answer that is no failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing new since the version that the validators stand for.
    NotModified {
        /// The address after redirects.
        url: String,
        /// Where the page has moved for good, if it has.
        permanent: Option<String>,
        /// The validators to send next time.
        validators: Validators,
    },
    /// The page.
    Page(Box<Response>),
}

/// A response whose status is one of success (200 to 299).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The address that answered, after redirects: the response URL of the URL Tree's section 3.
    pub url: String,
    /// The status.
    pub status: u16,
    /// Where the page has moved for good: the last address that only permanent redirects (301, 308) led
    /// to, from the first one on.
    pub permanent: Option<String>,
    /// The fields of the head, in order, folded lines joined.
    pub headers: Vec<(String, String)>,
    /// `Content-Type`, with its parameters.
    pub content_type: Option<String>,
    /// What to send next time.
    pub validators: Validators,
    /// The body, its encodings undone.
    pub body: Vec<u8>,
    /// The connection ended before the body did.
    pub truncated: bool,
    /// The machine that answered.
    pub address: Option<IpAddr>,
    /// The last request, as it was sent.
    pub request_head: Vec<u8>,
    /// The head of the response, as it came.
    pub response_head: Vec<u8>,
    /// All addresses that were asked before this one, in order.
    pub redirects: Vec<String>,
}

impl Response {
    /// The value of the first field of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(field, _): &&(String, String)| field.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// What a web archive keeps of it.
    pub(crate) fn exchange(&self, when: SystemTime) -> Exchange<'_> {
        Exchange {
            ip: self.address,
            request_head: &self.request_head,
            response_head: &self.response_head,
            body: &self.body,
            is_decoded: true,
            truncated: self.truncated.then_some(Truncated::Disconnect),
            ..Exchange::new(&self.url, when)
        }
    }
}
