//! Where a run was: each worker keeps its part in a file of its own, and a note of its own says which iteration all have
//! kept. Workers of several machines may share a folder, so no two write the same file.
//!
//! A worker that has finished iteration i+1 has had votes from all others since they kept iteration i. So the note about
//! i is written then, by each worker (they may have no folder in common), and older files are removed one iteration later,
//! when the others must have written theirs.

use std::fs;
use std::path::{Path, PathBuf};

use webstrata_base::Error;
use webstrata_base::write_whole;
use xxhash_rust::xxh3::xxh3_64;

use super::messages::write_numbers;
use crate::rank::exchange::Numbers;
use crate::rank::{Start, State};

const FORMAT: &str = "webstrata links checkpoint 1\n";

/// A folder of checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// The folder; made where it is missing.
    pub folder: PathBuf,
    /// A checkpoint is written every so many iterations.
    pub every: usize,
}

/// A worker's checkpoints.
pub(crate) struct CheckpointWriter<'a> {
    checkpoints: &'a Checkpoints,
    index: usize,
    workers: usize,
    task: u64,
    ends: &'a [usize],
    /// Iterations of which a file of this worker is there, ascending.
    kept: Vec<usize>,
}

/// A worker's part of a checkpoint.
pub(crate) struct Part {
    pub(crate) ends: Vec<usize>,
    residuals: Vec<f64>,
    values: Numbers,
}

impl Part {
    pub(crate) fn start(self) -> Start {
        Start::Checkpoint { residuals: self.residuals, values: self.values }
    }
}

impl Checkpoints {
    /// The iteration of the last checkpoint that all of so many workers have, as noted in the folder; nothing if there
    /// is none. What any of them has noted, all have kept.
    pub fn last(&self, workers: usize) -> Result<Option<usize>, Error> {
        let notes = self.notes();
        let mut last = None;
        for (path, _) in notes.iter().filter(|(_, of)| *of == workers) {
            let text = fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
            let iteration: usize = text
                .trim()
                .parse()
                .map_err(|_| Error::at(path, "damaged, no number of an iteration"))?;
            last = last.max(Some(iteration));
        }
        match notes.first() {
            Some((_, of)) if last.is_none() => Err(Error::at(
                &self.folder,
                format!("of {of} workers; a run is resumed with as many workers as it had"),
            )),
            _ => Ok(last),
        }
    }

    /// The notes in the folder, and of how many workers each is.
    fn notes(&self) -> Vec<(PathBuf, usize)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let note = |name: &str| {
            let (index, workers) = name.strip_prefix("last-")?.split_once("-of-")?;
            index.parse::<usize>().ok()?;
            workers.parse().ok()
        };
        entries
            .filter_map(|entry| Some((entry.path(), note(entry.file_name().to_str()?)?)))
            .collect()
    }

    fn note_path(&self, index: usize, workers: usize) -> PathBuf {
        self.folder.join(format!("last-{index}-of-{workers}"))
    }

    /// The first worker's note once more, under a name that does not change: for people and scripts.
    fn last_path(&self) -> PathBuf {
        self.folder.join("last")
    }

    fn path(&self, index: usize, workers: usize, iteration: usize) -> PathBuf {
        self.folder.join(format!("{iteration:06}-worker-{index}-of-{workers}"))
    }

    /// Reads a worker's part of the checkpoint of an iteration.
    pub(crate) fn read(
        &self,
        index: usize,
        workers: usize,
        iteration: usize,
        task: u64,
    ) -> Result<Part, Error> {
        let path = self.path(index, workers, iteration);
        let bytes = fs::read(&path).map_err(|error| {
            let hint = "a run is resumed with as many workers as it had";
            Error::at(&path, format!("{error}; {hint}"))
        })?;
        let part = parse(&bytes, &path)?;
        match part {
            (found, part) if found == task => Ok(part),
            _ => Err(Error::at(
                &path,
                "of another graph, other jumps or other options; give what the run had, or start without resuming",
            )),
        }
    }
}

