//! Counters of network protocols in the network namespace of the program: `/proc/net/snmp`,
//! `/proc/net/snmp6`.

use crate::root::Root;

#[derive(Debug, Clone, Default)]
pub struct NetworkCounters {
    both: String,
    version6: String,
}

impl NetworkCounters {
    /// Reads the counters in about 10 µs.
    pub fn read(root: &Root) -> NetworkCounters {
        let text = |file: &str| root.text(file).unwrap_or_default();
        NetworkCounters { both: text("/proc/net/snmp"), version6: text("/proc/net/snmp6") }
    }

    /// Returns the sum of counters, each a protocol and a name. Missing IPv6 counters are 0; `None` if
    /// another counter is missing.
    pub fn sum(&self, counters: &[(&str, &str)]) -> Option<u64> {
        counters.iter().map(|(protocol, name)| self.read_counter(protocol, name)).sum()
    }

    fn read_counter(&self, protocol: &str, name: &str) -> Option<u64> {
        if protocol.ends_with('6') {
            let mut lines = self.version6.lines();
            let value = lines.find_map(|line| line.strip_prefix(protocol)?.strip_prefix(name));
            return value.map_or(Some(0), |value| value.trim().parse().ok());
        }
        // Two lines each: names, then numbers.
        let mut lines = self.both.lines().filter_map(|line| line.strip_prefix(protocol)?.strip_prefix(':'));
        let (names, numbers) = (lines.next()?, lines.next()?);
        let place = names.split_whitespace().position(|known| known == name)?;
        numbers.split_whitespace().nth(place)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_their_names() {
        let both = "Tcp: RtoMin ActiveOpens RetransSegs\nTcp: 200 7 3\n\
                    Udp: InDatagrams OutDatagrams\nUdp: 11 13\nUdpLite: InDatagrams\nUdpLite: 99\n";
        let version6 = "Ip6InReceives  \t5\nUdp6InDatagrams                 \t100\n";
        let counters = NetworkCounters { both: both.into(), version6: version6.into() };
        type RequestsByKey = &'static [(&'static str, &'static str)];
        let table: [(RequestsByKey, Option<u64>); 6] = [
            (&[("Tcp", "RetransSegs")], Some(3)),
            (&[("Udp", "InDatagrams"), ("Udp6", "InDatagrams")], Some(111)),
            (&[("Udp", "OutDatagrams"), ("Udp6", "OutDatagrams")], Some(13)),
            (&[("Tcp", "OutSegs")], None),
            (&[("Sctp", "OutSegs")], None),
            (&[], Some(0)),
        ];
        for (asked, expected) in table {
            assert_eq!(counters.sum(asked), expected, "{asked:?}");
        }
        let broken = NetworkCounters { both: "Tcp: OutSegs\nTcp: x\n".into(), ..NetworkCounters::default() };
        assert_eq!(broken.sum(&[("Tcp", "OutSegs")]), None);
    }
}
