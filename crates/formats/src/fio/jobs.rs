//! The jobs of a document, and which of them ran at the same time.

use serde_json::{Map, Value};

const ALL_CLIENTS: &str = "All clients";

/// Entry of a job, or of several jobs summed by `group_reporting`.
#[derive(Clone, Copy)]
pub(super) struct FioJob<'a> {
    pub name: &'a str,
    pub host: Option<&'a str>,
    pub value: &'a Value,
    /// Number shared by concurrent jobs.
    group: i64,
    global: Option<&'a Map<String, Value>>,
}

/// Returns all jobs of a document in order. fio's sum of all hosts is excluded unless it is the only
/// entry, because it mixes jobs of different times, without percentiles.
pub(super) fn read_jobs(document: &Value) -> Vec<FioJob<'_>> {
    let global = document.get("global options").and_then(Value::as_object);
    let lists = ["jobs", "client_stats"].into_iter().filter_map(|name| document.get(name)?.as_array());
    let job = |value| FioJob {
        name: text(value, "jobname").unwrap_or_default(),
        host: text(value, "hostname"),
        group: value.get("groupid").and_then(Value::as_i64).unwrap_or(0),
        value,
        global,
    };
    let all: Vec<FioJob> = lists.flatten().filter(|value| value.is_object()).map(job).collect();
    match all.iter().all(FioJob::is_sum) {
        true => all,
        false => all.into_iter().filter(|job| !job.is_sum()).collect(),
    }
}

/// Returns the groups of concurrent jobs in the order of their first jobs.
pub(super) fn groups<'a>(jobs: &[FioJob<'a>]) -> Vec<Vec<FioJob<'a>>> {
    let mut groups: Vec<Vec<FioJob>> = Vec::new();
    for job in jobs {
        match groups.iter_mut().find(|group| group[0].group == job.group) {
            Some(group) => group.push(*job),
            None => groups.push(vec![*job]),
        }
    }
    groups
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

impl<'a> FioJob<'a> {
    fn is_sum(&self) -> bool {
        self.name == ALL_CLIENTS && self.own_options().is_none()
    }

    fn own_options(&self) -> Option<&'a Map<String, Value>> {
        self.value.get("job options")?.as_object()
    }

    pub(super) fn states_options(&self) -> bool {
        self.own_options().is_some()
    }

    /// An option by any of its names, of this job or of all jobs; `None` = not set.
    pub(super) fn option(&self, names: &[&str]) -> Option<&'a str> {
        [self.own_options(), self.global]
            .into_iter()
            .flatten()
            .find_map(|options| names.iter().find_map(|name| options.get(*name)?.as_str()))
    }

    /// Returns the options that name its files, each with its folder. fio also uses the global ones.
    pub(super) fn file_names(&self) -> Vec<(&'a str, Option<&'a str>)> {
        let of = |options: Option<&'a Map<String, Value>>, name| options?.get(name)?.as_str();
        let global = of(self.global, "filename").map(|names| (names, of(self.global, "directory")));
        let own = of(self.own_options(), "filename").map(|names| (names, self.option(&["directory"])));
        global.into_iter().chain(own).collect()
    }

    /// Whether the result is from fio 2.
    pub(super) fn has_times_in_us(&self) -> bool {
        ["read", "write", "trim", "mixed"]
            .iter()
            .any(|name| self.value.pointer(&format!("/{name}/lat")).is_some())
    }

    /// Whether total latency percentiles are listed under completion latency, as in fio 3.1 to 3.12 with
    /// `lat_percentiles`.
    pub(super) fn misplaces_percentiles(&self) -> bool {
        let counts = |name: &&str| self.value.pointer(&format!("/{name}/clat_ns/N")).is_some();
        self.option(&["lat_percentiles"]) == Some("1") && !["read", "write", "mixed"].iter().any(counts)
    }

    /// Returns the duration of the I/O in ms (the longest direction).
    pub(super) fn runtime_ms(&self) -> u64 {
        let of = |name: &&str| self.value.get(*name)?.get("runtime")?.as_u64();
        ["read", "write", "trim", "mixed"].iter().filter_map(of).max().unwrap_or(0)
    }
}