impl<'a> CheckpointWriter<'a> {
    pub(crate) fn new(
        checkpoints: &'a Checkpoints,
        (index, workers): (usize, usize),
        task: u64,
        ends: &'a [usize],
    ) -> Result<CheckpointWriter<'a>, Error> {
        let folder = &checkpoints.folder;
        fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        let kept = kept(folder, index, workers);
        Ok(CheckpointWriter { checkpoints, index, workers, task, ends, kept })
    }

    /// Forgets all that comes after an iteration: there a run begins anew, which is 0, or goes on.
    pub(crate) fn begin_after(&mut self, iteration: usize) -> Result<(), Error> {
        if iteration > 0 {
            self.note(iteration)?;
        } else {
            // Nobody has noted anything yet: for that, all must have begun.
            let notes = self.checkpoints.notes().into_iter().map(|(path, _)| path);
            for note in notes.chain([self.checkpoints.last_path()]) {
                match fs::remove_file(&note) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(Error::at(&note, error));
                    }
                    _ => {}
                }
            }
        }
        self.keep_only(|kept| kept <= iteration)
    }

    /// After each iteration.
    pub(crate) fn watch(&mut self, state: &State<'_>) -> Result<(), Error> {
        let iteration = state.iteration;
        if self.kept.last() == Some(&(iteration - 1)) {
            self.note(iteration - 1)?;
        }
        // All have written the note about this one.
        if let Some(last) = self.kept.iter().rev().find(|kept| **kept + 2 <= iteration).copied() {
            self.keep_only(|kept| kept >= last)?;
        }
        if iteration.is_multiple_of(self.checkpoints.every.max(1)) {
            self.write(iteration, state.residuals, &(state.values)())?;
        }
        Ok(())
    }

    /// The iteration noted last as a checkpoint of all workers.
    fn note(&self, iteration: usize) -> Result<(), Error> {
        let text = format!("{iteration}\n");
        write_whole(&self.checkpoints.note_path(self.index, self.workers), text.as_bytes())?;
        if self.index == 0 {
            write_whole(&self.checkpoints.last_path(), text.as_bytes())?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        iteration: usize,
        residuals: &[f64],
        values: &Numbers,
    ) -> Result<(), Error> {
        let path = self.checkpoints.path(self.index, self.workers, iteration);
        let mut bytes = FORMAT.as_bytes().to_vec();
        let kind = match values {
            Numbers::Integers(_) => 0,
            Numbers::Single(_) => 1,
            Numbers::Double(_) => 2,
        };
        let head = [self.task, self.ends.len() as u64, residuals.len() as u64, kind];
        let ends = self.ends.iter().map(|end| *end as u64);
        let residuals = residuals.iter().map(|residual| residual.to_bits());
        for word in head.into_iter().chain(ends).chain(residuals) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        write_numbers(values, &mut bytes).map_err(|error| Error::io(&path, &error))?;
        let seal = xxh3_64(&bytes);
        bytes.extend_from_slice(&seal.to_le_bytes());
        write_whole(&path, &bytes)?;
        self.kept.retain(|kept| *kept < iteration);
        self.kept.push(iteration);
        Ok(())
    }

    fn keep_only(&mut self, wanted: impl Fn(usize) -> bool) -> Result<(), Error> {
        for iteration in self.kept.iter().filter(|kept| !wanted(**kept)) {
            let path = self.checkpoints.path(self.index, self.workers, *iteration);
            fs::remove_file(&path).map_err(|error| Error::io(&path, &error))?;
        }
        self.kept.retain(|kept| wanted(*kept));
        Ok(())
    }
}

/// The iterations of which a worker has files in a folder.
fn kept(folder: &Path, index: usize, workers: usize) -> Vec<usize> {
    let of_worker = format!("worker-{index}-of-{workers}");
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut kept: Vec<usize> = names
        .filter_map(|name| {
            let (iteration, worker) = name.to_str()?.split_once('-')?;
            (worker == of_worker).then(|| iteration.parse().ok())?
        })
        .collect();
    kept.sort_unstable();
    kept
}

