//! Which parameters of an address tell pages apart.

use std::fmt;
use std::fmt::Write;
use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

use super::parts::Parts;
use super::{Step, UrlKey};

/// The parameter that holds the hash of a title.
const TITLE: &str = "_cid_";
/// Bytes that all compiled expressions together may take.
const MAX_EXPRESSIONS: usize = 64 << 20;

static DEFAULT: LazyLock<Rules> = LazyLock::new(|| {
    Rules::from_toml(include_str!("default.toml")).expect("the default is tested")
});

/// Rules for parameters of addresses (paper, section 3, step 3).
#[derive(Clone, Debug)]
pub struct Rules {
    expressions: RegexSet,
    /// For each expression, the parameters that stay.
    kept: Vec<Vec<Pattern>>,
    noise: Vec<Pattern>,
    /// Are home pages named by titles, where no parameter is left?
    home_by_title: bool,
}

/// A name, or the beginning of one. Upper and lower case are the same.
#[derive(Clone, Debug)]
struct Pattern {
    name: String,
    is_prefix: bool,
}

impl Pattern {
    fn of(text: &str) -> Pattern {
        let name = text.strip_suffix('*');
        Pattern { name: name.unwrap_or(text).to_lowercase(), is_prefix: name.is_some() }
    }

    fn matches(&self, name: &str) -> bool {
        match self.is_prefix {
            true => name.starts_with(&self.name),
            false => name == self.name,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    /// Do the library's own rules and noise follow?
    #[serde(default)]
    defaults: bool,
    #[serde(default)]
    home_by_title: bool,
    #[serde(default)]
    noise: Vec<String>,
    #[serde(default)]
    rule: Vec<WrittenRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    r#match: String,
    keep: Vec<String>,
}

impl Written {
    fn read(text: &str) -> Result<Written, RulesError> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            RulesError(format!("line {line}: {}", error.message()))
        })
    }
}

/// What is wrong with a file of rules: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError(String);

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RulesError {}

/// The rules that come with the library.
impl Default for Rules {
    fn default() -> Rules {
        DEFAULT.clone()
    }
}

impl Rules {
    /// The rules that come with the library, as a file to begin from.
    pub const DEFAULT_TOML: &str = include_str!("default.toml");

