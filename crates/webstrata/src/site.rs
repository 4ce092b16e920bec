//! What is known about a page's texts from the other pages of its site.
//!
//! The library reads one page and knows no others. A caller that knows them (a URL Tree, for example)
//! puts a [`Site`] into [`Document::site`](crate::Document::site), and the filters
//! [`DropRepeated`](crate::filters::DropRepeated) and
//! [`KeepLikelyOnSite`](crate::filters::KeepLikelyOnSite) look at it.
//!
//! ```
//! use webstrata::site::{Sighting, Site};
//! use webstrata::{Extractor, Page, Options, cutting::Cutting};
//!
//! let extractor = Extractor::named("site").unwrap();
//! let mut page = Page::read(b"<p>Subscribe now!<p>High water is at noon.", Cutting::Stream, &Options::default());
//! let sightings = vec![Sighting { repeated: 12, ..Sighting::default() }, Sighting { repeated: 1, ..Sighting::default() }];
//! page.document.site = Some(Box::new(Site { pages: 20, below: 20, most: 1, sightings }));
//! extractor.apply(&mut page.document);
//! assert_eq!(page.document.text(), "High water is at noon.\n");
//! ```

/// What is known of a site's pages, this one among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// How many pages of the site are known, this one among them.
    pub pages: u32,
    /// How many of them a text is judged by, n_s: those below a node of the URL Tree.
    pub below: u32,
    /// On so many of these a text may stand and still be content, c_max.
    pub most: u32,
    /// What is known of each atom of the document.
    pub sightings: Vec<Sighting>,
}

/// What is known of an atom's text and place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// Pages by which it is judged ([`Site::below`]) that have the text, c(b).
    pub repeated: u32,
    /// Pages of the site that have the text.
    pub pages: u32,
    /// Pages of the site that have any text in such a place…
    pub place: u32,
    /// … and on which that was rather content, as far as a look at the page alone tells.
    pub kept: u32,
}

impl Site {
    /// Does the text of an atom stand on too many pages to be content?
    pub(crate) fn is_repeated(&self, atom: usize) -> bool {
        self.sightings.get(atom).is_some_and(|sighting| sighting.repeated > self.most)
    }
}
