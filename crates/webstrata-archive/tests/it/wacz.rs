//! Zip files, as WACZ files are.

/// A zip file whose members are stored as they are.
pub(crate) fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut list) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let at = file.len() as u32;
        let size = (content.len() as u32).to_le_bytes();
        let middle = [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4][..], &size, &size].concat();
        let names = [&(name.len() as u16).to_le_bytes()[..], &[0, 0]].concat();
        file.extend([&b"PK\x03\x04"[..], &middle, &names, name.as_bytes(), content].concat());
        let head = [&b"PK\x01\x02\x14\0"[..], &middle, &names, &[0; 10], &at.to_le_bytes()];
        list.extend([&head.concat()[..], name.as_bytes()].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let (length, start) = ((list.len() as u32).to_le_bytes(), (file.len() as u32).to_le_bytes());
    file.extend(list);
    file.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &start, &[0, 0]].concat());
    file
}
