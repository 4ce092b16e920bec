//! All that a report can show, with invented numbers, to look at: `cargo run -p webstrata-lab
//! --example gallery DIR`, then open `DIR/index.html`.

use std::path::Path;

use webstrata::features::FEATURES;
use webstrata_lab::plot::{Bars, Dots, Histogram, Lines, Mark, edges};
use webstrata_lab::report::{Align, Compared, Comparison, Section, Table};
use webstrata_lab::{Chart, Error, Report};

fn main() -> Result<(), Error> {
    let folder = std::env::args().nth(1);
    let folder = folder.ok_or_else(|| Error::new("name a folder for the gallery"))?;
    let report = Report::new("A gallery of invented numbers")
        .about("Every kind of table and chart that `webstrata-lab lab` can show. Nothing was measured.")
        .fact("pages", "621")
        .fact("seed", "1")
        .section(tables())
        .section(charts());
    report.write(Path::new(&folder))
}

fn tables() -> Section {
    let sets = Table::new("Sets")
        .column("set", Align::Left)
        .column("pages", Align::Right)
        .column("blocks", Align::Right)
        .row(["harbour", "621", "72,662"])
        .row(["lighthouse", "58", "4,123"]);
    let why = "a quotient of 0 at the top of a page";
    let accuracy = Comparison::new("F1 of classifiers")
        .row(Compared::new("one feature").paper(0.871).ours(0.878))
        .row(Compared::new("with a quotient").paper(0.869).ours(0.842).otherwise(why, 0.866))
        .row(Compared::new("all features").paper(0.978).ours(0.981))
        .row(Compared::new("the swarm").paper(0.91).ours(0.931))
        .row(Compared::new("not run yet").paper(0.96));
    let sizes = Comparison::new("Sizes of trees")
        .row(Compared::new("leaves").paper(1200.0).ours(1204.0).tolerance(10.0).decimals(0));
    Section::new("Tables")
        .text("Blocks were cut with `--rules atomic`.")
        .section(Section::new("Plain").table(sets))
        .section(
            Section::new("Compared")
                .figure("Rings are the paper's.", &dots(&accuracy))
                .comparison(accuracy)
                .comparison(sizes)
                .note("Differences up to 0.01 are none, unless a row says otherwise."),
        )
}

fn charts() -> Section {
    Section::new("Charts")
        .figure("Best first.", &bars())
        .figure("From the best page of each extractor to its worst.", &ranked())
        .figure("A logarithmic axis, dots, steps and two marks.", &swarm())
        .figure("Classes on top of each other, and a model of two of them.", &density_with_model())
        .figure("The share of each class.", &density().shares().y_label("share"))
}

fn dots(comparison: &Comparison) -> Chart<Dots> {
    comparison.chart().x_label("F1").x_range(0.8, 1.0)
}

fn bars() -> Chart<Bars> {
    let chart = Chart::bars("Information gain of each feature").x_label("bits");
    FEATURES.iter().enumerate().fold(chart, |chart, (rank, feature)| {
        let group = match feature.name.split_once('.') {
            Some(("prev", _)) => "block above",
            Some(("next", _)) => "block below",
            _ => "block",
        };
        chart.bar_in(group, feature.name, 0.9 / (1.0 + 0.15 * rank as f64))
    })
}

fn ranked() -> Chart<Lines> {
    let chart = Chart::lines("F1 of pages, ranked").x_label("page").y_label("F1").y_range(0.0, 1.0);
    (1..=12).fold(chart, |chart, number| {
        let worse = 0.03 * f64::from(number);
        let f1 = move |page: i32| 1.0 - worse - (f64::from(page) / 620.0).powi(3) * (0.3 + worse);
        let points = (0..620).map(move |page| (f64::from(page), f1(page)));
        chart.series(format!("extractor {number}"), points)
    })
}

fn swarm() -> Chart<Lines> {
    let fitness =
        |best: f64| (1..=40).map(move |step| (f64::from(step), best - 0.4 / f64::from(step)));
    Chart::lines("Convergence of the swarm")
        .x_label("iteration")
        .y_label("fitness")
        .log_x()
        .marked_series("best", fitness(0.9), Mark::LineAndDots)
        .marked_series("mean", fitness(0.8), Mark::Steps)
        .at_y(0.87, "the paper's 0.87")
        .at_x(12.0, "no better from here on")
}

fn bell(middle: f64, width: f64, high: f64) -> impl Fn(f64) -> f64 {
    move |x| high * (-((x - middle) / width).powi(2) / 2.0).exp()
}

fn density() -> Chart<Histogram> {
    let edges = edges(0.0, 22.0, 44);
    let heights = |class: &dyn Fn(f64) -> f64| -> Vec<f64> {
        edges.windows(2).map(|bin| class(f64::midpoint(bin[0], bin[1]))).collect()
    };
    Chart::histogram("Words by text density", edges.iter().copied())
        .x_label("words per full line")
        .y_label("words")
        .class("boilerplate", heights(&bell(2.5, 2.0, 42e3)))
        .class("content", heights(&bell(12.0, 2.2, 38e3)))
        .class("comments", heights(&bell(8.0, 2.5, 6e3)))
}

fn density_with_model() -> Chart<Histogram> {
    let (menus, text) = (bell(2.5, 2.0, 42e3), bell(12.0, 2.2, 38e3));
    let model = (0..=220).map(|tenth| f64::from(tenth) / 10.0).map(|x| (x, menus(x) + text(x)));
    density().curve("two-part model", model)
}
