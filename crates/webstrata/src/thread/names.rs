//! What the names of an element say: classes, ids and properties, taken apart into words.

/// What an element may be, one bit each.
pub(super) mod flag {
    /// It names who wrote a post.
    pub(crate) const AUTHOR: u32 = 1;
    /// It says when.
    pub(crate) const TIME: u32 = 1 << 1;
    /// It quotes another post.
    pub(crate) const QUOTE: u32 = 1 << 2;
    /// The lines that an author puts below every post.
    pub(crate) const SIGNATURE: u32 = 1 << 3;
    /// Who the author is: picture, rank, number of posts.
    pub(crate) const CARD: u32 = 1 << 4;
    /// Buttons, notes of changes and other things around a post.
    pub(crate) const CONTROL: u32 = 1 << 5;
    /// A number of votes.
    pub(crate) const VOTES: u32 = 1 << 6;
    /// The asker accepted it.
    pub(crate) const ACCEPTED: u32 = 1 << 7;
    /// Its name is one of those that posts have.
    pub(crate) const NAMED: u32 = 1 << 8;
    /// Not shown, or no text: scripts, styles.
    pub(crate) const UNSEEN: u32 = 1 << 9;
    /// A heading that leads to another page.
    pub(crate) const TEASER: u32 = 1 << 10;
    /// A link to the post that this one answers.
    pub(crate) const IN_REPLY: u32 = 1 << 11;
    /// Its name says that it tells the time, not only its words.
    pub(crate) const NAMED_TIME: u32 = 1 << 12;
    /// The name says comment.
    pub(crate) const COMMENT: u32 = 1 << 13;
    /// A sure sign of an author: `itemprop=author`, `rel=author`, a class that says user name.
    pub(crate) const SURE: u32 = 1 << 14;
    /// It names somebody who is spoken to.
    pub(crate) const MENTION: u32 = 1 << 15;
    /// The name says that people talk: reply, answer, message.
    pub(crate) const TALK: u32 = 1 << 17;
    /// Its name says that it holds a text.
    pub(crate) const BODY: u32 = 1 << 16;
    /// The first post and all that answer it, by its type of schema.org.
    pub(crate) const WHOLE: u32 = 1 << 18;
    /// A property of schema.org says it.
    pub(crate) const STATED: u32 = 1 << 20;
    /// The name says that somebody judges a thing: review, testimonial.
    pub(crate) const REVIEW: u32 = 1 << 19;
}
use super::words::{self, MOST_WORDS, lists_with};
use flag::{
    ACCEPTED, AUTHOR, BODY, CARD, COMMENT, CONTROL, IN_REPLY, MENTION, NAMED, NAMED_TIME, QUOTE,
    REVIEW, SIGNATURE, SURE, TALK, TIME, VOTES,
};

/// Bytes of a name that are read; longer ones are made by machines.
pub(super) const LONGEST_NAME: usize = 64;

