//! Lines through points, several named ones.

use super::Chart;
use super::canvas::{Canvas, ChartKind, Entry, Frame, N, Swatch, put, stroke, text_width};
use super::scale::{Division, Scale, short};

/// Named series of points: `Chart::lines(…)`.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    series: Vec<Series>,
    /// Drawn in grey behind the others, without entries in the legend.
    quiet: Vec<Series>,
    /// Lines across the plot, with their names.
    at_x: Vec<(f64, String)>,
    at_y: Vec<(f64, String)>,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    mark: Mark,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// A line from point to point.
    #[default]
    Line,
    /// A line, and a dot at every point that says its values.
    LineAndDots,
    /// Dots only: measurements beside a model's line.
    Dots,
    /// A level that changes at the points: values of blocks, one after the other.
    Steps,
}

impl Chart<Lines> {
    /// Lines through points.
    pub fn lines(title: impl Into<String>) -> Chart<Lines> {
        Chart::of_kind(title, Lines::default())
    }

    /// Adds a line. Points without a place (not a number, not above 0 on a logarithmic axis) leave a
    /// gap.
    pub fn series(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.marked_series(name, points, Mark::Line)
    }

    /// Adds a line in grey, behind the others: one of many that need not be told apart. It says its name where it is
    /// pointed at.
    pub fn quiet_series(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().collect();
        self.kind.quiet.push(Series { name: name.into(), points, mark: Mark::Line });
        self
    }

    /// Adds a series that is drawn in another way.
    pub fn marked_series(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
        mark: Mark,
    ) -> Self {
        let points = points.into_iter().collect();
        self.kind.series.push(Series { name: name.into(), points, mark });
        self
    }

    /// A named line from bottom to top: a threshold, a border.
    pub fn at_x(mut self, x: f64, name: impl Into<String>) -> Self {
        self.kind.at_x.push((x, name.into()));
        self
    }

    /// A named line from left to right: the paper's value, a base line.
    pub fn at_y(mut self, y: f64, name: impl Into<String>) -> Self {
        self.kind.at_y.push((y, name.into()));
        self
    }

    /// Divides the horizontal axis by powers of ten.
    pub fn log_x(mut self) -> Self {
        self.frame.x.division = Division::Logarithmic;
        self
    }

    /// Divides the vertical axis by powers of ten.
    pub fn log_y(mut self) -> Self {
        self.frame.y.division = Division::Logarithmic;
        self
    }
}

impl ChartKind for Lines {
    fn legend(&self) -> Vec<Entry<'_>> {
        let swatch = |mark| if mark == Mark::Dots { Swatch::Disc } else { Swatch::Line };
        let entries = self.series.iter();
        entries.map(|series| Entry { name: &series.name, swatch: swatch(series.mark) }).collect()
    }

    fn draw(&self, frame: &Frame, canvas: &mut Canvas) {
        let all = || self.quiet.iter().chain(&self.series);
        let points = || all().flat_map(|series| series.points.iter().copied());
        let across = self.at_x.iter().map(|(x, _)| *x);
        let x = frame.x.tight_scale(points().map(|(x, _)| x).chain(across), 8);
        let up = self.at_y.iter().map(|(y, _)| *y);
        let y = frame.y.scale(points().map(|(_, y)| y).chain(up), 6);
        canvas.axes(frame, &x, &y);
        if !points().any(|point| place(canvas, &x, &y, point).is_some()) {
            canvas.nothing();
        }
        for series in &self.quiet {
            canvas.begin_muted();
            canvas.clip();
            series.draw(canvas, &x, &y, 0);
            canvas.unclip();
            canvas.end_series();
        }
        for (number, (series, entry)) in self.series.iter().zip(self.legend()).enumerate() {
            canvas.begin_series(number);
            canvas.clip();
            series.draw(canvas, &x, &y, number);
            canvas.unclip();
            canvas.legend_entry(number, entry);
            canvas.end_series();
        }
        self.draw_across(canvas, &x, &y);
    }
}

