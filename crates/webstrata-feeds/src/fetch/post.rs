//! Sends data to a given address, as webhooks do.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::wire::Call;
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
        let call = Call::post(&url, fields, self.settings(), body);
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
        let exchange = self.exchange(&url, call, bounds)?;
        Ok(Receipt { status: exchange.status, retry_after: exchange.retry_after() })
    }
}
