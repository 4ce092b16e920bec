//! Where records go, and in what shape.

use std::path::PathBuf;

use serde::Deserialize;
use webstrata::output::RecordPart;
use webstrata_archive::export::{Format, xml};
use webstrata_archive::record::PageRecord;
use webstrata_base::Error;

use super::bytes;

/// Where records go.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The folder, as it was written.
    pub folder: PathBuf,
    /// How records are written.
    pub written: Written,
    /// The size of a part before compression.
    pub part_size: u64,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Many in a file.
    Parts(Format),
    /// A file for each page.
    Files(PageFile),
}

/// The file of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFile {
    /// The main text.
    Text,
    /// The main text as Markdown.
    Markdown,
    /// The main text as HTML.
    Html,
    /// The record.
    Json,
    /// XML as trafilatura writes it.
    Xml,
    /// TEI.
    Tei,
}

impl PageFile {
    /// All of them, with their names and the ends of the files' names.
    pub const ALL: [(PageFile, &'static str, &'static str); 6] = [
        (PageFile::Text, "text", "txt"),
        (PageFile::Markdown, "markdown", "md"),
        (PageFile::Html, "html", "html"),
        (PageFile::Json, "json", "json"),
        (PageFile::Xml, "xml", "xml"),
        (PageFile::Tei, "tei", "xml"),
    ];

    fn entry(self) -> (PageFile, &'static str, &'static str) {
        PageFile::ALL.into_iter().find(|(file, ..)| *file == self).unwrap_or(PageFile::ALL[0])
    }

    /// Its name in a pipeline.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// How names of files end.
    pub fn extension(self) -> &'static str {
        self.entry().2
    }

    /// What a record must have for it.
    fn parts(self) -> &'static [RecordPart] {
        match self {
            PageFile::Text | PageFile::Json => &[],
            PageFile::Markdown => &[RecordPart::Markdown],
            PageFile::Html => &[RecordPart::Html],
            PageFile::Xml | PageFile::Tei => &[RecordPart::Html, RecordPart::Metadata],
        }
    }

    /// The file. Where a filter rewrote the text, there is no Markdown and no HTML of it: then paragraphs are all there
    /// is.
    ///
    /// # Errors
    ///
    /// Where the record cannot be written as JSON.
    pub fn content(self, page: &PageRecord) -> Result<Vec<u8>, Error> {
        let record = &page.record;
        Ok(match self {
            PageFile::Text => record.text.clone().into_bytes(),
            PageFile::Markdown => {
                record.markdown.as_ref().unwrap_or(&record.text).clone().into_bytes()
            }
            PageFile::Html => match &record.html {
                Some(html) => html.clone().into_bytes(),
                None => paragraphs(&record.text).into_bytes(),
            },
            PageFile::Json => {
                let mut json = page.to_line().map_err(Error::new)?;
                json.push(b'\n');
                json
            }
            PageFile::Xml => xml::document(page, xml::Shape::Plain).into_bytes(),
            PageFile::Tei => xml::document(page, xml::Shape::Tei).into_bytes(),
        })
    }
}

fn paragraphs(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let paragraphs = escaped.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    paragraphs.map(|text| format!("<p>{}</p>\n", text.replace('\n', "<br>"))).collect()
}

impl Output {
    /// What records must have for it, beside what the pipeline asks for.
    pub(super) fn parts(&self) -> &'static [RecordPart] {
        match self.written {
            Written::Parts(_) => &[],
            Written::Files(file) => file.parts(),
        }
    }
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenOutput {
    folder: PathBuf,
    format: Option<String>,
    files: Option<String>,
    part_size: Option<String>,
}

const PART_SIZE: u64 = 256 << 20;

impl WrittenOutput {
    pub(super) fn read(&self) -> Result<Output, Error> {
        let part_size = match &self.part_size {
            Some(size) => bytes("part-size", size)?,
            None => PART_SIZE,
        };
        let written = match (&self.format, &self.files) {
            (Some(_), Some(_)) => {
                return Err(Error::new(
                    "output: format is for parts, files for a file a page; name one of them",
                ));
            }
            (name, None) => Written::Parts(format(name.as_deref().unwrap_or("jsonl.zst"))?),
            (None, Some(name)) => {
                let found = PageFile::ALL.into_iter().find(|(_, known, _)| known == name);
                let names = PageFile::ALL.map(|(_, name, _)| name).join(", ");
                let unknown =
                    || Error::new(format!("output: no files `{name}`; there are {names}"));
                Written::Files(found.ok_or_else(unknown)?.0)
            }
        };
        Ok(Output { folder: self.folder.clone(), written, part_size })
    }
}

fn format(name: &str) -> Result<Format, Error> {
    let Some((format, _)) = Format::ALL.into_iter().find(|(_, known)| *known == name) else {
        let names = Format::ALL.map(|(_, name)| name).join(", ");
        return Err(Error::new(format!("output: no format `{name}`; there are {names}")));
    };
    match format.is_built() {
        true => Ok(format),
        false => Err(Error::new(
            "output: this build has no Parquet and no Arrow; build it with the feature `parquet`",
        )),
    }
}
