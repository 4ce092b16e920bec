//! Pages that are not files: addresses that somebody fetches, and pages that come one by one.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use webstrata_archive::{Arrival, Problem, ProblemKind};

/// Fetches pages by their addresses; a program that cannot has none.
pub trait Fetch: Send + Sync {
    /// The page, or why there is none, without the address.
    fn fetch(&self, address: &str) -> Result<Arrival, String>;
}

/// Pages that come one by one, each with its id.
pub type Arriving = Box<dyn Iterator<Item = Result<(String, Arrival), Problem>> + Send>;

/// Is this an address of the Web, and no path?
pub fn is_address(path: &Path) -> bool {
    let is = |start: &str| {
        let text = path.as_os_str().as_encoded_bytes();
        text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
    };
    is("http://") || is("https://")
}

/// Why an address has no page.
pub fn not_fetched(address: &str, message: String) -> Problem {
    Problem::new(address, ProblemKind::NotFetched, message)
}

/// A page that is fetched when it is needed, once.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(crate) address: String,
    fetch: Arc<dyn Fetch>,
    page: Arc<OnceLock<Result<Arrival, String>>>,
}

impl Remote {
    pub(crate) fn new(path: &Path, fetch: Arc<dyn Fetch>) -> Remote {
        let address = path.to_string_lossy().into_owned();
        Remote { address, fetch, page: Arc::default() }
    }

    pub(crate) fn page(&self) -> Result<Arrival, String> {
        self.page.get_or_init(|| self.fetch.fetch(&self.address)).clone()
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        for address in ["http://a.example", "HTTPS://a.example/b"] {
            assert!(is_address(Path::new(address)), "{address}");
        }
        for path in ["https", "http:/a", "pages/http://a", "-", ""] {
            assert!(!is_address(Path::new(path)), "{path}");
        }
    }
}
