//! Ranks as files: lines with tabs, Parquet tables; and how a ranking went, as JSON.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata_base::write_whole;
use webstrata_links::rank::{Ranking, Run};
use webstrata_links::{Graph, InLinks};

use super::biasing::Wanted;
use webstrata_terminal::output::{Output, without_control_characters};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Writes the ranks of all pages: as a Parquet table if the file is called so, else a line for each page.
pub(crate) fn write(
    out: Option<&Path>,
    graph: &Graph,
    wanted: &[Wanted],
    ranking: &Ranking,
) -> anyhow::Result<()> {
    match out {
        #[cfg(feature = "parquet")]
        Some(out) if is_table(out) => table::write(Output::file(out)?, graph, wanted, ranking)
            .with_context(|| out.display().to_string()),
        Some(out) => write_lines(Output::file(out)?, graph, wanted, ranking),
        None => write_lines(Output::stdout(), graph, wanted, ranking),
    }
}

/// Is a file of this name a Parquet table?
pub(crate) fn is_table(out: &Path) -> bool {
    out.extension().is_some_and(|extension| extension == "parquet")
}

fn write_lines(
    mut output: Output,
    graph: &Graph,
    wanted: &[Wanted],
    ranking: &Ranking,
) -> anyhow::Result<()> {
    if wanted.len() > 1 {
        let names: Vec<&str> = wanted.iter().map(|wanted| wanted.name.as_str()).collect();
        output.write(format!("# page\t{}\n", names.join("\t")).as_bytes())?;
    }
    let mut line = Vec::new();
    for page in 0..graph.pages() {
        line.clear();
        line.extend_from_slice(without_control_characters(&graph.name(page)).as_bytes());
        for vector in &ranking.vectors {
            write!(line, "\t{:e}", vector[page])?;
        }
        line.push(b'\n');
        output.write(&line)?;
    }
    output.finish()
}

/// Ranks as a Parquet table.
#[cfg(feature = "parquet")]
mod table {
    use webstrata_archive::export::{Cells, Row, Table};
    use webstrata_links::rank::Ranking;
    use webstrata_links::{Graph, InLinks};
    use webstrata_terminal::output::Output;

    use super::Wanted;

    /// A row: the rank of a page in one of the rankings.
    struct RankRow {
        page: String,
        host: i64,
        local: i64,
        ranking: String,
        rank: f32,
    }

    impl Row for RankRow {
        const COLUMNS: &'static [(&'static str, Cells<Self>)] = &[
            ("page", Cells::Text(|row| Some(row.page.as_str().into()))),
            ("host", Cells::Long(|row| Some(row.host))),
            ("local", Cells::Long(|row| Some(row.local))),
            ("ranking", Cells::Text(|row| Some(row.ranking.as_str().into()))),
            ("rank", Cells::Number(|row| Some(row.rank))),
        ];

        fn size(&self) -> usize {
            self.page.len() + self.ranking.len() + 20
        }
    }

    pub(super) fn write(
        output: Output,
        graph: &Graph,
        wanted: &[Wanted],
        ranking: &Ranking,
    ) -> anyhow::Result<()> {
        let mut table = Table::new(output)?;
        for page in 0..graph.pages() {
            let (name, at) = (graph.name(page), graph.page(page));
            for (wanted, vector) in wanted.iter().zip(&ranking.vectors) {
                table.write(RankRow {
                    page: name.clone(),
                    host: i64::from(at.host),
                    local: i64::from(at.local),
                    ranking: wanted.name.clone(),
                    rank: vector[page],
                })?;
            }
        }
        table.finish()?.finish()
    }
}

/// Earlier ranks as `write` has written them, as lines: a vector for each ranking, 0 for pages that are new.
pub(crate) fn read(path: &Path, graph: &Graph, rankings: usize) -> anyhow::Result<Vec<Vec<f32>>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let mut vectors = vec![vec![0.0; graph.pages()]; rankings];
    let mut known = 0;
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| path.display().to_string())?;
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("{}, line {}: {what}", path.display(), at + 1);
        let mut columns = line.split('\t');
        let page = columns.next().and_then(|name| graph.find(name));
        let rank =
            |text: &str| text.parse().ok().filter(|rank: &f32| rank.is_finite() && *rank >= 0.0);
        let ranks: Option<Vec<f32>> = columns.map(rank).collect();
        let Some(ranks) = ranks.filter(|ranks| ranks.len() == rankings) else {
            bail!(wrong(&format!(
                "expected a page and {rankings} ranks, 0 or more, separated by tabs"
            )));
        };
        let Some(page) = page else { continue };
        known += 1;
        vectors.iter_mut().zip(ranks).for_each(|(vector, rank)| vector[page] = rank);
    }
    if known == 0 && graph.pages() > 0 {
        bail!("{}: no page of the graph is in it", path.display());
    }
    Ok(vectors)
}

#[derive(Serialize)]
struct RunRecord<'a> {
    version: u32,
    rankings: Vec<&'a str>,
    pages: u64,
    pages_with_links: u64,
    links: u64,
    inter_host_links: u64,
    inter_partition_links: u64,
    votes: u64,
    votes_each_iteration: u64,
    bytes_sent_each_iteration: u64,
    bytes_of_memory: u64,
    iterations: usize,
    converged: bool,
    error_bound: f64,
    seconds_preparing: f64,
    seconds_iterating: f64,
    residuals: &'a [f64],
}

/// Writes how a ranking went, as JSON.
pub(crate) fn write_run(path: &Path, wanted: &[Wanted], run: &Run) -> anyhow::Result<()> {
    let record = RunRecord {
        version: VERSION,
        rankings: wanted.iter().map(|wanted| wanted.name.as_str()).collect(),
        pages: run.pages,
        pages_with_links: run.givers,
        links: run.links,
        inter_host_links: run.inter_host,
        inter_partition_links: run.inter_partition,
        votes: run.votes,
        votes_each_iteration: run.votes_each,
        bytes_sent_each_iteration: run.bytes_sent,
        bytes_of_memory: run.bytes,
        iterations: run.residuals.len(),
        converged: run.converged,
        error_bound: run.error_bound,
        seconds_preparing: run.preparing.as_secs_f64(),
        seconds_iterating: run.iterating.as_secs_f64(),
        residuals: &run.residuals,
    };
    let mut json = serde_json::to_string_pretty(&record)?;
    json.push('\n');
    write_whole(path, json.as_bytes())?;
    Ok(())
}
