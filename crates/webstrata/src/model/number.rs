//! Numbers as model files write them: the shortest that read back as the same bits.

use std::fmt;
use std::str::FromStr;

/// Writes a number without a long row of zeros.
pub(super) struct Number<T>(pub(super) T);

impl<T: fmt::Display + fmt::LowerExp + Copy + Into<f64>> fmt::Display for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size: f64 = self.0.into().abs();
        if size == 0.0 || (1e-5..1e12).contains(&size) {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}

/// Reads a finite number.
pub(super) fn finite<T: FromStr + Copy + Into<f64>>(text: &str) -> Result<T, String> {
    match text.parse::<T>() {
        Ok(number) if number.into().is_finite() => Ok(number),
        _ => Err(format!("expected a number, found `{text}`")),
    }
}
