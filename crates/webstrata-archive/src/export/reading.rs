//! What was written, read again.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha1::{Digest, Sha1};

use super::Format;
use crate::arrival::Limits;
use crate::json_lines::JsonLines;
use crate::record::PageRecord;

/// Of a record that was written, what tells it from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// Its id.
    pub id: String,
    /// Its address.
    pub url: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its main text.
    pub text: String,
}

/// Calls `each` with the records of a part, in order. The first error of `each` ends it.
///
/// # Errors
///
/// Where the part cannot be read: it was whole when it was written.
pub fn read_back<E: From<io::Error>>(
    path: &Path,
    format: Format,
    each: impl FnMut(ReadBack) -> Result<(), E>,
) -> Result<(), E> {
    match format {
        Format::Lines(_) => lines(path, each),
        #[cfg(feature = "parquet")]
        Format::Parquet => table(path, each),
        _ => Err(broken(path, "this format is not read again by this build").into()),
    }
}

fn broken(path: &Path, why: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()))
}

fn lines<E: From<io::Error>>(
    path: &Path,
    mut each: impl FnMut(ReadBack) -> Result<(), E>,
) -> Result<(), E> {
    // A line of ours is as long as its page made it.
    let limits = Limits { record: usize::MAX / 2, page: usize::MAX / 2 };
    let lines = JsonLines::open(path, limits).map_err(|problem| broken(path, problem.message))?;
    for line in lines {
        let line = line.map_err(|problem| broken(path, problem.message))?;
        let record = PageRecord::from_line(line.as_bytes()).map_err(|error| broken(path, error))?;
        let PageRecord { id, record, .. } = record;
        each(ReadBack { id, url: record.url, title: record.title, text: record.text })?;
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn table<E: From<io::Error>>(
    path: &Path,
    mut each: impl FnMut(ReadBack) -> Result<(), E>,
) -> Result<(), E> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use parquet::schema::types::Type;

    let wrong = |error: parquet::errors::ParquetError| broken(path, error);
    let file = SerializedFileReader::new(File::open(path)?).map_err(wrong)?;
    let schema = file.metadata().file_metadata().schema();
    let wanted = ["id", "url", "title", "text"];
    let fields = schema.get_fields().iter().filter(|field| wanted.contains(&field.name()));
    let projection = Type::group_type_builder(schema.name())
        .with_fields(fields.cloned().collect())
        .build()
        .map_err(wrong)?;
    for row in file.get_row_iter(Some(projection)).map_err(wrong)? {
        let mut found = ReadBack { id: String::new(), url: None, title: None, text: String::new() };
        for (name, field) in row.map_err(wrong)?.into_columns() {
            let Field::Str(value) = field else { continue };
            match name.as_str() {
                "id" => found.id = value,
                "url" => found.url = Some(value),
                "title" => found.title = Some(value),
                _ => found.text = value,
            }
        }
        each(found)?;
    }
    Ok(())
}

/// The digest of a file and its length: `sha1:` and the number in hexadecimal.
///
/// # Errors
///
/// Where it cannot be read.
pub fn digest(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut length) = (Sha1::new(), 0);
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => {
                hasher.update(&buffer[..read]);
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let hexadecimal: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((format!("sha1:{hexadecimal}"), length))
}

#[cfg(test)]
mod tests {
    use webstrata::Record;

    use super::*;
    use crate::export::{Compression, Parts, Plan, Row};
    use crate::record::Origin;

    #[test]
    fn what_was_written_comes_back() {
        let formats = [Format::Lines(Compression::Zstd), Format::Parquet];
        for format in formats.into_iter().filter(|format| format.is_built()) {
            let folder = tempfile::tempdir().unwrap();
            let settings = std::collections::BTreeMap::new();
            let columns = PageRecord::COLUMNS.to_vec();
            let folder_of = folder.path().into();
            let is_named_by_content = true;
            let plan = Plan {
                folder: folder_of,
                format,
                size: 1000,
                columns,
                is_named_by_content,
                settings,
            };
            let (mut parts, _) = Parts::open::<u32>(plan).unwrap();
            let mut written = Vec::new();
            for number in 0..5 {
                let html = format!("<title>{number}</title><p>High water is at {number} today.");
                let document = webstrata::extract(html.as_bytes()).document;
                let mut record = Record::new(&document);
                record.url = (number % 2 == 0).then(|| format!("https://a.example/{number}"));
                let id = number.to_string();
                let page =
                    PageRecord::new(id.clone(), record.clone(), &document, Origin::default());
                let (url, title, text) = (record.url, record.title, record.text);
                written.push(ReadBack { id, url, title, text });
                parts.write(format.piece(page, PageRecord::COLUMNS).unwrap()).unwrap();
            }
            parts.end(&1).unwrap();
            let mut read = Vec::new();
            let each = |record| {
                read.push(record);
                Ok::<(), io::Error>(())
            };
            let path = parts.paths().next().unwrap();
            read_back(&path, format, each).unwrap();
            assert_eq!(read, written);
            let (digest, length) = digest(&path).unwrap();
            assert!(digest.starts_with("sha1:") && digest.len() == 45 && length > 0);
            let name = path.file_name().unwrap().to_string_lossy();
            assert!(name.starts_with(&format!("part-00000-{}.", &digest[5..17])), "{name}");
            std::fs::write(&path, b"PAR1").unwrap();
            assert!(read_back(&path, format, |_| Ok::<(), io::Error>(())).is_err());
        }
    }
}
