//! Makes an index with ranks and the status of a stream from invented pages, for trying the server:
//! `cargo run -p webstrata-serve --example sample -- INDEX STORE`.

use std::path::PathBuf;
use std::{env, error, fs, iter};

use webstrata_feeds::pipeline::{STATUS_VERSION, SiteStatus, Status, status_file};
use webstrata_search::{
    Date, Entry, Facet, GENERAL, Index, IndexOptions, Piece, Ranks, WriterOptions,
};

const TOPICS: [&str; 3] = ["Top/Sea/Ferries", "Top/Sea/Tides", "Top/Land"];
const WORDS: [&str; 3] = ["ferry islands noon", "tide moon water", "bus road village"];
const PAGES: usize = 300;

fn main() -> Result<(), Box<dyn error::Error>> {
    let mut arguments = env::args().skip(1).map(PathBuf::from);
    let (Some(index), Some(store)) = (arguments.next(), arguments.next()) else {
        return Err("usage: sample INDEX STORE".into());
    };
    let index = Index::create(&index, &IndexOptions::default())?;
    let mut writer = index.writer(&WriterOptions::default())?;
    for number in 0..PAGES {
        writer.add(&page(number))?;
    }
    writer.finish()?;
    index.write_ranks(&ranks())?;
    fs::create_dir_all(&store)?;
    fs::write(status_file(&store), serde_json::to_vec(&status())?)?;
    Ok(())
}

fn page(number: usize) -> Entry {
    let words = WORDS[number % 3];
    let main = format!("Page {number} tells of {words}, and of little else besides. ").repeat(3);
    let host = format!("site{}.example", number % 7);
    Entry {
        id: format!("https://{host}/{number}"),
        url: Some(format!("https://{host}/{number}")),
        title: format!("About {words} ({number})"),
        pieces: vec![
            Piece { words: 30, density: 10.0, text: main.clone() },
            Piece { words: 2, density: 2.0, text: "Imprint, jobs".into() },
        ],
        main,
        boilerplate: "Imprint, jobs".into(),
        host: Some(host),
        language: Some(["en", "de"][number % 2].into()),
        date: Date::parse(&format!("20{}-{:02}", 20 + number % 6, 1 + number % 12)),
        page_type: Some(["article", "forum", "product"][number % 3].into()),
        ..Entry::default()
    }
}

/// Pages of a topic have a high rank for its surfers.
fn ranks() -> Ranks {
    let mut ranks = Ranks::new();
    ranks.add(Facet::topic(GENERAL), &vec![1.0; PAGES]);
    let above = iter::once("Top/Sea");
    for name in above.chain(TOPICS) {
        let is_in = |page: usize| TOPICS[page % 3].starts_with(name);
        let vector: Vec<f32> = (0..PAGES).map(|page| if is_in(page) { 3.0 } else { 0.1 }).collect();
        ranks.add(Facet::topic(name), &vector);
    }
    ranks
}

fn status() -> Status {
    let site = SiteStatus {
        pages: 120,
        duplicates: 4,
        lag: Some(95),
        errors: [("timeout".to_owned(), 2)].into(),
        last_error: Some("https://site1.example/feed: took too long".into()),
        ..SiteStatus::default()
    };
    let other = SiteStatus { pages: 31, waiting: 2, ..SiteStatus::default() };
    let sites = [("harbour".to_owned(), site), ("island".to_owned(), other)];
    Status {
        version: STATUS_VERSION,
        records: 151,
        running: true,
        sites: sites.into(),
        ..Status::default()
    }
}
