//! The file of sites: `feeds.toml`.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde::Deserialize;
use toml::{Spanned, Table, Value};
use url::Url;

use crate::Error;
use crate::fetch::FetchSettings;
use webstrata::error::nearest;
use webstrata_base::quantity::duration;

/// How often a feed is asked, unless the file says otherwise.
const INTERVAL: Duration = Duration::from_secs(15 * 60);

/// The sites of a stream and how they are fetched, as in `feeds.toml`:
///
/// ```
/// use webstrata_feeds::feeds::FeedsFile;
///
/// let file = FeedsFile::from_toml(r#"
///     interval = "15m"               # how often a feed is asked
///
///     [fetch]                        # how, see `fetch::FetchSettings`
///     user-agent = "harbour-reader/1.0 (+https://example.org/reader)"
///     host-delay = "2s"
///
///     [[site]]
///     name = "harbour"               # one reader a site, several feeds
///     feeds = ["https://example.org/news.rss", "https://example.org/sport.atom"]
///     interval = "5m"
///     fetch = { max-body = "2MB" }   # what is different here
/// "#).unwrap();
/// assert_eq!(file.sites[0].feeds.len(), 2);
/// assert_eq!(file.sites[0].fetch.max_body, 2_000_000);
/// assert_eq!(file.sites[0].fetch.user_agent, file.fetch.user_agent);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeedsFile {
    /// How often a feed is asked.
    pub interval: Duration,
    /// How everything is fetched, unless a site says otherwise.
    pub fetch: FetchSettings,
    /// The sites; their names and the addresses of their feeds are different.
    pub sites: Vec<FeedSite>,
    /// The table `[stream]`, for the pipeline.
    pub stream: Table,
}

/// A site with its feeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedSite {
    /// Its name; by default the host of its first feed.
    pub name: String,
    /// The addresses of its feeds, or of pages that name them.
    pub feeds: Vec<String>,
    /// How often each of them is asked.
    pub interval: Duration,
    /// How they and their pages are fetched.
    pub fetch: FetchSettings,
}

/// The file as it is written. Settings are checked one by one, so that an error names its line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    interval: Option<Spanned<Value>>,
    #[serde(default)]
    fetch: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    site: Vec<Spanned<WrittenSite>>,
    #[serde(default)]
    stream: Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSite {
    name: Option<Spanned<String>>,
    #[serde(default)]
    feeds: Vec<Spanned<String>>,
    interval: Option<Spanned<Value>>,
    #[serde(default)]
    fetch: BTreeMap<String, Spanned<Value>>,
}

impl FeedsFile {
    /// Reads a file.
    pub fn from_toml(text: &str) -> Result<FeedsFile, Error> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line(text, span.start));
            let message = error.message().to_owned();
            line.map_or_else(|| Error::new(&message), |line| Error::at_line(line, &message))
        })?;
        let reader = Reader { text };
        let interval = reader.interval(written.interval.as_ref(), INTERVAL)?;
        let mut common = Table::new();
        let fetch = reader.settings(&mut common, &written.fetch)?;
        let mut sites = Vec::new();
        let mut names = HashSet::new();
        let mut feeds = HashSet::new();
        for site in &written.site {
            let site = reader.site(site, interval, &common, &mut feeds)?;
            if !names.insert(site.1.name.clone()) {
                let remedy = "give each site a `name` of its own";
                let message = format!("two sites are called `{}`, {remedy}", site.1.name);
                return Err(Error::at_line(site.0, message));
            }
            sites.push(site.1);
        }
        Ok(FeedsFile { interval, fetch, sites, stream: written.stream })
    }
}

/// Reads parts of a file, and knows where they stand.
struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn at<T>(&self, place: &Spanned<T>, message: impl std::fmt::Display) -> Error {
        Error::at_line(line(self.text, place.span().start), message)
    }

    fn interval(
        &self,
        written: Option<&Spanned<Value>>,
        otherwise: Duration,
    ) -> Result<Duration, Error> {
        let Some(written) = written else { return Ok(otherwise) };
        let span = match written.get_ref() {
            Value::String(text) => duration::parse(text).ok(),
            Value::Integer(seconds) => duration::parse(&seconds.to_string()).ok(),
            _ => None,
        };
        span.filter(|span| *span >= Duration::from_secs(1)).ok_or_else(|| {
            self.at(written, "`interval` is no duration, write one such as \"15m\" or \"2h\"")
        })
    }

    /// Puts these settings above the common ones, and says what they are together.
    fn settings(
        &self,
        common: &mut Table,
        written: &BTreeMap<String, Spanned<Value>>,
    ) -> Result<FetchSettings, Error> {
        for (name, value) in written {
            let one = Table::from_iter([(name.clone(), value.get_ref().clone())]);
            let settings = one.try_into::<FetchSettings>();
            let settings = settings.map_err(|error| self.at(value, wrong(name, &error)))?;
            settings.check().map_err(|error| self.at(value, error.message()))?;
            common.insert(name.clone(), value.get_ref().clone());
        }
        let settings: FetchSettings =
            common.clone().try_into().map_err(|error| Error::new(&error))?;
        settings.check()?;
        Ok(settings)
    }

    /// A site, and the line that it begins on.
    fn site(
        &self,
        written: &Spanned<WrittenSite>,
        interval: Duration,
        common: &Table,
        feeds: &mut HashSet<String>,
    ) -> Result<(usize, FeedSite), Error> {
        let site = written.get_ref();
        for feed in &site.feeds {
            let url = Url::parse(feed.get_ref()).ok();
            if !url.is_some_and(|url| matches!(url.scheme(), "http" | "https")) {
                let remedy = "write one that begins with https:// or http://";
                let message = format!("`{}` is no address of a feed, {remedy}", feed.get_ref());
                return Err(self.at(feed, message));
            }
            if !feeds.insert(feed.get_ref().clone()) {
                let message = format!("the feed {} is there twice, drop one", feed.get_ref());
                return Err(self.at(feed, message));
            }
        }
        let Some(first) = site.feeds.first() else {
            return Err(self.at(written, "this site has no feeds, write `feeds = [\"https://…\"]`"));
        };
        let host = || Url::parse(first.get_ref()).ok()?.host_str().map(str::to_owned);
        let name = match &site.name {
            Some(name) if name.get_ref().trim().is_empty() => {
                return Err(self.at(name, "this site's `name` is empty, write one or drop it"));
            }
            Some(name) => name.get_ref().trim().to_owned(),
            None => host().unwrap_or_default(),
        };
        let site = FeedSite {
            name,
            feeds: site.feeds.iter().map(|feed| feed.get_ref().clone()).collect(),
            interval: self.interval(site.interval.as_ref(), interval)?,
            fetch: self.settings(&mut common.clone(), &site.fetch)?,
        };
        Ok((line(self.text, written.span().start), site))
    }
}

