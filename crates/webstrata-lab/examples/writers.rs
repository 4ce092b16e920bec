//! The random writers and the density model of section 4.4.4, on the set l3s-gn1 (the thesis' GoogleNews),
//! as the tables of docs/density.md:
//!
//! ```text
//! cargo run --release -p webstrata-lab --example writers DIR/l3s-gn1
//! ```

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use webstrata::cutting::Cutting;
use webstrata::{Counts, Hidden, Options};
use webstrata_lab::density::{DensityModel, Fit, FitError, Histogram};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = env::args().nth(1).ok_or("usage: writers DIR/l3s-gn1")?;
    let mut corpora = Vec::new();
    for (folder, cutting, hidden, name) in WAYS {
        let options = Options { hidden, ..Options::default() };
        corpora.push((name, Corpus::read(&Path::new(&set).join(folder), cutting, &options)?));
    }
    print_writers(&corpora)?;
    print_densities(&corpora)?;
    print_eleven(&corpora);
    Ok(())
}

/// Folder, cutting, hidden text, and their name in the tables.
const WAYS: [(&str, Cutting, Hidden, &str); 5] = [
    ("pages", Cutting::Boilerpipe, Hidden::Keep, "boilerpipe's blocks, hidden text kept"),
    ("pages", Cutting::Boilerpipe, Hidden::Drop, "boilerpipe's blocks"),
    ("pages", Cutting::Atomic, Hidden::Keep, "atomic blocks, hidden text kept"),
    ("pages", Cutting::Atomic, Hidden::Drop, "atomic blocks"),
    ("annotated", Cutting::Atomic, Hidden::Drop, "atomic blocks, annotated pages"),
];

#[derive(Default)]
struct Corpus {
    blocks: u64,
    /// Blocks by number of words.
    by_words: Vec<u64>,
    /// Words by density, to the nearest whole number, and to the next one above.
    by_density: Vec<u64>,
    by_density_above: Vec<u64>,
    /// Words in blocks of at least eleven words, and of a density of at least eleven.
    in_long: u64,
    in_dense: u64,
}

impl Corpus {
    fn read(folder: &Path, cutting: Cutting, options: &Options) -> io::Result<Corpus> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        files.sort();
        let mut corpus = Corpus::default();
        for file in files {
            let document = webstrata::read(&fs::read(file)?, cutting, options);
            document.atoms.iter().for_each(|atom| corpus.add(&atom.counts));
        }
        Ok(corpus)
    }

    /// Blocks without words, such as those of a bullet alone, are none that a writer writes.
    fn add(&mut self, counts: &Counts) {
        if counts.words > 0 {
            let (words, density) = (u64::from(counts.words), counts.text_density());
            self.blocks += 1;
            self.in_long += if words >= 11 { words } else { 0 };
            self.in_dense += if density >= 11.0 { words } else { 0 };
            add(&mut self.by_words, words as usize, 1);
            add(&mut self.by_density, density.round() as usize, words);
            add(&mut self.by_density_above, density.ceil() as usize, words);
        }
    }
}

fn add(counts: &mut Vec<u64>, at: usize, count: u64) {
    if counts.len() <= at {
        counts.resize(at + 1, 0);
    }
    counts[at] += count;
}

fn print_writers(corpora: &[(&str, Corpus)]) -> Result<(), FitError> {
    println!(
        "| blocks | number | P_T(N) | adjusted R² | RMSE | P_N(S) | P_S(N) | P_L(N) | adjusted R² | RMSE |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    println!(
        "| the thesis | 72662 | 0.3145 | 0.967 | 0.0046 | 0.7586 | 0.3968 | 0.0437 | 0.9881 | 0.0027 |"
    );
    for (name, corpus) in corpora {
        let blocks = Histogram::of_counts(&corpus.by_words);
        print_row(
            name,
            corpus.blocks,
            [DensityModel::RandomWriter, DensityModel::StratifiedWriter],
            |model| model.fit(&blocks),
        )?;
        print_row(
            "… by likelihood",
            corpus.blocks,
            [DensityModel::RandomWriter, DensityModel::StratifiedWriter],
            |model| model.fit_likelihood(&blocks),
        )?;
    }
    Ok(())
}

fn print_row(
    name: &str,
    number: u64,
    models: [DensityModel; 2],
    fit: impl Fn(DensityModel) -> Result<Fit, FitError>,
) -> Result<(), FitError> {
    print!("| {name} | {number} |");
    for model in models {
        let fit = fit(model)?;
        fit.parameters.iter().for_each(|(_, value)| print!(" {value:.4} |"));
        print!(" {:.4} | {:.4} |", fit.goodness.adjusted_r2, fit.goodness.rmse);
    }
    println!();
    Ok(())
}

fn print_densities(corpora: &[(&str, Corpus)]) -> Result<(), FitError> {
    println!(
        "\n| words by density | R² | RMSE | dense: mode, share | sparse: mode, share | between: centre, deviation, share | R² rounded up | R² three Betas |"
    );
    println!("| --- | --: | --: | --: | --: | --: | --: | --: |");
    println!("| the thesis | 0.997 | 0.0213 | | | | | |");
    for (name, corpus) in corpora {
        let nearest = Histogram::of_counts(&corpus.by_density);
        let fit = DensityModel::BetaNormal.fit(&nearest)?;
        let above =
            DensityModel::BetaNormal.fit(&Histogram::of_counts(&corpus.by_density_above))?;
        let three = DensityModel::ThreeBetas.fit(&nearest)?;
        print!("| {name} | {:.4} | {:.4} |", fit.goodness.r2, fit.goodness.rmse);
        print_parts(&fit, &nearest);
        println!(" {:.4} | {:.4} |", above.goodness.r2, three.goodness.r2);
    }
    Ok(())
}

fn print_parts(fit: &Fit, histogram: &Histogram) {
    let value = |name: &str| fit.parameter(name).unwrap_or_default();
    let x_norm = histogram.limit();
    let mode = |a: f64, b: f64| x_norm * (a - 1.0) / (a + b - 2.0);
    let share = |which: usize| {
        let heights = histogram.points().iter().map(|(x, _)| fit.parts(*x)[which].1);
        100.0 * heights.sum::<f64>()
    };
    let (dense, sparse) = (mode(value("a1"), value("b1")), mode(value("a2"), value("b2")));
    let (centre, deviation) = (value("mu") / value("e"), value("sigma") / value("e"));
    print!(" {dense:.1}, {:.0} % | {sparse:.1}, {:.0} % |", share(0), share(1));
    print!(" {:.1}, {:.1}, {:.0} % |", x_norm * centre, x_norm * deviation, share(2));
}

/// How little it matters whether words or density decide (λ = 11).
fn print_eleven(corpora: &[(&str, Corpus)]) {
    println!(
        "\n| words in blocks | of at least 11 words | of a density of at least 11 | difference |"
    );
    println!("| --- | --: | --: | --: |");
    println!("| the thesis | 345175 | 358428 | 3.8 % |");
    for (name, Corpus { in_long, in_dense, .. }) in corpora {
        let difference = 100.0 * (*in_dense as f64 / *in_long as f64 - 1.0);
        println!("| {name} | {in_long} | {in_dense} | {difference:.1} % |");
    }
}
