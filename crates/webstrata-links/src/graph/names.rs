//! Names in the order of their numbers, and how a number is found by its name.

use std::cmp::Ordering;
use std::ops::Range;

use webstrata_base::Error;

use super::about::About;
use super::files::Files;
use super::map::Mapped;

/// The files of a list of names.
pub(crate) struct NameFiles {
    pub(crate) text: &'static str,
    pub(crate) ends: &'static str,
    pub(crate) order: &'static str,
}

/// Hosts, their names reversed by labels (`org.example.www`): hosts of a domain are neighbours.
pub(crate) const HOSTS: NameFiles =
    NameFiles { text: "hosts.text", ends: "hosts.ends", order: "hosts.order" };

/// Pages, by position; the order is by local numbers, host after host.
pub(crate) const PAGES: NameFiles =
    NameFiles { text: "pages.text", ends: "pages.ends", order: "pages.order" };

/// Names: all texts one after the other, and where each ends.
#[derive(Debug)]
pub(crate) struct Names {
    text: Mapped<u8>,
    ends: Mapped<u64>,
    /// Numbers in the order of names; left out where that is the order of numbers.
    order: Option<Mapped<u32>>,
}

impl Names {
    /// The names of a graph; `None` if it has none.
    pub(crate) fn open(
        files: &Files,
        about: &About,
        names: &NameFiles,
    ) -> Result<Option<Names>, Error> {
        let text = files.map(names.text, about)?;
        let ends = files.map(names.ends, about)?;
        let order = files.map(names.order, about)?;
        Ok(text.zip(ends).map(|(text, ends)| Names { text, ends, order }))
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Is there a place in the order for each name, if there is an order?
    pub(crate) fn is_whole(&self) -> bool {
        self.order.as_ref().is_none_or(|order| order.len() == self.len())
            && self.ends.last().is_none_or(|end| *end == self.text.len() as u64)
    }

    /// A name by its number. Empty where the file is damaged.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let end = self.ends.get(number).copied();
        let range = start.zip(end).map(|(start, end)| start as usize..end as usize);
        range.and_then(|range| self.text.get(range)).unwrap_or_default()
    }

    /// Which number is at this place of the order? Numbers and places count from the start of the range.
    pub(crate) fn ordered(&self, range: &Range<usize>, place: usize) -> usize {
        match &self.order {
            Some(order) => order.get(range.start + place).map_or(0, |number| *number as usize),
            None => place,
        }
    }

    /// The number of a name among those of a range, counted from its start.
    pub(crate) fn find(&self, range: Range<usize>, name: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, range.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let number = self.ordered(&range, middle);
            match self.get(range.start + number).cmp(name) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return (number < range.len()).then_some(number),
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}
