//! Sends data to a given address, as webhooks do.

use std::cell::Cell;
use std::time::{Duration, Instant};

use url::Position;

use super::{Bounds, Failure, Fetcher, address};

/// The answer of a server to a POST request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The status, whatever it is.
    pub status: u16,
    /// How long the server asked to wait (`Retry-After`).
    pub retry_after: Option<Duration>,
}

impl Fetcher {
    /// Sends a body to an address, with further fields of the head. Redirects are not followed: what was
    /// meant for one is not for another. Neither robots.txt nor the delay of hosts matter here, since
    /// whoever is sent to asked for it; addresses that are refused are refused here, too.
    pub fn post(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Receipt, Failure> {
        let url = address(url)?;
        self.check(&url)?;
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let host = &url[Position::BeforeHost..Position::AfterPort];
        let mut request = format!("POST {target} HTTP/1.1\r\nHost: {host}\r\n");
        let agent = &self.settings().user_agent;
        let length = body.len().to_string();
        let ours = [("User-Agent", &**agent), ("Content-Length", &length), ("Connection", "close")];
        let own = self.settings().headers.iter().map(|(name, value)| (&**name, &**value));
        for (name, value) in ours.into_iter().chain(fields.iter().copied()).chain(own) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let request = [request.as_bytes(), body].concat();
        // Nobody reads what the server says beyond its status.
        let bounds = Bounds {
            body: 1 << 16,
            decoded: 1 << 16,
            redirects: 0,
            cuts: true,
            asks_robots: false,
            trusted: &[],
            deadline: &Cell::new(Instant::now() + self.settings().timeout),
        };
        let exchange = self.exchange(&url, request, bounds)?;
        Ok(Receipt { status: exchange.status, retry_after: exchange.retry_after() })
    }
}
