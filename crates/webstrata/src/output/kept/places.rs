//! Where each atom stands: what the decisions about written atoms ask for, noted in one walk.

/// What is known of an atom's place, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place(u8);

impl Place {
    /// It may be added: not hidden, and not in a menu, a footer or the controls of a form.
    pub(super) const ADDABLE: Place = Place(1);
    /// In a table that has data.
    pub(super) const TABLE: Place = Place(1 << 1);
    pub(super) const PRE: Place = Place(1 << 2);
    pub(super) const QUOTE: Place = Place(1 << 3);
    /// In a heading of its own, not in one that holds a whole list.
    pub(super) const HEADING: Place = Place(1 << 4);

    pub(super) const ITEM: Place = Place(1 << 5);

    pub(super) fn has(self, bit: Place) -> bool {
        self.0 & bit.0 != 0
    }

    pub(super) fn add(&mut self, bit: Place) {
        self.0 |= bit.0;
    }
}
