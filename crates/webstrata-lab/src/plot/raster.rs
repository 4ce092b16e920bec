//! Rasters: cells that are the darker the more they stand for.

use super::Chart;
use super::canvas::{Canvas, ChartKind, Entry, Frame, N, put};

/// Shades that can be told apart; the lightest is the paper.
const SHADES: usize = 16;

/// A square of cells: `Chart::raster(…)`.
#[derive(Clone, Debug, Default)]
pub struct Raster {
    columns: usize,
    cells: Vec<f64>,
}

impl Chart<Raster> {
    /// Cells row after row from the top, `columns` in each: from 0, the colour of the paper, to 1, that of texts.
    /// The chart is as high as its cells need to be square.
    pub fn raster(
        title: impl Into<String>,
        columns: usize,
        cells: impl IntoIterator<Item = f64>,
    ) -> Chart<Raster> {
        let cells = cells.into_iter().collect();
        Chart::of_kind(title, Raster { columns: columns.max(1), cells }).size(560, 600)
    }
}

impl Raster {
    /// The shade of a cell; 0 for what is none.
    fn shade(value: f64) -> usize {
        if value > 0.0 { ((value.min(1.0) * SHADES as f64).ceil() as usize).min(SHADES) } else { 0 }
    }
}

impl ChartKind for Raster {
    fn legend(&self) -> Vec<Entry<'_>> {
        Vec::new()
    }

    fn draw(&self, frame: &Frame, canvas: &mut Canvas) {
        let rows = self.cells.len().div_ceil(self.columns);
        let room = if frame.y.label.is_some() { 20.0 } else { 0.0 };
        canvas.left += room;
        let side = (canvas.right - canvas.left) / self.columns as f64;
        canvas.bottom = canvas.top + (side * rows as f64).max(90.0);
        if rows == 0 {
            return canvas.nothing();
        }
        let (left, top) = (canvas.left, canvas.top);
        // A path for each shade, of all runs of cells that have it.
        for shade in 1..=SHADES {
            let mut path = String::new();
            for (row, cells) in self.cells.chunks(self.columns).enumerate() {
                let mut column = 0;
                for run in cells.chunk_by(|a, b| Raster::shade(*a) == Raster::shade(*b)) {
                    if Raster::shade(run[0]) == shade {
                        let (x, y) = (left + side * column as f64, top + side * row as f64);
                        let (x, y, width) = (Fine(x), Fine(y), Fine(side * run.len() as f64));
                        path += &format!("M{x} {y}h{width}v{}h-{width}z", Fine(side));
                    }
                    column += run.len();
                }
            }
            if !path.is_empty() {
                let opacity = Fine(shade as f64 / SHADES as f64);
                put!(
                    canvas,
                    "<path fill=\"currentColor\" fill-opacity=\"{opacity}\" d=\"{path}\"/>\n"
                );
            }
        }
        let (right, bottom) = (canvas.right, top + side * rows as f64);
        let (x, y) = (N(left), N(top));
        put!(canvas, "<path class=\"axis\" d=\"M{x} {y}H{}V{}H{x}z\"/>\n", N(right), N(bottom));
        if let Some(label) = &frame.x.label {
            canvas.text(f64::midpoint(left, right), bottom + 20.0, "soft middle", label);
        }
        if let Some(label) = &frame.y.label {
            let (x, y) = (left - 8.0, f64::midpoint(top, bottom));
            let (x, y, label) = (N(x), N(y), crate::markup::Escaped(label));
            put!(
                canvas,
                "<text class=\"soft middle\" transform=\"translate({x} {y})rotate(-90)\">"
            );
            put!(canvas, "{label}</text>\n");
        }
    }
}

/// A coordinate with three decimals: cells may be smaller than a pixel.
struct Fine(f64);

impl std::fmt::Display for Fine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.3}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_shade_are_one_path() {
        let svg = Chart::raster("Links", 3, [1.0, 1.0, 0.0, 0.0, 0.5, 1.0]).to_svg();
        assert_eq!(svg.matches("<path fill=").count(), 2);
        let full = svg.lines().find(|line| line.contains("fill-opacity=\"1\"")).unwrap();
        // Two cells side by side are one rectangle, the third is another.
        assert_eq!(full.matches('M').count(), 2);
        assert!(svg.contains("fill-opacity=\"0.5\""));
    }

    #[test]
    fn values_that_are_none() {
        for (value, shade) in [
            (f64::NAN, 0),
            (-1.0, 0),
            (0.0, 0),
            (1e-9, 1),
            (0.5, 8),
            (1.0, 16),
            (f64::INFINITY, 16),
        ] {
            assert_eq!(Raster::shade(value), shade, "{value}");
        }
    }
}
