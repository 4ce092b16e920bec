//! A million invented documents of 500 domains through the URL Tree: is the millionth as cheap as the
//! first, and does the tree stay within its memory? `cargo bench -p webstrata-site --bench url_tree`
//! prints a row for each tenth of them.

use webstrata_base::random::Random;
use webstrata_site::url_key::UrlKey;
use webstrata_site::url_tree::{Bounds, Heuristic, UrlTree, Visit};

const DOCUMENTS: u64 = 1_000_000;
const DOMAINS: u64 = 500;
/// Two months.
const SECONDS: u64 = 60 * 24 * 3600;
/// What a page has: texts of the site's template, of its section's, and its own; places of two verdicts.
const TEMPLATE: u64 = 45;
const SECTION: u64 = 8;
const OWN: u64 = 30;
const PLACES: u64 = 20;

fn main() {
    let documents = std::env::var("DOCUMENTS").ok().and_then(|number| number.parse().ok());
    let documents: u64 = documents.unwrap_or(DOCUMENTS);
    let budget = 256 << 20;
    let mut tree = UrlTree::new(Bounds { memory: budget, ..Bounds::default() });
    let mut random = Random::new(1);
    println!(
        "{documents} documents of {DOMAINS} domains, at most {} MB\n{:>12}{:>14}{:>12}{:>12}{:>12}{:>14}{:>10}",
        budget >> 20,
        "documents",
        "µs a document",
        "held",
        "bound, MB",
        "taken, MB",
        "MB for 1,000",
        "RSS, MB"
    );
    let tenth = documents.div_ceil(10);
    let mut started = processor_seconds();
    let mut repeated = 0u64;
    for number in 0..documents {
        let mut visit = visit(&mut random, number, documents);
        let key = visit.key.clone();
        let texts = visit.texts.clone();
        tree.insert(&mut visit);
        let view = tree.view(&key);
        let node = view.select(Heuristic::Strict);
        repeated += texts.iter().filter(|text| view.count(node, **text) > 1).count() as u64;
        tree.take_evicted();
        if (number + 1) % tenth == 0 {
            let micros = (processor_seconds() - started) * 1e6 / tenth as f64;
            let megabytes = |bytes: usize| bytes as f64 / 1e6;
            println!(
                "{:>12}{micros:>14.2}{:>12}{:>12.1}{:>12.1}{:>14.2}{:>10.1}",
                number + 1,
                tree.len(),
                megabytes(tree.memory()),
                megabytes(tree.allocated()),
                megabytes(tree.allocated()) * 1e3 / tree.len() as f64,
                resident(),
            );
            started = processor_seconds();
        }
    }
    println!("texts taken for boilerplate: {:.1} a document", repeated as f64 / documents as f64);
}

/// A document of a random domain, smaller domains rarer; its sections change by the day.
fn visit(random: &mut Random, number: u64, documents: u64) -> Visit {
    let share = random.below(1_000_000) as f64 / 1e6;
    let domain = ((DOMAINS as f64 + 1.0).powf(share) - 1.0) as u64;
    let time = (number as f64 / documents as f64 * SECONDS as f64) as u64;
    let (day, section) = (time / 86_400, random.below(5) as u64);
    let key = format!("site{domain}.org/section{section}/{day:03}/{number}.html");
    // A tenth of a site's template is another one every week.
    let template =
        |text: u64| domain << 40 | (text + if text < TEMPLATE / 10 { day / 7 * 1000 } else { 0 });
    let mut texts: Vec<u64> = (0..TEMPLATE).map(template).collect();
    texts.extend((0..SECTION).map(|text| domain << 40 | (section + 1) << 32 | text));
    texts.extend((0..OWN).map(|text| 1 << 63 | number << 16 | text));
    let mix = |key: &u64| {
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let places = (0..PLACES)
        .map(|place| 1 << 62 | domain << 32 | place << 1 | (random.below(10) == 0) as u64);
    let places: Vec<u64> = places.collect();
    Visit {
        key: UrlKey::parse(&key).expect("a key"),
        time: time as i64,
        texts: texts.iter().map(mix).collect(),
        places: places.iter().map(mix).collect(),
    }
}

/// Seconds of processor time of this process, by the kernel's count; 0 where nobody tells.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything; two numbers of hundredths.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// The memory of the process, in megabytes; 0 where nobody tells.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 =
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
    kilobytes / 1e3
}
