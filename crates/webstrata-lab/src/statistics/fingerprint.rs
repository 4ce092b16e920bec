//! Fingerprints of segments that stay the same when dates, addresses and numbers change (4.3.3).

use sha1::{Digest, Sha1};

/// Months and days of the week, whole and short, in lower case.
const DATES: [&str; 37] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
];
/// What is removed without leaving a mark.
const HALVES_OF_THE_DAY: [&str; 2] = ["am", "pm"];

/// The SHA-1 digest of a text after its normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 20]);

impl Fingerprint {
    /// The fingerprint of a text.
    ///
    /// ```
    /// use webstrata_lab::statistics::Fingerprint;
    ///
    /// let today = Fingerprint::of("Tuesday, 3 March: 14 comments");
    /// assert_eq!(today, Fingerprint::of("Friday, 17 July: 2 comments"));
    /// assert_ne!(today, Fingerprint::of("14 comments"));
    /// ```
    pub fn of(text: &str) -> Fingerprint {
        Fingerprint(Sha1::digest(normalized(text).as_bytes()).into())
    }

    /// The digest in hexadecimal digits, as the thesis writes it.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The first 64 bits, which tables count by: among a million segments two share theirs with a
    /// probability of 3 in 100 million.
    pub fn key(&self) -> u64 {
        self.0[..8].iter().fold(0, |key, byte| key << 8 | u64::from(*byte))
    }
}

/// The text in lower case without months, days of the week, halves of the day and addresses; then
/// letters only, words one space apart; then a mark for a date and one for an address, if the text had
/// any, so that texts which differ in having them differ.
///
/// The thesis keeps Latin letters. Here letters of all scripts stay, or all Russian segments would be
/// the same.
pub fn normalized(text: &str) -> String {
    let (mut has_date, mut has_address) = (false, false);
    let mut normal = String::with_capacity(text.len());
    for token in text.split_whitespace() {
        let token = token.to_lowercase();
        if token.contains("://") || token.starts_with("www.") {
            has_address = true;
            continue;
        }
        for word in token.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            let is_date = DATES.contains(&word);
            has_date |= is_date;
            if !is_date && !HALVES_OF_THE_DAY.contains(&word) {
                push_word(&mut normal, word);
            }
        }
    }
    if has_date {
        push_word(&mut normal, "$DATE$");
    }
    if has_address {
        push_word(&mut normal, "$URL$");
    }
    normal
}

fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_text() {
        for (text, expect) in [
            ("Contact  Us", "contact us"),
            ("Price: £2.99", "price"),
            ("Sunday, 15 Nov 2026, 8 PM", "$DATE$"),
            ("Mon-Fri 9am to 5 p.m.", "to p m $DATE$"),
            ("9 AM", ""),
            ("See HTTP://tides.example/a?b and www.tides.example", "see and $URL$"),
            ("Updated Friday at https://tides.example", "updated at $DATE$ $URL$"),
            ("The moon", "the moon"),
            ("Über уns", "über уns"),
            ("", ""),
        ] {
            assert_eq!(normalized(text), expect);
        }
    }

    #[test]
    fn digests_are_sha_1() {
        // As `printf %s home | sha1sum` has it.
        assert_eq!(Fingerprint::of("Home").hex(), "e83249bd3ba79932e16fb1fb5100dafade9954c2");
        let nothing = Fingerprint::of("");
        assert_eq!(nothing.hex(), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(nothing.key(), 0xda39_a3ee_5e6b_4b0d);
    }
}
