//! Invented pages in the manner of known forum software.

use super::*;
use crate::cutting::Cutting;
use crate::options::Options;

fn read(html: &str) -> Page<'_> {
    Page::read(html.as_bytes(), Cutting::default(), &Options::default())
}

fn posts(html: &str) -> Vec<Post> {
    read(html).posts()
}

/// Author and text of each post.
fn said(posts: &[Post]) -> Vec<(&str, &str)> {
    posts.iter().map(|post| (post.author.as_deref().unwrap_or("?"), post.text.as_str())).collect()
}

fn replies(posts: &[Post]) -> Vec<Option<u32>> {
    posts.iter().map(|post| post.reply_to).collect()
}

#[test]
fn a_board_with_profiles_quotes_and_signatures() {
    let post = |id: u32, name: &str, time: &str, text: &str| {
        format!(
            "<div id=p{id} class='post has-profile bg1'><div class=inner>\
             <dl class=postprofile><dt><a href='./memberlist.php?mode=viewprofile&amp;u={id}' \
             class=username>{name}</a><dd class=profile-rank>Harbour master<dd>Posts: 12\
             <dd>Joined: 3 May 2001</dl>\
             <div class=postbody><h3><a href='#p{id}'>Re: Ferries</a></h3>\
             <p class=author><a href='./viewtopic.php?p={id}#p{id}'>{time}</a>\
             <div class=content>{text}</div>\
             <div class=signature>Fair winds and following seas</div></div></div></div>"
        )
    };
    let html = format!(
        "<h1>Ferries</h1>{}{}{}",
        post(
            11,
            "ann",
            "Wed Sep 03, 2025 10:00 am",
            "Does the ferry run on Sundays?<br>I could not find it."
        ),
        post(
            12,
            "bo",
            "Wed Sep 03, 2025 11:30 am",
            "<blockquote><cite>ann wrote:</cite>Does the ferry run on \
             Sundays?</blockquote>It does, <b>every</b> hour."
        ),
        post(
            13,
            "ann",
            "Thu Sep 04, 2025 8:00 am",
            "Thank you.<pre><code>if day == 0:\n    sail()</code></pre>"
        ),
    );
    let found = posts(&html);
    assert_eq!(
        said(&found),
        [
            ("ann", "Does the ferry run on Sundays?\nI could not find it."),
            ("bo", "It does, every hour."),
            ("ann", "Thank you.\n\nif day == 0:\n    sail()"),
        ]
    );
    assert_eq!(found[0].time.as_deref(), Some("2025-09-03"));
    assert_eq!(replies(&found), [None, None, None]);
    let page = read(&html);
    let thread = of(&page).unwrap();
    assert!(thread.is_discussion);
    assert_eq!(thread.posts[1].quotes.len(), 1);
    assert_eq!(thread.posts[1].signature.len(), 1);
}

#[test]
fn a_stream_of_posts_with_likes() {
    let post = |id: u32, name: &str, day: u32, likes: u32, text: &str| {
        format!(
            "<div class=topic-post><article id=post_{id} data-post-id={id}>\
             <div class=topic-avatar><a class=avatar-link href=/u/{name}><img alt=''></a></div>\
             <div class=topic-body><div class=names><span class='first username'>\
             <a href=/u/{name} data-user-card={name}>{name}</a></span></div>\
             <a class=post-date href=/t/1/{id}><span class=relative-date \
             title='September {day}, 2025 9:00 am'>Sep {day}</span></a>\
             <div class=cooked>{text}</div>\
             <nav class=post-controls><button class=like-count title=likes>{likes}</button>\
             <button>Reply</button></nav></div></article></div>"
        )
    };
    let html = [
        post(1, "ann", 3, 4, "<p>My boat leaks at the keel. What do you use to seal it?"),
        post(2, "bo", 4, 0, "<aside class=quote data-username=ann><div class=title>ann:</div>\
             <blockquote><p>My boat leaks</blockquote></aside><p>Tar. <a class=mention href=/u/cy>@cy</a> \
             knows more."),
        post(3, "cy", 5, 1, "<p>Tar it is.<p>Two coats."),
    ]
    .concat();
    let found = posts(&html);
    assert_eq!(
        said(&found),
        [
            ("ann", "My boat leaks at the keel. What do you use to seal it?"),
            ("bo", "Tar. @cy knows more."),
            ("cy", "Tar it is.\n\nTwo coats."),
        ]
    );
    assert_eq!(found[2].time.as_deref(), Some("2025-09-05"));
}

