//! The requested I/O of a program, computed from several counters.

use diskspd_machine::io_counters::{DeviceFacts, Flow};
use diskspd_machine::process_io::{CallsDone, SortedCalls};
use diskspd_machine::stack::Stack;
use diskspd_results::{ClaimedSide, DirectionResults, EngineFacts, EngineIos, JudgedProgram};

/// Computes the reads and writes of a program.
pub(super) fn of_program(program: &mut JudgedProgram, stack: &Stack) -> (DirectionResults, DirectionResults) {
    let on_devices = !stack.layers.is_empty();
    let counted = program.counted;
    let claimed = program.claimed.clone().unwrap_or_default();
    let bypasses_cache = program.bypasses_cache;
    let errors = program.engines.iter().filter_map(|facts| facts.ios).map(|ios| ios.error_share);
    let error = errors.fold(0.0, f64::max);
    let side = |calls: &SortedCalls, asked: u64, claimed: ClaimedSide, of: fn(&EngineIos) -> u64| {
        let calls_on_storage = if on_devices { calls.storage } else { calls.without_device };
        let exact = asked.saturating_sub(calls_on_storage.bytes);
        let engines = program.engines.iter().map(|facts| by_engine(facts, of, exact, bypasses_cache));
        let counted = EngineCalls { calls: engines.collect(), error };
        requested(calls_on_storage, calls.unclear, asked, &counted, claimed)
    };
    let read = side(&program.read, counted.read_bytes, claimed.read, |ios| ios.reads);
    // Data dropped before it was written caused no device I/O.
    let write = side(&program.write, counted.write_bytes, claimed.write, |ios| ios.writes);
    (read, write)
}

/// I/Os of each interface in a direction; `None` = not counted, or of unknown size.
#[derive(Debug, Default)]
struct EngineCalls {
    calls: Vec<Option<CallsDone>>,
    /// Relative error of an estimate; 0 = all I/Os were counted.
    error: f64,
}

/// `exact`: bytes that interfaces other than system calls requested of block devices or made dirty.
fn by_engine(
    facts: &EngineFacts,
    of: fn(&EngineIos) -> u64,
    exact: u64,
    bypasses_cache: bool,
) -> Option<CallsDone> {
    let ios = facts.ios?;
    let calls = of(&ios);
    match ios.mean_bytes {
        Some(mean) => {
            let estimate = CallsDone { calls, bytes: (calls as f64 * mean) as u64 };
            Some(by_blocks(estimate, exact, bypasses_cache, ios.error_share))
        }
        // Past the page cache an I/O has at least the smallest block.
        None => bypasses_cache
            .then_some(CallsDone { calls, bytes: exact.max(calls.saturating_mul(MIN_BLOCK_BYTES)) }),
    }
}

/// Ratios of an estimate to the exact bytes of block devices within which the exact bytes replace the
/// estimate.
const EXACT_RANGE: std::ops::RangeInclusive<f64> = 0.8..=1.15;

/// Past the page cache an estimate above this multiple of the exact bytes has reads of holes.
const MIN_HOLES_RATIO: f64 = 2.0;
/// Smallest block of a device, bytes.
const MIN_BLOCK_BYTES: u64 = 512;

/// Estimated I/Os of an interface, corrected by the bytes that were requested of block devices or made dirty,
/// which are exact. Past the page cache they are all that there is, except for reads of holes. `error`: the
/// relative error of the estimate.
fn by_blocks(estimate: CallsDone, exact: u64, bypasses_cache: bool, error: f64) -> CallsDone {
    let ratio = estimate.bytes as f64 / exact.max(1) as f64;
    let is_near = match bypasses_cache {
        true => ratio <= MIN_HOLES_RATIO * (1.0 + error),
        false => EXACT_RANGE.contains(&ratio),
    };
    if estimate.bytes == 0 || !is_near {
        return estimate;
    }
    CallsDone { calls: (estimate.calls as f64 / ratio) as u64, bytes: exact }
}

/// Combines system calls on storage, unclear calls, bytes requested of block devices or made dirty (`asked`),
/// I/O of other interfaces, and claims.
fn requested(
    calls: CallsDone,
    unclear: CallsDone,
    asked: u64,
    engines: &EngineCalls,
    claimed: ClaimedSide,
) -> DirectionResults {
    let counted = engines.calls.iter().flatten().fold(calls, |sum, more| sum.plus(*more));
    let all_counted = engines.calls.iter().all(Option::is_some);
    // Unclear calls that reached a block device were calls on storage.
    let least = if all_counted { asked.min(counted.bytes.saturating_add(unclear.bytes)) } else { asked };
    let open = !all_counted || unclear.bytes > 0;
    let is_near = |bytes: u64| {
        let ratio = counted.bytes as f64 / bytes.max(1) as f64;
        EXACT_RANGE.contains(&ratio) || (ratio - 1.0).abs() <= engines.error
    };
    match claimed.ios.zip(claimed.bytes) {
        // The command knows better than an estimate that confirms its figures.
        Some((ios, bytes)) if engines.error > 0.0 && is_near(bytes) => direction(ios, bytes),
        // The command's own figures are between what was counted and what may have been.
        Some((ios, bytes)) if open && bytes >= counted.bytes.max(least) => direction(ios, bytes),
        _ if counted.bytes >= least => direction(counted.calls, counted.bytes),
        // Of more bytes than were counted the number of I/Os is unknown.
        _ => direction(if counted.calls > 0 && all_counted { counted.calls } else { 0 }, least),
    }
}

