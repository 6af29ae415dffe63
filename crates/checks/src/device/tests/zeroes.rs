//! Zeros that the kernel counts as writes (WRITE_ZEROES) and a loop device does not write.

use super::*;
use diskspd_base::operation::Operation;

/// Returns a run on a loop device over a disk; `direct` = the loop device bypasses the page cache.
fn on_loop(counted: Bytes, upper: Bytes, lower: Bytes, direct: bool) -> Case {
    run(counted).with_device(upper).with_lower_device("sdb", lower).change_first(|layer| {
        (layer.kind, layer.one_to_one, layer.direct) = (LayerKind::Loop, false, Some(direct));
    })
}

/// Returns the verdict about a run that wrote `zeros` bytes with `--write-zeroes`.
fn judge_case(case: &Case, zeros: u64) -> (Verdict, Option<Severity>) {
    let (mut results, asked) = case.build_results("a");
    if zeros > 0 {
        let done = DirectionResults { ios: zeros / BLOCK, bytes: zeros, ..DirectionResults::default() };
        results.others.set(Operation::WriteZeroes, done);
    }
    let found = verdict_of(vec![(results, asked)], case.device_facts(vec![case.build_target("a")]));
    (found.verdict, found.severity)
}

#[test]
fn zeros_on_loop_devices_are_not_deferred() {
    let mib = |read: u64, write: u64| (read * MIB, write * MIB);
    let verified = (Verified, None);
    let deferred = (Deferred, Some(Wrong));
    for (what, case, zeros, expected) in [
        ("writes that arrive", on_loop(mib(0, 100), mib(0, 100), mib(0, 100), true), 0, verified),
        ("own zeros", on_loop(mib(0, 50), mib(0, 100), mib(0, 50), true), 50, verified),
        ("only zeros", on_loop(mib(0, 0), mib(0, 100), mib(0, 0), true), 100, verified),
        (
            "own zeros, page cache, data arrives",
            on_loop(mib(0, 50), mib(0, 100), mib(0, 50), false),
            50,
            verified,
        ),
        (
            "own zeros, page cache, nothing arrives",
            on_loop(mib(0, 50), mib(0, 100), mib(0, 0), false),
            50,
            deferred,
        ),
        ("writes that wait in memory", on_loop(mib(0, 100), mib(0, 100), mib(0, 10), false), 0, deferred),
        (
            "lazy initialization beneath a file",
            on_loop(mib(0, 50), mib(0, 52), mib(0, 51), true).on_file().with_device(mib(0, 54)),
            0,
            verified,
        ),
        (
            "lazy initialization beneath a file that is read",
            on_loop(mib(100, 0), mib(100, 1), mib(100, 0), true).on_file(),
            0,
            verified,
        ),
        (
            "another program's zeros beside reads",
            on_loop(mib(100, 0), mib(100, 400), mib(100, 0), true),
            0,
            (Shared, Some(Wrong)),
        ),
        (
            "another program's zeros beside writes",
            on_loop(mib(0, 100), mib(0, 150), mib(0, 100), true),
            0,
            (Shared, Some(Warning)),
        ),
        (
            "another program's zeros, page cache, beside reads",
            on_loop(mib(100, 0), mib(100, 400), mib(100, 0), false),
            0,
            (Shared, Some(Wrong)),
        ),
    ] {
        assert_eq!(judge_case(&case, zeros * MIB), expected, "{what}");
    }
}
