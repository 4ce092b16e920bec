//! Sets of bytes as tables: what fast loops ask of every byte.

/// The table of these bytes.
pub(crate) const fn set(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}
