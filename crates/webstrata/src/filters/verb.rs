//! What a filter may change.

/// What a filter may change about a document. A filter's name begins with its verb.
///
/// No filter changes [`Document::atoms`](crate::Document::atoms) or the title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// Adds labels to blocks, and nothing else.
    Find,
    /// Decides about every block: sets whether it is content, and its score.
    Classify,
    /// Decides which blocks are content; may set scores, and label the blocks it decided about.
    Keep,
    /// Like [`Verb::Keep`], but never makes a block content.
    Drop,
    /// Joins blocks. Every atom stays in a block; a joined block is content if a part of it was.
    Fuse,
    /// Cuts blocks apart. Every atom stays in a block, with the verdict it had.
    Split,
    /// Takes blocks that are not content out of the document.
    Remove,
}

impl Verb {
    /// All verbs with the word that names of filters begin with.
    pub const ALL: [(Verb, &'static str); 7] = [
        (Verb::Find, "find"),
        (Verb::Classify, "classify"),
        (Verb::Keep, "keep"),
        (Verb::Drop, "drop"),
        (Verb::Fuse, "fuse"),
        (Verb::Split, "split"),
        (Verb::Remove, "remove"),
    ];

    /// The word that names of such filters begin with.
    pub fn name(self) -> &'static str {
        Verb::ALL[self as usize].1
    }

    /// Can such a filter make a block content?
    pub(crate) fn can_keep(self) -> bool {
        matches!(self, Verb::Classify | Verb::Keep)
    }
}
