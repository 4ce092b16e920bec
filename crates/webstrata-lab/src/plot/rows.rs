//! Charts of named rows with values on the horizontal axis: bars, and dots to compare.

use super::Chart;
use super::canvas::{Canvas, ChartKind, Entry, Frame, Swatch, shortened, text_width};
use super::scale::short;

/// Characters of a row's name; more would leave no room for its value.
const NAME: usize = 44;

/// Horizontal bars: `Chart::bars(…)`.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    bars: Vec<Bar>,
    groups: Vec<String>,
}

#[derive(Clone, Debug)]
struct Bar {
    name: String,
    value: f64,
    group: Option<usize>,
}

impl Chart<Bars> {
    /// Horizontal bars with names and values, from top to bottom as they are added.
    pub fn bars(title: impl Into<String>) -> Chart<Bars> {
        Chart::of_kind(title, Bars::default())
    }

    /// Adds a bar.
    pub fn bar(mut self, name: impl Into<String>, value: f64) -> Self {
        self.kind.bars.push(Bar { name: name.into(), value, group: None });
        self
    }

    /// Adds a bar in the colour of its group; the legend names the groups.
    pub fn bar_in(mut self, group: &str, name: impl Into<String>, value: f64) -> Self {
        let Bars { bars, groups } = &mut self.kind;
        let known = groups.iter().position(|known| known == group);
        let group = known.unwrap_or_else(|| {
            groups.push(group.to_owned());
            groups.len() - 1
        });
        bars.push(Bar { name: name.into(), value, group: Some(group) });
        self
    }
}

impl ChartKind for Bars {
    fn legend(&self) -> Vec<Entry<'_>> {
        self.groups.iter().map(|name| Entry { name, swatch: Swatch::Square }).collect()
    }

    fn draw(&self, frame: &Frame, canvas: &mut Canvas) {
        const ROW: f64 = 17.0;
        // Room for the values at the bars' ends.
        canvas.right -= 36.0;
        let names = self.bars.iter().map(|bar| bar.name.as_str());
        begin_rows(canvas, names, ROW);
        let values = self.bars.iter().map(|bar| bar.value);
        let x = frame.x.scale(values.chain([0.0]), 8);
        canvas.x_axis(frame, &x);
        if self.bars.is_empty() {
            canvas.nothing();
        }
        let zero = canvas.x(&x, 0.0).unwrap_or(canvas.left).clamp(canvas.left, canvas.right);
        let legend = self.legend();
        for group in 0..self.groups.len().max(1) {
            canvas.begin_series(group);
            for (row, bar) in self.bars.iter().enumerate() {
                if bar.group.unwrap_or(0) != group {
                    continue;
                }
                let middle = canvas.top + ROW * (row as f64 + 0.5);
                row_name(canvas, &bar.name, middle);
                let Some(end) = canvas.x(&x, bar.value) else { continue };
                let end = end.clamp(canvas.left, canvas.right);
                let value = short(bar.value);
                let title = format!("{}: {value}", bar.name);
                let (top, bottom) = (middle - ROW * 0.36, middle + ROW * 0.36);
                canvas.rect("fill", (zero, top), (end, bottom), &title);
                let (at, class) =
                    if end < zero { (end - 4.0, "value end") } else { (end + 4.0, "value") };
                canvas.text(at, middle + 3.5, class, &value);
            }
            if let Some(entry) = legend.get(group) {
                canvas.legend_entry(group, *entry);
            }
            canvas.end_series();
        }
        canvas.line("axis", (zero, canvas.top), (zero, canvas.bottom));
    }
}