fn wrong(name: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    if !message.starts_with("unknown field") {
        return format!("`{name}`: {message}");
    }
    let known = Table::try_from(FetchSettings::default()).unwrap_or_default();
    // Settings without a default are not in the table.
    let known = known.keys().map(String::as_str).chain(["certificates"]);
    match nearest(name, known) {
        Some(near) => format!("unknown setting `{name}`, did you mean `{near}`?"),
        None => message.to_owned(),
    }
}

fn line(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        FeedsFile::from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn settings_of_a_site_stand_above_the_common_ones() {
        let file = FeedsFile::from_toml(
            "interval = 60\n[fetch]\ntimeout = \"5s\"\nallow = ['10.0.0.0/8']\n\
             [[site]]\nfeeds = ['https://a.example/rss']\nfetch = { timeout = 9.5 }\n\
             [[site]]\nname = 'b'\nfeeds = ['https://b.example/rss']\ninterval = '2h'\n\
             [site.fetch]\nallow = []\nheaders = { Accept-Language = 'de' }\n[stream]\nx = 1",
        )
        .unwrap();
        let [a, b] = &file.sites[..] else { panic!("{file:?}") };
        assert_eq!((a.name.as_str(), b.name.as_str()), ("a.example", "b"));
        assert_eq!((a.interval.as_secs(), b.interval.as_secs()), (60, 7200));
        assert_eq!((a.fetch.timeout.as_millis(), b.fetch.timeout.as_millis()), (9500, 5000));
        assert_eq!((a.fetch.allow.len(), b.fetch.allow.len()), (1, 0));
        assert_eq!(b.fetch.headers["Accept-Language"], "de");
        assert_eq!(file.stream["x"].as_integer(), Some(1));
        let empty = FeedsFile::from_toml("").unwrap();
        assert_eq!((empty.fetch, empty.sites.len()), (FetchSettings::default(), 0));
    }

    #[test]
    fn errors_name_the_line_and_the_remedy() {
        let check = |text: &str, expect: &str| assert_eq!(error(text), expect, "{text}");
        check(
            "interval = 'often'",
            "line 1: `interval` is no duration, write one such as \"15m\" or \"2h\"",
        );
        check(
            "\n[fetch]\nuser-agnt = 'a'",
            "line 3: unknown setting `user-agnt`, did you mean `user-agent`?",
        );
        check(
            "[fetch]\ntimeout = '3 moons'",
            "line 2: `timeout`: `3 moons` is no duration, write a number and a unit, such as 100ms, \
             30s, 15m, 2h or 1d",
        );
        check(
            "[fetch]\nmax-body = true",
            "line 2: `max-body`: expected a number or a text such as \"30s\" or \"10MB\"",
        );
        check(
            "[fetch]\nallow = ['localhost']",
            "line 2: `allow`: `localhost` is no network, write one such as `127.0.0.0/8`, \
             `fd00::/8` or `all`",
        );
        check(
            "[fetch]\nheaders = { Host = 'a' }",
            "line 2: `headers` has `Host`, which cannot be set",
        );
        check(
            "[[site]]\nname = 'a'",
            "line 1: this site has no feeds, write `feeds = [\"https://…\"]`",
        );
        check(
            "[[site]]\nfeeds = [\n  'https://a.example/',\n  'a.example',\n]",
            "line 4: `a.example` is no address of a feed, write one that begins with https:// or http://",
        );
        check(
            "[[site]]\nfeeds = ['https://a.example/']\n[[site]]\nfeeds = ['https://a.example/']",
            "line 4: the feed https://a.example/ is there twice, drop one",
        );
        check(
            "[[site]]\nfeeds = ['https://a.example/1']\n[[site]]\nfeeds = ['https://a.example/2']",
            "line 3: two sites are called `a.example`, give each site a `name` of its own",
        );
        assert!(error("[[sites]]\nfeeds = []").starts_with("line 1: unknown field `sites`"));
        assert!(error("interval = ").starts_with("line 1: "));
    }
}