#[test]
fn a_question_its_answers_and_comments_on_them() {
    let person = |name: &str, day: u32| {
        format!(
            "<div class=post-signature><div class=user-info><div class=user-action-time>written \
             <span title='2025-09-0{day} 10:00:00Z' class=relativetime>Sep {day}</span></div>\
             <div class=user-details itemprop=author><a href=/users/{day}/{name}>{name}</a>\
             <meta itemprop=name content={name}><span class=reputation-score>1,204</span></div></div></div>"
        )
    };
    let comment = |name: &str, text: &str| {
        format!(
            "<li class=comment><div class=comment-text><span class=comment-copy>{text}</span> – \
             <a href=/users/9/{name} class=comment-user>{name}</a> \
             <span class=comment-date title='2025-09-09 10:00:00Z'>Sep 9</span></div>"
        )
    };
    let html = format!(
        "<div class=question id=question data-score=7><div class=vote><div class=vote-count>7</div></div>\
         <div class=post-body itemprop=text><p>How is a bowline tied so that it holds under load?</div>{}</div>\
         <div id=answers><div class='answer accepted-answer' id=answer-2 data-score=12>\
         <div class=post-body itemprop=text><p>The rabbit comes out of the hole, round the tree, and goes back \
         down again.</div>{}<ul class=comments>{}{}</ul></div>\
         <div class=answer id=answer-3 data-score=-1><div class=post-body itemprop=text><p>Use glue, it holds \
         better than any knot.</div>{}</div></div>",
        person("ann", 1),
        person("bo", 2),
        comment("cy", "Which rabbit would that be, please?"),
        comment("bo", "The end of the rope is the rabbit."),
        person("di", 3),
    );
    let found = posts(&html);
    assert_eq!(
        said(&found),
        [
            ("ann", "How is a bowline tied so that it holds under load?"),
            ("bo", "The rabbit comes out of the hole, round the tree, and goes back down again."),
            ("cy", "Which rabbit would that be, please?"),
            ("bo", "The end of the rope is the rabbit."),
            ("di", "Use glue, it holds better than any knot."),
        ]
    );
    assert_eq!(found.iter().map(|post| post.accepted).collect::<Vec<_>>()[1], Some(true));
    assert_eq!(found[1].votes, Some(12));
    assert_eq!(found[4].votes, Some(-1));
    assert_eq!(replies(&found)[2..4], [Some(2), Some(2)]);
    assert_eq!(found[0].time.as_deref(), Some("2025-09-01T10:00:00Z"));
}

fn blog_comment(id: u32, depth: u32, name: &str, text: &str, answers: &str) -> String {
    let answers = if answers.is_empty() {
        String::new()
    } else {
        format!("<ul class=children>{answers}</ul>")
    };
    format!(
        "<li class='comment depth-{depth}' id=comment-{id}><article class=comment-body id=div-comment-{id}>\
         <footer class=comment-meta><div class='comment-author vcard'><b class=fn>{name}</b> \
         <span class=says>says:</span></div><div class=comment-metadata><a href='#comment-{id}'>\
         <time datetime=2025-09-0{id}>September {id}, 2025</time></a></div></footer>\
         <div class=comment-content><p>{text}</div><div class=reply><a href='#respond'>Reply</a></div>\
         </article>{answers}</li>"
    )
}

#[test]
fn comments_below_an_article_answer_one_another() {
    let third = blog_comment(3, 3, "Cy", "So do I, as a matter of fact.", "");
    let second = blog_comment(2, 2, "Bo", "I remember it, too.", &third);
    let list = blog_comment(1, 1, "Ann", "The old ferry was faster.", &second)
        + &blog_comment(4, 1, "Di", "Nobody asked the fish.", "");
    let text =
        "<p>The ferry between the islands will run every hour from Monday on, said the office. "
            .repeat(9);
    let html = format!(
        "<script type=application/ld+json>{{\"@type\": \"NewsArticle\", \"headline\": \"Ferry\"}}</script>\
         <article><h1>Ferry</h1>{text}</article><ol class=comment-list>{list}</ol>"
    );
    let found = posts(&html);
    assert_eq!(
        said(&found),
        [
            ("Ann", "The old ferry was faster."),
            ("Bo", "I remember it, too."),
            ("Cy", "So do I, as a matter of fact."),
            ("Di", "Nobody asked the fish."),
        ]
    );
    assert_eq!(replies(&found), [None, Some(1), Some(2), None]);
    assert!(!of(&read(&html)).unwrap().is_discussion);
}

