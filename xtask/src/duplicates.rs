//! Near-duplicates on invented pages: Table 4.3 of the thesis, and how many of planted pairs are found.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use webstrata_corpus::segmentation::{Method, Segmenter};
use webstrata_corpus::similarity::{Part, SimilarityOptions, Sketch};
use webstrata_lab::similarity::experiment::table_4_3;
use webstrata_lab::similarity::invented::TextKind;
use webstrata_lab::similarity::planted::Planting;

/// As many as the thesis found on all three of its sites.
const TEXTS: usize = 1082;
const SEED: u64 = 1;

const USAGE: &str =
    "expected `table`, `plant DIR N` or `check DIR [HASHES]`, see `cargo xtask duplicates --help`";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["table"] => {
            table();
            Ok(())
        }
        ["plant", folder, pages] => plant(Path::new(folder), number(pages)?),
        ["check", folder] => check(Path::new(folder), SimilarityOptions::default()),
        ["check", folder, hashes] => {
            let settings = SimilarityOptions::new(6, number(hashes)?, 0.5);
            check(Path::new(folder), settings.map_err(|error| error.to_string())?)
        }
        _ => Err(USAGE.into()),
    }
}

fn number(written: &str) -> Result<usize, String> {
    written.parse().map_err(|_| format!("{written}: not a number"))
}

fn table() {
    for (kind, name) in TextKind::ALL {
        let settings = SimilarityOptions::default();
        println!("{name}: {} pairs of each sort\n", 3 * TEXTS);
        println!(
            "| method | duplicates found | thesis | told apart | thesis |\n|---|---|---|---|---|"
        );
        for row in table_4_3(kind, TEXTS, settings, SEED) {
            let (found, apart) = match row.thesis {
                Some((found, apart)) => (format!("{found:.1} %"), format!("{apart:.1} %")),
                None => Default::default(),
            };
            println!(
                "| {} | {:.1} % | {found} | {:.1} % | {apart} |",
                row.method, row.found, row.apart
            );
        }
        println!();
    }
}

#[derive(Serialize)]
struct Page<'a> {
    id: String,
    html: &'a str,
}

#[derive(Serialize, Deserialize)]
struct Pair {
    id: String,
    original: String,
    similarity: f64,
}

/// Writes `pages.jsonl`, and `planted.jsonl` with what repeats what.
fn plant(folder: &Path, pages: usize) -> Result<(), String> {
    let create = |name: &str| {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok::<_, String>(BufWriter::new(file))
    };
    let (mut to_pages, mut to_pairs) = (create("pages.jsonl")?, create("planted.jsonl")?);
    let part = Part::Largest(Segmenter::new(Method::RuleBased));
    let planting = Planting::new(part, Sketch::new(SimilarityOptions::default()), SEED);
    for (number, page) in planting.take(pages).enumerate() {
        let id = number.to_string();
        write_line(&mut to_pages, &Page { id: id.clone(), html: &page.html })?;
        if let Some(original) = page.original {
            let similarity = original.similarity;
            write_line(
                &mut to_pairs,
                &Pair { id, original: original.page.to_string(), similarity },
            )?;
        }
    }
    let flushed = to_pages.flush().and_then(|()| to_pairs.flush());
    flushed.map_err(|error| format!("{}: {error}", folder.display()))
}

fn write_line(to: &mut impl Write, line: &impl Serialize) -> Result<(), String> {
    serde_json::to_writer(&mut *to, line).map_err(|error| error.to_string())?;
    to.write_all(b"\n").map_err(|error| error.to_string())
}

/// A line of `webstrata dedup --format json`.
#[derive(Deserialize)]
struct Found {
    name: String,
    id: String,
    duplicate_of: Option<String>,
}

/// For one tenth of similarity.
#[derive(Clone, Copy, Default)]
struct Tenth {
    planted: usize,
    found: usize,
    expected: f64,
    variance: f64,
}

/// Compares `found.jsonl` with `planted.jsonl`.
fn check(folder: &Path, settings: SimilarityOptions) -> Result<(), String> {
    let found: Vec<Found> = read_lines(&folder.join("found.jsonl"))?;
    let pairs: Vec<Pair> = read_lines(&folder.join("planted.jsonl"))?;
    let ids: HashMap<&str, &str> =
        found.iter().map(|found| (found.name.as_str(), found.id.as_str())).collect();
    let repeats: HashMap<&str, &str> = found
        .iter()
        .filter_map(|found| {
            let of = ids.get(found.duplicate_of.as_deref()?)?;
            Some((found.id.as_str(), *of))
        })
        .collect();
    let mut tenths = [Tenth::default(); 11];
    let mut right = 0;
    for pair in &pairs {
        let is_found = repeats.get(pair.id.as_str()) == Some(&pair.original.as_str());
        let chance = settings.found(pair.similarity);
        let tenth = &mut tenths[((10.0 * pair.similarity) as usize).min(10)];
        tenth.planted += 1;
        tenth.found += usize::from(is_found);
        tenth.expected += chance;
        tenth.variance += chance * (1.0 - chance);
        right += usize::from(is_found);
    }
    println!(
        "| similarity | planted | found | by the S-curve | standard error |\n|---|---|---|---|---|"
    );
    for (place, tenth) in tenths.iter().enumerate().filter(|(_, tenth)| tenth.planted > 0) {
        let share = |count: f64| 100.0 * count / tenth.planted as f64;
        let range = match place {
            10 => "1".into(),
            _ => format!("0.{place} to {:.1}", (place + 1) as f64 / 10.0),
        };
        println!(
            "| {range} | {} | {:.2} % | {:.2} % | {:.2} |",
            tenth.planted,
            share(tenth.found as f64),
            share(tenth.expected),
            share(tenth.variance.sqrt())
        );
    }
    println!("\nfalse pairs: {} among {} pages", repeats.len() - right, found.len());
    Ok(())
}

fn read_lines<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let line = |line: Result<String, std::io::Error>| {
        let line = line.map_err(|error| wrong(&error))?;
        serde_json::from_str(&line).map_err(|error| wrong(&error))
    };
    BufReader::new(file).lines().map(line).collect()
}
