//! How known forum software marks its posts. Only this chore knows it, to judge; the library does not.

use webstrata::{NodeId, Tree};

/// A post by the software's own marks.
pub(crate) struct GoldPost {
    pub(crate) author: String,
    pub(crate) text: String,
}

/// A simple selector: any of `tag`, `.class`, `#id-prefix`, `[attribute]`, `[attribute=value]`.
type Selector = &'static [&'static str];

/// Each kind: its name; its posts, by a selector, or by `<` and the selector of the text, whose parent
/// is the post then; where the author is, any of these in order; where the text is.
struct Software {
    name: &'static str,
    post: &'static [Selector],
    author: &'static [Selector],
    text: &'static [Selector],
}

#[rustfmt::skip]
const ALL: &[Software] = &[
    Software { name: "XenForo", post: &[&["article", ".message--post"], &["article", ".message", "[data-author]"], &["li", ".message", "[data-author]"]],
        author: &[&["@data-author"]], text: &[&[".bbWrapper"], &[".messageText"]] },
    Software { name: "phpBB 3", post: &[&["div", ".post", "#p"]],
        author: &[&[".username"], &[".username-coloured"], &[".author", "strong"]], text: &[&["div", ".content"]] },
    Software { name: "phpBB 2", post: &[&["tr", "?.name", "?.postbody"]],
        author: &[&["span", ".name"]], text: &[&["span", ".postbody"]] },
    Software { name: "Discourse", post: &[&["article", "[data-post-id]"], &["div", ".crawler-post"], &["div", "[itemprop=comment]"], &["div", "#post_"], &["div", "[itemprop=mainEntity]"]],
        author: &[&[".creator", ">[itemprop=name]"], &[".username"]], text: &[&[".cooked"], &["div", ".post", "[itemprop=text]"], &["div", ".post", "[itemprop=articleBody]"], &["div", ".post"]] },
    Software { name: "Stack Exchange", post: &[&["div", ".question", "[data-questionid]"], &["div", ".answer", "[data-answerid]"]],
        author: &[&["[itemprop=author]", ">a"]], text: &[&[".js-post-body"]] },
    Software { name: "Vanilla", post: &[&[".Comment"], &["div", ".Discussion", "?.Message"]],
        author: &[&["a", ".Username"]], text: &[&[".Message"]] },
    Software { name: "bbPress", post: &[&["<", ".bbp-reply-content"], &["<", ".bbp-topic-content"]],
        author: &[&[".bbp-author-name"]], text: &[&[".bbp-reply-content"], &[".bbp-topic-content"]] },
    Software { name: "MyBB", post: &[&["div", ".post", "#post_"]],
        author: &[&[".author_information", ">a"]], text: &[&[".post_body"]] },
    Software { name: "SMF", post: &[&["div", ".post_wrapper"]],
        author: &[&[".poster", ">a"]], text: &[&["div", ".inner"]] },
    Software { name: "FluxBB", post: &[&["div", ".blockpost"]],
        author: &[&[".postleft", ">strong"]], text: &[&[".postmsg"]] },
    Software { name: "vBulletin", post: &[&["table", "#post", "?.bigusername"], &["li", "#post_"], &["div", "#post_", "?.username"]],
        author: &[&[".bigusername"], &[".username"]], text: &[&["#post_message_"]] },
    Software { name: "Invision", post: &[&["article", "#elComment_"]],
        author: &[&[".ipsEntry__username", ">a"], &[".cAuthorPane_author", ">a"]], text: &[&["[data-role=commentContent]"]] },
    Software { name: "NodeBB", post: &[&["li", "[component=post]"]],
        author: &[&["@data-username"]], text: &[&["[component=post/content]"]] },
    Software { name: "Drupal", post: &[&["div", ".comment"]],
        author: &[&[".username"], &[".commenter-name"], &[".submitted", ">a"]], text: &[&[".field-name-comment-body"], &["div", ".content"]] },
    Software { name: "Reddit", post: &[&["shreddit-comment", "[author]"], &["div", ".thing", ".comment"]],
        author: &[&["@author"], &["@data-author"], &["a", ".author"]], text: &[&["#t1_", "[slot=comment]"], &["[slot=comment]"], &[".usertext-body"]] },
    Software { name: "Lobsters", post: &[&["div", ".comment", "[data-shortid]"]],
        author: &[&[".byline", ">a[href]"]], text: &[&[".comment_text"]] },
    Software { name: "Slashdot", post: &[&["div", "#comment_top_"]], author: &[&[".by", ">a"]], text: &[&["#comment_body_"]] },
    Software { name: "plain mirror", post: &[&["div", ".post", "?.post-author", "?.post-body"]],
        author: &[&[".post-author"]], text: &[&[".post-body"]] },
];

