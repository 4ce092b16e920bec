//! The files of a folder, at any depth, sorted.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::arrival::{Problem, ProblemKind};

/// The files below a folder whose names end in one of the extensions, such as `html` or `warc.gz`, in the
/// order of their paths; a folder that cannot be read takes its place among them as a problem.
///
/// Links to folders are not followed, they may lead in circles; a pipe would never end.
pub fn files(folder: &Path, extensions: &[impl AsRef<str>]) -> Vec<Result<PathBuf, Problem>> {
    let mut found = Vec::new();
    walk(folder, extensions, &mut found);
    found
}

fn walk(folder: &Path, extensions: &[impl AsRef<str>], found: &mut Vec<Result<PathBuf, Problem>>) {
    let entries: io::Result<Vec<_>> = fs::read_dir(folder).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => {
            found.push(Err(Problem::of_file(folder, ProblemKind::Unreadable, error)));
            return;
        }
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            walk(&path, extensions, found);
        } else if has_extension(&path, extensions) && may_be_file(&path, kind) {
            found.push(Ok(path));
        }
    }
}

/// Does the name end in one of the extensions, in capital letters or small ones?
pub fn has_extension(path: &Path, extensions: &[impl AsRef<str>]) -> bool {
    // As bytes: names need not be UTF-8, and pages under such names count like others.
    let Some(name) = path.file_name().map(OsStr::as_encoded_bytes) else { return false };
    let ends_in = |extension: &str| {
        let start = name.len().checked_sub(extension.len() + 1)?;
        let end = name.get(start..)?;
        Some(start > 0 && end[0] == b'.' && end[1..].eq_ignore_ascii_case(extension.as_bytes()))
    };
    extensions.iter().any(|extension| ends_in(extension.as_ref()) == Some(true))
}

/// A link to nothing is left in: reading it tells the user.
fn may_be_file(path: &Path, kind: fs::FileType) -> bool {
    kind.is_file() || (kind.is_symlink() && fs::metadata(path).map_or(true, |it| it.is_file()))
}
