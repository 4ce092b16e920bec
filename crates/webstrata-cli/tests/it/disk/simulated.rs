//! A disk in memory that knows what would be left of it if the power went: what a program did to its files, in order, and
//! what of that it has made sure of.
//!
//! It promises as little as POSIX does. What was written may be lost until the file was synced, though later writes
//! survive. A name that was made, moved or removed may be as it was before until its folder was synced, whether or not the
//! file was. What could not be synced is not on the disk, also if a later sync of the same file succeeds, since systems
//! forget it after they have said so once.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use webstrata_base::random::Random;

use super::tracing::Operation;

/// What is lost in a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Nothing: the program alone was killed.
    Nothing,
    /// All that nobody made sure of.
    Everything,
    /// The content of files; names are as they were last.
    Contents,
    /// Names; the content of files is as it was last.
    Names,
    /// Of all of it one or the other, by chance.
    Some(u64),
}

/// The files of a folder with their contents; folders have none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Image(BTreeMap<String, Option<Vec<u8>>>);

impl Image {
    /// What lies in a folder.
    pub(super) fn of(folder: &Path) -> Image {
        let mut image = BTreeMap::new();
        each(folder, "", &mut |name, path, _| {
            image.insert(name, path.is_file().then(|| fs::read(path).unwrap()));
        });
        Image(image)
    }

