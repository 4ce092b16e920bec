//! Where the page shows its title.

use std::ops::Range;

use crate::metadata::titles::{BestTitle, key};
use crate::page::Page;

/// Bytes of a text that may be a title.
const LONGEST: usize = 400;

/// The title of a page, as it stands above the text.
#[derive(Debug)]
pub(super) struct Title {
    /// The atoms that show it.
    pub(super) atoms: Range<usize>,
    key: String,
}

impl Title {
    /// Is this the same title once more?
    pub(super) fn is(&self, text: &str) -> bool {
        text.len() <= LONGEST && key(text) == self.key
    }

    /// Finds where the title stands: in its heading, or in the first text above the running one that says the same.
    /// `body` is the first atom of running text.
    pub(super) fn of(page: &Page<'_>, title: &BestTitle, body: usize) -> Option<Title> {
        let Page { tree, document } = page;
        let atoms = &document.atoms;
        let mut found = Title { atoms: 0..0, key: key(&title.value) };
        if let Some(node) = title.node {
            let end = tree.end_of(node);
            let first = atoms.partition_point(|atom| atom.nodes.start < node);
            let inside = atoms[first..].iter().take_while(|atom| atom.nodes.start < end).count();
            found.atoms = first..first + inside;
        } else if !found.key.is_empty() {
            let mut above = 0..body.min(atoms.len());
            let atom = above.find(|atom| found.is(document.atom_text(*atom)))?;
            found.atoms = atom..atom + 1;
        }
        (!found.atoms.is_empty()).then_some(found)
    }
}