#[test]
fn an_archive_of_a_mailing_list() {
    let message = |id: u32, name: &str, text: &str| {
        format!(
            "<div class=message id=msg{id}><div class=headers><b>From:</b> <span class=author>{name}</span><br>\
             <b>Date:</b> <span class=date>Thu, 4 Sep 2025 10:0{id}:00 +0200</span></div>\
             <pre class=body>{text}</pre></div>"
        )
    };
    let html = message(1, "Ann Poe", "Hello all,\n\n  the tide tables are wrong.\n")
        + &message(2, "Bo Low", "They are not.\n\n--\nBo, keeper of the light");
    let found = posts(&html);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].author.as_deref(), Some("Ann Poe"));
    assert_eq!(found[0].time.as_deref(), Some("2025-09-04"));
    assert_eq!(found[0].text, "Hello all,\n\n  the tide tables are wrong.");
    assert!(found[1].text.starts_with("They are not."));
}

#[test]
fn rows_of_a_table_with_indentation() {
    let row = |id: u32, indent: u32, name: &str, text: &str| {
        format!(
            "<tr class='athing comtr' id={id}><td><table><tr><td class=ind indent={indent}><td class=default>\
             <div><span class=comhead><a href='user?id={name}' class=hnuser>{name}</a> <span class=age \
             title=2025-09-04T10:00:0{indent}><a href='item?id={id}'>2 hours ago</a></span></span></div>\
             <div class=comment><div class=commtext>{text}</div><div class=reply><a href=reply?id={id}>reply</a>\
             </div></div></table>"
        )
    };
    let html = format!(
        "<table class=comment-tree>{}{}{}{}</table>",
        row(101, 0, "ann", "A lighthouse in fifty lines of code would be something to see."),
        row(102, 1, "bo", "It exists. It is a lamp and a loop that never ends."),
        row(103, 2, "cy", "And a keeper who never sleeps, do not forget."),
        row(104, 0, "di", "I would rather read about the tides, to be honest."),
    );
    let found = posts(&html);
    let authors: Vec<&str> = said(&found).iter().map(|(author, _)| *author).collect();
    assert_eq!(authors, ["ann", "bo", "cy", "di"]);
    assert_eq!(found[1].text, "It exists. It is a lamp and a loop that never ends.");
    assert_eq!(replies(&found), [None, Some(1), Some(2), None]);
}

#[test]
fn linked_data_adds_what_the_page_does_not_show() {
    let post = |id: u32, name: &str, text: &str| {
        format!(
            "<div class=reply id=reply-{id}><span class=user-name>{name}</span> <span class=date>3 hours \
             ago</span><div class=text>{text}</div></div>"
        )
    };
    let data = r#"{"@type": "QAPage", "mainEntity": {"@type": "Question", "text": "Why is the sea salty?",
        "acceptedAnswer": {"@type": "Answer", "text": "<p>Rivers carry salt into it &amp; it stays.</p>",
        "upvoteCount": 5, "datePublished": "2025-09-04T10:00:00Z", "author": {"name": "Bo Low"}}}}"#;
    let html = format!(
        "<script type=application/ld+json>{data}</script>{}{}",
        post(1, "ann", "Why is the sea salty?"),
        post(2, "bo", "Rivers carry salt into it & it stays."),
    );
    let found = posts(&html);
    assert_eq!(found[1].author.as_deref(), Some("Bo Low"));
    assert_eq!(found[1].time.as_deref(), Some("2025-09-04T10:00:00Z"));
    assert_eq!(found[1].votes, Some(5));
    assert_eq!(found[1].accepted, Some(true));
    assert_eq!(found[0].time.as_deref(), Some("3 hours ago"));
}

