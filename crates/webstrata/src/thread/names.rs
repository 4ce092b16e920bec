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
use flag::{
    ACCEPTED, AUTHOR, BODY, CARD, COMMENT, CONTROL, IN_REPLY, MENTION, NAMED, NAMED_TIME, QUOTE,
    REVIEW, SIGNATURE, SURE, TALK, TIME, VOTES,
};

/// Bytes of a name that are read; longer ones are made by machines.
pub(super) const LONGEST_NAME: usize = 64;

/// The name in lowercase without digits, with `-` between its words: `PostUser_name12` is
/// `post-user-name`. Empty where nothing is left, or too much.
pub(super) fn plain(name: &str, into: &mut String) {
    into.clear();
    if name.len() > LONGEST_NAME {
        return;
    }
    let mut before = ' ';
    for c in name.chars() {
        if c.is_alphabetic() {
            let hump = c.is_uppercase() && before.is_lowercase();
            if (hump || !before.is_alphabetic()) && !into.is_empty() {
                into.push('-');
            }
            into.extend(c.to_lowercase());
        }
        before = c;
    }
}

/// Names whose first letters say that an element is a post or belongs to one.
const POSTS: &[&str] = &[
    "post",
    "comment",
    "message",
    "msg",
    "reply",
    "replies",
    "answer",
    "question",
    "topic",
    "thread",
    "response",
    "discussion",
    "forum",
    "kommentar",
    "beitrag",
    "mensaje",
    "bbp",
    "review",
    "commtext",
    "comtr",
];

/// Words of a name that are read.
const MOST_WORDS: usize = 12;

/// The words of a name, taken apart once: they are compared with many others.
struct Words<'a> {
    all: [&'a str; MOST_WORDS],
    count: usize,
}