/// The name in lowercase without digits, with `-` between its words: `PostUser_name12` is
/// `post-user-name`. Empty where nothing is left, or too much.
pub(super) fn plain(name: &[u8], into: &mut Vec<u8>) {
    into.clear();
    if name.len() > LONGEST_NAME {
        return;
    }
    if is_plain(name) {
        into.extend_from_slice(name);
        return;
    }
    if name.is_ascii() {
        // At most a hyphen for each letter.
        let mut written = [0; 2 * LONGEST_NAME];
        let mut end = 0;
        let mut before = Letter::None;
        for c in name {
            let letter = LETTERS[usize::from(*c)];
            if letter != Letter::None {
                let hump = letter == Letter::Upper && before == Letter::Lower;
                if (hump || before == Letter::None) && end > 0 {
                    written[end] = b'-';
                    end += 1;
                }
                written[end] = c | 0x20;
                end += 1;
            }
            before = letter;
        }
        into.extend_from_slice(&written[..end]);
        return;
    }
    let mut before = ' ';
    for c in str::from_utf8(name).unwrap_or_default().chars() {
        if c.is_alphabetic() {
            let hump = c.is_uppercase() && before.is_lowercase();
            if (hump || !before.is_alphabetic()) && !into.is_empty() {
                into.push(b'-');
            }
            for lower in c.to_lowercase() {
                into.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        before = c;
    }
}

/// Small letters with single hyphens between them, as most names are?
fn is_plain(name: &[u8]) -> bool {
    let mut before = b'-';
    for byte in name {
        if !byte.is_ascii_lowercase() && (*byte != b'-' || before == b'-') {
            return false;
        }
        before = *byte;
    }
    before != b'-'
}

/// What a byte of a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    None,
    Lower,
    Upper,
}

static LETTERS: [Letter; 256] = {
    let mut letters = [Letter::None; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_lowercase() {
            letters[byte] = Letter::Lower;
        } else if (byte as u8).is_ascii_uppercase() {
            letters[byte] = Letter::Upper;
        }
        byte += 1;
    }
    letters
};

/// What a name says, as [`plain`] writes it.
pub(super) fn meaning(plain: &[u8]) -> u32 {
    let words = plain.split(|byte| *byte == b'-').take(MOST_WORDS);
    let words = words.fold(0, |all, word| all | lists_with(word));
    if words == 0 {
        return 0;
    }
    let any = |lists: u64| words & lists != 0;
    let mut is = 0;
    for (list, flag) in [
        (words::POST, NAMED),
        (words::COMMENT, COMMENT),
        (words::REVIEW, REVIEW),
        (words::TALK, TALK),
        (words::SIGNATURE, SIGNATURE),
        (words::CONTROL, CONTROL),
        (words::VOTES, VOTES),
    ] {
        if any(list) {
            is |= flag;
        }
    }
    // `text-muted` says how a text looks.
    let is_style = plain.starts_with(b"text-");
    if any(words::CONTENT) || (any(words::TEXT) && !is_style) || plain == b"message" {
        is |= BODY;
    }
    if any(words::MENTION) {
        return is & (NAMED | COMMENT | REVIEW | TALK | BODY) | MENTION;
    }
    if !any(words::HOLDER) {
        is |= author(plain, words);
    }
    if any(words::TIME) && !any(words::OTHER_TIME) {
        is |= TIME | NAMED_TIME;
    }
    if any(words::QUOTE) && !any(words::QUOTES_LATER) {
        is |= QUOTE;
    }
    if any(words::CARD) || (any(words::CARD_OF) && any(words::CARD_WITH)) {
        is |= CARD;
    }
    if any(words::ACCEPTED) || (any(words::BEST) && any(words::ANSWER)) {
        is |= ACCEPTED;
    }
    if (any(words::REPLY) && any(words::TO)) || any(words::PARENT) {
        is |= IN_REPLY;
    }
    is
}

fn author(plain: &[u8], words: u64) -> u32 {
    let any = |lists: u64| words & lists != 0;
    if any(words::NO_AUTHOR) && !any(words::USERNAME) || (any(words::BY) && plain != b"by") {
        return 0;
    }
    if any(words::AUTHOR) || (any(words::PERSON) && any(words::NAME)) {
        return AUTHOR | SURE;
    }
    let names = any(words::BYLINE) || (any(words::PROFILE) && any(words::DETAILS));
    let alone = matches!(plain, b"user" | b"name" | b"member" | b"message-name" | b"by");
    if names || alone { AUTHOR } else { 0 }
}

/// Does an address lead to a person? `/users/12/ann`, `/u/ann`, `member.php?u=12`, `?action=profile`.
pub(super) fn leads_to_person(href: &str) -> bool {
    // By bytes, since every link is looked at.
    let mut href = href.get(..href.len().min(300)).unwrap_or_default().as_bytes();
    // The site's own name says nothing about a page.
    let scheme = memchr::memchr_iter(b':', href).find(|at| href[*at..].starts_with(b"://"));
    if let Some(scheme) = scheme {
        let rest = &href[scheme + 3..];
        href = memchr::memchr(b'/', rest).map_or(&[], |slash| &rest[slash + 1..]);
    }
    if is_home(href) {
        return true;
    }
    let numbered = |word: &[u8]| {
        if !matches!(word[0], b'u' | b'm') {
            return false;
        }
        let number = word.strip_prefix(b"user-").or(word.strip_prefix(b"member-"));
        number.is_some_and(|number| number.first().is_some_and(u8::is_ascii_digit))
    };
    let mut previous: &[u8] = b"";
    let mut rest = href;
    while let Some(start) = rest.iter().position(|byte| IN_WORD[usize::from(*byte)]) {
        rest = &rest[start..];
        let end = rest.iter().position(|byte| !IN_WORD[usize::from(*byte)]).unwrap_or(rest.len());
        let word;
        (word, rest) = rest.split_at(end);
        if numbered(word) {
            return true;
        }
        // The word must be followed by a name or a number.
        if is_person(previous) {
            return !matches!(word, b"login" | b"register" | b"php" | b"sign" | b"new")
                || previous.eq_ignore_ascii_case(b"memberlist")
                || (word == b"php" && previous.eq_ignore_ascii_case(b"member"))
                || (word == b"php" && previous.eq_ignore_ascii_case(b"profile"));
        }
        previous = word;
    }
    previous.eq_ignore_ascii_case(b"profile") && href.contains(&b'=')
}

/// A hyphen joins the words of a title.
const IN_WORD: [bool; 256] =
    crate::bytes::set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

/// The home of a user, as on the first computers that people shared: `/~ann`.
fn is_home(path: &[u8]) -> bool {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let start = memchr::memrchr(b'/', &path[..end]).map_or(0, |slash| slash + 1);
    path[start..end].starts_with(b"~") && end - start > 1
}

/// Does an address lead to something of a user's, not to the user: `/~ann/journal/`?
pub(super) fn leads_into_home(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let home = path.find("/~").map(|at| &path[at + 2..]);
    home.and_then(|home| home.split_once('/'))
        .is_some_and(|(name, rest)| !name.is_empty() && !rest.is_empty())
}

/// Does this word of an address say that a person follows?
fn is_person(word: &[u8]) -> bool {
    const PEOPLE: [&str; 13] = [
        "user",
        "users",
        "member",
        "members",
        "profile",
        "profiles",
        "u",
        "author",
        "people",
        "memberlist",
        "viewprofile",
        "userprofile",
        "userinfo",
    ];
    let may_be = |first: &u8| matches!(first | 0x20, b'u' | b'm' | b'p' | b'a' | b'v');
    word.len() <= 11
        && word.first().is_some_and(may_be)
        && PEOPLE.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// A text that says when, and next to nothing else.
pub(super) fn says_when(text: &str) -> bool {
    let text = text.trim();
    if text.len() < 4 || text.len() > 80 {
        return false;
    }
    // Nothing is copied: this is asked of every text.
    let bytes = text.as_bytes();
    let digits = crate::bytes::count(bytes, |byte| byte.is_ascii_digit());
    if digits == 0 {
        if !matches!(bytes[0] | 0x20, b'y' | b't' | b'j') {
            return false;
        }
        let begins = |word: &str| {
            bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        };
        let is_now = text.eq_ignore_ascii_case("just now");
        return text.len() < 24 && (begins("yesterday") || begins("today") || is_now);
    }
    if is_of_another_time(text) {
        return false;
    }
    let is_ago = |at: usize| {
        let word = at.checked_sub(2).and_then(|start| bytes.get(start..at + 2));
        word.is_some_and(|word| word.eq_ignore_ascii_case(b" ago"))
            && bytes.get(at + 2).is_none_or(|byte| *byte == b' ')
    };
    if text.len() < 48 && memchr::memchr2_iter(b'g', b'G', bytes).any(is_ago) {
        return true;
    }
    // A date has a year.
    digits >= 4 && crate::metadata::date_in(text).is_some()
}

/// Do these words begin with what says that a date is not the post's own?
pub(super) fn is_of_another_time(text: &str) -> bool {
    const WORDS: [&str; 7] =
        ["join", "regist", "member since", "edited", "last ", "updated", "mitglied seit"];
    let begins =
        |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    text.len() < 80 && WORDS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> u32 {
        let mut words = Vec::new();
        plain(name.as_bytes(), &mut words);
        meaning(&words)
    }

    #[test]
    fn names_are_taken_apart() {
        let plain = |name: &str| {
            let mut words = Vec::new();
            plain(name.as_bytes(), &mut words);
            String::from_utf8(words).expect("a name stays text")
        };
        assert_eq!(plain("PostUser_name12"), "post-user-name");
        assert_eq!(plain("post-user"), "post-user");
        assert_eq!(plain("post--user-"), "post-user");
        assert_eq!(plain("p123"), "p");
        assert_eq!(plain("123"), "");
        assert_eq!(plain("ÜberschriftPost"), "überschrift-post");
    }

    #[test]
    fn meanings() {
        assert_eq!(of("PostUser-name") & (NAMED | AUTHOR), NAMED | AUTHOR);
        assert_eq!(of("userContent") & AUTHOR, 0);
        assert_eq!(of("poster_ip") & AUTHOR, 0);
        assert_eq!(of("message-avatar") & (AUTHOR | CARD), CARD);
        assert_eq!(of("post-timestamp") & TIME, TIME);
        assert_eq!(of("last-edit-time") & TIME, 0);
        assert_eq!(of("postsignature") & SIGNATURE, SIGNATURE);
        assert_eq!(of("comment-text") & BODY, BODY);
        assert_eq!(of("text-muted") & BODY, 0);
        assert_eq!(of("accepted-answer") & ACCEPTED, ACCEPTED);
    }

    #[test]
    fn people() {
        assert!(leads_to_person("https://a.example/users/12/ann"));
        assert!(leads_to_person("./memberlist.php?mode=viewprofile&u=4"));
        assert!(leads_to_person("index.php?action=profile;u=7"));
        assert!(leads_to_person("member.php?u=3"));
        assert!(leads_to_person("//a.example/~ann"));
        assert!(!leads_to_person("//a.example/~ann/boats.html"));
        assert!(
            leads_into_home("//a.example/~ann/journal/") && !leads_into_home("//a.example/~ann/")
        );
        assert!(!leads_to_person("/users/login"));
        assert!(!leads_to_person("https://user.example/topic/4"));
    }

    #[test]
    fn times() {
        assert!(says_when("3 hours ago") && says_when("12 AGO 3"));
        assert!(!says_when("3 big agonies") && !says_when("go 3") && !says_when("ago 3"));
        assert!(says_when("Posted: Sun Dec 28, 2003 6:50 pm"));
        assert!(says_when("Yesterday"));
        assert!(!says_when("Joined: 4 May 2001"));
        assert!(is_of_another_time("Last visit:") && !is_of_another_time("Laster"));
        assert!(!says_when("I have 4 boats"));
    }
}