/// Several values of each row as dots on one line: `Chart::dots(…)`.
#[derive(Clone, Debug, Default)]
pub struct Dots {
    names: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

impl Chart<Dots> {
    /// Rows of dots, one for each of `names`, such as the paper's value and ours. The first is drawn
    /// as a ring, so that a dot of the same value is seen inside it.
    pub fn dots<N: Into<String>>(
        title: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Chart<Dots> {
        let names = names.into_iter().map(Into::into).collect();
        Chart::of_kind(title, Dots { names, rows: Vec::new() })
    }

    /// Adds a row with a value for each of the names, in their order; `None` where there is none.
    pub fn row(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Self {
        self.kind.rows.push((name.into(), values.into_iter().collect()));
        self
    }
}

impl Dots {
    /// The values of a name, with their rows.
    fn values(&self, name: usize) -> impl Iterator<Item = (usize, f64)> {
        let value = move |(row, (_, values)): (usize, &(String, Vec<Option<f64>>))| {
            Some((row, values.get(name).copied().flatten()?))
        };
        self.rows.iter().enumerate().filter_map(value)
    }
}

impl ChartKind for Dots {
    fn legend(&self) -> Vec<Entry<'_>> {
        let swatch = |number| if number == 0 { Swatch::Ring } else { Swatch::Disc };
        let entry = |(number, name)| Entry { name, swatch: swatch(number) };
        self.names.iter().map(String::as_str).enumerate().map(entry).collect()
    }

    fn draw(&self, frame: &Frame, canvas: &mut Canvas) {
        const ROW: f64 = 24.0;
        begin_rows(canvas, self.rows.iter().map(|(name, _)| name.as_str()), ROW);
        let all = (0..self.names.len()).flat_map(|name| self.values(name));
        let x = frame.x.scale(all.map(|(_, value)| value), 8);
        canvas.x_axis(frame, &x);
        if self.rows.is_empty() {
            canvas.nothing();
        }
        let middle = |canvas: &Canvas, row: usize| canvas.top + ROW * (row as f64 + 0.5);
        for (row, (name, values)) in self.rows.iter().enumerate() {
            let y = middle(canvas, row);
            row_name(canvas, name, y);
            let places = values.iter().take(self.names.len()).flatten();
            let places: Vec<f64> = places.filter_map(|value| canvas.x(&x, *value)).collect();
            let first = places.iter().copied().fold(f64::INFINITY, f64::min);
            let last = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if first < last {
                canvas.line("axis", (first, y), (last, y));
            }
        }
        for (number, entry) in self.legend().into_iter().enumerate() {
            canvas.begin_series(number);
            canvas.clip();
            for (row, value) in self.values(number) {
                let Some(at) = canvas.x(&x, value) else { continue };
                let title = format!("{}, {}: {}", self.rows[row].0, entry.name, short(value));
                let (class, radius) =
                    if entry.swatch == Swatch::Ring { ("ring", 5.5) } else { ("fill", 4.0) };
                canvas.dot(class, (at, middle(canvas, row)), radius, Some(&title));
            }
            canvas.unclip();
            canvas.legend_entry(number, entry);
            canvas.end_series();
        }
    }
}

/// Makes room for the names and as many rows as there are.
fn begin_rows<'a>(canvas: &mut Canvas, names: impl ExactSizeIterator<Item = &'a str>, row: f64) {
    canvas.bottom = canvas.top + row * names.len().max(3) as f64;
    let widths = names.map(|name| text_width(&shortened(name, NAME), 12.0));
    let room = (canvas.right - canvas.left) * 0.6;
    canvas.left += widths.fold(0.0, f64::max).min(room) + 8.0;
}

fn row_name(canvas: &mut Canvas, name: &str, middle: f64) {
    canvas.text(canvas.left - 8.0, middle + 4.0, "end", &shortened(name, NAME));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_zero() {
        let svg = Chart::bars("x").bar("up", 2.0).bar("down", -1.0).to_svg();
        let rects: Vec<&str> = svg.split("<rect class=\"fill\" x=\"").skip(1).collect();
        let number = |text: &str, attribute: &str| -> f64 {
            let rest = text.split(attribute).nth(1).unwrap_or(text);
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let (up, down) = (rects[0], rects[1]);
        let left = |rect: &str| -> f64 { rect.split('"').next().unwrap().parse().unwrap() };
        assert!((left(down) + number(down, "width=\"") - left(up)).abs() < 0.2, "{svg}");
    }

    #[test]
    fn rows_make_the_height() {
        let chart = |rows: usize| {
            (0..rows).fold(Chart::bars("x"), |chart, row| chart.bar(row.to_string(), 1.0)).to_svg()
        };
        let height = |svg: &str| -> f64 {
            svg.split(" height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert_eq!(height(&chart(67)) - height(&chart(57)), 170.0);
    }

    #[test]
    fn a_missing_value_has_no_dot() {
        let chart = Chart::dots("x", ["paper", "ours"]);
        let svg = chart.row("F1", [Some(0.9), None]).row("AuC", [Some(0.9), Some(0.8)]).to_svg();
        assert_eq!(svg.matches("<circle").count(), 3 + 2);
        assert!(svg.contains("<title>AuC, ours: 0.8</title>"));
    }
}
