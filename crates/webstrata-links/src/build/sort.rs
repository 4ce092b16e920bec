//! Sorting more than fits into memory: sorted runs in files, merged.
//!
//! What fits is sorted in memory and never touches the disk. A sorted list can be read several times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use webstrata_base::Error;

/// Runs of a size that become one larger run: otherwise, too many files would be open in the end.
const MOST_RUNS: usize = 64;

/// What can be sorted.
pub(crate) trait Item: Ord + Default + 'static {
    /// Bytes that it has besides its own size.
    fn extra(&self) -> usize;
    /// Writes it to a run.
    fn store(&self, out: &mut impl Write) -> io::Result<()>;
    /// Becomes the next one of a run; `false` at the end.
    fn load(&mut self, input: &mut impl BufRead) -> io::Result<bool>;
}

impl<const N: usize> Item for [u64; N]
where
    [u64; N]: Default,
{
    fn extra(&self) -> usize {
        0
    }

    fn store(&self, out: &mut impl Write) -> io::Result<()> {
        self.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
    }

    fn load(&mut self, input: &mut impl BufRead) -> io::Result<bool> {
        if input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        for number in self.iter_mut() {
            let mut bytes = [0; 8];
            input.read_exact(&mut bytes)?;
            *number = u64::from_le_bytes(bytes);
        }
        Ok(true)
    }
}

/// A text with a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text {
    pub(crate) text: Vec<u8>,
    pub(crate) mark: u8,
}

impl Item for Text {
    fn extra(&self) -> usize {
        // What the allocator adds is a guess.
        self.text.capacity() + 16
    }

    fn store(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.text.len() as u32).to_le_bytes())?;
        out.write_all(&[self.mark])?;
        out.write_all(&self.text)
    }

    fn load(&mut self, input: &mut impl BufRead) -> io::Result<bool> {
        if input.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut head = [0; 5];
        input.read_exact(&mut head)?;
        let [a, b, c, d, mark] = head;
        self.mark = mark;
        self.text.resize(u32::from_le_bytes([a, b, c, d]) as usize, 0);
        input.read_exact(&mut self.text)?;
        Ok(true)
    }
}

/// Gathers items and sorts them.
pub(crate) struct Sorter<T> {
    folder: PathBuf,
    name: &'static str,
    /// Bytes of memory.
    budget: usize,
    items: Vec<T>,
    extra: usize,
    /// How often each was merged, and its file. The largest come first.
    runs: Vec<(u32, PathBuf)>,
    /// Runs that were ever written: each has a name of its own.
    written: usize,
}

impl<T: Item> Sorter<T> {
    /// Runs go to this folder, which is made when there is one, under this name.
    pub(crate) fn new(folder: &Path, name: &'static str, budget: usize) -> Sorter<T> {
        let folder = folder.to_owned();
        Sorter { folder, name, budget, items: Vec::new(), extra: 0, runs: Vec::new(), written: 0 }
    }

    pub(crate) fn push(&mut self, item: T) -> Result<(), Error> {
        if self.items.len() == self.items.capacity() {
            self.make_room()?;
        }
        self.extra += item.extra();
        self.items.push(item);
        if self.extra > self.budget / 2 {
            self.spill()?;
        }
        Ok(())
    }

    /// Twice as much memory as before, or a run where that is more than allowed.
    fn make_room(&mut self) -> Result<(), Error> {
        // Texts have half of the memory.
        let share = if self.extra > 0 { self.budget / 2 } else { self.budget };
        let most = (share / size_of::<T>()).max(4);
        if self.items.len() >= most {
            return self.spill();
        }
        let more = self.items.len().max(1024).min(most - self.items.len());
        self.items.reserve_exact(more);
        Ok(())
    }

    fn spill(&mut self) -> Result<(), Error> {
        if self.items.is_empty() {
            return Ok(());
        }
        self.items.sort_unstable();
        self.items.dedup();
        let (path, mut run) = self.new_run()?;
        let write = |run: &mut BufWriter<File>| -> io::Result<()> {
            self.items.iter().try_for_each(|item| item.store(run))?;
            run.flush()
        };
        write(&mut run).map_err(|error| Error::io(&path, &error))?;
        self.items.clear();
        self.extra = 0;
        self.runs.push((0, path));
        self.merge_runs()
    }

    fn new_run(&mut self) -> Result<(PathBuf, BufWriter<File>), Error> {
        let path = self.folder.join(format!("{}-{}", self.name, self.written));
        self.written += 1;
        let file = fs::create_dir_all(&self.folder).and_then(|()| File::create(&path));
        let file = file.map_err(|error| Error::io(&path, &error))?;
        Ok((path, BufWriter::with_capacity(1 << 18, file)))
    }

    /// As many runs of the same size become one, so that an item is written again once for each 64-fold of items.
    fn merge_runs(&mut self) -> Result<(), Error> {
        while let Some(&(level, _)) = self.runs.last() {
            let first = self.runs.iter().position(|run| run.0 == level).unwrap_or(0);
            if self.runs.len() - first < MOST_RUNS {
                break;
            }
            let (path, mut out) = self.new_run()?;
            let runs: Vec<PathBuf> = self.runs.drain(first..).map(|(_, run)| run).collect();
            let mut merged: Merge<'_, T> = Merge::of_runs(&runs, self.budget)?;
            while let Some(item) = merged.next()? {
                item.store(&mut out).map_err(|error| Error::io(&path, &error))?;
            }
            out.flush().map_err(|error| Error::io(&path, &error))?;
            runs.iter().for_each(|run| drop(fs::remove_file(run)));
            self.runs.push((level + 1, path));
        }
        Ok(())
    }

