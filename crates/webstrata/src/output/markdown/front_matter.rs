//! The metadata of a page as YAML, between two lines of dashes, as readers of Markdown know it.

use std::fmt::Write;

use crate::metadata::{Metadata, Sourced};
use crate::page::Page;

/// What stands before the Markdown of a page. Values are quoted, so that none is read as anything but text.
pub(in crate::output) fn front_matter(page: &Page<'_>) -> String {
    // Part of one output: no stage of its own.
    let metadata = page.what_it_says();
    let Metadata { title, authors, published, modified, site, description, .. } = &metadata;
    let Metadata { language, canonical, image, tags, licence, .. } = &metadata;
    let modified = modified.clone().filter(|modified| Some(modified) != published.as_ref());
    let url = page.document.url.clone();
    let url = url.or_else(|| canonical.as_ref().map(|found| found.value.clone()));
    let mut yaml = String::from("---\n");
    line(&mut yaml, "title", title.as_ref());
    list(&mut yaml, "author", authors);
    line(&mut yaml, "date", published.as_ref());
    line(&mut yaml, "modified", modified.as_ref());
    line(&mut yaml, "site", site.as_ref());
    line(&mut yaml, "language", language.as_ref());
    if let Some(url) = url {
        let _ = writeln!(yaml, "url: {}", quoted(&url));
    }
    line(&mut yaml, "description", description.as_ref());
    line(&mut yaml, "image", image.as_ref());
    line(&mut yaml, "licence", licence.as_ref());
    list(&mut yaml, "tags", tags);
    yaml.push_str("---\n\n");
    yaml
}

fn line(yaml: &mut String, key: &str, found: Option<&Sourced>) {
    if let Some(found) = found {
        let _ = writeln!(yaml, "{key}: {}", quoted(&found.value));
    }
}

fn list(yaml: &mut String, key: &str, found: &[Sourced]) {
    if !found.is_empty() {
        let _ = writeln!(yaml, "{key}:");
    }
    for one in found {
        let _ = writeln!(yaml, "  - {}", quoted(&one.value));
    }
}

/// A YAML string in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // YAML allows few characters as they are; the others are written by their numbers.
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') =>
            {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{OutputOptions, markdown};
    use crate::{Extractor, Options};

    #[test]
    fn values_are_text_and_nothing_else() {
        assert_eq!(quoted("a: \"b\" \\ c\u{7}\u{2028}"), "\"a: \\\"b\\\" \\\\ c\\u0007\\u2028\"");
    }

    #[test]
    fn metadata_stands_before_the_text() {
        let source =
            b"<html lang=en><title>Tides: a log</title><meta name=author content='Jane Doe'>\
            <meta property=article:published_time content=2025-09-04><p>High water is at noon.";
        let options =
            Options { url: Some("https://harbour.example/log".into()), ..Options::default() };
        let page = Extractor::named("keep-all").unwrap().extract_page(source, &options);
        let written =
            markdown(&page, &OutputOptions { front_matter: true, ..OutputOptions::DEFAULT });
        let expected = "---\ntitle: \"Tides: a log\"\nauthor:\n  - \"Jane Doe\"\ndate: \"2025-09-04\"\n\
            language: \"en\"\nurl: \"https://harbour.example/log\"\n---\n\n# Tides: a log\n\n";
        assert!(written.starts_with(expected), "{written}");
        assert!(written.ends_with("High water is at noon.\n"));
    }
}
