//! `webstrata stream`: feeds in, records out.

use crate::site::Site;

const LIST: &str = r#"<?xml version="1.0"?><opml version="2.0"><body>
<outline text="Sea"><outline text="Tides &amp; more" xmlUrl="https://example.org/rss" htmlUrl="https://www.example.org/"/>
<outline text="Ferries" xmlUrl="https://feeds.example.com/ferries" htmlUrl="https://example.org/ferries"></outline></outline>
<outline title="Harbour &quot;bar&quot;" xmlUrl="feed://example.net/atom.xml"/>
<outline text="Mail" xmlUrl="mailto:me"/>"#;

#[test]
fn subscriptions_become_a_file_of_sites() {
    let mut site = Site::new(&[("mine.opml", LIST), ("page.html", "<p>Nothing here.")]);
    site.run("stream import mine.opml");
    site.run("stream import --quiet mine.opml");
    site.run("stream import page.html");
    site.run("stream import none.opml");
    site.run("stream");
    insta::assert_snapshot!(site.transcript());
}
