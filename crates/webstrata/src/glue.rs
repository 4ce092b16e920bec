//! Do two texts that no whitespace parts stand apart for readers?
//!
//! Style sheets set apart what the page writes without a space: badges, the cells of a grid, a number and
//! its unit. Others colour parts of one word. No style sheet is read here; the letters at the boundary and
//! the elements around it tell most of it. The rules were read off pages with known texts: at most three
//! places a page, `</span><span>` between a small letter and a capital is 86 times apart and 3 times
//! joined; between two small letters, two links are 9 of 9 times apart in a `<div>` and 6 of 6 times joined
//! in a `<p>`.

use crate::html::tag::{Tag, flag};

/// The place where one text ends and another begins.
pub(crate) struct Boundary<'a> {
    /// The text before, at least its last word; not empty.
    pub(crate) left: &'a str,
    /// The text node behind, from its first visible character on.
    pub(crate) right: &'a str,
    /// The text node before, as the page has it.
    pub(crate) left_node: &'a str,
    /// An inline element ended between the two.
    pub(crate) closed: bool,
    /// An inline element began between the two.
    pub(crate) opened: bool,
    /// One of them is a link.
    pub(crate) linked: bool,
    /// The innermost element around both.
    pub(crate) parent: Option<Tag>,
}

/// What the letters at the boundary are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Small,
    Capital,
    Digit,
    /// Of a script without capitals.
    Other,
}

impl Boundary<'_> {
    /// Is a space missing?
    pub(crate) fn is_apart(&self) -> bool {
        use Letter::{Capital, Digit, Small};
        if !self.closed && !self.opened {
            return false;
        }
        // One word may be a name of two colours. Several are a label and what it stands for.
        let element = if self.closed { self.left_node } else { self.right };
        let has_words = element.trim().contains(char::is_whitespace);
        if ((self.closed && self.opened) || has_words) && self.begins_after_a_sign() {
            return true;
        }
        let (Some(left), Some(right)) = (
            seen(self.left.chars().rev()).next().and_then(letter),
            self.right.chars().next().and_then(letter),
        ) else {
            // Also where nobody writes spaces, a row of links is a menu.
            return self.linked && self.closed && self.opened && self.parent.is_some_and(is_box);
        };
        if left == Capital && right == Small {
            // The first letter of a word.
            return false;
        }
        let left_length = word_length(seen(self.left.chars().rev()));
        let right_length = word_length(self.right.chars());
        if !(self.closed && self.opened) {
            let is_clear = self.linked || has_words || element.trim_end().ends_with(':');
            return is_clear
                && match (left, right) {
                    (Small, Capital) => true,
                    (Small, Digit) => self.opened && !self.linked,
                    (Capital, Capital) => left_length > 1 && right_length > 1,
                    (Digit, Capital) => right_length > 1,
                    // A heading of two lines: `Would you like<span>more of it?</span>`.
                    (Small, Small) => {
                        self.opened
                            && left_length > 2
                            && right_length > 2
                            && self.left_node.trim().contains(char::is_whitespace)
                            && self.parent.is_some_and(|tag| tag.is(flag::HEADING))
                    }
                    _ => false,
                };
        }
        match (left, right) {
            (Small, Capital | Digit) => true,
            (Capital, Capital | Digit) => left_length > 1 && (right == Digit || right_length > 1),
            (Digit, Capital) => right_length > 1,
            // Not `3rd`.
            (Digit, Small) => right_length > 2,
            (Digit, Digit) => {
                (left_length > 1 && right_length > 1)
                    || self.left_node.trim().contains(' ')
                    || self.right.trim().contains(' ')
            }
            // In running text, a part of the word is styled; among the things in a box, none is.
            _ => left_length > 1 && right_length > 2 && self.parent.is_some_and(is_box),
        }
    }
}

impl Boundary<'_> {
    /// `Resolved:` and `Yes`, `80%` and `Off`, `It works.` and `Jane`: a word behind what ends a sentence or a label.
    fn begins_after_a_sign(&self) -> bool {
        let mut left = seen(self.left.chars().rev());
        let Some(sign) = left.next().filter(|c| matches!(c, '.' | '!' | '?' | ':' | '%' | ')'))
        else {
            return false;
        };
        // Not `U.` and `S.`, nor `10:` and `30`.
        let ends_word = match sign {
            '%' | ')' => true,
            _ => left.take(2).filter(|c| c.is_alphabetic()).count() == 2,
        };
        let right = self.right.chars().next().and_then(letter);
        let begins_word = match right {
            Some(Letter::Capital) => word_length(self.right.chars()) > 1,
            Some(Letter::Digit) if sign == ')' => {
                let mut left = seen(self.left.chars().rev());
                left.nth(1).is_some_and(char::is_alphabetic) && word_length(self.right.chars()) > 2
            }
            Some(Letter::Digit) => matches!(sign, ':' | '!' | '?'),
            _ => false,
        };
        ends_word && begins_word
    }
}

/// Leaves out what has no width.
fn seen(characters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    characters.filter(|c| !matches!(c, '\u{200b}' | '\u{feff}' | '\u{2060}'))
}

/// `None` for what is no letter, and for scripts that write no spaces.
fn letter(c: char) -> Option<Letter> {
    let unspaced = matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}');
    if unspaced {
        None
    } else if c.is_lowercase() {
        Some(Letter::Small)
    } else if c.is_uppercase() {
        Some(Letter::Capital)
    } else if c.is_numeric() {
        Some(Letter::Digit)
    } else {
        c.is_alphabetic().then_some(Letter::Other)
    }
}

