//! Records as rows: which columns a table of them has.

use std::borrow::Cow;

/// What can be a row of a table.
pub trait Row: Sized + 'static {
    /// The columns from left to right, by name. All may be empty, so that one can be added without a new
    /// shape.
    const COLUMNS: &'static [Column<Self>];

    /// Bytes that it holds, by and large.
    fn size(&self) -> usize;
}

/// A column: its name, and how it is filled.
pub type Column<R> = (&'static str, Cells<R>);

/// How a column is filled: from a row, a value or none.
#[derive(Debug)]
pub enum Cells<R> {
    /// With texts.
    Text(fn(&R) -> Option<Cow<'_, str>>),
    /// With integers of 32 bits.
    Integer(fn(&R) -> Option<i32>),
    /// With integers of 64 bits.
    Long(fn(&R) -> Option<i64>),
    /// With numbers.
    Number(fn(&R) -> Option<f32>),
    /// With yes or no.
    Flag(fn(&R) -> Option<bool>),
}

impl<R> Clone for Cells<R> {
    fn clone(&self) -> Cells<R> {
        *self
    }
}

impl<R> Copy for Cells<R> {}

impl<R> Cells<R> {
    /// The cell as a text.
    pub fn text<'r>(&self, row: &'r R) -> Option<Cow<'r, str>> {
        match self {
            Cells::Text(of) => of(row),
            Cells::Integer(of) => of(row).map(|number| number.to_string().into()),
            Cells::Long(of) => of(row).map(|number| number.to_string().into()),
            Cells::Number(of) => of(row).map(|number| number.to_string().into()),
            Cells::Flag(of) => of(row).map(|flag| flag.to_string().into()),
        }
    }
}
