//! Networks that are refused: where a server that fetches strangers' addresses has no business.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A network: `10.0.0.0/8`, `fd00::/8`, a single address, or `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network {
    /// `None`: all addresses.
    address: Option<IpAddr>,
    /// How many of its first bits all addresses of the network share.
    bits: u32,
}

impl Network {
    /// Every address there is.
    pub const ALL: Network = Network { address: None, bits: 0 };

    const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32) -> Network {
        Network { address: Some(IpAddr::V4(Ipv4Addr::new(a, b, c, d))), bits }
    }

    const fn v6(head: [u16; 8], bits: u32) -> Network {
        let [a, b, c, d, e, f, g, h] = head;
        Network { address: Some(IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h))), bits }
    }

    /// Is this address one of the network's?
    pub fn contains(&self, address: IpAddr) -> bool {
        let first = |bits: u32, width: u32, value: u128| value.checked_shr(width - bits);
        match (self.address, address) {
            (None, _) => true,
            (Some(IpAddr::V4(own)), IpAddr::V4(other)) => {
                let first = |ip: Ipv4Addr| first(self.bits, 32, u128::from(ip.to_bits()));
                first(own) == first(other)
            }
            (Some(IpAddr::V6(own)), IpAddr::V6(other)) => {
                let first = |ip: Ipv6Addr| first(self.bits, 128, ip.to_bits());
                first(own) == first(other)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || {
            let remedy = "write one such as `127.0.0.0/8`, `fd00::/8` or `all`";
            format!("`{text}` is no network, {remedy}")
        };
        if text.trim() == "all" {
            return Ok(Network::ALL);
        }
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| wrong())?)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        if bits > width {
            return Err(wrong());
        }
        Ok(Network { address: Some(address), bits })
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Network, String> {
        text.parse()
    }
}

impl From<Network> for String {
    fn from(network: Network) -> String {
        network.to_string()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            None => f.write_str("all"),
            Some(address) => write!(f, "{address}/{}", self.bits),
        }
    }
}

/// What is refused, by the registries of special addresses (RFC 6890 and what came after it). What clouds
/// keep for themselves comes first, since it has the better name.
const REFUSED: &[(Network, &str)] = &[
    (Network::v4(169, 254, 169, 254, 32), "a cloud's metadata service"),
    (Network::v4(100, 100, 100, 200, 32), "a cloud's metadata service"),
    (Network::v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), "a cloud's metadata service"),
    (Network::v4(168, 63, 129, 16, 32), "a cloud's own service"),
    (Network::v4(0, 0, 0, 0, 8), "this network"),
    (Network::v4(10, 0, 0, 0, 8), "a private network"),
    (Network::v4(100, 64, 0, 0, 10), "a provider's own network"),
    (Network::v4(127, 0, 0, 0, 8), "this machine"),
    (Network::v4(169, 254, 0, 0, 16), "the local link"),
    (Network::v4(172, 16, 0, 0, 12), "a private network"),
    (Network::v4(192, 0, 0, 0, 24), "reserved for protocols"),
    (Network::v4(192, 0, 2, 0, 24), "for documentation"),
    (Network::v4(192, 31, 196, 0, 24), "reserved for protocols"),
    (Network::v4(192, 52, 193, 0, 24), "reserved for protocols"),
    (Network::v4(192, 88, 99, 0, 24), "reserved for protocols"),
    (Network::v4(192, 168, 0, 0, 16), "a private network"),
    (Network::v4(192, 175, 48, 0, 24), "reserved for protocols"),
    (Network::v4(198, 18, 0, 0, 15), "for benchmarks"),
    (Network::v4(198, 51, 100, 0, 24), "for documentation"),
    (Network::v4(203, 0, 113, 0, 24), "for documentation"),
    (Network::v4(224, 0, 0, 0, 4), "for many receivers"),
    (Network::v4(240, 0, 0, 0, 4), "reserved"),
    (Network::v6([0, 0, 0, 0, 0, 0, 0, 0], 128), "this network"),
    (Network::v6([0, 0, 0, 0, 0, 0, 0, 1], 128), "this machine"),
    // What NAT64 translates within one network (RFC 8215); nobody outside can use it.
    (Network::v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), "a provider's own network"),
    (Network::v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), "a network that discards everything"),
    (Network::v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), "for documentation"),
    (Network::v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), "for documentation"),
    // Benchmarks, ORCHID and the like: all of 2001::/23 but Teredo, which tells what it wraps.
    (Network::v6([0x2001, 0x2, 0, 0, 0, 0, 0, 0], 48), "for benchmarks"),
    (Network::v6([0x2001, 0x10, 0, 0, 0, 0, 0, 0], 28), "reserved for protocols"),
    (Network::v6([0x2001, 0x20, 0, 0, 0, 0, 0, 0], 28), "reserved for protocols"),
    (Network::v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), "reserved for protocols"),
    (Network::v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), "a private network"),
    (Network::v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), "the local link"),
    (Network::v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), "a private network"),
    (Network::v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), "for many receivers"),
];

/// Why this address is refused, unless one of these networks is allowed.
pub fn refusal(address: IpAddr, allow: &[Network]) -> Option<&'static str> {
    let is_allowed = |address: IpAddr| allow.iter().any(|network| network.contains(address));
    if is_allowed(address) {
        return None;
    }
    let of = |address: IpAddr| {
        let found = REFUSED.iter().find(|(network, _)| network.contains(address));
        found.map(|(_, why)| *why).filter(|_| !is_allowed(address))
    };
    match address {
        IpAddr::V4(_) => of(address),
        IpAddr::V6(own) => {
            of(address).or_else(|| wrapped(own).into_iter().flatten().find_map(|v4| of(v4.into())))
        }
    }
}

/// The IPv4 addresses that an IPv6 address stands for: whoever sends to it may reach these.
fn wrapped(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // Mapped (::ffff:a.b.c.d), translated (::ffff:0:a.b.c.d) and compatible (::a.b.c.d); NAT64 by
        // the prefix that all know (RFC 6052).
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0, 0, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => [Some(v4(high, low)), None],
        // 6to4 (RFC 3056).
        [0x2002, high, low, ..] => [Some(v4(high, low)), None],
        // Teredo (RFC 4380): the server, and the client with its bits turned over.
        [0x2001, 0, high, low, _, _, client_high, client_low] => {
            [Some(v4(high, low)), Some(v4(!client_high, !client_low))]
        }
        // ISATAP (RFC 5214), in any network.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => [Some(v4(high, low)), None],
        _ => [None, None],
    }
}

/// Ports on which something else than HTTP listens that a request may set off: the list of the Fetch
/// standard ("bad port").
const REFUSED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Is this a port that browsers, too, send no requests to?
pub fn is_refused_port(port: u16) -> bool {
    REFUSED_PORTS.binary_search(&port).is_ok()
}

/// Is this a name that means the machine itself (RFC 6761), whatever a server of names says?
pub fn is_local_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let last = name.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case("localhost.localdomain")
}