#[test]
fn other_lists_have_no_posts() {
    let teaser = |id: u32| {
        format!(
            "<article class=post id=post-{id}><h2><a href=/2025/tides-{id}>A long title about the tides</a></h2>\
             <span class=author>Ann Poe</span> <time datetime=2025-09-0{id}>September {id}</time>\
             <p>The tides of this year, and what they mean for the harbour. <a href=/2025/tides-{id}>More</a>\
             </article>"
        )
    };
    assert!(posts(&[teaser(1), teaser(2), teaser(3)].concat()).is_empty());
    let topic = |id: u32| {
        format!(
            "<tr class=topic><td><a href=/t/{id}>How do I seal a leaking boat, and with what?</a><td>\
             <a href=/u/ann class=username>ann</a><td class=date>2025-09-0{id}"
        )
    };
    let table = format!("<table>{}{}{}</table>", topic(1), topic(2), topic(3));
    assert!(posts(&table).is_empty());
    assert!(posts("<p>A comment on a post is no post.").is_empty());
    assert!(posts("").is_empty());
}

#[test]
fn a_faq_is_no_discussion() {
    let answer = |id: u32| {
        format!(
            "<div class=faq-item id=faq-{id} itemscope itemtype='https://schema.org/Question'><h3 itemprop=name>\
             When does the ferry number {id} leave?</h3><div itemprop=acceptedAnswer itemscope \
             itemtype='https://schema.org/Answer'><p itemprop=text>Every hour, from nine on.</div></div>"
        )
    };
    let list = [answer(1), answer(2), answer(3)].concat();
    assert!(posts(&list).is_empty());
    assert!(
        posts(&format!("<div itemscope itemtype=http://schema.org/FAQPage>{list}</div>"))
            .is_empty()
    );
    let data = r#"{"@graph": [{"@type": ["WebPage", "FAQPage"], "mainEntity": [{"@type": "Question", "name": "When?",
        "acceptedAnswer": {"@type": "Answer", "text": "Every hour, from nine on."}}]}]}"#;
    let page = format!(
        "<script type=application/ld+json>{data}</script><div class=answer><p>Every hour, from nine on.</div>\
         <div class=answer><p>At the pier, behind the lamp.</div>"
    );
    assert!(posts(&page).is_empty());
}

#[test]
fn reviews_and_comments_stand_below_something_else() {
    let said = |kind: &str, id: u32| {
        format!(
            "<li class={kind} id={kind}-{id}><b class=author>Ann {id}</b> <time datetime=2025-09-0{id}>today</time>\
             <div class=text><p>It held all winter, and I would take it again.</div></li>"
        )
    };
    let list = |kind: &str| [said(kind, 1), said(kind, 2), said(kind, 3)].concat();
    let lamp =
        "<p>A lamp of brass with a wick of cotton, made to burn in any wind for a whole night."
            .repeat(8);
    for kind in ["review", "comment"] {
        let html = format!("<h1>Storm lamp</h1>{lamp}<ul>{}</ul>", list(kind));
        let page = read(&html);
        assert!(of(&page).is_none_or(|thread| !thread.is_discussion), "{kind}");
    }
    let html = list("comment");
    assert_eq!(posts(&html).len(), 3);
    assert!(of(&read(&html)).is_some_and(|thread| thread.is_discussion));
}

#[test]
fn cards_around_headings_that_are_links_are_no_posts() {
    let card = |id: u32, name: &str| {
        format!(
            "<div class=post-card><a href=/tides-{id}><h3>A long title about the tides</h3></a>\
             <span class=author>{name}</span> <time datetime=2025-09-0{id}>September {id}</time>\
             <p>The tides of this year, and what they mean.</div>"
        )
    };
    assert!(posts(&[card(1, "Ann"), card(2, "Bo"), card(3, "Cy")].concat()).is_empty());
}

#[test]
fn what_holds_the_whole_thread_is_no_post_of_its_own() {
    let post = |id: u32, name: &str, parent: &str, text: &str| {
        format!(
            "<li itemprop=comment itemscope itemtype=http://schema.org/Comment>{parent}\
             <div itemprop=author itemscope><a itemprop=name>{name}</a></div>\
             <meta itemprop=datePublished content=2025-09-0{id}T10:00:00Z>\
             <div class='content text-break' itemprop=text>{text}</div></li>"
        )
    };
    let parent = "<div class='btn text-break'>My boat leaks at the keel, and badly.</div>";
    let html = format!(
        "<div itemscope itemtype=http://schema.org/DiscussionForumPosting><meta itemprop=text content=Keel>\
         <div class=alert>This topic is closed to all.</div><ul>{}{}</ul></div>",
        post(1, "ann", "", "My boat leaks at the keel, and badly."),
        post(2, "bo", parent, "Tar it."),
    );
    let found = posts(&html);
    assert_eq!(said(&found), [("ann", "My boat leaks at the keel, and badly."), ("bo", "Tar it.")]);
    assert_eq!(found[1].time.as_deref(), Some("2025-09-02T10:00:00Z"));
}

