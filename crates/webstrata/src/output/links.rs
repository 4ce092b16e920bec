//! Addresses as outputs write them: of the kinds that may be followed, and nothing in them that would end
//! them too early.

use std::cell::OnceCell;

use crate::addresses::Addresses;
use crate::page::Page;

/// Bytes of an address; browsers take more, readers of a text do not.
const MAX_LENGTH: usize = 2_048;

/// Resolves the addresses of one page. Most outputs have none, so it begins with the first.
pub(crate) struct Links<'p, 't> {
    page: &'p Page<'t>,
    addresses: OnceCell<Addresses>,
}

impl<'p, 't> Links<'p, 't> {
    pub(crate) fn of(page: &'p Page<'t>) -> Links<'p, 't> {
        Links { page, addresses: OnceCell::new() }
    }

    /// A link's address, if it is one that may be followed.
    pub(crate) fn link(&self, href: &str) -> Option<String> {
        self.written(href, true)
    }

    /// An image's address.
    pub(crate) fn image(&self, src: &str) -> Option<String> {
        self.written(src, false)
    }

    fn written(&self, address: &str, mail: bool) -> Option<String> {
        if address.len() > MAX_LENGTH {
            return None;
        }
        let addresses = self.addresses.get_or_init(|| Addresses::of(self.page));
        addresses.safe(address, mail).map(|url| encode(&url))
    }
}

/// Characters that would end the address in Markdown or in HTML, or a cell of a table.
fn encode(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for c in url.chars() {
        let special = c.is_whitespace()
            || matches!(c, '(' | ')' | '<' | '>' | '"' | '`' | '|' | '\\' | '*' | '~' | '\'');
        if special {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let hex = |digit: u8| {
                    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
                };
                encoded.extend(['%', hex(byte >> 4), hex(byte & 15)]);
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_address_too_early() {
        assert_eq!(encode("/c?y=(1)|*~x y"), "/c?y=%281%29%7C%2A%7Ex%20y");
    }
}