/// The task that a part belongs to, and the part.
fn parse(bytes: &[u8], path: &Path) -> Result<(u64, Part), Error> {
    let damaged = || Error::at(path, "a damaged checkpoint; start without resuming");
    let (body, seal) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if xxh3_64(body).to_le_bytes() != *seal {
        return Err(damaged());
    }
    let rest = body.strip_prefix(FORMAT.as_bytes()).ok_or_else(damaged)?;
    let mut words = rest.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or_else(damaged);
    let (task, ends, residuals, kind) = (next()?, next()?, next()?, next()?);
    let ends: Vec<usize> =
        (0..ends).map(|_| next().map(|end| end as usize)).collect::<Result<_, _>>()?;
    let residuals: Vec<f64> =
        (0..residuals).map(|_| next().map(f64::from_bits)).collect::<Result<_, _>>()?;
    let values = &rest[8 * (4 + ends.len() + residuals.len())..];
    let values = match kind {
        1 => {
            let (fours, _) = values.as_chunks::<4>();
            Numbers::Single(fours.iter().map(|four| f32::from_le_bytes(*four)).collect())
        }
        2 => {
            let (eights, _) = values.as_chunks::<8>();
            Numbers::Double(eights.iter().map(|eight| f64::from_le_bytes(*eight)).collect())
        }
        _ => return Err(damaged()),
    };
    Ok((task, Part { ends, residuals, values }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, iterations: usize, every: usize) -> Checkpoints {
        let checkpoints = Checkpoints { folder: folder.to_owned(), every };
        let mut checkpoint_writer =
            CheckpointWriter::new(&checkpoints, (0, 2), 7, &[3, 5]).unwrap();
        for iteration in 1..=iterations {
            let residuals = vec![0.5; iteration];
            let values = || Numbers::Single(vec![iteration as f32, 2.0, 3.0]);
            checkpoint_writer
                .watch(&State {
                    iteration,
                    residuals: &residuals,
                    own_residual: 0.0,
                    pages: 0..3,
                    values: &values,
                })
                .unwrap();
        }
        checkpoints
    }

    fn files(folder: &Path) -> Vec<usize> {
        kept(folder, 0, 2)
    }

    #[test]
    fn the_last_two_are_there_until_all_know_the_newer_one() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = write(folder.path(), 4, 2);
        assert_eq!((checkpoints.last(2), files(folder.path())), (Ok(Some(2)), vec![2, 4]));
        let checkpoints = write(folder.path(), 5, 2);
        assert_eq!((checkpoints.last(2), files(folder.path())), (Ok(Some(4)), vec![2, 4]));
        let checkpoints = write(folder.path(), 6, 2);
        assert_eq!((checkpoints.last(2), files(folder.path())), (Ok(Some(4)), vec![4, 6]));
        let checkpoints = write(&folder.path().join("each"), 6, 1);
        let kept = files(&folder.path().join("each"));
        assert_eq!((checkpoints.last(2), kept), (Ok(Some(5)), vec![4, 5, 6]));
    }

    #[test]
    fn a_part_is_read_as_it_was_written_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = write(folder.path(), 5, 2);
        let part = checkpoints.read(0, 2, 4, 7).unwrap();
        assert_eq!(part.ends, [3, 5]);
        assert_eq!(part.residuals, [0.5; 4]);
        assert_eq!(part.values, Numbers::Single(vec![4.0, 2.0, 3.0]));
        let message = |result: Result<Part, Error>| result.err().unwrap().to_string();
        assert!(message(checkpoints.read(0, 2, 4, 8)).contains("another graph"));
        assert!(message(checkpoints.read(0, 3, 4, 7)).contains("as many workers"));

        let path = checkpoints.path(0, 2, 4);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            assert!(message(checkpoints.read(0, 2, 4, 7)).contains("damaged"), "{at} bytes");
            let mut wrong = whole.clone();
            wrong[at] ^= 0x10;
            fs::write(&path, wrong).unwrap();
            assert!(message(checkpoints.read(0, 2, 4, 7)).contains("damaged"), "byte {at}");
        }
    }

    #[test]
    fn a_run_that_goes_on_forgets_what_came_after() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = write(folder.path(), 6, 1);
        CheckpointWriter::new(&checkpoints, (0, 2), 7, &[]).unwrap().begin_after(5).unwrap();
        assert_eq!((checkpoints.last(2), files(folder.path())), (Ok(Some(5)), vec![4, 5]));
    }

    #[test]
    fn each_worker_has_its_own_note_and_runs_of_others_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = write(folder.path(), 5, 2);
        assert!(folder.path().join("last-0-of-2").exists());
        CheckpointWriter::new(&checkpoints, (1, 2), 7, &[]).unwrap().note(2).unwrap();
        assert_eq!(checkpoints.last(2), Ok(Some(4)));
        assert_eq!(fs::read_to_string(folder.path().join("last")).unwrap(), "4\n");
        assert!(checkpoints.last(3).unwrap_err().to_string().contains("as many workers"));
    }

    #[test]
    fn a_new_run_forgets_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = write(folder.path(), 5, 1);
        CheckpointWriter::new(&checkpoints, (0, 2), 7, &[]).unwrap().begin_after(0).unwrap();
        assert_eq!((checkpoints.last(2), files(folder.path())), (Ok(None), vec![]));
        fs::write(folder.path().join("last-1-of-2"), "seven").unwrap();
        assert!(checkpoints.last(2).unwrap_err().to_string().contains("damaged"));
    }
}