    /// Makes a folder so, and nothing else in it.
    pub(super) fn write(&self, folder: &Path) {
        fs::remove_dir_all(folder).unwrap();
        fs::create_dir(folder).unwrap();
        for (name, content) in &self.0 {
            let path = folder.join(name);
            match content {
                Some(content) => fs::write(path, content).unwrap(),
                None => fs::create_dir(path).unwrap(),
            }
        }
    }

    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

fn each(folder: &Path, above: &str, found: &mut impl FnMut(String, &Path, u64)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{above}{}", path.file_name().unwrap().to_str().unwrap());
        found(name.clone(), &path, fs::metadata(&path).unwrap().ino());
        if path.is_dir() {
            each(&path, &format!("{name}/"), found);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    File(usize),
}

type Names = BTreeMap<String, Node>;

#[derive(Clone, Debug, Default)]
struct File {
    now: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

#[derive(Clone, Debug)]
enum NameChange {
    Add(String, Node),
    Remove(String),
    Move(String, String, Node),
}

#[derive(Clone, Debug)]
pub(super) struct Disk {
    files: Vec<File>,
    /// Numbers are used again once a file is gone: the last one that was made has it.
    by_inode: HashMap<u64, usize>,
    now: Names,
    durable: Names,
    unsynced: Vec<NameChange>,
}

impl Disk {
    /// A folder as it is, all of it safe.
    pub(super) fn of(folder: &Path) -> Disk {
        let (mut files, mut by_inode, mut names) = (Vec::new(), HashMap::new(), Names::new());
        each(folder, "", &mut |name, path, inode| {
            let node = if path.is_dir() {
                Node::Folder
            } else {
                let number = *by_inode.entry(inode).or_insert_with(|| {
                    let content = fs::read(path).unwrap();
                    files.push(File {
                        now: content.clone(),
                        durable: content,
                        unsynced: Vec::new(),
                    });
                    files.len() - 1
                });
                Node::File(number)
            };
            names.insert(name, node);
        });
        Disk { files, by_inode, now: names.clone(), durable: names, unsynced: Vec::new() }
    }

    /// Does what a program did.
    pub(super) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create(inode, path) => {
                self.files.push(File::default());
                self.by_inode.insert(*inode, self.files.len() - 1);
                self.change_name(NameChange::Add(path.clone(), Node::File(self.files.len() - 1)));
            }
            Operation::Write(inode, offset, bytes) => {
                self.change(*inode, Change::Write(*offset, bytes.clone()));
            }
            Operation::Cut(inode, length) => self.change(*inode, Change::Cut(*length)),
            Operation::Sync(inode) => {
                let file = self.file(*inode);
                for change in std::mem::take(&mut file.unsynced) {
                    change.apply(&mut file.durable);
                }
            }
            Operation::FailedSync(inode) => self.file(*inode).unsynced.clear(),
            Operation::Mkdir(path) => self.change_name(NameChange::Add(path.clone(), Node::Folder)),
            Operation::Unlink(path) | Operation::Rmdir(path) => {
                self.change_name(NameChange::Remove(path.clone()));
            }
            Operation::Rename(from, to) => {
                let node = self.now[from];
                self.change_name(NameChange::Move(from.clone(), to.clone(), node));
            }
            Operation::Link(from, to) => {
                let node = self.now[from];
                self.change_name(NameChange::Add(to.clone(), node));
            }
            Operation::SyncFolder(folder) => {
                for change in std::mem::take(&mut self.unsynced) {
                    if change.is_in(folder) {
                        change.apply(&mut self.durable);
                    } else {
                        self.unsynced.push(change);
                    }
                }
            }
        }
    }

    fn file(&mut self, inode: u64) -> &mut File {
        let number = self.by_inode.get(&inode);
        &mut self.files[*number.unwrap_or_else(|| panic!("no file has the number {inode}"))]
    }

    fn change(&mut self, inode: u64, change: Change) {
        let file = self.file(inode);
        change.apply(&mut file.now);
        file.unsynced.push(change);
    }

    fn change_name(&mut self, change: NameChange) {
        change.apply(&mut self.now);
        self.unsynced.push(change);
    }

    /// What is left after a crash.
    pub(super) fn after(&self, loss: Loss) -> Image {
        let mut chance = match loss {
            Loss::Some(seed) => Some(Random::new(seed)),
            _ => None,
        };
        let names = match (loss, &mut chance) {
            (Loss::Nothing | Loss::Contents, _) => self.now.clone(),
            (_, Some(chance)) => {
                let mut names = self.durable.clone();
                let survives = self.unsynced.iter().filter(|_| chance.below(2) == 0);
                survives.for_each(|change| change.apply(&mut names));
                names
            }
            _ => self.durable.clone(),
        };
        let contents = self.files.iter().map(|file| match (loss, &mut chance) {
            (Loss::Nothing | Loss::Names, _) => file.now.clone(),
            (_, Some(chance)) => {
                let mut content = file.durable.clone();
                let survives = file.unsynced.iter().filter(|_| chance.below(2) == 0);
                survives.for_each(|change| change.apply(&mut content));
                content
            }
            _ => file.durable.clone(),
        });
        let contents: Vec<Vec<u8>> = contents.collect();
        let mut image = BTreeMap::new();
        for (name, node) in &names {
            // A folder that is lost takes with it what is in it. Names are sorted: it comes first.
            if name.rsplit_once('/').is_none_or(|(above, _)| image.get(above) == Some(&None)) {
                let content = match node {
                    Node::Folder => None,
                    Node::File(number) => Some(contents[*number].clone()),
                };
                image.insert(name.clone(), content);
            }
        }
        Image(image)
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write(offset, bytes) => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
            Change::Cut(length) => content.resize(*length, 0),
        }
    }
}

fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(above, _)| above)
}

impl NameChange {
    fn is_in(&self, folder: &str) -> bool {
        match self {
            NameChange::Add(path, _) | NameChange::Remove(path) => above(path) == folder,
            NameChange::Move(from, to, _) => above(from) == folder || above(to) == folder,
        }
    }

    fn apply(&self, names: &mut Names) {
        match self {
            NameChange::Add(path, node) => drop(names.insert(path.clone(), *node)),
            NameChange::Remove(path) => drop(names.remove(path)),
            NameChange::Move(from, to, node) => {
                let inside = format!("{from}/");
                let moved = names.keys().filter(|name| name.starts_with(&inside)).cloned();
                for name in moved.collect::<Vec<_>>() {
                    let node = names.remove(&name).expect("just found");
                    names.insert(format!("{to}/{}", &name[inside.len()..]), node);
                }
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}
