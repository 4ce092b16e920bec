//! What all charts share: the frame with title and legend, axes, and the pen that writes SVG.

use std::fmt::{self, Display, Write};

use super::scale::{Axis, Scale};
use crate::markup::Escaped;

/// Colours and fonts; also the one place that knows light from dark.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Hues that can be told apart; later series take them again with another stroke.
pub(crate) const HUES: usize = 8;
const STROKES: [&str; 3] = ["", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"1.5 4\""];
/// Below the plot: tick labels and the axis' own.
const FOOT: f64 = 44.0;
const EDGE: f64 = 14.0;
const LEGEND_ROW: f64 = 19.0;

/// How a chart of some kind is drawn. Not for others to implement: its types are private.
pub trait ChartKind {
    /// The names that the legend explains and how each is drawn.
    fn legend(&self) -> Vec<Entry<'_>>;
    /// Draws axes, data and the legend's entries.
    fn draw(&self, frame: &Frame, canvas: &mut Canvas);
}

/// One line of the legend.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) swatch: Swatch,
}

/// The sign beside a name in the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swatch {
    Line,
    /// A line in the colour of texts, and which of these it is.
    Curve(usize),
    Square,
    Disc,
    Ring,
}

/// What surrounds the data.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) title: String,
    pub(crate) note: Option<String>,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Frame {
    pub(crate) fn new(title: String) -> Frame {
        let (x, y) = (Axis::default(), Axis::default());
        Frame { title, note: None, x, y, width: 760.0, height: 420.0 }
    }
}

/// A coordinate: one decimal at most, never `-0`.
pub(crate) struct N(pub(crate) f64);

impl Display for N {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
        write!(f, "{sign}{whole}")?;
        if tenth == 0 { Ok(()) } else { write!(f, ".{tenth}") }
    }
}

/// Writes to a canvas; a `String` never refuses.
macro_rules! put {
    ($canvas:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($canvas.svg, $($text)*);
    }};
}
pub(crate) use put;

/// The picture while it is drawn. The plot lies between `left`, `right`, `top` and `bottom`.
#[derive(Debug)]
pub struct Canvas {
    pub(crate) svg: String,
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
    legend: Vec<(f64, f64)>,
}

