//! Categories from files: one of lines `page<TAB>path`, or a folder with a file for each category.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use webstrata_base::Error;

use super::tree::Categories;
use crate::tab_separated::{LineProblem, files, for_each_line};

/// Categories as they were read, and what was left out.
#[derive(Clone, Debug)]
pub struct ReadCategories {
    /// The tree.
    pub tree: Categories,
    /// How many lines name a page that the graph does not have.
    pub unknown: usize,
    /// Lines that are not as they should be, with their files.
    pub problems: Vec<(PathBuf, LineProblem)>,
}

/// Reads categories; `find` knows the position of a page by its name.
///
/// A file has a page, a tab and the path of its category on each line. If any of the paths has a `/`, that is what
/// separates their names, otherwise it is `.`. In a folder each file is a category, its path below the folder without
/// the extension is the category's path, and each of its lines is a page. Lines that begin with `#` are comments.
pub fn read_categories(
    path: &Path,
    find: &dyn Fn(&str) -> Option<usize>,
) -> Result<ReadCategories, Error> {
    let mut reading = Reading { find, entries: Vec::new(), unknown: 0, problems: Vec::new() };
    if path.is_dir() {
        reading.folder(path)?;
    } else {
        reading.file(path)?;
    }
    Ok(reading.finish())
}

struct Reading<'a> {
    find: &'a dyn Fn(&str) -> Option<usize>,
    entries: Vec<(usize, String)>,
    unknown: usize,
    problems: Vec<(PathBuf, LineProblem)>,
}

impl Reading<'_> {
    fn file(&mut self, path: &Path) -> Result<(), Error> {
        self.lines(path, |reading, line| {
            let (page, category) =
                line.split_once('\t').ok_or("no tab; expected page, tab, path of the category")?;
            // Further columns are somebody else's.
            let category = category.split('\t').next().unwrap_or_default().trim();
            if category.trim_matches(['.', '/']).is_empty() {
                return Err(format!("{page}: no category"));
            }
            reading.add(page, category);
            Ok(())
        })
    }

    fn folder(&mut self, folder: &Path) -> Result<(), Error> {
        for file in files(folder)? {
            let below = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
            let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
            let category = format!("/{}", names.join("/"));
            self.lines(&file, |reading, line| {
                reading.add(line.trim(), &category);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn lines(
        &mut self,
        path: &Path,
        mut each: impl FnMut(&mut Self, &str) -> Result<(), String>,
    ) -> Result<(), Error> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        let problems = for_each_line(BufReader::new(file), |_, line| each(self, line));
        let problems = problems.map_err(|error| Error::io(path, &error))?;
        self.problems.extend(problems.into_iter().map(|problem| (path.to_owned(), problem)));
        Ok(())
    }

    fn add(&mut self, page: &str, category: &str) {
        match (self.find)(page) {
            Some(page) => self.entries.push((page, category.to_owned())),
            None => self.unknown += 1,
        }
    }

    fn finish(self) -> ReadCategories {
        let slashes = self.entries.iter().any(|(_, path)| path.contains('/'));
        let separator = if slashes { '/' } else { '.' };
        let entries = self.entries.iter();
        let tree =
            Categories::new(entries.map(|(page, path)| (*page, path.split(separator).collect())));
        ReadCategories { tree, unknown: self.unknown, problems: self.problems }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NAMES: [&str; 4] = ["harbour", "ferry", "fog", "tides"];

    fn find(name: &str) -> Option<usize> {
        NAMES.iter().position(|other| *other == name)
    }

    fn shown(read: &ReadCategories) -> Vec<(String, Vec<usize>)> {
        let nodes = read.tree.nodes().iter().enumerate();
        nodes.skip(1).map(|(index, node)| (read.tree.path(index), node.pages.clone())).collect()
    }

    #[test]
    fn a_file_of_pages_and_paths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("categories.tsv");
        let text = "# page\tpath\nharbour\tsubject.Coast.Ports\nfog\tsubject.Weather\n\
                    moon\tsubject.Sky\nferry\ntides\t.\nfog\tsubject.Coast\tby hand\n";
        fs::write(&path, text).unwrap();
        let read = read_categories(&path, &find).unwrap();
        let expect = [("Coast", vec![2]), ("Coast/Ports", vec![0]), ("Weather", vec![2])]
            .map(|(path, pages)| (path.to_owned(), pages));
        assert_eq!(shown(&read), expect);
        assert_eq!(read.unknown, 1);
        let lines: Vec<_> = read.problems.iter().map(|(_, problem)| problem.line).collect();
        assert_eq!(lines, [5, 6]);
    }

    #[test]
    fn where_there_are_slashes_dots_are_parts_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("categories.tsv");
        fs::write(&path, "harbour\tports/st.mary\nferry\tports.all\n").unwrap();
        let read = read_categories(&path, &find).unwrap();
        assert_eq!(shown(&read)[1].0, "ports/st.mary");
        assert_eq!(shown(&read)[2].0, "ports.all");
    }

    #[test]
    fn a_folder_with_a_file_for_each_category() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("coast/ports")).unwrap();
        fs::write(folder.path().join("coast/ports/old.txt"), "harbour\n\nmoon\n").unwrap();
        fs::write(folder.path().join("weather.txt"), "fog\ntides\n").unwrap();
        fs::write(folder.path().join(".hidden"), "ferry\n").unwrap();
        let read = read_categories(folder.path(), &find).unwrap();
        let expect = [
            ("coast", vec![]),
            ("coast/ports", vec![]),
            ("coast/ports/old", vec![0]),
            ("weather", vec![2, 3]),
        ];
        assert_eq!(shown(&read), expect.map(|(path, pages)| (path.to_owned(), pages)));
        assert_eq!(read.unknown, 1);
        let nowhere = read_categories(&folder.path().join("nowhere"), &find);
        assert!(nowhere.unwrap_err().to_string().contains("nowhere"));
    }
}
