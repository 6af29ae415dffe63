//! The block layer's view of a run: from an I/O's issue to the driver to its completion, by the kernel's
//! tracepoints. Events stay in kernel memory during the run and are read afterwards, to avoid CPU
//! contention. If they exceed it, the first ones count.

use crate::harness::{Failure, statistics::quantile};
use diskspd::host::root::Root;
use diskspd::host::tracing::Tracefs;
use diskspd::host::tracing::instance::{Instance, Recording};
use diskspd::machine::tracing::StampClock;
use std::collections::HashMap;
use std::path::Path;

const BUFFER: u64 = 192 << 10;
const TRACEPOINTS: [&str; 2] = ["block/block_rq_issue", "block/block_rq_complete"];

/// Latencies in the block layer in µs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockLatency {
    pub mean: f64,
    pub p50: f64,
}

/// Recording of events, ended on drop.
pub struct Truth(Instance);

impl Truth {
    pub fn begin(target: &Path) -> Result<Truth, Failure> {
        let disk = super::disk_of(target).map_err(|e| format!("the disk of {}: {e}", target.display()))?;
        let recording = Recording {
            tracepoints: &TRACEPOINTS,
            filter: &format!("dev == {disk}"),
            clock: StampClock::Monotonic,
            // They are read as text.
            cpus: &[],
            kib: (BUFFER, BUFFER),
        };
        let tracefs = Tracefs::find(&Root::live_system()).map_err(|refusal| refusal.to_string())?;
        let instance = Instance::open(&tracefs, &recording).map_err(|refusal| refusal.to_string())?;
        instance.start().map_err(|e| format!("tracing cannot be started: {e}"))?;
        Ok(Truth(instance))
    }

    pub fn end(self) -> Result<BlockLatency, Failure> {
        self.0.stop().map_err(|e| format!("tracing cannot be stopped: {e}"))?;
        let text = self.0.text().map_err(|e| format!("the trace: {e}"))?;
        latencies(&text).ok_or_else(|| {
            "the block layer had no I/O of this target (page cache, or a device without requests: zram, \
             dm)"
            .into()
        })
    }
}

/// Pairs issues with completions by sector. Only one I/O per sector is in flight; otherwise the last issue
/// counts.
fn latencies(trace: &str) -> Option<BlockLatency> {
    let mut issued: HashMap<u64, f64> = HashMap::new();
    let mut latencies = Vec::new();
    for (issue, sector, at) in trace.lines().filter_map(event) {
        match issue {
            true => _ = issued.insert(sector, at),
            false => latencies.extend(issued.remove(&sector).map(|issued| (at - issued) * 1e6)),
        }
    }
    latencies.sort_by(f64::total_cmp);
    let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
    Some(BlockLatency { mean, p50: quantile(&latencies, 0.5)? })
}

/// Parses `<...>-7 [001] d.... 12.345678: block_rq_issue: 253,0 R 4096 () 1234 + 8 none,0,0 [x]`: whether
/// it is an issue, the sector, and the time in s. Requests without sectors (flushes) do not count.
fn event(line: &str) -> Option<(bool, u64, f64)> {
    let (head, rest) = line.split_once(": block_rq_")?;
    let at = head.rsplit(' ').next()?.parse().ok()?;
    let (kind, rest) = rest.split_once(": ")?;
    let sector = rest.split_once(") ")?.1.split_once(" + ")?;
    if sector.1.starts_with("0 ") {
        return None;
    }
    Some((kind == "issue", sector.0.parse().ok()?, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_and_completions_are_paired_by_sector() {
        let trace = "\
# tracer: nop
#              | |         |   |||||     |         |
           <...>-7       [001] d.h..   100.000010: block_rq_issue: 253,0 R 4096 () 800 + 8 none,0,0 [a b]
           <...>-7       [001] d.h..   100.000020: block_rq_issue: 253,0 R 4096 () 900 + 8 none,0,0 [x]
           <...>-7       [001] d.h..   100.000030: block_rq_issue: 253,0 FF 0 () 0 + 0 none,0,0 [x]
          <idle>-0       [000] d.h2.   100.000060: block_rq_complete: 253,0 R () 900 + 8 none,0,0 [0]
          <idle>-0       [000] d.h2.   100.000070: block_rq_complete: 253,0 R () 800 + 8 none,0,0 [0]
          <idle>-0       [000] d.h2.   100.000080: block_rq_complete: 253,0 R () 700 + 8 none,0,0 [0]
";
        let found = latencies(trace).unwrap();
        assert!((found.mean - 50.0).abs() < 0.01 && (found.p50 - 40.0).abs() < 0.01, "{found:?}");
        assert_eq!(latencies("# nothing\n"), None);
    }
}
