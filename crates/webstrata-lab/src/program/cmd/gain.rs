//! `webstrata-lab gain`: which features say most about what a block is (Figure 1 of the WSDM paper).

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use webstrata::features::FEATURES;
use webstrata_base::write_whole;
use webstrata_lab::dataset::{self, Dataset, Problem};
use webstrata_lab::{Chart, information};

use crate::sets::{self, LabelledArgs};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style, padded};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab gain --set sets/news
  webstrata-lab gain --set sets/l3s-gn1 --plot gain.svg
  webstrata-lab gain --set sets/news --features counts,text-density

The information gain is how many bits a feature tells about a block's class. Blocks are weighted by their
words. Values are cut into intervals first (Fayyad and Irani, as in Weka). If all sets are annotated, gains
are also shown for four classes: boilerplate, headline, full text, supplemental.

Exit codes: 0 done, 2 something failed.";

/// List features by their information gain for content and boilerplate
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    labelled: LabelledArgs,

    /// Write one JSON object instead of a table
    #[arg(long)]
    json: bool,

    /// Also write a bar chart
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// A feature and its bits.
#[derive(Serialize)]
struct Row {
    feature: &'static str,
    two_classes: f64,
    four_classes: Option<f64>,
}

#[derive(Serialize)]
struct Gains<'a> {
    version: u32,
    sets: Vec<&'a str>,
    blocks: usize,
    /// The highest first.
    features: &'a [Row],
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let opened = args.labelled.sets.open(&mut report)?;
    if let Some(file) = &args.plot {
        sets::check_output(file, &["svg"], &opened)?;
    }
    let progress = TerminalProgress::new(global.quiet);
    let found = args.labelled.read(&opened, &mut report, &progress);
    if found.is_empty() {
        return Ok(Exit::Failed);
    }
    let all: Vec<&Dataset> = found.iter().collect();
    let names: Vec<&str> = found.iter().map(|dataset| dataset.name.as_str()).collect();
    let chosen = &args.labelled.features.0;
    let examples = |problem| dataset::examples(&all, problem).with_features(chosen);
    let two = examples(Problem::TwoClass);
    sets::check_classes(&two, &names.join(", "))?;
    let (two, blocks) = (information::gains(&two), two.len());
    let is_annotated = found.iter().all(sets::is_annotated);
    let four = is_annotated.then(|| information::gains(&examples(Problem::FourClass)));
    let row = |(place, feature): (usize, &usize)| Row {
        feature: FEATURES[*feature].name,
        two_classes: two[place],
        four_classes: four.as_ref().map(|four| four[place]),
    };
    let mut rows: Vec<Row> = chosen.iter().enumerate().map(row).collect();
    rows.sort_by(|a, b| b.two_classes.total_cmp(&a.two_classes));
    if args.json {
        let gains = Gains { version: 1, sets: names.clone(), blocks, features: &rows };
        let mut json = serde_json::to_vec_pretty(&gains)?;
        json.push(b'\n');
        output::print(&json)?;
    } else {
        let style = Style::of_stdout(global.color);
        output::print(table(&names.join(", "), blocks, &rows, style).as_bytes())?;
    }
    if let Some(file) = &args.plot {
        write_whole(file, chart(&names.join(", "), &rows).as_bytes())?;
        report.note(format_args!("{}: written", file.display()));
    }
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

fn table(sets: &str, blocks: usize, rows: &[Row], style: Style) -> String {
    let names = rows.iter().map(|row| row.feature.len());
    let width = names.chain(["feature".len()]).max().unwrap_or(0);
    let has_four = rows.iter().any(|row| row.four_classes.is_some());
    let mut text = format!("{}, blocks: {blocks}\n", style.paint(Paint::Heading, sets));
    let four = if has_four { "  four classes" } else { "" };
    let head = format!("{}  two classes{four}", padded("feature", width));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, &head));
    for Row { feature, two_classes, four_classes } in rows {
        let _ = write!(text, "{}  {two_classes:11.4}", padded(feature, width));
        if let Some(four) = four_classes {
            let _ = write!(text, "  {four:12.4}");
        }
        text.push('\n');
    }
    text
}

fn chart(sets: &str, rows: &[Row]) -> String {
    let mut chart = Chart::bars(format!("Information gain of features, {sets}"))
        .note("blocks count by their words")
        .x_label("bits");
    for Row { feature, two_classes, four_classes } in rows {
        chart = match four_classes {
            None => chart.bar(*feature, *two_classes),
            Some(four) => chart.bar_in("two classes", *feature, *two_classes).bar_in(
                "four classes",
                *feature,
                *four,
            ),
        };
    }
    chart.to_svg()
}