/// The software of a page and its posts; `None` where none of these makes two posts with authors.
pub(crate) fn posts(tree: &Tree<'_>) -> Option<(&'static str, Vec<GoldPost>)> {
    let found = ALL.iter().map(|software| (software.name, software.posts(tree)));
    found.filter(|(_, posts)| posts.len() > 1).max_by_key(|(_, posts)| posts.len())
}

impl Software {
    fn posts(&self, tree: &Tree<'_>) -> Vec<GoldPost> {
        let mut nodes: Vec<NodeId> = Vec::new();
        for node in tree.nodes().filter(|node| tree.tag(*node).is_some()) {
            for selector in self.post {
                match selector {
                    ["<", rest @ ..] if matches(tree, node, rest) => {
                        nodes.extend(tree.parent(node));
                    }
                    ["<", ..] => {}
                    selector if matches(tree, node, selector) => nodes.push(node),
                    _ => continue,
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
        let mut posts = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            // Of nested posts each has what is before the next.
            let end = tree.end_of(*node);
            let end = nodes.get(at + 1).map_or(end, |next| end.min(*next));
            let text = self.text.iter().find_map(|selector| first(tree, *node..end, selector));
            let author = self.author.iter().find_map(|selector| match selector {
                [stated] if stated.starts_with('@') => {
                    Some(tree.attribute(*node, &stated[1..])?.into_owned())
                }
                [outer, inner] if inner.starts_with('>') => {
                    let outer = first(tree, *node..end, &[*outer])?;
                    let inner = first(tree, outer..tree.end_of(outer), &[&inner[1..]])?;
                    Some(tree.text_content(inner))
                }
                selector => Some(tree.text_content(first(tree, *node..end, selector)?)),
            });
            let (Some(text), Some(author)) = (text, author) else { continue };
            let (text, author) = (words(tree, text), author.trim().to_owned());
            if !text.trim().is_empty() && !author.is_empty() {
                posts.push(GoldPost { author, text });
            }
        }
        posts
    }
}

fn first(tree: &Tree<'_>, mut range: std::ops::Range<NodeId>, selector: &[&str]) -> Option<NodeId> {
    range.find(|node| tree.tag(*node).is_some() && matches(tree, *node, selector))
}

fn matches(tree: &Tree<'_>, node: NodeId, selector: &[&str]) -> bool {
    selector.iter().all(|part| {
        let (kind, rest) = part.split_at(1);
        match kind {
            "." => tree
                .attribute(node, "class")
                .is_some_and(|class| class.split_ascii_whitespace().any(|name| name == rest)),
            "#" => tree.attribute(node, "id").is_some_and(|id| id.starts_with(rest)),
            "[" => {
                let rest = rest.trim_end_matches(']');
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                tree.attribute(node, name).is_some_and(|found| value.is_empty() || found == value)
            }
            "?" => first(tree, node + 1..tree.end_of(node), &[rest]).is_some(),
            _ => {
                let (name, with) = part.split_once('[').unwrap_or((part, ""));
                tree.name(node).is_some_and(|found| found == name)
                    && (with.is_empty()
                        || tree.attribute(node, with.trim_end_matches(']')).is_some())
            }
        }
    })
}

/// The text without quotations, which the software marks, too.
fn words(tree: &Tree<'_>, node: NodeId) -> String {
    let end = tree.end_of(node);
    let mut text = String::new();
    let mut at = node;
    while at < end {
        let is = |selector: &[&str]| matches(tree, at, selector);
        let skip = tree.tag(at).is_some()
            && (is(&["script"])
                || is(&["style"])
                || is(&["svg"])
                || is(&["aside", ".quote"])
                || is(&["blockquote", ".bbCodeBlock--quote"])
                || is(&["blockquote", ".mycode_quote"])
                || is(&["blockquote", ".bbc_standard_quote"])
                || is(&["blockquote", ".ipsQuote"])
                || is(&["blockquote", ".UserQuote"])
                || is(&["blockquote", ".Quote"])
                || is(&["div", ".quoteheader"])
                || is(&["div", ".quotebox"])
                || is(&["blockquote", "?cite"])
                || is(&["div", ".bbcode_quote"])
                || is(&["td", ".quote"]));
        if skip {
            at = tree.end_of(at).max(at + 1);
            continue;
        }
        text.push_str(tree.text(at));
        if tree.tag(at).is_some() {
            text.push(' ');
        }
        at += 1;
    }
    text
}
