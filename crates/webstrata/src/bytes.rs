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

/// How many bytes are such. In short runs whose number fits into a byte, so that compilers count many at a time.
#[inline]
pub(crate) fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let runs = bytes.chunks(128);
    runs.map(|run| usize::from(run.iter().fold(0u8, |all, byte| all + u8::from(is(*byte))))).sum()
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
