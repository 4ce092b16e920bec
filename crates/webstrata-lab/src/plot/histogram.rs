//! Histograms, the classes on top of each other.

use super::Chart;
use super::canvas::{Canvas, ChartKind, Entry, Frame, HUES, Swatch, put, stroke};
use super::line_chart::path;
use super::scale::short;

/// Bins of classes, stacked: `Chart::histogram(…)`.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    edges: Vec<f64>,
    classes: Vec<(String, Vec<f64>)>,
    curves: Vec<(String, Vec<(f64, f64)>)>,
    shares: bool,
    muted: bool,
    borders: Vec<f64>,
}

/// The edges of `bins` bins of equal width, one more than bins.
pub fn edges(low: f64, high: f64, bins: usize) -> Vec<f64> {
    let width = (high - low) / bins.max(1) as f64;
    (0..=bins.max(1)).map(|edge| low + width * edge as f64).collect()
}

/// Sums the weights of the values in each bin: from its lower edge to below its upper one, the last
/// bin with its upper edge. What lies outside counts nowhere.
pub fn counts(edges: &[f64], values: impl IntoIterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut counts = vec![0.0; edges.len().saturating_sub(1)];
    for (value, weight) in values {
        let bin = edges.partition_point(|edge| *edge <= value);
        let last = edges.last().is_some_and(|edge| *edge == value);
        if let Some(bin) = (bin - usize::from(last)).checked_sub(1)
            && let Some(count) = counts.get_mut(bin)
        {
            *count += weight;
        }
    }
    counts
}

impl Chart<Histogram> {
    /// Bins between these edges, of which there is one more than bins.
    pub fn histogram(
        title: impl Into<String>,
        edges: impl IntoIterator<Item = f64>,
    ) -> Chart<Histogram> {
        let edges = edges.into_iter().collect();
        Chart::of_kind(title, Histogram { edges, ..Histogram::default() })
    }

    /// Adds a class: the height of each of its bins, on top of the classes before it. Heights that
    /// are not above 0 are left out.
    pub fn class(
        mut self,
        name: impl Into<String>,
        heights: impl IntoIterator<Item = f64>,
    ) -> Self {
        self.kind.classes.push((name.into(), heights.into_iter().collect()));
        self
    }

    /// Draws a line over the bins: a model of what they count.
    pub fn curve(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.kind.curves.push((name.into(), points.into_iter().collect()));
        self
    }

    /// Draws the bins of the first class in grey, behind what matters more.
    pub fn muted(mut self) -> Self {
        self.kind.muted = true;
        self
    }

    /// A line from bottom to top, between two bins that do not belong together.
    pub fn border(mut self, x: f64) -> Self {
        self.kind.borders.push(x);
        self
    }

    /// Every bin as high as the plot: what share of it each class has.
    pub fn shares(mut self) -> Self {
        self.kind.shares = true;
        self
    }
}

impl Histogram {
    fn height(&self, class: usize, bin: usize) -> f64 {
        let height = self.classes[class].1.get(bin).copied().unwrap_or(0.0);
        if height > 0.0 && height < 1e100 { height } else { 0.0 }
    }

    /// The bottom and top of a class in a bin, as drawn.
    fn bar(&self, class: usize, bin: usize) -> (f64, f64) {
        let below: f64 = (0..class).map(|class| self.height(class, bin)).sum();
        let all: f64 = (0..self.classes.len()).map(|class| self.height(class, bin)).sum();
        let whole = if self.shares && all > 0.0 { all } else { 1.0 };
        (below / whole, (below + self.height(class, bin)) / whole)
    }

    fn bins(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }
}

