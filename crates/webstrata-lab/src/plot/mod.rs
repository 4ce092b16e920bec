//! Charts as SVG: strings that a page can hold as they are and a file can be made of.
//!
//! Colours are CSS variables, so that a chart is dark where its reader's screen is; every line, bar
//! and dot says what it is under the mouse; no ids, so that many charts fit into one page; and the
//! same chart is the same bytes everywhere.
//!
//! ```
//! use webstrata_lab::Chart;
//!
//! let svg = Chart::lines("High water")
//!     .series("table", [(0.0, 1.2), (6.0, 4.1), (12.0, 1.3)])
//!     .series("gauge", [(0.0, 1.3), (6.5, 4.0), (12.0, 1.5)])
//!     .x_label("hour")
//!     .y_label("metres")
//!     .to_svg();
//! assert!(svg.starts_with("<svg "));
//! ```

mod canvas;
mod histogram;
mod line_chart;
#[cfg(feature = "png")]
mod png;
mod raster;
mod rows;
mod scale;
mod tree;

pub use canvas::ChartKind;
pub use histogram::{Histogram, counts, edges};
pub use line_chart::{Lines, Mark};
#[cfg(feature = "png")]
pub use png::png;
pub use raster::Raster;
pub use rows::{Bars, Dots};
pub use tree::{Node, Tree};

use canvas::{Canvas, Frame};
pub(crate) use scale::label;

/// A chart of one kind: [`Lines`], [`Bars`], [`Histogram`], [`Dots`], [`Raster`] or [`Tree`].
#[derive(Clone, Debug)]
pub struct Chart<K> {
    frame: Frame,
    kind: K,
}

impl<K: ChartKind> Chart<K> {
    fn of_kind(title: impl Into<String>, kind: K) -> Chart<K> {
        Chart { frame: Frame::new(title.into()), kind }
    }

    /// A line below the title.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.frame.note = Some(note.into());
        self
    }

    /// What the horizontal axis measures.
    pub fn x_label(mut self, label: impl Into<String>) -> Self {
        self.frame.x.label = Some(label.into());
        self
    }

    /// What the vertical axis measures. [`Bars`] and [`Dots`] have names there and no label.
    pub fn y_label(mut self, label: impl Into<String>) -> Self {
        self.frame.y.label = Some(label.into());
        self
    }

    /// The ends of the horizontal axis, where the values should not decide; what lies beyond is cut.
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.frame.x.range = Some((low, high));
        self
    }

    /// The ends of the vertical axis. Nothing to [`Bars`] and [`Dots`].
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.frame.y.range = Some((low, high));
        self
    }

    /// Width and height in pixels, legend and title included. [`Bars`] and [`Dots`] are as high as
    /// they have rows.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.frame.width = f64::from(width.clamp(240, 10_000));
        self.frame.height = f64::from(height.clamp(160, 10_000));
        self
    }

    /// The chart's title.
    pub fn title(&self) -> &str {
        &self.frame.title
    }

    /// The chart as an SVG element with its own style: fit to stand in HTML and in a file.
    pub fn to_svg(&self) -> String {
        let legend = self.kind.legend();
        let mut canvas = Canvas::begin(&self.frame, &legend);
        self.kind.draw(&self.frame, &mut canvas);
        canvas.finish(&self.frame, &legend)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::markup::{has_only_references, skeleton};

    /// One chart of each kind with `text` wherever a text can be.
    fn charts(text: &str) -> [String; 6] {
        let lines = Chart::lines(text)
            .series(text, [(0.0, 1.0), (1.0, 2.0)])
            .marked_series(text, [(0.5, 1.0)], Mark::Dots)
            .at_x(0.5, text)
            .at_y(1.5, text);
        let bars = Chart::bars(text).bar(text, 1.0).bar_in(text, text, -0.5);
        let histogram = Chart::histogram(text, edges(0.0, 2.0, 2))
            .class(text, [1.0, 2.0])
            .curve(text, [(0.0, 1.0), (2.0, 0.0)]);
        let dots = Chart::dots(text, [text, text]).row(text, [Some(1.0), None]);
        let raster = Chart::raster(text, 2, [0.0, 0.5, 1.0]);
        let node =
            |parent| Node { name: text.into(), about: text.into(), parent, ..Node::default() };
        let tree = Chart::tree(text).node(node(None)).node(node(Some(0)));
        [
            lines.note(text).x_label(text).y_label(text).to_svg(),
            bars.note(text).x_label(text).y_label(text).to_svg(),
            histogram.note(text).x_label(text).y_label(text).to_svg(),
            dots.note(text).x_label(text).y_label(text).to_svg(),
            raster.note(text).x_label(text).y_label(text).to_svg(),
            tree.note(text).x_label(text).y_label(text).to_svg(),
        ]
    }

    proptest! {
        #[test]
        fn no_text_becomes_markup(text in "[ -~\\u{0}-\\u{2ff}<>&\"']{0,12}") {
            // As many lines as the text may be wrapped to: none of these is.
            for (svg, plain) in charts(&text).iter().zip(charts("tide")) {
                let names_are_empty = text.trim().is_empty();
                prop_assert!(names_are_empty || skeleton(svg) == skeleton(&plain), "{svg}");
                prop_assert!(has_only_references(svg), "{svg}");
            }
        }

        #[test]
        fn any_numbers_can_be_drawn(values in prop::collection::vec(prop::num::f64::ANY, 0..6)) {
            let points: Vec<_> = values.iter().copied().zip(values.iter().rev().copied()).collect();
            let charts = [
                Chart::lines("").series("a", points.clone()).log_x().to_svg(),
                Chart::lines("").marked_series("a", points.clone(), Mark::Steps).log_y().to_svg(),
                Chart::bars("").bar("a", *values.first().unwrap_or(&0.0)).to_svg(),
                Chart::histogram("", values.clone()).class("a", values.clone()).to_svg(),
                Chart::histogram("", edges(0.0, 1.0, 3)).class("a", values.clone()).shares().to_svg(),
                Chart::dots("", ["a"]).row("a", [values.first().copied()]).to_svg(),
                Chart::raster("", 2, values.clone()).to_svg(),
                values.iter().fold(Chart::tree(""), |tree, value| {
                    tree.node(Node { edge: *value, contour: Some(*value), ..Node::default() })
                }).to_svg(),
            ];
            for svg in charts {
                prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn a_chart_tells_what_it_shows() {
        let svg = Chart::lines("F1 of pages")
            .series("bte", [(1.0, 0.5)])
            .x_label("page")
            .y_label("F1")
            .to_svg();
        let expect = "aria-label=\"F1 of pages. Horizontal: page. Vertical: F1. Shown: bte.\"";
        assert!(svg.contains(expect), "{svg}");
        assert_eq!(svg.matches("<svg ").count(), svg.matches("</svg>").count());
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }

    #[test]
    fn a_chart_of_nothing_says_so() {
        let empty = [
            Chart::lines("x").to_svg(),
            Chart::bars("x").to_svg(),
            Chart::histogram("x", []).to_svg(),
            Chart::dots("x", ["a"]).to_svg(),
            Chart::raster("x", 3, []).to_svg(),
            Chart::tree("x").to_svg(),
            Chart::lines("x").series("a", [(f64::NAN, 1.0)]).to_svg(),
        ];
        assert!(empty.iter().all(|svg| svg.contains(">nothing to show</text>")));
    }
}
