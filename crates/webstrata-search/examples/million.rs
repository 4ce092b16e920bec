//! What it costs to index a million short pages, and how long questions take.
//!
//! `cargo run --release -p webstrata-search --example million DIR [PAGES] [levels]` writes an index to
//! `DIR/index` and the questions to `DIR/questions.json`, for `bench/search.py` to ask the same index the
//! same questions.

use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use webstrata_base::random::Random;
use webstrata_search::{
    Entry, Facet, GENERAL, Index, IndexOptions, Level, Matching, Mix, Piece, Query, Ranks,
    Searcher, WriterOptions,
};

/// Different words; how often each comes is one through its place.
const WORDS: usize = 300_000;
/// Questions of each kind.
const QUESTIONS: usize = 200;
/// How often each is asked; its time is the median, so that others on the machine do not count.
const ROUNDS: usize = 9;
/// The facets of the thesis: 16 topics and none.
const FACETS: usize = 17;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("usage: million DIR [PAGES] [levels]")?);
    let pages: u64 = args.next().map_or(Ok(1_000_000), |pages| pages.parse())?;
    let levels = args.next().is_some();
    let index = build(&folder.join("index"), pages, levels)?;
    let questions = questions();
    let json = serde_json::to_vec(&questions)?;
    std::fs::write(folder.join("questions.json"), json)?;

    let searcher = index.searcher()?;
    println!("| question | p50 | p99 | pages that match, median |\n|---|---:|---:|---:|");
    for (kind, questions) in &questions {
        row(kind, &searcher, questions, |query| Query { mix: Mix::text(), ..query })?;
    }
    for (kind, questions) in &questions {
        hits(kind, &searcher, questions)?;
    }
    if levels {
        let level = |query| Query { mix: Mix::text(), level: Some(Level::Words(10)), ..query };
        // The first one counts the lengths of all pages.
        searcher.best(&level(Query::new("x")))?;
        for (kind, questions) in &questions {
            row(&format!("{kind}, blocks of 10 words and more"), &searcher, questions, level)?;
        }
    }
    index.write_ranks(&ranks(pages))?;
    let searcher = index.searcher()?;
    for (kind, questions) in &questions {
        row(&format!("{kind}, times rank"), &searcher, questions, |query| query)?;
    }
    facets(&searcher, &questions)
}

/// Makes the pages and indexes them.
fn build(folder: &Path, pages: u64, levels: bool) -> Result<Index, Box<dyn Error>> {
    let options = IndexOptions { levels, texts: Vec::new() };
    let index = Index::create(folder, &options)?;
    let mut writer = index.writer(&WriterOptions {
        threads: 2,
        memory: 512 << 20,
        ..WriterOptions::default()
    })?;
    let mut random = Random::new(1);
    let (mut making, mut bytes) = (Duration::ZERO, 0);
    let start = Instant::now();
    for number in 0..pages {
        let made = Instant::now();
        let page = page(number, &mut random);
        making += made.elapsed();
        bytes += page.title.len() + page.main.len() + page.boilerplate.len();
        writer.add(&page)?;
    }
    writer.commit()?;
    let committed = start.elapsed() - making;
    writer.finish()?;
    let contents = index.contents()?;
    println!(
        "{pages} pages, {:.0} MB of text, levels {levels}: {:.1} s to the last commit, {:.1} s with merging, {:.0} MB in {} segments\n",
        bytes as f64 / 1e6,
        committed.as_secs_f64(),
        (start.elapsed() - making).as_secs_f64(),
        contents.bytes as f64 / 1e6,
        contents.segments,
    );
    Ok(index)
}

fn page(number: u64, random: &mut Random) -> Entry {
    let text = |random: &mut Random, words: usize| {
        let words: Vec<String> = (0..words).map(|_| word(zipf(random))).collect();
        words.join(" ")
    };
    let mut pieces = Vec::new();
    for (least, most) in [(2, 6), (15, 40), (3, 15)] {
        let words = least + random.below(most - least);
        let text = text(random, words);
        pieces.push(Piece { words: words as u32, density: words.min(14) as f64, text });
    }
    let host = format!("h{}.example", number % 5_000);
    let url = format!("https://{host}/p{number}");
    Entry {
        id: url.clone(),
        url: Some(url),
        host: Some(host),
        title: text(random, 6),
        main: format!("{}\n{}\n", pieces[1].text, pieces[2].text),
        boilerplate: pieces[0].text.clone(),
        language: Some("en".into()),
        pieces,
        ..Entry::default()
    }
}

