//! Compares what `webstrata dedup` decided with the truth: every pair of texts, by the sets of their runs of words.
//!
//! ```sh
//! webstrata extract --format jsonl --output texts.jsonl DIR
//! webstrata dedup --threshold 0.7 --format json --output decisions.jsonl texts.jsonl
//! cargo run --release -p webstrata-corpus --example near_duplicates texts.jsonl decisions.jsonl 0.7
//! ```
//!
//! Pairs are counted by similarity, beside how many of them share a band by the S-curve, if pairs were independent of each
//! other, and how many do on average over other choices of orders of the min-hashes. With the name of a fourth file,
//! all pairs of at least that similarity are written to it, for `bench/near_duplicates.py`.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;

use serde::Deserialize;
use serde_json::json;
use webstrata_corpus::similarity::{NearOptions, NearSketch, NearText};

/// Similarities between which pairs are counted together; the last bin has equal sets.
const BINS: [f64; 9] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1];

/// Choices of orders that are compared with the one that the command has.
const CHOICES: u64 = 200;

/// Two texts and their similarity.
type Pair = (usize, usize, f64);

#[derive(Deserialize)]
struct Record {
    id: String,
    text: String,
}

#[derive(Deserialize)]
struct Decided {
    name: String,
    id: String,
    duplicate_of: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [texts, decisions, threshold, written @ ..] = &arguments[..] else {
        return Err("expected TEXTS.jsonl DECISIONS.jsonl THRESHOLD [PAIRS.jsonl]".into());
    };
    let options = NearOptions::new(5, 14, 8, threshold.parse()?)?;
    let records: Vec<Record> = lines(texts)?;
    let decided: Vec<Decided> = lines(decisions)?;
    let numbers: HashMap<&str, usize> =
        records.iter().enumerate().map(|(number, record)| (record.id.as_str(), number)).collect();
    let truth = Truth::of(&records, options.shingle());
    let all = truth.pairs(BINS[0].min(options.threshold()));
    let is_similar = |(.., similarity): &&Pair| *similarity >= options.threshold();
    let pairs: Vec<_> = all.iter().filter(is_similar).copied().collect();

    if let [path, ..] = written {
        let line = |(a, b, similarity): &Pair| {
            let pair = json!({"a": records[*a].id, "b": records[*b].id, "similarity": similarity});
            format!("{pair}\n")
        };
        fs::write(path, pairs.iter().map(line).collect::<String>())?;
    }

    // What was decided.
    let by_name: HashMap<&str, &str> =
        decided.iter().map(|one| (one.name.as_str(), one.id.as_str())).collect();
    let (mut called, mut right) = (0, 0);
    for one in &decided {
        let Some(of) = one.duplicate_of.as_deref() else { continue };
        called += 1;
        let similarity = truth.similarity(numbers[one.id.as_str()], numbers[by_name[of]]);
        right += usize::from(similarity >= options.threshold());
        if similarity < options.threshold() {
            println!("wrong: {} of {of}, {similarity:.3}", one.id);
        }
    }

    // Which of all pairs share a band, and which would by the S-curve.
    let shared = |sketch: &NearSketch, pairs: &[Pair]| -> Vec<bool> {
        let mut prints: HashMap<usize, Option<NearText>> = HashMap::new();
        for number in pairs.iter().flat_map(|(a, b, _)| [*a, *b]) {
            prints.entry(number).or_insert_with(|| sketch.text(&records[number].text));
        }
        let shares_band = |(a, b, _): &Pair| {
            let [Some(a), Some(b)] = [&prints[a], &prints[b]] else { return false };
            let [a, b] = [a, b].map(|text| text.print().hashes().chunks(options.rows()));
            a.zip(b).any(|(a, b)| a == b)
        };
        pairs.iter().map(shares_band).collect()
    };
    let sketch = NearSketch::new(options);
    // Pairs below the threshold are never called duplicates, but they too share a band as often as the curve says.
    let bins = |of: &[Pair]| {
        let found = shared(&sketch, of).into_iter().filter(|shares| *shares).count();
        let chance = |(.., similarity): &Pair| options.candidate(*similarity);
        let (expected, variance) = of
            .iter()
            .map(chance)
            .fold((0.0, 0.0), |(sum, variance), p| (sum + p, variance + p * (1.0 - p)));
        format!(
            "{} pairs, share a band: {found}, by the S-curve: {expected:.1} ± {:.1}",
            of.len(),
            f64::sqrt(variance)
        )
    };
    let in_bins: Vec<(&[f64], Vec<Pair>)> = BINS
        .windows(2)
        .map(|bin| {
            let is_in = |pair: &&Pair| (bin[0]..bin[1]).contains(&pair.2);
            (bin, all.iter().filter(is_in).copied().collect())
        })
        .collect();
    // How many share a band over many choices of orders. All pairs of a choice have the same orders.
    let different: Vec<_> = all.iter().filter(|pair| pair.2 < 1.0).copied().collect();
    let mut counts = vec![Vec::new(); in_bins.len()];
    for seed in 0..CHOICES {
        let shares = shared(&NearSketch::seeded(options, seed), &different);
        for (counts, (bin, _)) in counts.iter_mut().zip(&in_bins) {
            let is_in =
                |(pair, shares): &(&Pair, bool)| *shares && (bin[0]..bin[1]).contains(&pair.2);
            counts.push(different.iter().zip(shares.iter().copied()).filter(is_in).count() as f64);
        }
    }
    let by_bin = in_bins.iter().zip(&counts).map(|((bin, pairs), counts)| {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>();
        let deviation = (variance / counts.len() as f64).sqrt();
        let line = format!("  {:.1} to {:.1}: {}", bin[0], bin[1].min(1.0), bins(pairs));
        match bin[0] < 1.0 {
            true => format!("{line}; over {CHOICES} choices of orders: {mean:.1} ± {deviation:.1}"),
            false => line,
        }
    });

