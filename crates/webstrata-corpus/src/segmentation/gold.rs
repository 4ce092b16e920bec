//! Segmentations that people made: files, and what annotated pages tell.
//!
//! A gold file is the text of a page with an empty line between segments; `webstrata segment
//! --format text` writes one, and whoever knows better moves the empty lines. Line breaks inside of a
//! segment mean nothing, nor does what has no letter and no digit.

use super::{AtomicPage, Gap, Segment, tokens};

/// Why a gold file does not belong to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line of the file, from 1.
    pub line: usize,
    /// What it says there; `None` where the file ends.
    pub found: Option<String>,
    /// What the page says; `None` where the page ends.
    pub expected: Option<String>,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let say = |word: &Option<String>| match word {
            Some(word) => format!("`{word}`"),
            None => "its end".into(),
        };
        let (line, found, expected) = (self.line, say(&self.found), say(&self.expected));
        write!(
            f,
            "line {line}: {found} where the page has {expected}; a gold file is the text of `webstrata \
             segment --format text` with empty lines moved, added or taken away"
        )
    }
}

impl std::error::Error for Mismatch {}

/// Reads a gold file: for each token of the page, its segment.
pub fn read(page: &AtomicPage, file: &str) -> Result<Vec<u32>, Mismatch> {
    let mut written = Vec::new();
    let (mut segment, mut has_text) = (0, false);
    for (line, text) in file.lines().enumerate() {
        if text.trim().is_empty() {
            segment += u32::from(std::mem::take(&mut has_text));
        }
        for token in tokens(text) {
            has_text = true;
            written.push((line + 1, &text[token.span], segment));
        }
    }
    let atoms = (0..page.document.atoms.len()).map(|atom| page.document.atom_text(atom));
    let mut of_page = atoms.flat_map(|text| tokens(text).map(|token| &text[token.span]));
    for (line, word, _) in &written {
        let expected = of_page.next();
        if expected != Some(*word) {
            let (found, expected) = (Some((*word).to_owned()), expected.map(str::to_owned));
            return Err(Mismatch { line: *line, found, expected });
        }
    }
    match of_page.next() {
        None => Ok(written.into_iter().map(|(_, _, segment)| segment).collect()),
        Some(more) => {
            let expected = Some(more.to_owned());
            Err(Mismatch { line: file.lines().count() + 1, found: None, expected })
        }
    }
}

/// What is taken for the segments of a page whose atoms have classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Maximal runs of atoms of one class.
    Labels,
    /// The same for what was marked: the article, its headline, comments. What nobody marked is a menu,
    /// a list of links, a footer, …: maximal runs in one container.
    Groups,
}

impl Grain {
    /// Both, with their names.
    pub const ALL: [(Grain, &'static str); 2] =
        [(Grain::Labels, "labels"), (Grain::Groups, "groups")];
}

/// The segments that classes of atoms tell; `rest` is the class of what nobody marked.
pub fn of_classes<C: PartialEq>(
    page: &AtomicPage,
    classes: &[C],
    rest: &C,
    grain: Grain,
) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut last = 0;
    for block in page.blocks() {
        // The last atom of a block before its tail of signs is the one with words; its first may be a
        // sign only at the top of the page.
        let atom = block.atoms.clone().find(|atom| has_words(page, *atom)).unwrap_or_default();
        let goes_on = classes.get(atom) == classes.get(last)
            && (grain == Grain::Labels
                || classes.get(atom) != Some(rest)
                || page.containers.get(atom) == page.containers.get(last));
        match segments.last_mut() {
            Some(segment) if goes_on => segment.append(&block),
            _ => segments.push(Segment { gap: Gap::default(), ..block }),
        }
        last = atom;
    }
    segments
}

fn has_words(page: &AtomicPage, atom: usize) -> bool {
    page.document.atoms[atom].counts.words > 0
}

#[cfg(test)]
mod tests {
    use webstrata::Options;

    use super::*;
    use crate::segmentation::WIDTH;

    fn page(html: &str) -> AtomicPage {
        AtomicPage::read(html.as_bytes(), &Options::default(), WIDTH)
    }

    #[test]
    fn empty_lines_part_segments() {
        let page = page("<b>|</b><i>Home</i><i>Tides</i><p>High water is at noon.");
        assert_eq!(
            read(&page, "\n\nHome\n\n \n| Tides\nHigh water\nis at noon.\n"),
            Ok(vec![0, 1, 1, 1, 1, 1, 1])
        );
        assert_eq!(read(&self::page(""), "\n"), Ok(vec![]));
    }

    #[test]
    fn files_of_other_pages() {
        let page = page("<p>High water<p>is at noon");
        let wrong = |file| read(&page, file).unwrap_err();
        let mismatch = |line, found: Option<&str>, expected: Option<&str>| Mismatch {
            line,
            found: found.map(Into::into),
            expected: expected.map(Into::into),
        };
        assert_eq!(wrong("High\nwaters"), mismatch(2, Some("waters"), Some("water")));
        assert_eq!(wrong("High\nwater is"), mismatch(3, None, Some("at")));
        assert_eq!(wrong("High water is at noon now"), mismatch(1, Some("now"), None));
    }

    #[test]
    fn classes_and_containers() {
        let page = page(
            "<ul><li>Home<li>Tides</ul><div><i>Login</i><b>Help</b></div>\
             <div><p>High water</div><div><p>is at noon</div><footer>Imprint</footer><div>Top</div>",
        );
        // Boxes around single texts group nothing: the imprint and the way up stand in the body.
        let classes = [0, 0, 0, 0, 2, 2, 0, 0];
        let count = |grain| of_classes(&page, &classes, &0, grain).len();
        assert_eq!((count(Grain::Labels), count(Grain::Groups)), (3, 4));
    }
}