/// How long the first word is, as far as it matters.
fn word_length(characters: impl Iterator<Item = char>) -> usize {
    characters.take(3).take_while(|c| c.is_alphanumeric()).count()
}

/// Elements that hold other things than running text.
fn is_box(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Div | Section
            | Header
            | Footer
            | Nav
            | Aside
            | Main
            | Article
            | Button
            | Li
            | Td
            | Th
            | Figure
            | Form
            | Dd
            | Dt
            | Summary
            | Label
    )
}

/// Elements inside which, and around which, nothing is missing: code, and marks at a word.
pub(crate) fn is_exact(tag: Tag) -> bool {
    use Tag::*;
    matches!(tag, Code | Kbd | Samp | Var | Tt | Sub | Sup | Pre | Listing | Math | Wbr)
}

#[cfg(test)]
mod tests {
    use crate::cutting::Cutting;
    use crate::{Options, Page};

    fn check(page: &str, expected: &str) {
        let page = Page::read(page.as_bytes(), Cutting::Strata, &Options::default());
        let atoms = &page.document.atoms;
        let lines: Vec<&str> = (0..atoms.len()).map(|i| page.document.atom_text(i)).collect();
        assert_eq!(lines.join("|"), expected);
    }

    #[test]
    fn words_behind_signs() {
        check("<div><span>Number:</span><span>365</span></div>", "Number: 365");
        check("<div><span>80%</span><span>Resolutions</span></div>", "80% Resolutions");
        check("<p><b>It works.</b><i>Jane</i>", "It works. Jane");
        check("<p><b>U.</b><i>S.</i> and <b>10:</b><i>30</i>", "U.S. and 10:30");
        check("<p><b>now!</b><i>Buy</i>", "now! Buy");
        check(
            "<p><b>Number (new)</b><i>4711</i> and f<b>(x)</b><i>2</i>",
            "Number (new) 4711 and f(x)2",
        );
        check("<h3>Would you like<span>more of it?</span></h3>", "Would you like more of it?");
        check("<h3>Hyper<span>loop is here</span></h3>", "Hyperloop is here");
    }

    #[test]
    fn labels_and_groups() {
        check("<p>strong roadmap<b>Cons:</b> costs", "strong roadmap Cons: costs");
        check("<p><i>(24 May, 5 PM)</i>Jane wrote", "(24 May, 5 PM) Jane wrote");
        check("<p><i>Boost Mode 2.0</i>This one", "Boost Mode 2.0 This one");
        check("<div><i>40mm\u{200b}</i><i>Weight</i></div>", "40mm\u{200b} Weight");
        check(
            "<div><span><span><b>amount</b></span><span>integer</span></span></div>",
            "amount integer",
        );
        check("<div>An <span><b>un</b><i>likely</i></span> one</div>", "An un likely one");
        check("<p>An <span><b>un</b><i>likely</i></span> one", "An unlikely one");
        check("<div>An <span>x <b>un</b><i>likely</i></span> one</div>", "An x unlikely one");
    }

    #[test]
    fn things_side_by_side_are_words_apart() {
        check("<p><span>May 2024</span><span>1 yr</span>", "May 2024 1 yr");
        check(
            "<div><span>Up to</span><span>9.5x</span><span>faster</span></div>",
            "Up to 9.5x faster",
        );
        check("<p><a>Harbour</a><span>New</span>", "Harbour New");
        check("<div><a>news</a><a>sport</a></div>", "news sport");
        check("<p><b>Sold by</b><i>Tide Ltd</i>", "Sold by Tide Ltd");
        check("<p><span>1535</span><span>kcal</span>", "1535 kcal");
        check("<h3><span>New listing</span>Lamp of brass</h3>", "New listing Lamp of brass");
        check("<p>Powered by<a>Steam</a>", "Powered by Steam");
        check("<div><span>ÉTÉ</span><span>ÎLE</span></div>", "ÉTÉ ÎLE");
    }

    #[test]
    fn parts_of_words_stay_together() {
        check("<p><span>T</span>he tide", "The tide");
        check("<p><b>W</b><span>eb</span>", "Web");
        check("<p><em>un</em><b>likely</b>", "unlikely");
        check("<p>Two <a>ferry</a>s and <b>re</b>opened docks", "Two ferrys and reopened docks");
        check(
            "<p>opportunities for <span>child</span><span>ren</span>",
            "opportunities for children",
        );
        check("<div><span>F</span><span>l</span><span>o</span><span>w</span></div>", "Flow");
        check("<p><b>Sea</b>Watch", "SeaWatch");
        check(
            "<p>The 3<sup>rd</sup> of H<sub>2</sub>O, note<sup>12 a</sup>",
            "The 3rd of H2O, note12 a",
        );
        check("<p><span>3</span><span>rd</span>", "3rd");
        check("<pre><span>let</span><span>Mut</span><i>able x</i></pre>", "letMutable x");
        check("<p><code>Vec</code><span>Deque</span>", "VecDeque");
        check("<div><span>新聞</span><span>記事</span><b>Tokyo</b></div>", "新聞記事Tokyo");
        check("<div><a>新聞</a><a>記事</a></div>", "新聞 記事");
        check("<p><span>long</span><wbr><span>Name</span>", "long Name");
        check("<p>long<wbr>Name", "longName");
    }
}