    /// All items in order.
    pub(crate) fn sort(mut self) -> Result<Sorted<T>, Error> {
        if self.runs.is_empty() {
            self.items.sort_unstable();
            self.items.dedup();
        } else {
            self.spill()?;
            self.items = Vec::new();
        }
        let runs = self.runs.into_iter().map(|(_, run)| run).collect();
        Ok(Sorted { items: self.items, runs, budget: self.budget })
    }
}

/// Items in order, each once; in memory or in files, which are removed in the end.
pub(crate) struct Sorted<T> {
    items: Vec<T>,
    runs: Vec<PathBuf>,
    budget: usize,
}

impl<T: Item> Sorted<T> {
    /// Reads from the start.
    pub(crate) fn read(&self) -> Result<Merge<'_, T>, Error> {
        if self.runs.is_empty() {
            return Ok(Merge { items: self.items.iter(), runs: Runs::default() });
        }
        Merge::of_runs(&self.runs, self.budget)
    }
}

impl<T> Drop for Sorted<T> {
    fn drop(&mut self) {
        self.runs.iter().for_each(|run| drop(fs::remove_file(run)));
    }
}

/// Items in order, equal ones once.
pub(crate) struct Merge<'a, T> {
    items: std::slice::Iter<'a, T>,
    runs: Runs<T>,
}

struct Runs<T> {
    files: Vec<(PathBuf, BufReader<File>)>,
    heap: BinaryHeap<Reverse<(T, usize)>>,
    last: T,
    begun: bool,
}

impl<T: Item> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { files: Vec::new(), heap: BinaryHeap::new(), last: T::default(), begun: false }
    }
}

impl<T: Item> Merge<'_, T> {
    fn of_runs(paths: &[PathBuf], budget: usize) -> Result<Merge<'static, T>, Error> {
        let buffer = (budget / 2 / paths.len().max(1)).clamp(1 << 12, 1 << 20);
        let mut runs = Runs::default();
        for (number, path) in paths.iter().enumerate() {
            let file = File::open(path).map_err(|error| Error::io(path, &error))?;
            let mut input = BufReader::with_capacity(buffer, file);
            let mut first = T::default();
            if first.load(&mut input).map_err(|error| Error::io(path, &error))? {
                runs.heap.push(Reverse((first, number)));
            }
            runs.files.push((path.clone(), input));
        }
        Ok(Merge { items: [].iter(), runs })
    }

    /// The next item; `None` after the last.
    pub(crate) fn next(&mut self) -> Result<Option<&T>, Error> {
        match self.items.next() {
            Some(item) => Ok(Some(item)),
            None => self.runs.next(),
        }
    }
}

impl<T: Item> Runs<T> {
    fn next(&mut self) -> Result<Option<&T>, Error> {
        loop {
            let Some(mut top) = self.heap.peek_mut() else { return Ok(None) };
            let Reverse((item, run)) = &mut *top;
            let is_new = !self.begun || *item != self.last;
            // What was last is overwritten with what comes next in the same run: no text is allocated.
            std::mem::swap(item, &mut self.last);
            self.begun = true;
            let (path, input) = &mut self.files[*run];
            if !item.load(input).map_err(|error| Error::io(path, &error))? {
                PeekMut::pop(top);
            }
            if is_new {
                break;
            }
        }
        Ok(Some(&self.last))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// More runs than are merged at once, twice over.
    #[test]
    fn many_runs_are_merged_by_size() {
        let folder = tempfile::tempdir().unwrap();
        let sort = folder.path().join("sort");
        let mut sorter: Sorter<[u64; 2]> = Sorter::new(&sort, "numbers", 0);
        let mut random = webstrata_base::random::Random::new(1);
        let mut expected = BTreeSet::new();
        for _ in 0..20_000 {
            let item = [random.below(1000) as u64, random.below(10) as u64];
            expected.insert(item);
            sorter.push(item).unwrap();
        }
        assert!(sorter.runs.len() < 3 * MOST_RUNS && sorter.runs[0].0 == 2, "{:?}", sorter.runs);
        let sorted = sorter.sort().unwrap();
        for _ in 0..2 {
            let (mut read, mut found) = (sorted.read().unwrap(), Vec::new());
            while let Some(item) = read.next().unwrap() {
                found.push(*item);
            }
            assert!(found.iter().eq(&expected));
        }
        drop(sorted);
        assert_eq!(fs::read_dir(&sort).unwrap().count(), 0);
    }

    #[test]
    fn what_fits_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let sort = folder.path().join("sort");
        let mut sorter: Sorter<Text> = Sorter::new(&sort, "names", 1 << 20);
        for text in ["tide", "ebb", "tide", ""] {
            sorter.push(Text { text: text.into(), mark: 1 }).unwrap();
        }
        let sorted = sorter.sort().unwrap();
        let mut read = sorted.read().unwrap();
        let mut found = Vec::new();
        while let Some(item) = read.next().unwrap() {
            found.push(String::from_utf8(item.text.clone()).unwrap());
        }
        assert_eq!(found, ["", "ebb", "tide"]);
        assert!(!sort.exists());
    }
}
