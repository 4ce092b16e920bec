//! The links of a crawl as `webstrata links build` takes them: which pages they join, and which are left out.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use pyo3::prelude::*;
use webstrata_links::build::page_of;
use webstrata_links::graph::Naming;

use crate::columns::{self, Columns};
use crate::errors::wrong_option;
use crate::tables::{Given, Texts, to_python};

/// The pages that links join: the columns source, source_host, target, target_host and boilerplate.
///
/// `links` has source, target, rel and in_content. Addresses are normalised by the rules of browsers, without the
/// fragment. Links with `nofollow`, from a page to itself and to what is no page are left out; the page that has them
/// is there all the same, in a row without a target.
#[pyfunction]
#[pyo3(signature = (links, /, *, hosts = "host"))]
pub(crate) fn link_pages<'py>(
    py: Python<'py>,
    links: &Bound<'py, PyAny>,
    hosts: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let naming = match hosts {
        "host" => Naming::Hosts,
        "domain" => Naming::Domains,
        other => {
            let message = format!("hosts: expected \"host\" or \"domain\", not {other:?}");
            return Err(wrong_option(message));
        }
    };
    let given = Given::of(links, "source")?;
    let made = given.batches.iter().map(|batch| py.detach(|| some(batch, naming)));
    made.map(|batch| to_python(py, batch?)).collect()
}

type Page = (String, String);

fn some(batch: &RecordBatch, naming: Naming) -> PyResult<RecordBatch> {
    let [sources, targets, rels] = ["source", "target", "rel"];
    let column = |name| Texts::column(batch, name);
    let (sources, targets, rels) = (column(sources)?, column(targets)?, column(rels)?);
    let in_content = batch.column_by_name("in_content").and_then(|column| column.as_boolean_opt());
    let mut rows: Vec<(Page, Option<Page>, bool)> = Vec::with_capacity(batch.num_rows());
    // The links of a page mostly come together.
    let mut last: Option<(&str, Page)> = None;
    for row in 0..batch.num_rows() {
        let Some(written) = sources.text(row) else { continue };
        let source = match &last {
            Some((known, page)) if *known == written => page.clone(),
            _ => match page_of(naming, written) {
                Ok(page) => page,
                Err(_) => continue,
            },
        };
        let is_nofollow = rels.text(row).is_some_and(|rel| {
            rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"))
        });
        let target = targets.text(row).filter(|_| !is_nofollow);
        let target = target.and_then(|target| page_of(naming, target).ok());
        let target = target.filter(|target| *target != source);
        let in_content = in_content
            .is_some_and(|column| arrow_array::Array::is_valid(column, row) && column.value(row));
        last = Some((written, source.clone()));
        rows.push((source, target, !in_content));
    }
    let source = || rows.iter().map(|(source, ..)| source);
    let target = || rows.iter().map(|(_, target, _)| target.as_ref());
    let mut columns = Columns::default();
    columns.push("source", columns::texts(source().map(|(_, page)| Some(page.as_str())))?);
    columns.push("source_host", columns::texts(source().map(|(host, _)| Some(host.as_str())))?);
    columns.push("target", columns::texts(target().map(|page| Some(page?.1.as_str())))?);
    columns.push("target_host", columns::texts(target().map(|page| Some(page?.0.as_str())))?);
    columns.push("boilerplate", columns::flags(rows.iter().map(|row| Some(row.2))));
    columns.batch(rows.len())
}