impl Canvas {
    /// Writes the title and finds places for the legend.
    pub(crate) fn begin(frame: &Frame, legend: &[Entry<'_>]) -> Canvas {
        let mut canvas = Canvas {
            svg: String::new(),
            left: EDGE,
            right: frame.width - EDGE - 6.0,
            top: 0.0,
            bottom: 0.0,
            legend: Vec::new(),
        };
        let width = frame.width - 2.0 * EDGE;
        let mut y = 6.0;
        for line in wrapped(&frame.title, width / (15.0 * 0.58)) {
            y += 18.0;
            canvas.text(EDGE, y, "title", &line);
        }
        for line in frame.note.iter().flat_map(|note| wrapped(note, width / (11.0 * 0.54))) {
            y += 16.0;
            canvas.text(EDGE, y, "soft", &line);
        }
        let mut x = EDGE;
        y += if legend.is_empty() { 0.0 } else { LEGEND_ROW + 3.0 };
        for entry in legend {
            let needs = 26.0 + text_width(&shortened(entry.name, 48), 12.0) + 16.0;
            if x + needs > frame.width && x > EDGE {
                (x, y) = (EDGE, y + LEGEND_ROW);
            }
            canvas.legend.push((x, y));
            x += needs;
        }
        canvas.top = y + 18.0;
        canvas.bottom = (frame.height - FOOT).max(canvas.top + 90.0);
        canvas
    }

    /// Puts the style and the description around what was drawn.
    pub(crate) fn finish(self, frame: &Frame, legend: &[Entry<'_>]) -> String {
        let (width, height) = (N(frame.width), N(self.bottom + FOOT));
        let mut about = format!("{}.", frame.title);
        for (axis, label) in [("Horizontal", &frame.x.label), ("Vertical", &frame.y.label)] {
            if let Some(label) = label {
                let _ = write!(about, " {axis}: {label}.");
            }
        }
        if !legend.is_empty() {
            let names: Vec<&str> = legend.iter().map(|entry| entry.name).collect();
            let _ = write!(about, " Shown: {}.", names.join(", "));
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ws-plot\" role=\"img\" \
             viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             aria-label=\"{}\">\n<style>{}</style>\n{}</svg>\n",
            Escaped(&about),
            STYLE.trim_end(),
            self.svg
        )
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        put!(self, "<text x=\"{}\" y=\"{}\"{class}>{}</text>\n", N(x), N(y), Escaped(text));
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (N(from.0), N(from.1), N(to.0), N(to.1));
        put!(self, "<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>\n");
    }

    /// Says that there is nothing, in the middle of the plot.
    pub(crate) fn nothing(&mut self) {
        let (x, y) = (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        self.text(x, y, "soft middle", "nothing to show");
    }

    /// Both axes with their lines and labels. Sets `left`, so that the vertical labels have room.
    pub(crate) fn axes(&mut self, frame: &Frame, x: &Scale, y: &Scale) {
        let ticks = y.ticks();
        let widest = ticks.iter().map(|(_, label)| text_width(label, 11.0)).fold(0.0, f64::max);
        self.left = EDGE + widest + 8.0 + if frame.y.label.is_some() { 16.0 } else { 0.0 };
        for (value, label) in &ticks {
            let at = self.y(y, *value).unwrap_or(self.bottom);
            self.line("grid", (self.left, at), (self.right, at));
            self.text(self.left - 8.0, at + 4.0, "tick end", label);
        }
        if let Some(label) = &frame.y.label {
            let (x, y) = (EDGE, f64::midpoint(self.top, self.bottom));
            let label = shortened(label, ((self.bottom - self.top) / 6.0) as usize);
            put!(
                self,
                "<text class=\"soft middle\" transform=\"translate({} {})rotate(-90)\">",
                N(x),
                N(y)
            );
            put!(self, "{}</text>\n", Escaped(&label));
        }
        self.x_axis(frame, x);
    }

    /// The horizontal axis alone.
    pub(crate) fn x_axis(&mut self, frame: &Frame, x: &Scale) {
        let ticks = x.ticks();
        let widest = ticks.iter().map(|(_, label)| text_width(label, 11.0)).fold(0.0, f64::max);
        let apart = (self.right - self.left) / ticks.len().max(1) as f64;
        // Labels that would run into each other: only every second, third, …
        let every = ((widest + 8.0) / apart).ceil().max(1.0) as usize;
        for (number, (value, label)) in ticks.iter().enumerate() {
            let at = self.x(x, *value).unwrap_or(self.left);
            self.line("grid", (at, self.top), (at, self.bottom));
            if number.is_multiple_of(every) {
                self.text(at, self.bottom + 16.0, "tick middle", label);
            }
        }
        self.line("axis", (self.left, self.bottom), (self.right, self.bottom));
        if let Some(label) = &frame.x.label {
            let middle = f64::midpoint(self.left, self.right);
            self.text(middle, self.bottom + 34.0, "soft middle", label);
        }
    }

    pub(crate) fn x(&self, scale: &Scale, value: f64) -> Option<f64> {
        scale.place(value).map(|place| self.left + place * (self.right - self.left))
    }

    pub(crate) fn y(&self, scale: &Scale, value: f64) -> Option<f64> {
        scale.place(value).map(|place| self.bottom - place * (self.bottom - self.top))
    }

    /// What is drawn until [`Canvas::unclip`] ends at the edges of the plot. A nested `<svg>` does
    /// that without an id, and ids would clash with those of other charts on the page.
    pub(crate) fn clip(&mut self) {
        const ROOM: f64 = 6.0;
        let (x, y) = (N(self.left - ROOM), N(self.top - ROOM));
        let width = N(self.right - self.left + 2.0 * ROOM);
        let height = N(self.bottom - self.top + 2.0 * ROOM);
        put!(self, "<svg x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" ");
        put!(self, "viewBox=\"{x} {y} {width} {height}\">\n");
    }

    pub(crate) fn unclip(&mut self) {
        put!(self, "</svg>\n");
    }

    /// Begins what belongs to one series: its data and its entry in the legend light up together.
    pub(crate) fn begin_series(&mut self, number: usize) {
        put!(self, "<g class=\"series c{}\">\n", number % HUES + 1);
    }

    /// The same in grey.
    pub(crate) fn begin_muted(&mut self) {
        put!(self, "<g class=\"series c0\">\n");
    }

    pub(crate) fn end_series(&mut self) {
        put!(self, "</g>\n");
    }

    /// The entry of a series in the legend.
    pub(crate) fn legend_entry(&mut self, number: usize, entry: Entry<'_>) {
        let Some(&(x, y)) = self.legend.get(number) else { return };
        let (middle, left) = (N(y - 4.0), N(x + 3.0));
        match entry.swatch {
            Swatch::Line => {
                let stroke = stroke(number);
                put!(self, "<path class=\"line\"{stroke} d=\"M{} {middle}h18\"/>\n", N(x + 1.0));
            }
            Swatch::Curve(curve) => {
                let (stroke, left) = (stroke(curve * HUES), N(x + 1.0));
                put!(self, "<path class=\"line over\"{stroke} d=\"M{left} {middle}h18\"/>\n");
            }
            Swatch::Square => {
                let top = N(y - 10.0);
                put!(
                    self,
                    "<rect class=\"fill\" x=\"{left}\" y=\"{top}\" width=\"12\" height=\"12\" rx=\"2\"/>\n"
                );
            }
            Swatch::Disc | Swatch::Ring => {
                let class = if entry.swatch == Swatch::Ring { "ring" } else { "fill" };
                self.dot(class, (x + 9.0, y - 4.0), 5.0, None);
            }
        }
        self.text(x + 26.0, y, "", &shortened(entry.name, 48));
    }

    pub(crate) fn dot(&mut self, class: &str, at: (f64, f64), radius: f64, title: Option<&str>) {
        let (x, y, r) = (N(at.0), N(at.1), N(radius));
        put!(self, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"");
        self.titled("circle", title);
    }

    /// A rectangle between two corners in any order.
    pub(crate) fn rect(&mut self, class: &str, from: (f64, f64), to: (f64, f64), title: &str) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = (N((from.0 - to.0).abs()), N((from.1 - to.1).abs()));
        put!(self, "<rect class=\"{class}\" x=\"{}\" y=\"{}\" ", N(x), N(y));
        put!(self, "width=\"{width}\" height=\"{height}\"");
        self.titled("rect", Some(title));
    }

    /// Ends an element with what the mouse shows.
    pub(crate) fn titled(&mut self, tag: &str, title: Option<&str>) {
        match title {
            Some(title) => put!(self, "><title>{}</title></{tag}>\n", Escaped(title)),
            None => put!(self, "/>\n"),
        }
    }
}

/// How the line of a series is drawn after the hues have been used up.
pub(crate) fn stroke(number: usize) -> &'static str {
    STROKES[number / HUES % STROKES.len()]
}

/// About how wide a text is. Fonts differ, so this errs on the wide side.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    // Chinese, Japanese and Korean characters fill a square.
    let em = |c: char| {
        if c >= '\u{1100}' && c != '−' && c != '…' && c != '–' { 1.0 } else { 0.57 }
    };
    text.chars().map(em).sum::<f64>() * size
}

/// At most `chars` characters, with `…` for the rest.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    if text.chars().nth(chars).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Lines of at most `chars` characters.
fn wrapped(text: &str, chars: f64) -> Vec<String> {
    let chars = chars.max(8.0) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = shortened(word, chars);
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= chars => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates() {
        let written: Vec<String> =
            [1.0, -0.04, 2.25, 0.05, -3.5, 1e9].map(|value| N(value).to_string()).into();
        assert_eq!(written, ["1", "0", "2.3", "0.1", "-3.5", "1000000000"]);
    }

    #[test]
    fn texts_that_are_too_long() {
        assert_eq!(shortened("high water", 10), "high water");
        assert_eq!(shortened("high water", 6), "high…");
        assert_eq!(wrapped("high water  at noon", 10.0), ["high water", "at noon"]);
        assert!(wrapped(" ", 10.0).is_empty());
    }
}