impl Lines {
    /// The lines across the plot. Their names keep clear of each other: those of lines from bottom to top go down a
    /// row, or to the left of their line at the right end of the plot; those of lines from left to right go below
    /// theirs, where there is room, else they move to the left.
    fn draw_across(&self, canvas: &mut Canvas, x: &Scale, y: &Scale) {
        let inside = |scale: &Scale, value: f64| {
            scale.place(value).is_some_and(|place| (0.0..=1.0).contains(&place))
        };
        let mut taken: Vec<Place> = Vec::new();
        for (value, name) in self.at_x.iter().filter(|(value, _)| inside(x, *value)) {
            let at = canvas.x(x, *value).unwrap_or_default();
            canvas.line("mark", (at, canvas.top), (at, canvas.bottom));
            let width = text_width(name, NAME_SIZE);
            let (class, left) = if at + 4.0 + width > canvas.right {
                ("soft halo end", at - 4.0 - width)
            } else {
                ("soft halo", at + 4.0)
            };
            let rows = (0..).map(|row| canvas.top + 10.0 + ROW * f64::from(row));
            let free = first_free(&taken, left, width, rows.take_while(|row| *row < canvas.bottom));
            taken.push((left, free, width));
            let text_at = if class.ends_with("end") { at - 4.0 } else { left };
            canvas.text(text_at, free, class, name);
        }
        // All lines first, so that none crosses a name.
        let levels = self.at_y.iter().filter(|(value, _)| inside(y, *value));
        let levels: Vec<(f64, &str)> = levels
            .map(|(value, name)| (canvas.y(y, *value).unwrap_or_default(), &name[..]))
            .collect();
        for (at, _) in &levels {
            canvas.line("mark", (canvas.left, *at), (canvas.right, *at));
        }
        for (at, name) in levels {
            let width = text_width(name, NAME_SIZE);
            let mut right = canvas.right - 4.0;
            // Above its line, below it, and the same further to the left.
            let free = loop {
                let rows = [at - 4.0, at + ROW].into_iter();
                let rows = rows.filter(|row| (canvas.top..=canvas.bottom).contains(row));
                let row = rows.into_iter().find(|row| is_free(&taken, right - width, *row, width));
                if let Some(row) = row {
                    break row;
                }
                if right - 2.0 * width < canvas.left {
                    break at - 4.0;
                }
                right -= width + 8.0;
            };
            taken.push((right - width, free, width));
            canvas.text(right, free, "soft halo end", name);
        }
    }
}

/// Where a name stands: its left end, its base line and its width.
type Place = (f64, f64, f64);

/// The size of names, and how far apart two of them stand at least.
const NAME_SIZE: f64 = 11.0;
const ROW: f64 = 13.0;

fn is_free(taken: &[Place], left: f64, base: f64, width: f64) -> bool {
    let apart = |(other, row, wide): &Place| {
        (row - base).abs() >= ROW - 0.5
            || left >= other + wide + 4.0
            || left + width + 4.0 <= *other
    };
    taken.iter().all(apart)
}

fn first_free(taken: &[Place], left: f64, width: f64, rows: impl Iterator<Item = f64>) -> f64 {
    let mut first = None;
    for row in rows {
        first.get_or_insert(row);
        if is_free(taken, left, row, width) {
            return row;
        }
    }
    first.unwrap_or_default()
}

impl Series {
    fn draw(&self, canvas: &mut Canvas, x: &Scale, y: &Scale, number: usize) {
        if self.mark != Mark::Dots {
            let path = path(canvas, x, y, &self.points, self.mark == Mark::Steps);
            let stroke = stroke(number);
            put!(canvas, "<path class=\"line\"{stroke} d=\"{path}\"");
            canvas.titled("path", Some(&self.name));
        }
        if matches!(self.mark, Mark::Dots | Mark::LineAndDots) {
            for point in &self.points {
                let Some(at) = place(canvas, x, y, *point) else { continue };
                let title = format!("{}: {}, {}", self.name, short(point.0), short(point.1));
                canvas.dot("fill", at, 3.2, Some(&title));
            }
        }
    }
}

fn place(canvas: &Canvas, x: &Scale, y: &Scale, point: (f64, f64)) -> Option<(f64, f64)> {
    Some((canvas.x(x, point.0)?, canvas.y(y, point.1)?))
}

