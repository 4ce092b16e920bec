//! How long it takes to build a graph, what memory and what disk: `cargo run --release -p webstrata-links
//! --example graph FOLDER KIND LINKS [MEMORY]`, where KIND is `numbers` (links between a tenth as many pages, drawn at
//! random), `addresses` (the same as pairs of addresses on hosts of Zipf's sizes, 94 % inside of a host) or `host`
//! (one host with as many pages as links). Writes no input to the disk. MEMORY is in megabytes, 1024 if left out.

use std::path::Path;
use std::time::Instant;

use webstrata_base::Error;
use webstrata_base::random::Random;
use webstrata_links::build::{GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::{Graph, InLinks};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, kind, links, rest @ ..] = arguments.as_slice() else {
        return Err(Error::new("expected: FOLDER numbers|addresses|host LINKS [MEMORY]"));
    };
    let number = |text: &str| text.parse().map_err(|_| Error::new(format!("{text}: no number")));
    let links: u64 = number(links)?;
    let memory = rest.first().map_or(Ok(1024), |memory| number(memory))? as usize;
    let settings = GraphOptions { memory: memory << 20, ..GraphOptions::default() };
    let folder = Path::new(folder);
    let began = Instant::now();
    let graph = match kind.as_str() {
        "numbers" => numbers(folder, &settings, links)?,
        "addresses" => addresses(folder, &settings, links)?,
        "host" => host(folder, &settings, links)?,
        other => return Err(Error::new(format!("{other}: no kind; numbers, addresses or host"))),
    };
    let built = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let mut read = 0;
    graph.read(0..graph.pages(), &mut |_, row| read += row.len());
    let about = graph.about();
    println!(
        "{kind}: pages {}, hosts {}, links {}; built in {built:.1} s, read in {:.2} s ({read})",
        about.pages,
        about.hosts,
        about.links.total(),
        began.elapsed().as_secs_f64()
    );
    let sizes = sizes(folder, &graph)?;
    let all: u64 = sizes.iter().map(|(_, bytes)| bytes).sum();
    let is_name = |name: &str| name.ends_with(".text") || name.ends_with(".ends");
    let names: u64 = sizes.iter().filter(|(name, _)| is_name(name)).map(|(_, bytes)| bytes).sum();
    println!(
        "bytes: all {all}, names {names}, {:.2} a link without names; peak memory {} MB",
        (all - names) as f64 / about.links.total().max(1) as f64,
        peak().map_or("unknown".into(), |peak| (peak / 1024).to_string())
    );
    sizes.iter().for_each(|(name, bytes)| println!("  {name:<24}{bytes:>14}"));
    Ok(())
}

fn numbers(folder: &Path, settings: &GraphOptions, links: u64) -> Result<Graph, Error> {
    let mut random = Random::new(1);
    let pages = (links / 10).max(1) as usize;
    let mut builder = NumberedBuilder::new(folder, settings, None)?;
    for _ in 0..links {
        builder.link(random.below(pages) as u64, random.below(pages) as u64, false)?;
    }
    builder.finish(&())
}

/// Hosts of Zipf's sizes; the pages of a host come together, as from a crawl.
fn addresses(folder: &Path, settings: &GraphOptions, links: u64) -> Result<Graph, Error> {
    let mut random = Random::new(1);
    let pages = (links / 10).max(1) as usize;
    let (mut starts, mut left) = (vec![0], pages);
    while left > 0 {
        let size = (pages / 20 / starts.len()).clamp(3, left.max(3)).min(left);
        starts.push(pages - left + size);
        left -= size;
    }
    let hosts = starts.len() - 1;
    let name = |host: usize, page: usize| {
        format!("https://www.site-{host}.example/section-{}/article-{page}.html", page % 17)
    };
    let mut builder = NamedBuilder::new(folder, settings)?;
    for host in 0..hosts {
        let size = starts[host + 1] - starts[host];
        for page in 0..size {
            let from = name(host, page);
            for _ in 0..10 {
                let is_inside = random.unit() < 0.94;
                let target =
                    if is_inside { host } else { (hosts as f64 * random.unit().powi(2)) as usize };
                let size = starts[target + 1] - starts[target];
                let to = name(target, (size as f64 * random.unit().powi(3)) as usize);
                builder.link(&from, &to, !is_inside && random.unit() < 0.5, false)?;
            }
        }
    }
    builder.finish(&())
}

/// One host, each page linked to the next and to the front page.
fn host(folder: &Path, settings: &GraphOptions, pages: u64) -> Result<Graph, Error> {
    let name = |page: u64| format!("https://one.example/{page}");
    let mut builder = NamedBuilder::new(folder, settings)?;
    for page in 0..pages {
        let from = name(page);
        builder.link(&from, &name((page + 1) % pages), false, false)?;
        builder.link(&from, "https://one.example/0", true, false)?;
    }
    builder.finish(&())
}

fn sizes(folder: &Path, graph: &Graph) -> Result<Vec<(String, u64)>, Error> {
    let data = folder.join(format!("data-{:06}", graph.about().generation));
    let wrong = |error| Error::at(&data, error);
    let mut sizes = Vec::new();
    for entry in std::fs::read_dir(&data).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let bytes = entry.metadata().map_err(wrong)?.len();
        sizes.push((entry.file_name().to_string_lossy().into_owned(), bytes));
    }
    sizes.sort();
    Ok(sizes)
}

/// The most memory that the process had, with what it had mapped of files, in kilobytes. Linux only.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    field("VmHWM:")
}
