//! Zip files, as WACZ files are.

use std::io::Write;

use flate2::write::DeflateEncoder;

/// A zip file whose members are stored as they are.
pub(crate) fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip_of(members.iter().map(|(name, content)| (*name, content.clone(), None)))
}

/// The same with members that zip has packed.
pub(crate) fn deflated(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    zip_of(members.iter().map(|(name, content)| {
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        (*name, encoder.finish().unwrap(), Some(content.len()))
    }))
}

/// Members with their bytes, and how long they are unpacked where they are packed.
fn zip_of<'a>(members: impl Iterator<Item = (&'a str, Vec<u8>, Option<usize>)>) -> Vec<u8> {
    let (mut file, mut list) = (Vec::new(), Vec::new());
    let mut count = 0u16;
    for (name, content, unpacked) in members {
        count += 1;
        let at = file.len() as u32;
        let size = (content.len() as u32).to_le_bytes();
        let whole = (unpacked.unwrap_or(content.len()) as u32).to_le_bytes();
        let method = if unpacked.is_some() { 8 } else { 0 };
        let fixed = [20, 0, 0, 0, method, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        let middle = [&fixed[..], &size, &whole].concat();
        let names = [&(name.len() as u16).to_le_bytes()[..], &[0, 0]].concat();
        file.extend([&b"PK\x03\x04"[..], &middle, &names, name.as_bytes(), &content].concat());
        let head = [&b"PK\x01\x02\x14\0"[..], &middle, &names, &[0; 10], &at.to_le_bytes()];
        list.extend([&head.concat()[..], name.as_bytes()].concat());
    }
    let count = count.to_le_bytes();
    let (length, start) = ((list.len() as u32).to_le_bytes(), (file.len() as u32).to_le_bytes());
    file.extend(list);
    file.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, &[0, 0]].concat());
    file
}
