//! What fast loops ask of every byte: sets as tables, and whether a text is in order already.

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

/// Words of ASCII with one space between them, as most are?
pub(crate) fn is_collapsed(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !byte.is_ascii_graphic() && (byte != b' ' || before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' '
}
