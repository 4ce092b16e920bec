//! Records as rows: which columns a table of them has.

use std::borrow::Cow;

/// What can be a row of a table.
pub trait Row: Sized + 'static {
    /// The columns from left to right, by name. All may be empty, so that one can be added without a new
    /// shape.
    const COLUMNS: &'static [(&'static str, Cells<Self>)];

    /// Bytes that it holds, by and large.
    fn size(&self) -> usize;
}

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