    /// Reads a file of rules; [`Rules::DEFAULT_TOML`] says how they are written.
    ///
    /// # Errors
    ///
    /// Where it is none, or an expression is no regular expression.
    pub fn from_toml(text: &str) -> Result<Rules, RulesError> {
        let mut written = Written::read(text)?;
        if written.defaults {
            let default = Written::read(Rules::DEFAULT_TOML)?;
            written.home_by_title |= default.home_by_title;
            written.rule.extend(default.rule);
            written.noise.extend(default.noise);
        }
        for (number, rule) in (1..).zip(&written.rule) {
            if let Err(error) = regex::Regex::new(&rule.r#match) {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                let message =
                    format!("rule {number}: `{}` is no regular expression: {why}", rule.r#match);
                return Err(RulesError(message));
            }
        }
        let expressions = RegexSetBuilder::new(written.rule.iter().map(|rule| &rule.r#match))
            .size_limit(MAX_EXPRESSIONS)
            .build()
            .map_err(|error| {
                RulesError(format!("the expressions together are too large: {error}"))
            })?;
        let patterns = |names: &[String]| names.iter().map(|name| Pattern::of(name)).collect();
        let kept = written.rule.iter().map(|rule| patterns(&rule.keep)).collect();
        let (noise, home_by_title) = (patterns(&written.noise), written.home_by_title);
        Ok(Rules { expressions, kept, noise, home_by_title })
    }

    /// The parameters that the built-in rules keep of any address.
    pub(super) fn kept_anywhere() -> Vec<String> {
        let written = Written::read(Rules::DEFAULT_TOML);
        written
            .ok()
            .and_then(|mut written| written.rule.pop())
            .map_or_else(Vec::new, |rule| rule.keep)
    }

    /// The key of a page: its address after redirects, and the title that its feed gave. `None` where
    /// that is no address of the Web.
    pub fn key(&self, response_url: &str, title: &str) -> Option<UrlKey> {
        UrlKey::parse(&self.after(Step::Ruled, response_url, title)?)
    }

    /// The address after so many steps, for comparing how many duplicates each of them finds (Figure 2).
    pub fn after(&self, step: Step, response_url: &str, title: &str) -> Option<String> {
        let mut parts = Parts::of(response_url)?;
        if step == Step::Response {
            return Some(response_url.trim().to_owned());
        }
        parts.parameters.retain(|(name, _)| name != TITLE);
        let cid = (TITLE.to_owned(), format!("{:032x}", title_hash(title)));
        parts.parameters.insert(0, cid.clone());
        let path = parts.plain_path();
        if step == Step::Ruled {
            self.filter(&mut parts);
            if self.home_by_title && path.is_empty() && parts.parameters.is_empty() {
                parts.parameters.push(cid);
            }
        }
        let mut text = format!("{}{path}", parts.plain_host());
        write_parameters(&mut text, &parts.parameters);
        Some(text)
    }

    /// Is this a parameter that never tells a page from another?
    pub fn is_noise(&self, parameter: &str) -> bool {
        let name = parameter.to_lowercase();
        self.noise.iter().any(|pattern| pattern.matches(&name))
    }

    fn filter(&self, parts: &mut Parts) {
        let mut url = format!("http://{}{}", parts.host, parts.path);
        write_parameters(&mut url, &parts.parameters);
        match self.expressions.matches(&url).iter().next() {
            None => parts.parameters.clear(),
            Some(rule) => parts.parameters.retain(|(name, _)| {
                let name = name.to_lowercase();
                let mut kept = self.kept[rule].iter().filter(|pattern| pattern.matches(&name));
                // Whoever writes a name out knows better.
                kept.any(|pattern| !pattern.is_prefix || !self.is_noise(&name))
            }),
        }
    }
}

/// A title whatever white space is in it.
fn title_hash(title: &str) -> u128 {
    let words: Vec<&str> = title.split_whitespace().collect();
    xxh3_128(words.join(" ").as_bytes())
}

fn write_parameters(text: &mut String, parameters: &[(String, String)]) {
    for (index, (name, value)) in parameters.iter().enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        // Writing to a string cannot fail.
        let _ = match value.is_empty() {
            true => write!(text, "{name}"),
            false => write!(text, "{name}={value}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_file() {
        let text = "noise = ['x_*']\n[[rule]]\nmatch = '^http://a\\.example'\nkeep = ['*']\n\
                    [[rule]]\nmatch = 'b\\.example/q'\nkeep = ['No']";
        let rules = Rules::from_toml(text).unwrap();
        let key = |url| rules.key(url, "").unwrap().to_string();
        assert_eq!(
            key("https://a.example/?b=2&a=1&x_y=3"),
            "a.example?_cid_=99aa06d3014798d86001c324468d497f&a=1&b=2"
        );
        assert_eq!(key("https://b.example/q?no=2&a=1"), "b.example/q?no=2");
        assert_eq!(key("https://b.example/r?no=2&a=1"), "b.example/r");
        assert!(rules.is_noise("X_z") && !rules.is_noise("x"));
    }

    #[test]
    fn errors_name_the_rule_and_the_line() {
        let wrong = |text| Rules::from_toml(text).unwrap_err().to_string();
        assert_eq!(wrong("noise = 3").split(':').next(), Some("line 1"));
        assert_eq!(wrong("\n[[rule]]\nmatsch = 'x'").split(':').next(), Some("line 3"));
        let message = wrong("[[rule]]\nmatch = 'a('\nkeep = []");
        assert_eq!(message, "rule 1: `a(` is no regular expression: unclosed group");
    }
}
