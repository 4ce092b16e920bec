//! Types of schema.org: what a page says that it is, and what its elements say that they are.

use super::names::flag::{COMMENT, NAMED, TALK, WHOLE};

/// Types of schema.org that a page states.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Types {
    posting: bool,
    question: bool,
    faq: bool,
    other: bool,
    shared: bool,
}

impl Types {
    /// A type, with or without the address of the vocabulary before it.
    pub(super) fn add(&mut self, name: &str) {
        match short_type(name) {
            "DiscussionForumPosting" | "QAPage" => self.posting = true,
            "Question" | "Answer" => self.question = true,
            "FAQPage" => self.faq = true,
            "NewsArticle" | "BlogPosting" | "Article" | "Product" | "Recipe" | "VideoObject" => {
                self.other = true;
            }
            // What `og:type` says; forums say it, too.
            "article" | "product" => self.shared = true,
            _ => {}
        }
    }

    /// A forum, or a question with its answers. Those of a FAQ are one author's.
    pub(super) fn say_forum(self) -> bool {
        self.posting || (self.question && !self.faq)
    }

    /// A page of posts and nothing else. Types of questions alone are on many pages that answer themselves.
    pub(super) fn are_sure(self) -> bool {
        self.posting
    }

    /// The page is shared as an article or a product.
    pub(super) fn say_shared(self) -> bool {
        self.shared
    }

    /// Something else, which may have comments.
    pub(super) fn say_other(self) -> bool {
        self.other && !self.say_forum()
    }
}

/// `Comment` of `https://schema.org/Comment` and of `schema:Comment`.
pub(super) fn short_type(name: &str) -> &str {
    name.rsplit(['/', ':', '#']).next().unwrap_or_default()
}

/// What a type of schema.org says of the element that has it.
pub(super) fn type_says(name: &str) -> u32 {
    match short_type(name) {
        "DiscussionForumPosting" | "Question" => NAMED | TALK | WHOLE,
        "Answer" => NAMED | TALK,
        "Comment" | "UserComments" => NAMED | COMMENT,
        _ => 0,
    }
}
