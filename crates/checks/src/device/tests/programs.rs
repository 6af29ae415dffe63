//! Verdicts about another program, from its counters and the devices'.

use super::*;
use diskspd_machine::process_io::ProcessIo;
use diskspd_results::JudgedProgram;

/// A program with one process that requested these bytes of block devices.
fn reading_program(read_bytes: u64) -> JudgedProgram {
    let counted = ProcessIo { read_bytes, ..ProcessIo::default() };
    JudgedProgram { words: vec!["dd".into()], processes: 1, counted, ..JudgedProgram::default() }
}

fn verdict_of_program(case: &Case, program: JudgedProgram) -> (Verdict, Option<Severity>) {
    let mut facts = case.device_facts(vec![case.build_target("a")]);
    facts.process = Some(OwnIo::from(program.counted));
    let record =
        Record { program: Some(Box::new(program)), ..record_of(vec![case.build_results("a")], facts) };
    let found = judge_record(&record, &diskspd_results::summarize(&record)).verdicts.remove(0);
    (found.verdict, found.severity)
}

#[test]
fn unseen_device_matters_next_to_counted_bytes() {
    let holes = run((500 * MIB, 0)).on_file().with_device((0, 0));
    for (case, requested, expected) in [
        (&holes, 0, Cached),
        (&holes, 6 * MIB, Cached),
        (&holes, 100 * MIB, Unknown),
        (&run((20 * MIB, 0)).with_device((0, 0)), 6 * MIB, Unknown),
    ] {
        assert_eq!(verdict_of_program(case, reading_program(requested)).0, expected, "{requested}");
    }
}

#[test]
fn small_cached_side_does_not_decide_verdict() {
    for (counted, device, expected) in [
        ((3 * MIB / 2, 64 * MIB), (0, 64 * MIB), (Verified, None)),
        ((64 * MIB, 2 * MIB), (64 * MIB, 0), (Verified, None)),
        ((3 * MIB / 2, 4 * MIB), (0, 4 * MIB), (Cached, Some(Wrong))),
        ((8 * MIB, 200 * MIB), (0, 200 * MIB), (Cached, Some(Wrong))),
        ((3 * MIB / 2, 0), (0, 0), (Cached, Some(Wrong))),
    ] {
        let case = Case { random: true, ..run(counted).in_cache().with_device(device) };
        let found = verdict_of_program(&case, reading_program(device.0));
        assert_eq!(found, expected, "{counted:?}");
    }
}
