//! Keys as small numbers, with what all documents together say about each.

use hashbrown::HashTable;

/// A key of a live document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    pub(super) key: u64,
    /// Documents that have it.
    pub(super) documents: u32,
    /// Their numbers, joined by exclusive or: where there is one, it is that one's.
    pub(super) joined: u32,
}

/// All keys of live documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    free: Vec<u32>,
    numbers: HashTable<u32>,
}

impl Blocks {
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let is = |number: &u32| self.blocks[*number as usize].key == key;
        self.numbers.find(spread(key), is).copied()
    }

    pub(super) fn get(&self, number: u32) -> Block {
        self.blocks[number as usize]
    }

    /// One more document has the key. Returns its number.
    pub(super) fn add(&mut self, key: u64, document: u32) -> u32 {
        let number = self.find(key).unwrap_or_else(|| self.make(key));
        let block = &mut self.blocks[number as usize];
        block.documents += 1;
        block.joined ^= document;
        number
    }

    fn make(&mut self, key: u64) -> u32 {
        let block = Block { key, documents: 0, joined: 0 };
        let number = match self.free.pop() {
            Some(number) => {
                self.blocks[number as usize] = block;
                number
            }
            None => {
                grow_slowly(&mut self.blocks);
                self.blocks.push(block);
                self.blocks.len() as u32 - 1
            }
        };
        let blocks = &self.blocks;
        self.numbers
            .insert_unique(spread(key), number, |number| spread(blocks[*number as usize].key));
        number
    }

    /// One document less has the key. Returns what is left.
    pub(super) fn remove(&mut self, number: u32, document: u32) -> Block {
        let block = &mut self.blocks[number as usize];
        block.documents -= 1;
        block.joined ^= document;
        let left = *block;
        if left.documents == 0 {
            if let Ok(entry) = self.numbers.find_entry(spread(left.key), |other| *other == number) {
                entry.remove();
            }
            self.free.push(number);
        }
        left
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn allocated(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
            + self.free.capacity() * size_of::<u32>()
            + self.numbers.allocation_size()
    }
}

/// Keys are hashes already; tables want their high bits, too.
fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Room for an eighth more, where a vector would double.
pub(super) fn grow_slowly<T>(vector: &mut Vec<T>) {
    if vector.len() == vector.capacity() {
        vector.reserve_exact(vector.len() / 8 + 16);
    }
}
