//! What holds for any damage to a graph. The targets of `fuzz/` include this file.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use webstrata_links::InLinks;
use webstrata_links::build::{GraphOptions, NamedBuilder};
use webstrata_links::graph::Graph;

/// A graph, and all its files as they were written.
struct Sample {
    folder: TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

thread_local! {
    static SAMPLE: Sample = Sample::new();
}

impl Sample {
    fn new() -> Sample {
        // In memory, where the system has such a place.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let folder = folder.expect("a folder");
        let mut builder =
            NamedBuilder::new(folder.path(), &GraphOptions::default()).expect("a builder");
        for (from, to, boilerplate) in [
            ("https://a.example/", "https://a.example/1", false),
            ("https://a.example/1", "https://b.example/", true),
            ("https://b.example/", "https://a.example/", false),
            ("https://b.example/", "https://b.example/2", true),
            ("https://b.example/2", "https://a.example/1", false),
        ] {
            builder.link(from, to, boilerplate, false).expect("a link");
        }
        drop(builder.finish(&()).expect("a graph"));
        let mut files = files(folder.path());
        files.sort();
        Sample { folder, files }
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let read = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![(path.clone(), fs::read(&path).expect("a file"))],
    };
    paths.flat_map(read).collect()
}

/// Damage to a file of a graph: the first byte says which, the second whether bytes are changed (two of place, one of
/// value), or the file is replaced by the bytes that follow.
pub(crate) fn graph(bytes: &[u8]) {
    let [file, way, bytes @ ..] = bytes else { return };
    SAMPLE.with(|sample| {
        let (path, whole) = &sample.files[usize::from(*file) % sample.files.len()];
        let damaged = if way % 2 == 0 { changed(whole, bytes) } else { bytes.to_vec() };
        // A new file: the one before may still be mapped.
        let _ = fs::remove_file(path);
        fs::write(path, &damaged).expect("a file");
        check(sample.folder.path(), damaged == *whole);
        let _ = fs::remove_file(path);
        fs::write(path, whole).expect("a file");
    });
}

fn changed(whole: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for change in changes.chunks_exact(3) {
        let &[high, low, value] = change else { break };
        let place = usize::from(u16::from_be_bytes([high, low]));
        if let Some(byte) = bytes.get_mut(place) {
            *byte = value;
        }
    }
    bytes
}

fn check(folder: &Path, is_whole: bool) {
    match Graph::open_unverified(folder) {
        Err(error) => assert!(!is_whole && !error.to_string().contains('\n'), "{error}"),
        Ok(graph) => {
            use_up(&graph);
            assert!(!is_whole || graph.verify().is_ok());
        }
    }
}

/// Whatever is read of a damaged graph, nothing panics.
pub(crate) fn use_up(graph: &Graph) {
    let mut links = 0;
    graph.read(0..graph.pages(), &mut |page, row| {
        links += row.len();
        assert!(row.iter().all(|source| source.page() < graph.pages()), "{page}");
    });
    for page in 0..graph.pages() {
        let _ = (graph.name(page), graph.find("https://a.example/1"), graph.out_degrees(page));
        let _ = graph.links_before(page);
    }
}

#[cfg(test)]
mod tests {
    use super::graph;
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("graph", graph);
    }
}
