//! Additions of DISKSPD 2.3 to the text report of 2.2.

mod caches;

use diskspd_figures::units::NewestSize;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_machine::{System, Topology};
use diskspd_plan::effective_affinity;
use diskspd_profile::{Compat, GroupCpu, TimeSpan, affinity};
use diskspd_results::{ThreadSubmits, ThreadWaits, is_heterogeneous};

pub(super) fn write_system(out: &mut Vec<u8>, system: &System) {
    let topology = &system.topology;
    let cpus: u64 = topology.groups.iter().map(|group| u64::from(group.active)).sum();
    let power = &system.power_scheme;
    let scheme = power.name.as_deref().unwrap_or("<unknown>");
    let scheme = power.guid.as_ref().map_or(scheme.to_owned(), |guid| format!("{scheme} ({guid})"));
    let processor = system.cpu_model.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let processor = if processor.is_empty() { "<unknown>".to_owned() } else { processor };
    put!(out, "System information:\n\n");
    let mut line = |label: &str, value: &str| put!(out, "  {:<22}{value}\n", format!("{label}:"));
    line("computer name", &system.computer_name);
    line("processor name", &processor);
    line("start time", &system.start_time.and_then(date_and_time).unwrap_or_default());
    line("active power scheme", &scheme);
    line("page size", &NewestSize(system.page_size).to_string());
    put!(out, "\n");
    let mut line = |label: &str, value: &dyn std::fmt::Display| {
        put!(out, "  {:<22}{value}\n", format!("{label}:"));
    };
    line("cpu count", &cpus);
    line("core count", &system.processor_figure(topology.core_count()));
    line("group count", &topology.groups.len());
    line("node count", &system.processor_figure(topology.nodes.len()));
    line("socket count", &system.processor_figure(topology.sockets.len()));
    line("heterogeneous cores", &system.processor_figure(if is_heterogeneous(topology) { 'y' } else { 'n' }));
    caches::write(out, system);
}

pub(super) struct ThreadPlacement<'a> {
    cpus: Vec<GroupCpu>,
    bound: bool,
    topology: &'a Topology,
}

impl<'a> ThreadPlacement<'a> {
    pub(crate) fn new(asked: &TimeSpan, topology: &'a Topology) -> ThreadPlacement<'a> {
        let cpus = effective_affinity(asked, Compat::V2_3, topology);
        ThreadPlacement { cpus, bound: !asked.disable_affinity, topology }
    }

    fn cpu_text(&self, cpus: impl IntoIterator<Item = GroupCpu>) -> String {
        affinity::affinity_text(&affinity::masks(cpus), self.topology.groups.len() > 1)
    }

    /// Writes the lines before the CPU table.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if !self.bound {
            return;
        }
        let label = if self.topology.groups.len() > 1 { "group/cpu" } else { "cpu" };
        put!(out, "\neffective affinity ({label}): {}\n", self.cpu_text(self.cpus.iter().copied()));
        let (performance, efficiency) = self.topology.by_class(&self.cpus);
        if !performance.is_empty() && !efficiency.is_empty() {
            put!(out, "\nNOTE: thread assignment spans different core types (P-core and E-core).\n");
            put!(out, "      Performance results may reflect mixed core capabilities.\n");
            put!(out, "      P-core cpus: {}\n", self.cpu_text(performance));
            put!(out, "      E-core cpus: {}\n", self.cpu_text(efficiency));
        }
    }
}

/// Writes the number of submissions of the threads (`-u`).
pub(super) fn write_submits(out: &mut Vec<u8>, threads: &[ThreadSubmits]) {
    if threads.is_empty() {
        return;
    }
    let border = "-".repeat(20);
    put!(out, "\n\nIoRing Statistics\nthread |  Submits/s \n{border}\n");
    for row in threads {
        put!(out, "{:6} | {:11.2}\n", row.thread, row.per_second);
    }
    let total: f64 = threads.iter().map(|row| row.per_second).sum();
    put!(out, "{border}\ntotal: | {total:11.2}\n");
}

/// Writes the wait statistics; `lookasides` adds the polls.
pub(super) fn write_waits(out: &mut Vec<u8>, threads: &[ThreadWaits], lookasides: bool) {
    let cells = |counts: [u64; 8]| counts.map(|count| count.to_string()).join(" ");
    let wide = threads.iter().any(|row| row.throttled);
    let (header, dashes) = match wide {
        true => ("thread |         wait | throttle wait  -  sleep | 0 - 7+ complete per wait", 74),
        false => ("thread |         wait | 0 - 7+ complete per wait", 48),
    };
    put!(out, "\nWait Statistics - Completion Wait\n{header}\n{}\n", "-".repeat(dashes));
    for ThreadWaits { thread, waits, throttled } in threads {
        put!(out, "{thread:6} | {:12} | ", waits.completion_waits);
        match (wide, throttled) {
            (true, true) => put!(out, "{:13}  - {:6} | ", waits.throttle_waits, waits.throttle_sleeps),
            (true, false) => put!(out, "{:14}---{:7}| ", "", ""),
            (false, _) => {}
        }
        put!(out, "{}\n", cells(waits.wait_completions));
    }
    if lookasides {
        put!(out, "\nWait Statistics - Lookaside\n");
        put!(out, "thread |    lookaside | 0 - 7+ complete per lookaside\n{}\n", "-".repeat(53));
        for ThreadWaits { thread, waits, .. } in threads {
            put!(out, "{thread:6} | {:12} | {}\n", waits.lookasides, cells(waits.lookaside_completions));
        }
    }
}
