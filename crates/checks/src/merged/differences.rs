//! Differences between the hosts of a run: the sizes of their targets and the parts of their
//! fingerprints, such as kernel, scheduler and mount options.

use diskspd_figures::units::amount;
use diskspd_results::{Host, MergedHosts, Record};
use std::collections::{BTreeMap, HashMap};

/// Property with its values and their hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostsDifference {
    pub property: String,
    /// Values with the names of their hosts, the most common value first; `None` = unknown.
    pub values: Vec<(Option<String>, Vec<String>)>,
}

type Properties = BTreeMap<String, String>;

/// Returns the differences of the hosts with figures, sizes before names.
pub fn differences(record: &Record) -> Vec<HostsDifference> {
    let Some(whole) = &record.merged else { return Vec::new() };
    let sizes = sizes(whole);
    let hosts: Vec<(&str, Properties)> =
        record.present().map(|host| (host.name.as_str(), properties(host, &sizes))).collect();
    let mut names: Vec<&String> = hosts.iter().flat_map(|(_, properties)| properties.keys()).collect();
    names.sort_by_key(|name| (!name.starts_with(SIZE), name.as_str()));
    names.dedup();
    names.into_iter().filter_map(|name| difference(name, &hosts)).collect()
}

const SIZE: &str = "size of target";

fn difference(name: &str, hosts: &[(&str, Properties)]) -> Option<HostsDifference> {
    let mut values: Vec<(Option<String>, Vec<String>)> = Vec::new();
    let mut places: HashMap<Option<&String>, usize> = HashMap::new();
    for (host, properties) in hosts {
        let value = properties.get(name);
        let place = *places.entry(value).or_insert(values.len());
        if place == values.len() {
            values.push((value.cloned(), Vec::new()));
        }
        values[place].1.push((*host).to_owned());
    }
    values.sort_by_key(|(_, hosts)| std::cmp::Reverse(hosts.len()));
    (values.len() > 1).then(|| HostsDifference { property: name.to_owned(), values })
}

fn properties(host: &Host, sizes: &HashMap<String, u64>) -> Properties {
    let mut properties =
        host.system.fingerprint.as_ref().map(|print| print.parts.clone()).unwrap_or_default();
    for (number, target) in (1..).zip(&host.targets) {
        if let Some(size) = sizes.get(&format!("{}:{}", host.name, target.storage.path)) {
            properties.insert(format!("{SIZE} {number}"), amount(*size));
        }
    }
    properties
}

/// Returns the sizes of targets in bytes, by their paths in the merged run.
fn sizes(whole: &MergedHosts) -> HashMap<String, u64> {
    let threads = whole.host.results.time_spans.iter().flat_map(|span| &span.threads);
    let targets = threads.flat_map(|thread| &thread.targets).filter(|target| target.size > 0);
    targets.map(|target| (whole.host.path(target.target).to_string(), target.size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_properties_list_hosts_by_value() {
        let host = |name: &'static str, parts: &[(&str, &str)]| {
            let parts = parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            (name, parts.collect::<Properties>())
        };
        let hosts = [
            host("a", &[("kernel", "6.1"), ("scheduler", "none")]),
            host("b", &[("kernel", "6.8"), ("scheduler", "none")]),
            host("c", &[("kernel", "6.8")]),
        ];
        let found = difference("kernel", &hosts).unwrap();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found.values,
            [(Some("6.8".into()), names(&["b", "c"])), (Some("6.1".into()), names(&["a"]))]
        );
        let found = difference("scheduler", &hosts).unwrap();
        assert_eq!(found.values[1], (None, names(&["c"])));
        assert_eq!(difference("kernel", &hosts[1..]), None);
    }
}
