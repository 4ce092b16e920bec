//! Graphs like the Web: hosts of Zipf sizes, 94 % of links inside of their host and near, in-degrees and out-degrees
//! by power laws, one page in seven without links.

use webstrata_base::random::Random;

use crate::edges::Edges;

const PAGES_PER_HOST: usize = 100;
/// Of links that are drawn, which leaves 94 % of those that remain.
const INSIDE: f64 = 0.955;
/// Links that remain of those that are drawn: small hosts have no targets for more.
const REMAINING: f64 = 0.93;
const DANGLING: f64 = 0.15;
/// u^-SKEW has the tail of out-degrees seen on the Web (exponent 2.7), and the mean 1 / (1 - SKEW).
const SKEW: f64 = 0.6;
const MOST_LINKS: f64 = 2000.0;

pub fn web(pages: usize, links: usize, seed: u64) -> Edges {
    let mut random = Random::new(seed);
    let hosts = hosts(pages, &mut random);
    let drawn = links as f64 / REMAINING / (pages as f64 * (1.0 - DANGLING));
    let least = drawn * (1.0 - SKEW);
    let mut made = Vec::with_capacity(links + links / 16);
    let mut row = Vec::new();
    for host in hosts.windows(2) {
        for page in host[0]..host[1] {
            if random.unit() < DANGLING {
                continue;
            }
            let degree = (least * random.unit().max(1e-9).powf(-SKEW)).min(MOST_LINKS);
            fill(&mut row, degree.round() as usize, || target(page, host, &hosts, &mut random));
            made.extend(row.iter().map(|to| (page, *to)));
        }
    }
    Edges::new(hosts, made)
}

/// So many different targets, or fewer where a host is too small for them.
fn fill(row: &mut Vec<u32>, degree: usize, mut target: impl FnMut() -> u32) {
    row.clear();
    for _ in 0..3 {
        let missing = degree - row.len();
        row.extend((0..missing).map(|_| target()));
        row.sort_unstable();
        row.dedup();
    }
}

/// The k-th largest host has a size in proportion to 1/k; they stand in any order.
fn hosts(pages: usize, random: &mut Random) -> Vec<u32> {
    let count = (pages / PAGES_PER_HOST).max(1);
    let harmonic: f64 = (1..=count).map(|rank| 1.0 / rank as f64).sum();
    let scale = (pages - count) as f64 / harmonic;
    let mut sizes: Vec<usize> =
        (1..=count).map(|rank| 1 + (scale / rank as f64) as usize).collect();
    sizes[0] += pages - sizes.iter().sum::<usize>();
    random.shuffle(&mut sizes);
    let mut hosts = vec![0];
    hosts.extend(sizes.iter().scan(0, |end, size| {
        *end += *size as u32;
        Some(*end)
    }));
    hosts
}

fn target(page: u32, host: &[u32], hosts: &[u32], random: &mut Random) -> u32 {
    if random.unit() >= INSIDE {
        // Large hosts are linked to more often.
        let any = random.below(hosts[hosts.len() - 1] as usize) as u32;
        let place = hosts.partition_point(|start| *start <= any);
        return popular(hosts[place - 1], hosts[place], random);
    }
    if random.unit() < 0.5 {
        return popular(host[0], host[1], random);
    }
    near(page, host, random)
}

/// Pages that come first in their host, its home page above all, get most of the links.
fn popular(start: u32, end: u32, random: &mut Random) -> u32 {
    let size = f64::from(end - start);
    start + (size.powf(random.unit()) - 1.0) as u32
}

/// Neighbours in the order of addresses; short distances are likelier.
fn near(page: u32, host: &[u32], random: &mut Random) -> u32 {
    let size = host[1] - host[0];
    let distance = f64::from(size).powf(random.unit()) as u32 % size;
    let local = page - host[0];
    let local = if random.unit() < 0.5 { local + distance } else { local + size - distance };
    host[0] + local % size
}