fn direction(ios: u64, bytes: u64) -> DirectionResults {
    // Calls without bytes at the end of files, of terminals.
    let ios = if bytes == 0 { 0 } else { ios };
    DirectionResults { ios, bytes, ..DirectionResults::default() }
}

/// Returns the I/O of the devices directly under the targets.
pub(super) fn of_devices(facts: &DeviceFacts, stack: &Stack) -> (DirectionResults, DirectionResults) {
    let sum = |of: fn(&diskspd_machine::io_counters::Activity) -> Flow| {
        let devices = facts.devices.iter().filter(|device| stack.top_devices.contains(&device.name));
        devices.map(|device| of(&device.activity)).fold((0, 0), |(ios, bytes): (u64, u64), flow| {
            (ios.saturating_add(flow.ios), bytes.saturating_add(flow.bytes))
        })
    };
    let (read, write) = (sum(|activity| activity.read), sum(|activity| activity.write));
    (direction(read.0, read.1), direction(write.0, write.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: CallsDone = CallsDone { calls: 0, bytes: 0 };

    fn calls(calls: u64, bytes: u64) -> CallsDone {
        CallsDone { calls, bytes }
    }

    #[test]
    fn calls_on_storage_are_the_request() {
        let of = |storage, unclear, asked| {
            let got = requested(storage, unclear, asked, &EngineCalls::default(), ClaimedSide::default());
            (got.ios, got.bytes)
        };
        assert_eq!(of(calls(10, 4096), NONE, 0), (10, 4096), "cached");
        assert_eq!(of(calls(10, 4096), NONE, 9999), (10, 4096), "read ahead");
        assert_eq!(of(calls(1, 100), calls(9, 5000), 4096), (1, 4096), "unclear calls that reached a device");
        assert_eq!(of(NONE, NONE, 0), (0, 0));
    }

    #[test]
    fn estimate_near_exact_bytes_becomes_exact() {
        let of = |bytes, direct| by_blocks(calls(100, bytes), 1000, direct, 0.1);
        assert_eq!(of(1100, false), calls(90, 1000));
        assert_eq!(of(1300, false), calls(100, 1300), "the page cache served a part");
        assert_eq!(of(1300, true), calls(76, 1000));
        assert_eq!(of(0, true), calls(100, 0));
    }

    #[test]
    fn direct_reads_of_holes_stay_requested() {
        let of = |exact, error| by_blocks(calls(100, 409_600), exact, true, error);
        assert_eq!(of(0, 0.0), calls(100, 409_600));
        assert_eq!(of(100_000, 0.0), calls(100, 409_600), "the file has blocks in part");
        assert_eq!(of(204_800, 0.0).bytes, 204_800);
        assert_eq!(of(100_000, 2.0).bytes, 100_000, "the estimate is uncertain");
    }

    #[test]
    fn uncounted_interface_requests_device_bytes_at_least() {
        let of = |engine, claimed| {
            let engines = EngineCalls { calls: vec![engine], error: 0.0 };
            let got = requested(NONE, NONE, 8192, &engines, claimed);
            (got.ios, got.bytes)
        };
        assert_eq!(of(None, ClaimedSide::default()), (0, 8192));
        assert_eq!(of(Some(calls(7, 70_000)), ClaimedSide::default()), (7, 70_000));
        let claim = ClaimedSide { ios: Some(100), bytes: Some(409_600), iops: None };
        assert_eq!(of(None, claim), (100, 409_600));
        assert_eq!(of(Some(calls(7, 70_000)), claim), (7, 70_000), "what was counted needs no claim");
    }

    #[test]
    fn claim_near_estimate_is_the_request() {
        let of = |counted, claimed| {
            let engines = EngineCalls { calls: vec![Some(calls(90, counted))], error: 0.3 };
            let claim = ClaimedSide { ios: Some(100), bytes: Some(claimed), iops: None };
            let got = requested(NONE, NONE, 0, &engines, claim);
            (got.ios, got.bytes)
        };
        assert_eq!(of(9000, 10_000), (100, 10_000));
        assert_eq!(of(7500, 10_000), (100, 10_000), "within the error of the estimate");
        assert_eq!(of(9000, 20_000), (90, 9000), "the estimate does not confirm it");
        assert_eq!(of(0, 0), (0, 0));
    }

    #[test]
    fn calls_of_unknown_size_have_device_bytes() {
        let ios = EngineIos { reads: 7, counted_share: 1.0, ..EngineIos::default() };
        let facts = EngineFacts { ios: Some(ios), ..EngineFacts::default() };
        assert_eq!(by_engine(&facts, |ios| ios.reads, 4096, true), Some(calls(7, 4096)));
        assert_eq!(by_engine(&facts, |ios| ios.reads, 0, true), Some(calls(7, 7 * 512)), "holes");
        assert_eq!(by_engine(&facts, |ios| ios.reads, 4096, false), None, "the page cache may serve more");
    }
}