impl<'a> Words<'a> {
    fn of(plain: &'a str) -> Words<'a> {
        let mut words = Words { all: [""; MOST_WORDS], count: 0 };
        for (place, word) in words.all.iter_mut().zip(plain.split('-')) {
            *place = word;
            words.count += 1;
        }
        words
    }

    fn any(&self, known: &[&str]) -> bool {
        self.all[..self.count].iter().any(|word| known.contains(word))
    }

    fn starts(&self, known: &[&str]) -> bool {
        self.all[..self.count].iter().any(|word| known.iter().any(|start| word.starts_with(start)))
    }
}

/// What a name says, as [`plain`] writes it.
pub(super) fn meaning(plain: &str) -> u32 {
    let words = Words::of(plain);
    let any = |known: &[&str]| words.any(known);
    let starts = |known: &[&str]| words.starts(known);
    let mut is = 0;
    if starts(POSTS) {
        is |= NAMED;
    }
    if starts(&["comment", "kommentar", "commt", "comtr"]) {
        is |= COMMENT;
    }
    if starts(&["review", "testimonial"]) {
        is |= REVIEW;
    }
    if starts(&["reply", "replies", "answer", "message", "msg", "response", "bbp"]) {
        is |= TALK;
    }
    // `text-muted` says how a text looks.
    let is_style = plain.starts_with("text-");
    if any(&["content", "contents", "msg", "prose", "cooked", "markdown", "copy"])
        || (any(&["text", "body"]) && !is_style)
        || starts(&["postbody", "postmsg", "posttext", "postcontent", "usertext", "commtext"])
        || plain == "message"
    {
        is |= BODY;
    }
    if any(&["mention", "mentions", "hashtag"]) {
        return is | MENTION;
    }
    let is_text = any(&["content", "text", "body", "html", "wrapper", "wrap", "container"]);
    if !is_text {
        is |= author(plain, &words);
    }
    if time(&words) {
        is |= TIME | NAMED_TIME;
    }
    let quotes_later = any(&["select", "to", "button", "btn", "multi", "end", "target", "link"]);
    let names_quote =
        any(&["quote", "quotes", "quotation", "blockquote", "quoted", "bbcodequote", "quotebox"])
            || starts(&["quotecon", "quotemain", "quotetop", "quoteheader", "blockquote"]);
    if names_quote && !quotes_later {
        is |= QUOTE;
    }
    if any(&["signature", "signatures", "sig", "signatur", "usersig", "postsig", "postsignature"]) {
        is |= SIGNATURE;
    }
    if any(&["avatar", "avatars", "postprofile", "userinfo", "usercard", "badge", "badges", "rank"])
        || (any(&["user", "author", "profile", "member", "poster"])
            && any(&[
                "info", "details", "card", "extras", "stats", "title", "role", "group", "rank",
                "column", "panel", "cell", "fields",
            ]))
    {
        is |= CARD;
    }
    if any(&[
        "button",
        "buttons",
        "btn",
        "actions",
        "action",
        "toolbar",
        "controls",
        "share",
        "sharing",
        "reactions",
        "reaction",
        "like",
        "likes",
        "vote",
        "votes",
        "voting",
        "report",
        "menu",
        "tools",
        "edited",
        "editnote",
        "lastedit",
        "permalink",
        "footer",
        "links",
        "tooltip",
        "moderation",
        "flag",
    ]) || starts(&["lastedit", "postedit", "postfoot"])
    {
        is |= CONTROL;
    }
    if any(&[
        "score",
        "votes",
        "vote",
        "points",
        "karma",
        "likes",
        "upvotes",
        "upvote",
        "votecount",
        "likecount",
        "rating",
        "kudos",
        "thanks",
    ]) {
        is |= VOTES;
    }
    if any(&["accepted", "solution", "bestanswer", "solved"])
        || (any(&["best", "chosen", "correct"]) && any(&["answer", "reply", "response"]))
    {
        is |= ACCEPTED;
    }
    let replies = any(&["reply", "replied", "replying"]) && any(&["to", "in"]);
    if replies || any(&["replyto", "parent", "inreplyto"]) {
        is |= IN_REPLY;
    }
    is
}

fn author(plain: &str, words: &Words<'_>) -> u32 {
    let any = |known: &[&str]| words.any(known);
    let starts = |known: &[&str]| words.starts(known);
    if any(&[
        "avatar",
        "image",
        "img",
        "photo",
        "icon",
        "role",
        "rank",
        "stats",
        "count",
        "badge",
        "level",
        "reputation",
        "score",
        "menu",
        "actions",
        "action",
        "time",
        "date",
        "arrow",
        "bio",
        "signature",
        "id",
        "is",
        "group",
        "title",
        "thread",
        "original",
        "ip",
        "posts",
        "location",
        "contact",
        "contacts",
        "website",
    ]) && !any(&["username"])
        || (any(&["by"]) && plain != "by")
    {
        return 0;
    }
    if starts(&["username", "nickname", "authorname", "postername", "displayname", "screenname"])
        || any(&["author", "nick", "commenter", "hnuser", "poster", "fn", "postauthor"])
        || (any(&["user", "member", "display", "author", "poster", "commenter"])
            && any(&["name", "link"]))
    {
        return AUTHOR | SURE;
    }
    let names = any(&["byline", "creator", "submitter", "authors", "bigusername"])
        || (any(&["user", "member", "profile", "person"]) && any(&["info", "details", "url"]));
    let alone = matches!(plain, "user" | "name" | "member" | "message-name" | "by");
    if names || alone { AUTHOR } else { 0 }
}

fn time(words: &Words<'_>) -> bool {
    let mut is = false;
    for word in &words.all[..words.count] {
        if [
            "edit",
            "edited",
            "update",
            "updated",
            "modified",
            "joined",
            "last",
            "join",
            "reading",
            "read",
            "expiry",
            "life",
            "registered",
            "content",
            "body",
            "text",
        ]
        .contains(word)
        {
            return false;
        }
        is |= ["time", "date", "datetime", "timestamp", "posted", "ago", "age", "when"]
            .contains(word)
            || ["relativetime", "posttime", "postdate", "dateline", "submitted", "published"]
                .contains(word);
    }
    is
}

/// Does an address lead to a person? `/users/12/ann`, `/u/ann`, `member.php?u=12`, `?action=profile`.
pub(super) fn leads_to_person(href: &str) -> bool {
    let mut href = href.get(..href.len().min(300)).unwrap_or_default();
    // The site's own name says nothing about a page.
    if let Some((_, rest)) = href.split_once("://") {
        href = rest.split_once('/').map_or("", |(_, path)| path);
    }
    let numbered = |word: &str| {
        let number = word.strip_prefix("user-").or(word.strip_prefix("member-"));
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    // The home of a user, as on the first computers that people shared: `/~ann`.
    let home = href.trim_matches('/').rsplit('/').next().and_then(|last| last.strip_prefix('~'));
    if home.is_some_and(|name| !name.is_empty()) {
        return true;
    }
    let mut previous = "";
    // A hyphen joins the words of a title.
    for word in href.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_') {
        let is_person = |word: &str| {
            ["user", "users", "member", "members", "profile", "profiles", "u", "author", "people"]
                .iter()
                .chain(&["memberlist", "viewprofile", "userprofile", "userinfo"])
                .any(|known| word.eq_ignore_ascii_case(known))
        };
        if numbered(word) {
            return true;
        }
        // The word must be followed by a name or a number.
        if !word.is_empty() && is_person(previous) {
            return !["login", "register", "php", "sign", "new"].contains(&word)
                || previous.eq_ignore_ascii_case("memberlist")
                || (word == "php" && previous.eq_ignore_ascii_case("member"))
                || (word == "php" && previous.eq_ignore_ascii_case("profile"));
        }
        if !word.is_empty() {
            previous = word;
        }
    }
    previous.eq_ignore_ascii_case("profile") && href.contains('=')
}

/// A text that says when, and next to nothing else.
pub(super) fn says_when(text: &str) -> bool {
    let text = text.trim();
    if text.len() < 4 || text.len() > 80 {
        return false;
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        let day = text.get(..9).unwrap_or(text).to_ascii_lowercase();
        return text.len() < 24
            && (day.starts_with("yesterday") || day.starts_with("today") || day == "just now");
    }
    if is_of_another_time(text) {
        return false;
    }
    if text.len() < 48 {
        let lower = text.to_ascii_lowercase();
        if lower.ends_with(" ago") || lower.contains(" ago ") {
            return true;
        }
    }
    crate::metadata::date_in(text).is_some()
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
        let mut words = String::new();
        plain(name, &mut words);
        meaning(&words)
    }

    #[test]
    fn names_are_taken_apart() {
        let mut words = String::new();
        plain("PostUser_name12", &mut words);
        assert_eq!(words, "post-user-name");
        plain("p123", &mut words);
        assert_eq!(words, "p");
        plain("123", &mut words);
        assert_eq!(words, "");
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
        assert!(!leads_to_person("/users/login"));
        assert!(!leads_to_person("https://user.example/topic/4"));
    }

    #[test]
    fn times() {
        assert!(says_when("3 hours ago"));
        assert!(says_when("Posted: Sun Dec 28, 2003 6:50 pm"));
        assert!(says_when("Yesterday"));
        assert!(!says_when("Joined: 4 May 2001"));
        assert!(is_of_another_time("Last visit:") && !is_of_another_time("Laster"));
        assert!(!says_when("I have 4 boats"));
    }
}
