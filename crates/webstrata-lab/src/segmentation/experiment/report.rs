//! What was measured, as tables and figures.

use crate::Chart;
use crate::plot::{Lines, Mark};
use crate::report::{Align, Compared, Comparison, Section, Table};

use super::{Gain, Outcome, Score, Step, TABLE_4_1};
use webstrata_corpus::segmentation::{Method, RULES_THRESHOLD, Segmenter, THRESHOLD, WIDTH};

/// Ours and how the thesis calls it.
fn full_name(method: Method) -> String {
    let thesis = match method {
        Method::WordWrap => "WORDWRAP",
        Method::TagGap => "TAGGAP",
        Method::Plain => "BF-PLAIN",
        Method::Smoothed => "BF-SMOOTHED",
        Method::SmoothedSparse => "footnote 6",
        Method::RuleBased => "BF-RULEBASED",
        Method::JustRules => "JUSTRULES",
    };
    format!("{method} ({thesis})")
}

impl Outcome {
    /// The thesis' table beside ours, and the figures.
    pub fn section(&self) -> Section {
        let about = format!(
            "{} pages; the gold has {:.2} segments a page. Scores are means of the pages.",
            self.pages, self.gold_segments
        );
        Section::new(&self.name)
            .text(about)
            .table(self.table())
            .comparison(self.compared())
            .table(self.order())
            .table(self.zipf())
            .comparison(self.zipf_compared())
            .figure(
                "Figure 4.4. The thesis finds the best threshold at 0.38.",
                &self.by_threshold(&[Method::Plain, Method::Smoothed], THRESHOLD),
            )
            .figure(
                "Figure 4.5. The thesis finds the best threshold at 0.6.",
                &self.by_threshold(&[Method::RuleBased], RULES_THRESHOLD),
            )
            .figure("Segments that are left, for Figures 4.4 and 4.5.", &self.segments_by_threshold())
            .figure(
                "Figure 4.6. Where the sizes of segments follow Zipf's law, their line is straight; Table 4.2 says \
                 where it is.",
                &self.sizes_of_segments(),
            )
            .figure("Figure 4.7. The thesis finds widths from 80 to 110 equally good.", &self.by_width())
            .figure(
                "Figure 4.8. The thesis finds most of the error gone after the first iteration.",
                &self.by_iteration(),
            )
    }

    /// Table 4.1.
    pub fn table(&self) -> Table {
        let mut table = Table::new("Table 4.1: accuracies, the thesis' beside ours")
            .column("method", Align::Left)
            .column("AdjRand", Align::Right)
            .column("thesis", Align::Right)
            .column("NMI", Align::Right)
            .column("thesis", Align::Right)
            .column("segments", Align::Right)
            .column("thesis", Align::Right);
        for (method, score) in self.methods() {
            let thesis = TABLE_4_1.iter().find(|(known, _)| *known == method);
            let thesis = |at: usize, digits: usize| {
                thesis.map_or_else(
                    || "–".to_owned(),
                    |(_, values)| format!("{:.digits$}", values[at]),
                )
            };
            let Score { rand, information, segments } = score;
            table = table.row([
                full_name(method),
                format!("{rand:.3}"),
                thesis(0, 2),
                format!("{information:.3}"),
                thesis(1, 2),
                format!("{segments:.2}"),
                thesis(2, 2),
            ]);
        }
        table
    }

    /// The numbers of Table 4.1 as a comparison.
    fn compared(&self) -> Comparison {
        let mut comparison = Comparison::new("Table 4.1, the accuracies");
        for (method, score) in self.methods() {
            let thesis = TABLE_4_1.iter().find(|(known, _)| *known == method).map(|row| row.1);
            let both = [("AdjRand", score.rand), ("NMI", score.information)];
            for (at, (measure, ours)) in both.into_iter().enumerate() {
                let row = Compared::new(format!("{method}, {measure}")).ours(ours).decimals(2);
                comparison = comparison.row(row.paper(thesis.map(|row| row[at])).tolerance(0.05));
            }
        }
        comparison
    }

