//! Work of the devices in runs that were answered from memory.

use super::*;
use diskspd_machine::stack::StackMount;

const LARGE_IO_BYTES: u64 = 250_000;

fn first_part(case: &Case) -> DeviceVerdict {
    case.judge_case().parts.remove(0)
}

#[test]
fn deferred_run_reports_work_of_device() {
    let part = first_part(
        &run((0, 100 * MIB)).in_cache().with_device((0, 39 * LARGE_IO_BYTES)).of_size(LARGE_IO_BYTES),
    );
    let work = part.device_write.unwrap();
    assert_eq!(
        (part.verdict, work.iops, work.io_bytes, part.device_read),
        (Deferred, 39.0, LARGE_IO_BYTES, None)
    );
    assert!((work.mib_per_s - 39.0 * LARGE_IO_BYTES as f64 / MIB as f64).abs() < 1e-9);
    assert_eq!(
        part.evidence[0],
        "the device: 39 writes/s of 244.1 KiB (9.3 MiB/s); the run: 25,600 writes/s of 4 KiB (100.0 MiB/s)"
    );
}

#[test]
fn rates_of_devices_follow_from_time_between_readings() {
    let case = run((100 * MIB, 0)).in_cache().with_device((2 * MIB, 0));
    let rates = |case: &Case| first_part(case).device_read.map(|work| (work.iops, work.mib_per_s));
    assert_eq!(rates(&case), Some((512.0, 2.0)));
    assert_eq!(rates(&Case { slack: SECOND, ..case.clone() }), Some((256.0, 1.0)));
    let idle = first_part(&Case { own: Some(0), ..case.with_device((0, 0)) });
    assert_eq!(idle.device_read.map(|work| (work.iops, work.io_bytes)), Some((0.0, 0)));
    assert!(idle.evidence[0].starts_with("the device: 0 reads/s; "), "{idle:#?}");
}

#[test]
fn both_directions_of_a_device_are_reported() {
    let part = first_part(&run((100 * MIB, 100 * MIB)).in_cache().with_device((100 * MIB, MIB)));
    let words = part.device_in_words().unwrap();
    assert_eq!(words, "25,600 reads/s of 4 KiB (100.0 MiB/s), 256 writes/s of 4 KiB (1.0 MiB/s)");
}

#[test]
fn caching_device_reports_work_of_lowest_devices() {
    let of_loop = |layer: &mut Layer| (layer.kind, layer.one_to_one) = (LayerKind::Loop, false);
    let part = first_part(&run((100 * MIB, 0)).change_first(of_loop).with_lower_device("sdb", (MIB, 0)));
    assert_eq!((part.verdict, part.device_read.unwrap().iops), (Cached, 256.0), "{part:#?}");
    assert_eq!(part.read.unwrap().device_ios, 25_600, "the loop device read all of it");
}

#[test]
fn verified_run_reports_device_work_without_evidence() {
    let part = first_part(&run((100 * MIB, 0)));
    assert_eq!((part.verdict, part.device_read.unwrap().iops), (Verified, 25_600.0));
    assert_eq!(part.evidence, [""; 0]);
}

#[test]
fn writes_of_rival_do_not_hide_dirty_pages() {
    let judged = |dirtied: u64, left: u64, device: u64, options: &str| {
        let case = Case {
            random: true,
            file_unwritten: Some((0, left * MIB)),
            ..run((0, 100 * MIB)).in_cache().with_device((0, device * MIB))
        };
        let mut target = case.build_target("a");
        let mount = StackMount { options: options.into(), ..StackMount::default() };
        target.stack.mounts.push(mount);
        let mut facts = case.device_facts(vec![target]);
        facts.process = Some(OwnIo { write_bytes: dirtied * MIB, ..OwnIo::default() });
        let found = verdict_of(vec![case.build_results("a")], facts);
        let part = &found.parts[0];
        let is_deferred = part.write.as_ref().is_some_and(|write| write.ratio < 0.9);
        (found.severity == Some(Wrong), is_deferred, part.others_bytes / MIB)
    };
    assert_eq!(judged(100, 100, 100, "rw"), (true, true, 100));
    assert_eq!(judged(100, 60, 140, "rw"), (true, true, 100));
    assert_eq!(judged(100, 0, 100, "rw"), (false, false, 0));
    assert_eq!(judged(100, 100, 100, "rw,data=journal"), (false, false, 0));
    // Whole pages of small writes.
    assert!(!judged(800, 80, 720, "rw").1);
    assert!(!judged(100, 5, 95, "rw").1);
}
