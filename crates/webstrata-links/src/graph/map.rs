//! Files as slices of numbers, without reading them: the one place with unsafe code.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;

use bytemuck::AnyBitPattern;
use memmap2::Mmap;

/// A file's numbers behind its header, mapped into memory.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    map: Mmap,
    header: usize,
    kind: PhantomData<T>,
}

impl<T: AnyBitPattern> Mapped<T> {
    /// Maps a file whose header has this many bytes; an error where the rest is no row of `T`.
    pub(crate) fn new(file: &File, header: usize) -> io::Result<Mapped<T>> {
        // SAFETY: a mapping is undefined behaviour only if the file changes under it. The files of a graph are
        // written once, under a name that nobody reads, and replaced by others with other names; they are never
        // written to again. Whoever cuts one short by hand gets SIGBUS, as with any program that maps files.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(file)? };
        let numbers = map.get(header..).map(bytemuck::try_cast_slice::<u8, T>);
        match numbers {
            Some(Ok(_)) => Ok(Mapped { map, header, kind: PhantomData }),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "cut short")),
        }
    }

    /// All bytes, the header included.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }
}

impl<T: AnyBitPattern> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::try_cast_slice(&self.map[self.header..]).unwrap_or_default()
    }
}
