//! Does a text have a full stop? The criterion of 4.3.2.
//!
//! "A dot which immediately follows a white-space terminated sequence of at least two letters, except
//! for a few known abbreviations": here, letters of any script directly before the dot, and white
//! space or the end of the text directly after it. `example.org`, `U.K.`, `1.` and `…` have none.
//! Chinese and Japanese, which the thesis does not look at, have a sign that is nothing else: `。` after
//! a letter is a full stop, whatever follows.

/// Abbreviations whose dot ends no sentence, as the thesis writes them.
const ABBREVIATIONS: [&str; 18] = [
    "vs", "DC", "Inc", "Ltd", "No", "VAT", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug",
    "Sep", "Oct", "Nov", "Dec",
];

/// Is there a full stop in the text?
///
/// ```
/// use webstrata_lab::statistics::has_full_stop;
///
/// assert!(has_full_stop("High water is at noon. Bring boots"));
/// assert!(!has_full_stop("Tides Ltd. at tides.example 1. page"));
/// ```
pub fn has_full_stop(text: &str) -> bool {
    text.split_whitespace().any(|token| {
        if has_ideographic(token) {
            return true;
        }
        let Some(word) = token.strip_suffix('.') else { return false };
        let before = word.trim_end_matches(char::is_alphabetic);
        let letters = &word[before.len()..];
        letters.chars().nth(1).is_some() && !ABBREVIATIONS.contains(&letters)
    })
}

/// Is there a `。` after a letter?
fn has_ideographic(token: &str) -> bool {
    let stops = token.match_indices('。');
    stops.into_iter().any(|(at, _)| token[..at].ends_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_stops_of_scripts_without_spaces() {
        assert!(has_full_stop("今天中午是高潮。渡轮早一个小时出发"));
        assert!(has_full_stop("満潮は正午です。"));
        assert!(!has_full_stop("。") && !has_full_stop("5。") && !has_full_stop("首页 联系"));
    }

    #[test]
    fn dots_after_words() {
        for text in ["It rains.", "It rains. Then", "mother-in-law.", "Вода пришла.", "a\nab.\nb"]
        {
            assert!(has_full_stop(text), "{text}");
        }
    }

    #[test]
    fn dots_that_end_no_sentence() {
        let texts = [
            "",
            ".",
            "..",
            "Wait...",
            "a.",
            "U.K.",
            "1.",
            "10.30",
            "example.org",
            "No. 5",
            "Jan. 3",
            "Tides Inc.",
            "Tides (Ltd.",
            "5 vs. 6",
            "It rains .",
            "It rains!",
            "plus VAT.",
            "May.",
            "\"It rains.\"",
        ];
        for text in texts {
            assert!(!has_full_stop(text), "{text}");
        }
    }

    #[test]
    fn abbreviations_are_written_as_they_are() {
        assert!(has_full_stop("He said no."));
        assert!(has_full_stop("the end of march and dec."));
    }
}