    // Whom comparing each with all kept ones drops.
    let mut dropped = HashSet::new();
    let mut earlier: HashMap<usize, Vec<usize>> = HashMap::new();
    pairs.iter().for_each(|(a, b, _)| earlier.entry(*b).or_default().push(*a));
    for page in 0..records.len() {
        let all = earlier.get(&page).map_or(&[][..], Vec::as_slice);
        if all.iter().any(|other| !dropped.contains(other)) {
            dropped.insert(page);
        }
    }
    let is_dropped =
        |one: &&Decided| one.duplicate_of.is_some() && dropped.contains(&numbers[one.id.as_str()]);
    println!("pages: {}, called duplicates: {called}, of these right: {right}", records.len());
    println!("at least {threshold}: {}", bins(&pairs));
    by_bin.for_each(|line| println!("{line}"));
    println!(
        "dropped by comparing all with all: {}, of these called: {}",
        dropped.len(),
        decided.iter().filter(is_dropped).count()
    );
    Ok(())
}

fn lines<T: for<'a> Deserialize<'a>>(path: &str) -> Result<Vec<T>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// The sets of runs of words of all texts, each run as it stands in the text.
struct Truth {
    sets: Vec<HashSet<u32>>,
}

impl Truth {
    fn of(records: &[Record], size: usize) -> Truth {
        let mut numbers: HashMap<Vec<String>, u32> = HashMap::new();
        let mut set = |record: &Record| {
            let mut words = Vec::new();
            webstrata::words::for_each_word(&record.text, |word| {
                words.push(word.chars().filter(|c| c.is_alphanumeric()).collect::<String>());
            });
            let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
            let runs = words.windows(size.min(words.len()).max(1));
            runs.map(|run| {
                let next = numbers.len() as u32;
                *numbers.entry(run.to_vec()).or_insert(next)
            })
            .collect()
        };
        Truth { sets: records.iter().map(&mut set).collect() }
    }

    fn similarity(&self, a: usize, b: usize) -> f64 {
        let both = self.sets[a].intersection(&self.sets[b]).count();
        both as f64 / (self.sets[a].len() + self.sets[b].len() - both) as f64
    }

    /// All pairs of at least this similarity.
    fn pairs(&self, threshold: f64) -> Vec<Pair> {
        let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
        for (number, set) in self.sets.iter().enumerate() {
            set.iter().for_each(|run| holders.entry(*run).or_default().push(number));
        }
        let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
        for pages in holders.values() {
            for (at, b) in pages.iter().enumerate() {
                pages[..at].iter().for_each(|a| *shared.entry((*a, *b)).or_default() += 1);
            }
        }
        let similarity = |((a, b), both): ((usize, usize), usize)| {
            let either = self.sets[a].len() + self.sets[b].len() - both;
            (a, b, both as f64 / either as f64)
        };
        let mut pairs: Vec<_> = shared.into_iter().map(similarity).collect();
        pairs.retain(|(.., similarity)| *similarity >= threshold);
        pairs.sort_by_key(|(a, b, _)| (*a, *b));
        pairs
    }
}