#[test]
fn names_without_links_are_those_that_most_posts_have() {
    let post = |id: u32, name: &str, more: &str, text: &str| {
        format!(
            "<div class=blockpost id=p{id}><h2><a href='#p{id}'>2025-09-0{id} 10:00</a></h2><div class=postleft>\
             <dl><dt><strong>{name}</strong><dd>{more}</dl></div><div class=postmsg><p>{text}</div></div>"
        )
    };
    let site = "<a href=//a.example>Website</a>";
    let html = [
        post(1, "ann", "", "Does the ferry run on Sundays?"),
        post(2, "bo", site, "It does, every hour."),
        post(3, "cy", site, "Not in winter, as far as I know."),
    ]
    .concat();
    let html = format!("<div class=forum-topic>{html}</div>");
    let found = posts(&html);
    let authors: Vec<&str> = said(&found).iter().map(|(author, _)| *author).collect();
    assert_eq!(authors, ["ann", "bo", "cy"]);
}

#[test]
fn a_date_of_joining_is_not_the_time_of_a_post() {
    let post = |id: u32, name: &str, text: &str| {
        format!(
            "<div class=message id=m{id}><div class=who><b class=username>{name}</b><dl><dt>Joined</dt>\
             <dd>3 May 2001</dd></dl></div><p>4 September 2025, 10:0{id}</p><div class=message-text>{text}</div></div>"
        )
    };
    let html = post(1, "ann", "Is the lamp lit?") + &post(2, "bo", "It is, since dusk.");
    let times: Vec<_> = posts(&html).into_iter().map(|post| post.time).collect();
    assert_eq!(times, [Some("2025-09-04".to_owned()), Some("2025-09-04".to_owned())]);
}

#[test]
fn one_question_in_json_ld_is_a_discussion() {
    let data = r#"{"@type": "QAPage", "mainEntity": {"@type": "Question", "text": "Why is the sea salty?",
        "author": {"name": "Ann"}, "dateCreated": "2025-09-04"}}"#;
    let html = format!(
        "<script type=application/ld+json>{data}</script><h1>The sea</h1><section><div><p>Why is the sea \
         salty?</p></div></section><footer>Ask another one</footer>"
    );
    let found = posts(&html);
    assert_eq!(said(&found), [("Ann", "Why is the sea salty?")]);
    assert!(posts(&html.replace("QAPage", "WebPage")).is_empty());
}

#[test]
fn the_head_of_a_thread_is_no_post_where_json_ld_has_the_post() {
    let data = r#"{"@type": "DiscussionForumPosting", "text": "My bowline shakes loose. Which knot holds?",
        "author": {"name": "Ann"}, "datePublished": "2025-09-04"}"#;
    let line = "<a class=username href=/members/ann.7/>Ann</a> <time datetime=2025-09-04>4 September</time>";
    let html = format!(
        "<script type=application/ld+json>{data}</script><section>Started by {line}</section>\
         <section>{line}<div><p>My bowline shakes loose. Which knot holds?</p></div></section>"
    );
    assert_eq!(said(&posts(&html)), [("Ann", "My bowline shakes loose. Which knot holds?")]);
}

#[test]
fn places_of_posts_that_are_loaded_later_are_none() {
    let page = read("<ul><li><p>A seal.</p><li><p></p><li><a href=/~ann>Ann</a></ul>");
    let tree = &page.tree;
    let mut marks = Marks::of_elements(tree, &crate::clock::Clock::default()).unwrap();
    marks.add_texts(tree);
    marks.sum(tree);
    let items = tree.nodes().filter(|node| tree.tag(*node) == Some(crate::html::tag::Tag::Li));
    let mut posts: Vec<_> = items.map(|node| groups::Region { anchor: node, node }).collect();
    let (first, last) = (posts[0], posts[2]);
    groups::drop_empty(&marks, &mut posts);
    assert_eq!(posts, [first, last]);
}
