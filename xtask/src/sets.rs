//! The sets of pages: `SETS/<set>/pages/<id>.html`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use webstrata_lab::Set;
use webstrata_lab::outputs::{self, ToolTexts};

/// The names of the sets in a folder, or those of `chosen` that are there.
pub(crate) fn names(sets: &Path, chosen: Option<&[String]>) -> Result<Vec<String>, String> {
    let has_pages = |name: &String| sets.join(name).join("pages").is_dir();
    if let Some(chosen) = chosen {
        return match chosen.iter().find(|name| !has_pages(name)) {
            Some(name) => {
                Err(format!("{}: no such folder", sets.join(name).join("pages").display()))
            }
            None => Ok(chosen.to_vec()),
        };
    }
    let entries = list(sets)?;
    let names = entries.iter().filter_map(|entry| Some(entry.file_name()?.to_str()?.to_owned()));
    let names: Vec<String> = names.filter(has_pages).collect();
    if names.is_empty() {
        return Err(format!("{}: no folder here has a folder `pages`", sets.display()));
    }
    Ok(names)
}

pub(crate) fn read(file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))
}

pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|error| format!("{}: {error}", file.display()))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(wrong)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    paths.sort();
    Ok(paths)
}

/// What other tools made of a set, from the folder of their outputs.
pub(crate) fn tools(folder: Option<&Path>, set: &Set) -> Result<Vec<ToolTexts>, String> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let tools = outputs::tools(folder).map_err(|error| error.to_string())?;
    let texts = tools.iter().map(|tool| tool.texts(set).map_err(|error| error.to_string()));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Does the same with each item on a few threads; keeps the order.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            done.push((index, work(item)));
        }
        done
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(4);
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let results = workers
            .into_iter()
            .map(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.flatten().collect::<Vec<_>>()
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_work_keeps_the_order() {
        let numbers: Vec<usize> = (0..1000).collect();
        let doubled = in_parallel(&numbers, |number| Ok(2 * number)).unwrap();
        assert!(doubled.iter().zip(numbers).all(|(double, number)| *double == 2 * number));
        let fails = |number: &i32| if *number == 2 { Err("two".to_owned()) } else { Ok(()) };
        assert_eq!(in_parallel(&[1, 2, 3], fails), Err("two".to_owned()));
    }
}