    /// Each method of Table 4.1 beside the next better one of the thesis: is it better here, too?
    fn order(&self) -> Table {
        let mut table = Table::new("The order of the methods: what the next better one gains")
            .column("method", Align::Left)
            .column("next better in the thesis", Align::Left)
            .column("AdjRand", Align::Right)
            .column("thesis", Align::Right)
            .column("NMI", Align::Right)
            .column("thesis", Align::Right);
        for Step { from, to, rand, information } in &self.steps {
            let thesis = |method: Method, at: usize| {
                TABLE_4_1.iter().find(|(known, _)| *known == method).map_or(0.0, |row| row.1[at])
            };
            let gain = |gain: &Gain| format!("{:+.3} ± {:.3}", gain.mean, gain.error);
            let theirs = |at: usize| format!("{:+.2}", thesis(*to, at) - thesis(*from, at));
            table = table.row([
                from.name().to_owned(),
                to.name().to_owned(),
                gain(rand),
                theirs(0),
                gain(information),
                theirs(1),
            ]);
        }
        table
    }

    fn by_threshold(&self, methods: &[Method], best: f64) -> Chart<Lines> {
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let title = format!("Agreement by threshold, {}", names.join(" and "));
        let chart = Chart::lines(title)
            .x_label("threshold ϑ_max")
            .y_label("agreement with the gold")
            .at_x(best, format!("thesis: {best}"));
        let x = |segmenter: &Segmenter| segmenter.threshold;
        self.agreement(chart, methods, &self.plan.thresholds, x)
    }

    fn segments_by_threshold(&self) -> Chart<Lines> {
        let chart = Chart::lines("Segments by threshold")
            .x_label("threshold ϑ_max")
            .y_label("segments a page")
            .at_y(self.gold_segments, "gold");
        super::FUSIONS.iter().fold(chart, |chart, method| {
            let points = self.part(&self.plan.thresholds);
            let points = points.filter(|(segmenter, _)| segmenter.method == *method);
            let points = points.map(|(segmenter, score)| (segmenter.threshold, score.segments));
            chart.series(method.name(), points)
        })
    }

    fn by_width(&self) -> Chart<Lines> {
        let chart = Chart::lines("Agreement by the width of lines")
            .x_label("columns w_max")
            .y_label("agreement with the gold")
            .at_x(f64::from(WIDTH), format!("thesis: {WIDTH}"));
        let x = |segmenter: &Segmenter| f64::from(segmenter.width);
        self.agreement(chart, &super::FUSIONS, &self.plan.widths, x)
    }

    /// Two lines for each method: both measures.
    fn agreement(
        &self,
        chart: Chart<Lines>,
        methods: &[Method],
        part: &std::ops::Range<usize>,
        x: impl Fn(&Segmenter) -> f64,
    ) -> Chart<Lines> {
        type Measure = fn(&Score) -> f64;
        let measures: [(&str, Measure); 2] =
            [("AdjRand", |score| score.rand), ("NMI", |score| score.information)];
        // All of the axis, so that charts compare and the lines leave room for the marks' names.
        let mut chart = chart.y_range(0.0, 1.0);
        for method in methods {
            for (name, measure) in measures {
                let points = self.part(part).filter(|(segmenter, _)| segmenter.method == *method);
                let points = points.map(|(segmenter, score)| (x(&segmenter), measure(&score)));
                chart = chart.marked_series(
                    format!("{}, {name}", method.name()),
                    points,
                    Mark::LineAndDots,
                );
            }
        }
        chart
    }

    fn by_iteration(&self) -> Chart<Lines> {
        let chart = Chart::lines("Error by iterations")
            .x_label("times that the blocks were gone through at most")
            .y_label("1 − AdjRand");
        super::FUSIONS.iter().fold(chart, |chart, method| {
            let points = self.part(&self.plan.iterations);
            let points = points.filter(|(segmenter, _)| segmenter.method == *method);
            let points = points.map(|(segmenter, score)| {
                (segmenter.iterations.unwrap_or_default() as f64, 1.0 - score.rand)
            });
            chart.marked_series(method.name(), points, Mark::LineAndDots)
        })
    }

    fn sizes_of_segments(&self) -> Chart<Lines> {
        let chart = Chart::lines("Sizes of segments")
            .x_label("rank of the segment, the largest first")
            .y_label("tokens")
            .log_x()
            .log_y();
        let names = self.methods().map(|(method, _)| method.name()).chain(["gold"]);
        names
            .zip(&self.sizes)
            .fold(chart, |chart, (name, sizes)| chart.series(name, by_rank(sizes)))
    }
}

/// Sizes, which ascend, by their rank: the first and the last rank of each size.
fn by_rank(sizes: &[u32]) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut before = 0;
    for run in sizes.chunk_by(PartialEq::eq).rev() {
        let size = f64::from(run[0]);
        points.push(((before + 1) as f64, size));
        if run.len() > 1 {
            points.push(((before + run.len()) as f64, size));
        }
        before += run.len();
    }
    points
}
