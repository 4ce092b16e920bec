//! The web page: files that are part of the program, so that it needs no network and no installation.

/// A file of the page.
pub(crate) struct Asset {
    /// What it is called below `/assets/`.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) media_type: &'static str,
    /// What is in it.
    pub(crate) bytes: &'static [u8],
}

/// The page itself.
pub(crate) static INDEX: Asset = Asset {
    name: "index.html",
    media_type: "text/html; charset=utf-8",
    bytes: include_bytes!("index.html"),
};

/// What it loads.
pub(crate) static ASSETS: &[Asset] = &[];
