//! Comparison of the block layer's recorded requests with the log: equal bytes, and every request within
//! its I/O's time.

use super::log::Line;
use crate::harness::Failure;
use diskspd::host::root::Root;
use diskspd::host::tracing::Tracefs;
use diskspd::host::tracing::instance::{Instance, Recording};
use diskspd::machine::tracing::StampClock;
use std::collections::{HashMap, VecDeque};

/// Event buffer in KiB per CPU.
const BUFFER: u64 = 64 << 10;
const TRACEPOINTS: [&str; 2] = ["block/block_rq_issue", "block/block_rq_complete"];
/// Tolerance in ns: the clocks of workers and kernel agree to some µs, and the kernel prints whole µs.
const CLOCKS: i64 = 20_000;

pub struct Trace(Instance);

/// Request with times in ns.
#[derive(Debug, Clone, Copy)]
struct Request {
    issued: i64,
    completed: i64,
    bytes: u64,
}

/// Requests by direction and offset.
type Requests = HashMap<(bool, u64), Vec<Request>>;

impl Trace {
    /// Starts recording the requests of the device `number`, `major:minor`; `None` = no tracing here.
    pub fn begin(number: &str) -> Option<Trace> {
        let (major, minor) = number.trim().split_once(':')?;
        let device = major.parse::<u64>().ok()? << 20 | minor.parse::<u64>().ok()?;
        let recording = Recording {
            tracepoints: &TRACEPOINTS,
            filter: &format!("dev == {device}"),
            clock: StampClock::Monotonic,
            // They are read as text.
            cpus: &[],
            kib: (BUFFER, BUFFER),
        };
        let instance = Instance::open(&Tracefs::find(&Root::live_system()).ok()?, &recording).ok()?;
        instance.start().ok()?;
        Some(Trace(instance))
    }

    pub fn end(self, lines: &[Line], more: [u64; 2]) -> Result<(usize, Vec<String>), Failure> {
        self.0.stop().map_err(|e| format!("tracing cannot be stopped: {e}"))?;
        let text = self.0.text().map_err(|e| format!("the trace: {e}"))?;
        let requests = requests(&text);
        let mut differences = Vec::new();
        for (write, more) in [false, true].into_iter().zip(more) {
            let of_direction = requests.iter().filter(|((is_write, _), _)| *is_write == write);
            let traced: u64 = of_direction.flat_map(|(_, list)| list).map(|request| request.bytes).sum();
            let logged: u64 = lines.iter().filter(|line| line.write == write).map(|line| line.size).sum();
            if traced < logged || traced > logged + more {
                let what = if write { "written" } else { "read" };
                differences.push(format!("tracepoints: {traced} bytes {what}, the log has {logged}"));
            }
        }
        let (pairs, apart) = nested(&requests, lines);
        if apart > CLOCKS {
            let micros = apart / 1000;
            differences.push(format!(
                "tracepoints: one of {pairs} requests is {micros} us outside of the logged time of its I/O"
            ));
        }
        Ok((pairs + 2, differences))
    }
}

/// Finds a common offset between the log's clock, which starts at the start signal, and the trace's, which
/// starts at boot. Every request must be issued after its I/O's submission, and complete before its
/// reaping. Returns the number of uniquely matched I/Os, and the violation in ns; negative = no violation.
fn nested(requests: &Requests, lines: &[Line]) -> (usize, i64) {
    let mut ios: HashMap<(bool, u64), Vec<&Line>> = HashMap::new();
    lines.iter().for_each(|line| ios.entry((line.write, line.offset)).or_default().push(line));
    let (mut least, mut most, mut pairs) = (i64::MIN, i64::MAX, 0);
    for (place, lines) in ios {
        let ([line], Some([request])) = (&lines[..], requests.get(&place).map(Vec::as_slice)) else {
            continue;
        };
        if request.bytes == line.size {
            least = least.max(request.completed - line.end() as i64);
            most = most.min(request.issued - line.start as i64);
            pairs += 1;
        }
    }
    (pairs, if pairs > 0 { least - most } else { i64::MIN })
}

fn requests(trace: &str) -> Requests {
    let mut issued: HashMap<(bool, u64), VecDeque<i64>> = HashMap::new();
    let mut requests = Requests::new();
    for (is_issue, place, bytes, at) in trace.lines().filter_map(event) {
        if is_issue {
            issued.entry(place).or_default().push_back(at);
        } else if let Some(issued) = issued.get_mut(&place).and_then(VecDeque::pop_front) {
            requests.entry(place).or_default().push(Request { issued, completed: at, bytes });
        }
    }
    requests
}

/// `<...>-7 [001] d.... 12.345678: block_rq_issue: 7,0 R 4096 () 1234 + 8 none,0,0 [x]`: whether it is an
/// issue, whether it writes and where (bytes), how much, and when (ns).
fn event(line: &str) -> Option<(bool, (bool, u64), u64, i64)> {
    let (head, rest) = line.split_once(": block_rq_")?;
    let (seconds, micros) = head.rsplit(' ').next()?.split_once('.')?;
    let at = (seconds.parse::<i64>().ok()? * 1_000_000 + micros.parse::<i64>().ok()?) * 1000;
    let (kind, rest) = rest.split_once(": ")?;
    let write = rest.split(' ').nth(1)?.contains('W');
    let (sector, rest) = rest.split_once(") ")?.1.split_once(" + ")?;
    let sectors: u64 = rest.split([' ', ',']).next()?.parse().ok()?;
    (sectors > 0).then_some((kind == "issue", (write, sector.parse::<u64>().ok()? * 512), sectors * 512, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
<...>-7 [001] d.h.. 100.000010: block_rq_issue: 7,0 R 4096 () 800 + 8 none,0,0 [a b]
<...>-7 [001] d.h.. 100.000030: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [x]
<...>-7 [001] d.h.. 100.000040: block_rq_issue: 7,0 WS 4096 () 16 + 8 none,0,0 [x]
<idle>-0 [000] d.h2. 100.000060: block_rq_complete: 7,0 R () 800 + 8 none,0,0 [0]
<idle>-0 [000] d.h2. 100.000090: block_rq_complete: 7,0 WS () 16 + 8 none,0,0 [0]
";

    fn line(write: bool, offset: u64, start: u64, latency: u64) -> Line {
        Line { thread: 0, target: 0, write, offset, size: 4096, start, latency, due: None }
    }

    #[test]
    fn request_is_inside_its_io() {
        let requests = requests(TRACE);
        let read = line(false, 800 * 512, 5_000, 60_000);
        // The same distance of the clocks for both, or not.
        assert!(nested(&requests, &[read.clone(), line(true, 8192, 36_000, 56_000)]).1 <= 0);
        let (pairs, apart) = nested(&requests, &[read, line(true, 8192, 36_000, 20_000)]);
        assert!(pairs == 2 && apart > 0, "{apart}");
    }
}
