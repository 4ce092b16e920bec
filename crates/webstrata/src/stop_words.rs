//! How much of a text are stop-words, and of which language?
//!
//! A stop-word ratio is a question about one language; that of a block is not known. Ziegler and
//! Skubacz (section 3.3) ask it of 14 languages and take the largest answer.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The languages whose stop-words are counted: the five of the paper first, which win where two
/// languages claim the same share.
pub(crate) const LANGUAGES: [&str; 17] = [
    "en", "de", "es", "fr", "it", "pt", "nl", "sv", "da", "no", "fi", "hu", "ro", "ru", "tr", "el",
    "ca",
];

/// Words longer than any stop-word, in bytes, are not looked up.
const LONGEST: usize = 32;

/// For each stop-word, in lower case, the languages that have it, a bit each.
static WORDS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut words = HashMap::with_capacity(4096);
    for (bit, language) in LANGUAGES.iter().enumerate() {
        for word in stop_words::lookup(language).unwrap_or_default() {
            *words.entry(*word).or_insert(0) |= 1 << bit;
        }
    }
    words
});

/// The largest share of a text's words that are stop-words of one language, and that language;
/// `None` where no language has any of them. Words are runs of letters and digits.
pub(crate) fn largest_share(text: &str) -> (f64, Option<&'static str>) {
    let mut found = [0u32; LANGUAGES.len()];
    let mut all = 0u32;
    let mut lower = String::with_capacity(LONGEST);
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        all += 1;
        if word.len() > LONGEST {
            continue;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        let mut languages = WORDS.get(lower.as_str()).copied().unwrap_or(0);
        while languages != 0 {
            found[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }
    let most = found.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return (0.0, None);
    }
    let language = found.iter().position(|count| *count == most).map(|index| LANGUAGES[index]);
    (f64::from(most) / f64::from(all), language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list() {
        for (bit, language) in LANGUAGES.iter().enumerate() {
            let size = WORDS.values().filter(|languages| *languages & (1 << bit) != 0).count();
            assert!(size > 40, "{language}: {size} words");
        }
        assert!(WORDS.keys().filter(|word| word.len() > LONGEST).count() == 0);
    }

    #[test]
    fn the_language_is_a_by_product() {
        let check = |text: &str, expect: (f64, Option<&str>)| {
            assert_eq!(largest_share(text), expect, "{text}");
        };
        check("The tide IS out.", (0.75, Some("en")));
        check("Der Hafen ist für heute geschlossen", (0.5, Some("de")));
        check("La marea está muy baja en el puerto", (0.625, Some("es")));
        check("Паром не ходит, но завтра он будет", (4.0 / 7.0, Some("ru")));
        check("Timetable · Fares · Harbour", (0.0, None));
        check(" | » ", (0.0, None));
        check("", (0.0, None));
    }
}
