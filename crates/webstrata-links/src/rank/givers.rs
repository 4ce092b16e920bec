//! The pages of a partition that give rank away.
//!
//! The ranks of pages without links are needed at the end only. In a crawl most pages have none: they were seen in a
//! link and never fetched. So iterations use the other pages only, under their own numbers.

/// A set of pages, and the number of each among them.
#[derive(Debug)]
pub(crate) struct Givers {
    words: Vec<u64>,
    /// How many stand before each word.
    before: Vec<u32>,
    count: usize,
    pages: usize,
}

impl Givers {
    /// Those of so many pages that are.
    pub(crate) fn new(pages: usize, mut gives: impl FnMut(usize) -> bool) -> Givers {
        let mut givers = Givers {
            words: vec![0; pages.div_ceil(64)],
            before: Vec::with_capacity(pages.div_ceil(64)),
            count: 0,
            pages,
        };
        for (at, word) in givers.words.iter_mut().enumerate() {
            givers.before.push(givers.count as u32);
            for bit in 0..64.min(pages - at * 64) {
                if gives(at * 64 + bit) {
                    *word |= 1 << bit;
                    givers.count += 1;
                }
            }
        }
        givers
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// How many pages there are, with those that give nothing.
    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    /// The number of a page among the givers, if it is one.
    #[inline]
    pub(crate) fn number(&self, page: usize) -> Option<u32> {
        let word = *self.words.get(page / 64)?;
        (word >> (page % 64) & 1 != 0).then(|| self.before(page))
    }

    /// How many givers stand before a page.
    #[inline]
    pub(crate) fn before(&self, page: usize) -> u32 {
        let below = self.words[page / 64] & ((1 << (page % 64)) - 1);
        self.before[page / 64] + below.count_ones()
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.len() * 12) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn givers_are_numbered_in_order() {
        let is_giver = |page: usize| page % 3 == 1 || page > 150;
        let givers = Givers::new(200, is_giver);
        let mut number = 0;
        for page in 0..200 {
            assert_eq!(givers.before(page), number);
            assert_eq!(givers.number(page), is_giver(page).then_some(number));
            number += u32::from(is_giver(page));
        }
        assert_eq!((givers.count(), givers.number(200)), (number as usize, None));
        assert_eq!(Givers::new(0, is_giver).count(), 0);
    }
}