/// The way through the points; begins anew after those that have no place.
pub(crate) fn path(
    canvas: &Canvas,
    x: &Scale,
    y: &Scale,
    points: &[(f64, f64)],
    steps: bool,
) -> String {
    let mut path = String::new();
    let mut begun = false;
    let mut last = String::new();
    for point in points {
        let Some((x, y)) = place(canvas, x, y, *point) else {
            begun = false;
            continue;
        };
        let (x, y) = (N(x), N(y));
        let point = format!("{x} {y}");
        match (begun, steps) {
            (false, _) => path += &format!("M{point}"),
            // Points closer than a tenth of a pixel: thousands of blocks give a short path.
            (true, _) if point == last => {}
            (true, true) => path += &format!("H{x}V{y}"),
            (true, false) => path += &format!("L{point}"),
        }
        (begun, last) = (true, point);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_leaves_a_gap() {
        let points = [(1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)];
        let svg = Chart::lines("x").series("tide", points).to_svg();
        let path = svg.split("class=\"line\" d=\"").nth(1).and_then(|rest| rest.split('"').next());
        assert_eq!(path.map(|path| path.matches('M').count()), Some(2), "{svg}");
    }

    #[test]
    fn the_ninth_series_differs_from_the_first() {
        let chart = |count: usize| {
            (0..count).fold(Chart::lines("x"), |chart, n| chart.series(n.to_string(), [(0.0, 1.0)]))
        };
        assert!(!chart(8).to_svg().contains("stroke-dasharray=\""));
        let svg = chart(9).to_svg();
        assert_eq!(svg.matches("<g class=\"series c1\">").count(), 2);
        assert_eq!(svg.matches("stroke-dasharray=\"7 4\"").count(), 2);
    }

    /// The base lines of the texts that name lines across, in the order in which they are drawn.
    fn names(svg: &str) -> Vec<(String, String)> {
        let texts = svg.split("<text ").skip(1).filter(|text| text.contains("halo"));
        let value = |text: &str, name: &str| {
            let rest = text.split(&format!("{name}=\"")).nth(1).unwrap();
            rest.split('"').next().unwrap().to_owned()
        };
        texts.map(|text| (value(text, " x"), value(text, " y"))).collect()
    }

    #[test]
    fn names_of_lines_keep_clear_of_each_other() {
        let chart = || Chart::lines("x").series("tide", [(0.0, 0.0), (100.0, 100.0)]);
        let svg =
            chart().at_x(30.0, "the thesis: 30").at_x(31.0, "ours: 31").at_x(90.0, "far").to_svg();
        let found = names(&svg.replace("<text x", "<text  x"));
        assert_eq!(found.len(), 3);
        assert!(found[0].1 != found[1].1 && found[0].1 == found[2].1, "{found:?}");
        let svg =
            chart().at_y(50.0, "fifty").at_y(51.0, "fifty-one").at_y(50.5, "between").to_svg();
        // No line is drawn over a name.
        assert!(svg.rfind("\"mark\"") < svg.find("soft halo end\""), "{svg}");
        let mut found = names(&svg.replace("<text x", "<text  x"));
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn quiet_series_have_no_entry_in_the_legend() {
        let line = [(0.0, 1.0), (1.0, 2.0)];
        let chart = Chart::lines("x").series("tide", line);
        let entries =
            |svg: &str| svg.matches(">tide</text>").count() + svg.matches(">fog</text>").count();
        let svg = chart.quiet_series("fog", line).to_svg();
        assert_eq!(entries(&svg), 1);
        assert!(svg.contains("series c0") && svg.contains("<title>fog</title>"));
    }

    #[test]
    fn only_dots_that_are_asked_for() {
        let points = [(0.0, 1.0), (1.0, 2.0)];
        let dots = |mark| {
            let chart = Chart::lines("x").marked_series("a", points, mark);
            chart.to_svg().matches("<circle").count()
        };
        assert_eq!([Mark::Line, Mark::Steps, Mark::LineAndDots].map(dots), [0, 0, 2]);
        // The legend has one, too.
        assert_eq!(dots(Mark::Dots), 3);
    }
}
