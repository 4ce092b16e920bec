//! Why there is no answer.

use std::fmt;
use std::time::Duration;

/// What kind of failure it was; what to do about it depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// This is no address of the Web.
    BadUrl,
    /// It leads to a network or a port that is refused. Nothing was sent there.
    Refused,
    /// The site's robots.txt does not want it.
    Robots,
    /// The host asked to be left alone for longer than we wait.
    TooSoon,
    /// The server answered that there is nothing, or that something is wrong with it.
    Status(u16),
    /// More bytes than we want.
    TooLarge,
    /// More redirects than we follow.
    TooManyRedirects,
    /// Redirects that lead back to where they came from.
    RedirectLoop,
    /// It took too long.
    Timeout,
    /// The name does not exist, the connection was refused, or it broke.
    Network,
    /// What came is no HTTP.
    Protocol,
    /// The body is not in the encoding that its head says.
    Encoding,
}

impl FailureKind {
    /// Its name, for counting: `robots`, `status-404`.
    pub fn name(self) -> String {
        let name = match self {
            FailureKind::BadUrl => "bad-url",
            FailureKind::Refused => "refused",
            FailureKind::Robots => "robots",
            FailureKind::TooSoon => "too-soon",
            FailureKind::Status(status) => return format!("status-{status}"),
            FailureKind::TooLarge => "too-large",
            FailureKind::TooManyRedirects => "too-many-redirects",
            FailureKind::RedirectLoop => "redirect-loop",
            FailureKind::Timeout => "timeout",
            FailureKind::Network => "network",
            FailureKind::Protocol => "protocol",
            FailureKind::Encoding => "encoding",
        };
        name.into()
    }
}

/// Why there is no answer: one line that names the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    url: String,
    message: String,
    /// How long the server asked to wait (`Retry-After`).
    pub retry_after: Option<Duration>,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, url: &str, message: impl fmt::Display) -> Failure {
        let message = message.to_string().replace(['\n', '\r'], ", ");
        Failure { kind, url: url.to_owned(), message, retry_after: None }
    }

    /// The same, with how long to leave the server alone.
    pub(crate) fn after(self, retry_after: Option<Duration>) -> Failure {
        Failure { retry_after, ..self }
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }

    /// The address that failed: where the last redirect led.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What is wrong, without the address.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// May the same request succeed later? If not, asking again is a waste of everybody's time.
    pub fn is_temporary(&self) -> bool {
        match self.kind {
            FailureKind::Timeout | FailureKind::Network => true,
            FailureKind::Protocol | FailureKind::TooSoon => true,
            FailureKind::Status(status) => matches!(status, 408 | 421 | 425 | 429 | 500..=599),
            // What cannot be had now may be there tomorrow; what says no will say no.
            FailureKind::Robots => self.retry_after.is_some(),
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.url, self.message)
    }
}

impl std::error::Error for Failure {}
