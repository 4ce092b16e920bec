//! Sets of numbers on the disk, in a file that nobody else sees and that goes away with the program.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use webstrata_base::Error;

/// Where a set lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    offset: u64,
    pub(super) count: u32,
}

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Sets {
    file: File,
    /// Bytes in the file.
    written: u64,
    /// What is not in the file yet.
    waiting: Vec<u8>,
    bytes: Vec<u8>,
    set: Vec<u32>,
}

impl Sets {
    pub(super) fn new() -> Result<Sets, Error> {
        let file = tempfile::tempfile().map_err(|error| failed(&error))?;
        Ok(Sets { file, written: 0, waiting: Vec::new(), bytes: Vec::new(), set: Vec::new() })
    }

    pub(super) fn write(&mut self, set: &[u32]) -> Result<Place, Error> {
        let offset = self.written + self.waiting.len() as u64;
        set.iter().for_each(|number| self.waiting.extend_from_slice(&number.to_le_bytes()));
        if self.waiting.len() >= BUFFER {
            let write = self.file.seek(SeekFrom::Start(self.written));
            write
                .and_then(|_| self.file.write_all(&self.waiting))
                .map_err(|error| failed(&error))?;
            self.written += self.waiting.len() as u64;
            self.waiting.clear();
        }
        Ok(Place { offset, count: u32::try_from(set.len()).unwrap_or(u32::MAX) })
    }

    pub(super) fn read(&mut self, place: Place) -> Result<&[u32], Error> {
        let size = 4 * place.count as usize;
        self.bytes.resize(size, 0);
        if place.offset >= self.written {
            let start = (place.offset - self.written) as usize;
            self.bytes.copy_from_slice(&self.waiting[start..start + size]);
        } else {
            let read = self.file.seek(SeekFrom::Start(place.offset));
            read.and_then(|_| self.file.read_exact(&mut self.bytes))
                .map_err(|error| failed(&error))?;
        }
        self.set.clear();
        self.set.extend(self.bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        Ok(&self.set)
    }
}

fn failed(error: &std::io::Error) -> Error {
    let folder = std::env::temp_dir();
    Error::new(format!(
        "{}: {error}; the folder for temporary files holds what is compared, TMPDIR names another",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use webstrata_base::Random;

    use super::*;

    #[test]
    fn sets_come_back() {
        let mut random = Random::new(5);
        let mut sets = Sets::new().unwrap();
        let mut kept = Vec::new();
        for number in 0..400 {
            let set: Vec<u32> = (0..random.below(3000)).map(|_| random.bits() as u32).collect();
            kept.push((sets.write(&set).unwrap(), set));
            // Also of those that are not on the disk yet.
            let (place, set) = &kept[random.below(number + 1)];
            assert_eq!(sets.read(*place).unwrap(), set);
        }
        assert!(sets.written > 0 && !sets.waiting.is_empty());
        kept.iter().for_each(|(place, set)| assert_eq!(sets.read(*place).unwrap(), set));
    }
}
