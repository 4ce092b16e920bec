//! The files of a graph: a header of 32 bytes, then numbers, least byte first.
//!
//! The header says which file of which generation it is, so that files which do not belong together are not taken
//! for a graph. Numbers are used where they lie, so a machine must have them least byte first, and addresses of 64
//! bits.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytemuck::{AnyBitPattern, NoUninit};
use webstrata_base::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::about::{About, Kept, VERSION};
use super::map::Mapped;

const MAGIC: [u8; 8] = *b"wslinks\n";
const HEADER: usize = 32;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 18;

/// The files of one generation of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    generation: u64,
}

impl Files {
    /// The files of a generation, below a graph's folder.
    pub(crate) fn new(graph: &Path, generation: u64) -> Files {
        Files { folder: graph.join(folder_name(generation)), generation }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Begins a file of numbers.
    pub(crate) fn create<T: NoUninit>(&self, name: &'static str) -> Result<Writer, Error> {
        let path = self.folder.join(name);
        let begin = || -> io::Result<File> {
            // Never one that is there: somebody may have mapped it.
            let mut file = File::create_new(&path)?;
            file.write_all(&self.header(name, size_of::<T>()))?;
            Ok(file)
        };
        let file = begin().map_err(|error| Error::io(&path, &error))?;
        let buffer = Vec::with_capacity(BUFFER);
        Ok(Writer { name, path, file, buffer, sum: Box::new(Xxh3::new()), bytes: HEADER as u64 })
    }

    /// Maps a file of numbers; `None` if the graph has no such file.
    pub(crate) fn map<T: AnyBitPattern>(
        &self,
        name: &str,
        about: &About,
    ) -> Result<Option<Mapped<T>>, Error> {
        about.files.get(name).map(|kept| self.map_kept(name, *kept)).transpose()
    }

    /// Maps a file that must have been written like this.
    pub(crate) fn map_kept<T: AnyBitPattern>(
        &self,
        name: &str,
        kept: Kept,
    ) -> Result<Mapped<T>, Error> {
        let path = self.folder.join(name);
        let wrong = |message: &str| {
            Error::at(&path, format!("{message}; the graph is damaged, build it anew"))
        };
        let file = File::open(&path).map_err(|error| wrong(&error.to_string()))?;
        let mapped = Mapped::new(&file, HEADER).map_err(|error| wrong(&error.to_string()))?;
        let bytes = mapped.bytes().len() as u64;
        if bytes != kept.bytes {
            return Err(wrong(&format!("{bytes} bytes, not {}", kept.bytes)));
        }
        if mapped.bytes()[..HEADER] != self.header(name, size_of::<T>()) {
            return Err(wrong("not the file that belongs here"));
        }
        Ok(mapped)
    }

    fn header(&self, name: &str, width: usize) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(width as u32).to_le_bytes());
        header[16..24].copy_from_slice(&self.generation.to_le_bytes());
        header[24..].copy_from_slice(&xxh3_64(name.as_bytes()).to_le_bytes());
        header
    }
}

/// The folder of a generation, inside of the graph's.
pub(crate) fn folder_name(generation: u64) -> String {
    format!("data-{generation:06}")
}

/// Can this machine use the numbers as they lie?
pub(crate) fn machine_fits(graph: &Path) -> Result<(), Error> {
    if cfg!(all(target_pointer_width = "64", target_endian = "little")) {
        return Ok(());
    }
    let needs = "graphs need a machine of 64 bits that has the least byte first";
    Err(Error::at(graph, needs))
}

/// The checksum of what a file holds.
pub(crate) fn checksum_of(file: &File) -> io::Result<u64> {
    Ok(xxh3_64(&Mapped::<u8>::new(file, HEADER)?))
}

/// A file that is being written.
pub(crate) struct Writer {
    name: &'static str,
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    sum: Box<Xxh3>,
    bytes: u64,
}

impl Writer {
    /// Appends numbers.
    pub(crate) fn all<T: NoUninit>(&mut self, numbers: &[T]) -> Result<(), Error> {
        let mut bytes: &[u8] = bytemuck::cast_slice(numbers);
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BUFFER - self.buffer.len()));
            self.buffer.extend_from_slice(now);
            bytes = later;
            if self.buffer.len() == BUFFER {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Appends a number.
    pub(crate) fn one<T: NoUninit>(&mut self, number: T) -> Result<(), Error> {
        self.all(&[number])
    }

    /// How many bytes were written behind the header.
    pub(crate) fn written(&self) -> u64 {
        self.bytes + self.buffer.len() as u64 - HEADER as u64
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.file.write_all(&self.buffer).map_err(|error| Error::io(&self.path, &error))?;
        self.sum.update(&self.buffer);
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// The file is complete, and on the disk.
    pub(crate) fn finish(mut self) -> Result<(&'static str, Kept), Error> {
        self.flush()?;
        self.file.sync_all().map_err(|error| Error::io(&self.path, &error))?;
        Ok((self.name, Kept { bytes: self.bytes, xxh3: self.sum.digest() }))
    }

    /// The file is not needed.
    pub(crate) fn discard(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(|error| Error::io(&self.path, &error))
    }
}
