//! How tables look: colours, widths and columns.

use std::io::{self, IsTerminal};

use console::{Term, measure_text_width, truncate_str};

/// The columns of a table that goes into a pipe or a file.
const PIPE_WIDTH: usize = 100;

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug)]
pub enum Paint {
    /// Text that is kept.
    Kept,
    /// Text that is dropped.
    Dropped,
    /// The head of a table.
    Heading,
    /// Less important text.
    Aside,
    /// One of many parts, by its number: neighbours differ.
    Part(usize),
}

/// Colours that can be told apart on dark and on light screens, for people who see red and green alike,
/// too: blue, yellow, magenta, cyan.
const PARTS: [&str; 4] = ["34", "33", "35", "36"];

/// Paints text, or leaves it alone.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    on: bool,
}

impl Style {
    /// How to write to stdout.
    pub fn of_stdout(color: Color) -> Style {
        let on = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stdout().is_terminal() && wants_color(),
        };
        Style { on }
    }

    /// Paints a text.
    pub fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Kept => "32",
            Paint::Dropped => "31",
            Paint::Heading => "1",
            Paint::Aside => "2",
            Paint::Part(number) => PARTS[number % PARTS.len()],
        };
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// See <https://no-color.org>: any value but an empty one means no.
fn wants_color() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How many columns stdout has.
pub fn columns() -> usize {
    Term::stdout().size_checked().map_or(PIPE_WIDTH, |(_, columns)| usize::from(columns))
}

/// The beginning of a text, at most `width` columns wide, with `…` where something is left out.
pub fn beginning(text: &str, width: usize) -> String {
    // Cut before anything is measured: a block may have megabytes, a terminal has not.
    let text: String = text.chars().take(4 * width + 4).map(visible).collect();
    truncate_str(&text, width, "…").into_owned()
}

/// A tag path of at most `width` columns; its end says most: `…/article/div/p`.
pub fn end_of_path(path: &str, width: usize) -> String {
    let path: String = path.chars().map(visible).collect();
    if measure_text_width(&path) <= width {
        return path;
    }
    let tails = path.match_indices('/').map(|(at, _)| format!("…{}", &path[at..]));
    let name = path.rsplit('/').next().unwrap_or_default();
    tails.into_iter().find(|t| measure_text_width(t) <= width).unwrap_or(beginning(name, width))
}

/// The text and as many spaces as it lacks to `width` columns.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(measure_text_width(text))))
}

/// What would break a table's row or steer the terminal becomes a visible stand-in.
fn visible(c: char) -> char {
    match c {
        '\n' | '\t' | '\r' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        assert_eq!(beginning("tide", 4), "tide");
        assert_eq!(beginning("tides", 4), "tid…");
        assert_eq!(beginning("潮汐表", 6), "潮汐表");
        assert_eq!(beginning("潮汐表", 5), "潮汐…");
        assert_eq!(beginning("潮汐表", 4), "潮…");
        assert_eq!(beginning("a\u{1b}[31mb\nc", 20), "a\u{fffd}[31mb c");
        assert_eq!(beginning("tide", 0), "…");
    }

    #[test]
    fn ends_of_paths() {
        assert_eq!(end_of_path("html/body/p", 11), "html/body/p");
        assert_eq!(end_of_path("html/body/p", 10), "…/body/p");
        assert_eq!(end_of_path("html/body/p", 3), "…/p");
        assert_eq!(end_of_path("html/a-custom-element", 8), "a-custo…");
    }

    #[test]
    fn padding_counts_columns() {
        assert_eq!(padded("潮", 4), "潮  ");
        assert_eq!(padded("tide", 2), "tide");
    }
}