/// The place of a word, the first ones more often: one through its place.
fn zipf(random: &mut Random) -> usize {
    ((WORDS as f64).powf(random.unit()) as usize).clamp(1, WORDS) - 1
}

/// The word of a place: syllables, more of them for rarer words.
fn word(mut place: usize) -> String {
    let mut word = String::new();
    loop {
        word.push(char::from(b"bdfghklmnprstvwz"[place % 16]));
        word.push(char::from(b"aeiou"[place / 16 % 5]));
        place /= 80;
        if place == 0 {
            return word;
        }
        place -= 1;
    }
}

type Questions = Vec<(String, Vec<String>)>;

/// Makes a question.
type Ask = fn(&mut Random) -> String;

fn questions() -> Questions {
    let kinds: [(&str, Ask); 5] = [
        ("rare word", |random| draw(random, 20_000..200_000)),
        ("common word", |random| draw(random, 0..50)),
        ("two words", |random| format!("{} {}", draw(random, 0..200), draw(random, 200..5_000))),
        ("two common words", |random| format!("{} {}", draw(random, 0..25), draw(random, 25..50))),
        ("phrase", |random| format!("\"{} {}\"", draw(random, 0..100), draw(random, 0..100))),
    ];
    let mut random = Random::new(2);
    let mut questions = Vec::new();
    for (kind, ask) in kinds {
        questions.push((kind.to_owned(), (0..QUESTIONS).map(|_| ask(&mut random)).collect()));
    }
    questions
}

fn draw(random: &mut Random, places: Range<usize>) -> String {
    word(places.start + random.below(places.len()))
}

/// The times of questions whose best ten pages are found, not read.
fn row(
    kind: &str,
    searcher: &Searcher,
    questions: &[String],
    ask: impl Fn(Query) -> Query,
) -> Result<(), Box<dyn Error>> {
    let mut totals = Vec::new();
    let times = timed(questions, |question| {
        let query = ask(Query { matching: Matching::All, ..Query::new(question) });
        totals.push(searcher.best(&query)?.total);
        Ok(())
    })?;
    totals.sort_unstable();
    print_row(kind, times, totals.get(totals.len().saturating_sub(1) / 2).copied());
    Ok(())
}

/// The same with everything that is shown of them.
fn hits(kind: &str, searcher: &Searcher, questions: &[String]) -> Result<(), Box<dyn Error>> {
    let times = timed(questions, |question| {
        searcher.search(&Query { mix: Mix::text(), ..Query::new(question) })?;
        Ok(())
    })?;
    print_row(&format!("{kind}, with snippets"), times, None);
    Ok(())
}

/// The best hundred pages for all facets at once, as the detection of facets needs them.
fn facets(searcher: &Searcher, questions: &Questions) -> Result<(), Box<dyn Error>> {
    let mut mixes = vec![Mix::default()];
    mixes.extend((1..FACETS).map(|facet| Mix::facet(format!("Top/{facet}"))));
    for (kind, questions) in questions {
        let times = timed(questions, |question| {
            searcher.tops(&Query::new(question), &mixes, 100)?;
            Ok(())
        })?;
        print_row(&format!("{kind}, best 100 for {FACETS} facets"), times, None);
    }
    Ok(())
}

/// The median time of each question.
fn timed(
    questions: &[String],
    mut ask: impl FnMut(&str) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut times = vec![Vec::new(); questions.len()];
    for _ in 0..ROUNDS {
        for (question, times) in questions.iter().zip(&mut times) {
            let start = Instant::now();
            ask(question)?;
            times.push(start.elapsed());
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    Ok(times.iter().map(|times| times[times.len() / 2]).collect())
}

fn print_row(kind: &str, mut times: Vec<Duration>, total: Option<u64>) {
    times.sort_unstable();
    let at = |share: f64| {
        let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let total = total.map_or(String::new(), |total| total.to_string());
    println!("| {kind} | {:.2} ms | {:.2} ms | {total} |", at(0.5), at(0.99));
}

fn ranks(pages: u64) -> Ranks {
    let mut random = Random::new(3);
    let mut ranks = Ranks::new();
    for facet in 0..FACETS {
        let name = if facet == 0 { GENERAL.to_owned() } else { format!("Top/{facet}") };
        let vector: Vec<f32> = (0..pages).map(|_| 1.0 / (random.unit() as f32 + 0.01)).collect();
        ranks.add(Facet::topic(name), &vector);
    }
    ranks
}
