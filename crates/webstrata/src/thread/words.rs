//! The words of which names of classes consist that say something of posts.
//!
//! A name is looked up word by word: what lists a word is in is one number, and what a name says follows from the
//! lists that its words are in.

use std::sync::LazyLock;

/// Words of a name that are read.
pub(super) const MOST_WORDS: usize = 12;

macro_rules! lists {
    ($($(#[$meta:meta])* $name:ident: $($word:literal)* $(, starts $($start:literal)*)?;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "they are named as the lists are")]
        enum Number { $($name),* }

        $($(#[$meta])* pub(super) const $name: u64 = 1 << Number::$name as u64;)*

        /// Each word with the lists that it is in, and whether it stands for all that begin so.
        const KNOWN: &[(&str, u64, bool)] = &[
            $($(($word, $name, false),)* $($(($start, $name, true),)*)?)*
        ];
    };
}

lists! {
    /// An element is a post or belongs to one.
    POST:, starts "post" "comment" "message" "msg" "reply" "replies" "answer" "question" "topic" "thread" "response"
        "discussion" "forum" "kommentar" "beitrag" "mensaje" "bbp" "review" "commtext" "comtr";
    COMMENT:, starts "comment" "kommentar" "commt" "comtr";
    REVIEW:, starts "review" "testimonial";
    TALK:, starts "reply" "replies" "answer" "message" "msg" "response" "bbp";
    CONTENT: "content" "contents" "msg" "prose" "cooked" "markdown" "copy",
        starts "postbody" "postmsg" "posttext" "postcontent" "usertext" "commtext";
    TEXT: "text" "body";
    /// A box, whatever it holds.
    HOLDER: "content" "text" "body" "html" "wrapper" "wrap" "container";
    MENTION: "mention" "mentions" "hashtag";
    QUOTE: "quote" "quotes" "quotation" "blockquote" "quoted" "bbcodequote" "quotebox",
        starts "quotecon" "quotemain" "quotetop" "quoteheader" "blockquote";
    /// A button that quotes.
    QUOTES_LATER: "select" "to" "button" "btn" "multi" "end" "target" "link";
    SIGNATURE: "signature" "signatures" "sig" "signatur" "usersig" "postsig" "postsignature";
    CARD: "avatar" "avatars" "postprofile" "userinfo" "usercard" "badge" "badges" "rank";
    CARD_OF: "user" "author" "profile" "member" "poster";
    CARD_WITH: "info" "details" "card" "extras" "stats" "title" "role" "group" "rank" "column" "panel" "cell" "fields";
    CONTROL: "button" "buttons" "btn" "actions" "action" "toolbar" "controls" "share" "sharing" "reactions" "reaction"
        "like" "likes" "vote" "votes" "voting" "report" "menu" "tools" "edited" "editnote" "lastedit" "permalink"
        "footer" "links" "tooltip" "moderation" "flag", starts "lastedit" "postedit" "postfoot";
    VOTES: "score" "votes" "vote" "points" "karma" "likes" "upvotes" "upvote" "votecount" "likecount" "rating" "kudos"
        "thanks";
    ACCEPTED: "accepted" "solution" "bestanswer" "solved";
    BEST: "best" "chosen" "correct";
    ANSWER: "answer" "reply" "response";
    REPLY: "reply" "replied" "replying";
    TO: "to" "in";
    PARENT: "replyto" "parent" "inreplyto";
    /// What belongs to an author but does not name one.
    NO_AUTHOR: "avatar" "image" "img" "photo" "icon" "role" "rank" "stats" "count" "badge" "level" "reputation" "score"
        "menu" "actions" "action" "time" "date" "arrow" "bio" "signature" "id" "is" "group" "title" "thread" "original"
        "ip" "posts" "location" "contact" "contacts" "website";
    USERNAME: "username";
    BY: "by";
    AUTHOR: "author" "nick" "commenter" "hnuser" "poster" "fn" "postauthor"
        "comauth" "commentauthor" "commentername",
        starts "username" "nickname" "authorname" "postername" "displayname" "screenname";
    PERSON: "user" "member" "display" "author" "poster" "commenter";
    NAME: "name" "link";
    BYLINE: "byline" "creator" "submitter" "authors" "bigusername";
    PROFILE: "user" "member" "profile" "person";
    DETAILS: "info" "details" "url";
    TIME: "time" "date" "datetime" "timestamp" "posted" "ago" "age" "when" "relativetime" "posttime" "postdate"
        "dateline" "submitted" "published";
    /// The time of something else, or none.
    OTHER_TIME: "edit" "edited" "update" "updated" "modified" "joined" "last" "join" "reading" "read" "expiry" "life"
        "registered" "content" "body" "text";
}

/// A known word, with its first eight letters as a number: that tells it from most others at once.
struct Known {
    word: &'static str,
    lists: u64,
    begins: bool,
    head: u64,
    /// The letters of a name's word that must be those of `head`.
    mask: u64,
}

impl Known {
    fn of((word, lists, begins): (&'static str, u64, bool)) -> Known {
        let letters = if begins { word.len().min(8) } else { 8 };
        let mask = u64::MAX >> (64 - 8 * letters as u32);
        Known { word, lists, begins, head: head(word.as_bytes()), mask }
    }

    fn is(&self, word: &[u8], head: u64) -> bool {
        let known = self.word.as_bytes();
        head & self.mask == self.head
            && match () {
                () if self.begins => known.len() <= 8 || word.starts_with(known),
                () => known.len() < 8 || word == known,
            }
    }
}

/// The first eight letters of a word, with zeros where it is shorter.
fn head(word: &[u8]) -> u64 {
    let number = |all: u64, byte: &u8| all << 8 | u64::from(*byte);
    match word.first_chunk::<8>() {
        Some(first) => u64::from_le_bytes(*first),
        None => word.iter().rev().fold(0, number),
    }
}

/// The known words by their first two letters: most words of names are none of them, and two letters tell.
struct Index {
    known: Vec<Known>,
    /// Where the words with two letters begin, and with the next two.
    starts: Vec<u16>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut known = KNOWN.to_vec();
    known.sort_by_key(|(word, ..)| letters(word.as_bytes()));
    let before = |two: usize| {
        known.partition_point(|(word, ..)| letters(word.as_bytes()) < Some(two)) as u16
    };
    let starts = (0..=26 * 26).map(before).collect();
    Index { known: known.into_iter().map(Known::of).collect(), starts }
});

/// The first two letters as a number.
fn letters(word: &[u8]) -> Option<usize> {
    let [first, second, ..] = *word else { return None };
    let number = |letter: u8| letter.is_ascii_lowercase().then(|| usize::from(letter - b'a'));
    Some(number(first)? * 26 + number(second)?)
}

/// The lists that a word is in.
pub(super) fn lists_with(word: &[u8]) -> u64 {
    let Some(two) = letters(word) else { return 0 };
    let Index { known, starts } = &*INDEX;
    let near = &known[usize::from(starts[two])..usize::from(starts[two + 1])];
    let head = head(word);
    let found = near.iter().filter(|known| known.is(word, head));
    found.fold(0, |lists, known| lists | known.lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_their_letters() {
        for (word, list, _) in KNOWN {
            assert!(letters(word.as_bytes()).is_some(), "{word} would never be found");
            assert!(lists_with(word.as_bytes()) & list != 0, "{word}");
        }
        assert_eq!(lists_with(b"posters") & (POST | CARD_OF), POST);
        for unknown in ["", "p", "zz", "über", "po"] {
            assert_eq!(lists_with(unknown.as_bytes()), 0, "{unknown}");
        }
    }
}