impl ChartKind for Histogram {
    fn legend(&self) -> Vec<Entry<'_>> {
        let classes = self.classes.iter().map(|(name, _)| Entry { name, swatch: Swatch::Square });
        let curves = self.curves.iter().enumerate();
        let curves =
            curves.map(|(number, (name, _))| Entry { name, swatch: Swatch::Curve(number) });
        classes.chain(curves).collect()
    }

    fn draw(&self, frame: &Frame, canvas: &mut Canvas) {
        let x = frame.x.tight_scale(self.edges.iter().copied(), 10);
        let top = self.classes.len().saturating_sub(1);
        let tops = (0..self.bins()).filter(|_| !self.classes.is_empty());
        let tops = tops.map(|bin| self.bar(top, bin).1);
        let curves = self.curves.iter().flat_map(|(_, points)| points.iter().map(|(_, y)| *y));
        let y = frame.y.scale(tops.chain(curves).chain([0.0]), 6);
        canvas.axes(frame, &x, &y);
        if self.classes.is_empty() || self.bins() == 0 {
            canvas.nothing();
        }
        let legend = self.legend();
        for (class, (name, _)) in self.classes.iter().enumerate() {
            if self.muted && class == 0 {
                canvas.begin_muted();
            } else {
                canvas.begin_series(class);
            }
            canvas.clip();
            for bin in 0..self.bins() {
                let height = self.height(class, bin);
                let (from, to) = self.bar(class, bin);
                let left = canvas.x(&x, self.edges[bin]).zip(canvas.y(&y, from));
                let right = canvas.x(&x, self.edges[bin + 1]).zip(canvas.y(&y, to));
                let (Some(low), Some(high)) = (left, right) else { continue };
                if height == 0.0 {
                    continue;
                }
                // A gap between bins, unless they are too narrow to have one.
                let gap = if (high.0 - low.0).abs() > 5.0 { 0.5 } else { 0.0 };
                let (from, to) = (short(self.edges[bin]), short(self.edges[bin + 1]));
                let title = format!("{name}, {from} to {to}: {}", short(height));
                canvas.rect("fill", (low.0 + gap, low.1), (high.0 - gap, high.1), &title);
            }
            canvas.unclip();
            canvas.legend_entry(class, legend[class]);
            canvas.end_series();
        }
        for border in &self.borders {
            if let Some(at) = canvas.x(&x, *border) {
                canvas.line("border", (at, canvas.top), (at, canvas.bottom));
            }
        }
        for (curve, (name, points)) in self.curves.iter().enumerate() {
            let number = self.classes.len() + curve;
            canvas.begin_series(number);
            canvas.clip();
            let (path, stroke) = (path(canvas, &x, &y, points, false), stroke(curve * HUES));
            put!(canvas, "<path class=\"line over\"{stroke} d=\"{path}\"");
            canvas.titled("path", Some(name));
            canvas.unclip();
            canvas.legend_entry(number, legend[number]);
            canvas.end_series();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_bins() {
        let edges = edges(0.0, 3.0, 3);
        assert_eq!(edges, [0.0, 1.0, 2.0, 3.0]);
        let values = [(0.0, 1.0), (0.99, 1.0), (1.0, 5.0), (3.0, 2.0), (3.1, 9.0), (-0.1, 9.0)];
        assert_eq!(counts(&edges, values), [2.0, 5.0, 2.0]);
        assert_eq!(counts(&edges, [(f64::NAN, 1.0)]), [0.0, 0.0, 0.0]);
        assert!(counts(&[], [(1.0, 1.0)]).is_empty());
    }

    #[test]
    fn classes_are_stacked() {
        let chart = Chart::histogram("x", edges(0.0, 2.0, 2)).class("a", [1.0, 3.0]);
        let chart = chart.class("b", [1.0, -5.0]);
        assert_eq!(chart.kind.bar(1, 0), (1.0, 2.0));
        assert_eq!(chart.kind.bar(1, 1), (3.0, 3.0));
        let shares = chart.shares();
        assert_eq!(shares.kind.bar(1, 0), (0.5, 1.0));
        assert_eq!(shares.kind.bar(0, 1), (0.0, 1.0));
        assert_eq!(shares.to_svg().matches("<rect class=\"fill\"").count(), 3 + 2);
    }
}
