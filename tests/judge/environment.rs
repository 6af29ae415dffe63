//! Tests of the environment of a run's targets, on machines described as text, and its reported
//! distortions.

#![allow(clippy::unwrap_used)]

use crate::machines::machine;
use diskspd::checks::{Finding, Severity, environment};
use diskspd::host;
use diskspd::host::look_around_at;
use diskspd::host::storage::on_file_system;
use diskspd::machine::System;
use diskspd::machine::environment::Link;
use diskspd::profile::{RawText, TargetId};
use std::path::Path;

/// Returns a machine, seen from a file on the file system with this device number.
fn seen(name: &str, place: &str, number: (u32, u32)) -> System {
    let (_directory, root) = machine(name);
    let mut system = host::read(&root);
    let target = on_file_system(&root, &RawText::from("target"), Path::new(place), number);
    look_around_at(&mut system, &root, vec![target]);
    system
}

fn bare_metal() -> System {
    seen("bare-metal-nvme", "/t", (259, 2))
}

fn cloud() -> System {
    seen("cloud-vm", "/t", (252, 0))
}

fn container() -> System {
    seen("container", "/t", (8, 1))
}

fn hdd_server() -> System {
    seen("hdd-server", "/srv/t", (9, 0))
}

fn find(system: &System, name: &str) -> Option<Finding> {
    environment::findings(system).into_iter().find(|finding| finding.name == name)
}

#[test]
fn bare_metal_environment_is_read() {
    let system = bare_metal();
    let found = system.environment.as_ref().unwrap();
    assert_eq!(found.kernel_command_line.as_deref(), Some(""));
    let frequency = found.cpu.frequency.as_ref().unwrap();
    assert_eq!(frequency.driver.as_deref(), Some("intel_pstate"));
    assert_eq!((frequency.min, frequency.max), (Some(800_000), Some(3_200_000)));
    assert_eq!((frequency.current, frequency.hardware_max), (Some(1_100_000), Some(3_200_000)));
    assert_eq!((found.cpu.boost, found.cpu.smt.as_deref()), (Some(true), Some("on")));
    assert_eq!(found.cpu.idle_driver.as_deref(), Some("intel_idle"));
    let states: Vec<_> =
        found.cpu.idle_states.iter().map(|state| (state.name.as_str(), state.latency)).collect();
    assert_eq!(states, [("POLL", 0), ("C1E", 10), ("C6", 170)]);
    assert_eq!(found.cpu.throttled, Some(7));
    assert_eq!(found.clock_source.as_deref(), Some("hpet"));
    assert_eq!(found.vulnerabilities["meltdown"], "Not affected");
    assert!(!found.platform.virtual_machine && !found.platform.container);
    assert_eq!((found.limits.cpu, found.limits.memory), (None, None));
    assert_eq!(found.limits.cpus.as_deref(), Some("0-7"));
    assert_eq!((found.load.running, found.load.average), (Some(0), Some(5)));
    let [disk] = found.disks.as_slice() else { unreachable!("one disk, not {:?}", found.disks) };
    assert_eq!((disk.device.name.as_str(), disk.number.as_str()), ("/dev/nvme0n1", "259:0"));
    assert_eq!(disk.device.model.as_deref(), Some("FAST 4000"));
    assert_eq!(disk.device.firmware.as_deref(), Some("1.0.7"));
    assert_eq!((disk.transport.as_deref(), disk.numa_node), (Some("pcie"), Some(1)));
    assert_eq!(disk.link, Some(Link { speed: 8_000, width: 2, max_speed: 16_000, max_width: 4 }));
    assert_eq!(disk.misaligned, [""; 0]);
    assert_eq!(disk.targets, [TargetId(0)]);
}

#[test]
fn cloud_virtual_machine_environment_is_read() {
    let system = cloud();
    let found = system.environment.as_ref().unwrap();
    assert!(found.platform.virtual_machine);
    assert_eq!(found.platform.cloud.as_deref(), Some("Amazon EC2"));
    assert_eq!(found.platform.product.as_deref(), Some("m6i.large"));
    let disk = &found.disks[0];
    assert_eq!((disk.transport.as_deref(), disk.link, disk.numa_node), (Some("virtio"), None, None));
    assert_eq!(found.cpu.frequency, None);
    let (_directory, root) = machine("cloud-vm");
    let all = host::environment::read_all(&root).disks;
    let names: Vec<_> = all.iter().map(|disk| disk.device.name.as_str()).collect();
    assert_eq!(names, ["/dev/nvme3n1", "/dev/vda"]);
    let paths = &all[0];
    assert_eq!((paths.transport.as_deref(), paths.numa_node), (Some("pcie"), Some(0)), "by its controller");
    assert_eq!(paths.device.firmware.as_deref(), Some("2.0"));
}

#[test]
fn tightest_group_limit_applies_in_both_interfaces() {
    let limits = container().environment.unwrap().limits;
    assert_eq!(limits.cpu, Some(500), "the group above has half a processor");
    assert_eq!(limits.memory, Some(512 << 20));
    assert_eq!(limits.cpus.as_deref(), Some("0-1"));
    assert_eq!(limits.io["8:0"], "rbps=1048576 wiops=100");
    assert_eq!(limits.io["8:16"], "wiops=7");
    let old = hdd_server().environment.unwrap().limits;
    assert_eq!(old.cpu, None, "-1 is no limit");
}

#[test]
fn raid_disks_are_listed_with_paths_and_partitions() {
    let disks = hdd_server().environment.unwrap().disks;
    let of = |name: &str| disks.iter().find(|disk| disk.device.name == name).unwrap();
    assert_eq!(disks.len(), 2);
    assert_eq!(of("/dev/sda").transport.as_deref(), Some("sas"));
    assert_eq!(of("/dev/sda").device.model.as_deref(), Some("SEAGATE ST4000NM"));
    assert_eq!(of("/dev/sda").misaligned, ["/dev/sda1"]);
    assert_eq!(of("/dev/sdb").transport.as_deref(), Some("sata"));
    assert_eq!(of("/dev/sdb").misaligned, [""; 0]);
}

#[test]
fn machine_without_facts_has_no_findings() {
    let empty = tempfile::tempdir().unwrap();
    let root = host::root::Root::at(empty.path());
    let mut system = host::read(&root);
    look_around_at(&mut system, &root, Vec::new());
    assert_eq!(environment::findings(&system), []);
    assert_eq!(environment::findings(&System::default()), [], "nobody looked");
}

/// (machine, finding, severity; `None` = not found, part of the evidence)
type Case = (fn() -> System, &'static str, Option<Severity>, &'static str);

#[test]
fn environment_rules_find_only_their_samples() {
    use Severity::{Note, Warning};
    let cases: &[Case] = &[
        (bare_metal, "pcie-link", Some(Warning), "it carries at most 1969 MB/s instead of 7876 MB/s"),
        (hdd_server, "pcie-link", Some(Note), "5.0 GT/s x4, it can do 5.0 GT/s x8"),
        (cloud, "pcie-link", None, ""),
        (container, "io-limit", Some(Warning), "8:0 rbps=1048576 wiops=100"),
        (bare_metal, "io-limit", None, ""),
        (container, "cpu-quota", Some(Warning), "0.50 CPUs of the 2"),
        (bare_metal, "cpu-quota", None, ""),
        (hdd_server, "partition-alignment", Some(Warning), "/dev/sda1"),
        (bare_metal, "partition-alignment", None, ""),
        (hdd_server, "io-scheduler", None, ""),
        (bare_metal, "io-scheduler", None, ""),
        (cloud, "io-scheduler", None, ""),
        (bare_metal, "clock-source", Some(Warning), "hpet"),
        (cloud, "clock-source", None, ""),
        (hdd_server, "clock-source", None, ""),
        (hdd_server, "cpu-governor", Some(Warning), "acpi-cpufreq"),
        (bare_metal, "cpu-governor", Some(Note), "governor powersave, driver intel_pstate"),
        (cloud, "cpu-governor", None, ""),
        (hdd_server, "cpu-frequency-limit", Some(Warning), "limit 1500 MHz, maximum 2000 MHz"),
        (bare_metal, "cpu-frequency-limit", None, ""),
        (bare_metal, "numa-distance", Some(Note), "node 1 with 4 of the CPUs 4 to 7"),
        (cloud, "numa-distance", None, ""),
        (container, "cpu-load", Some(Warning), "42.50 %"),
        (bare_metal, "cpu-load", None, ""),
        (container, "io-load", Some(Warning), "30.00 %"),
        (bare_metal, "io-load", None, ""),
        (container, "memory-low", Some(Warning), "of 15.26GiB available"),
        (bare_metal, "memory-low", None, ""),
        (container, "swap-used", Some(Note), "swapped out"),
        (bare_metal, "swap-used", None, ""),
        (bare_metal, "cpu-throttled", Some(Note), "7 over all"),
        (hdd_server, "cpu-throttled", None, ""),
        (cloud, "virtual-machine", Some(Note), "m6i.large"),
        (bare_metal, "virtual-machine", None, ""),
        (container, "memory-limit", Some(Note), "512MiB"),
        (bare_metal, "memory-limit", None, ""),
        (container, "cpu-set", Some(Note), "0-1: 2 of 8"),
        (bare_metal, "cpu-set", None, ""),
        (bare_metal, "idle-states", Some(Note), "C6 takes 170"),
        (cloud, "idle-states", None, ""),
        (cloud, "volatile-write-cache", Some(Note), "write back"),
        (bare_metal, "volatile-write-cache", None, ""),
        (hdd_server, "merging-off", Some(Note), "nomerges: 2"),
        (bare_metal, "merging-off", None, ""),
        (bare_metal, "mitigations", Some(Note), "mitigated: spectre_v2"),
        (cloud, "mitigations", None, ""),
    ];
    for &(machine, name, severity, evidence) in cases {
        let system = machine();
        let found = find(&system, name);
        let place = format!("{name} on {}: {found:?}", system.computer_name);
        assert_eq!(found.as_ref().map(|finding| finding.severity), severity, "{place}");
        if let Some(finding) = found {
            assert!(finding.evidence.iter().any(|line| line.contains(evidence)), "{place}");
            assert!(finding.remedy.is_some_and(|remedy| !remedy.is_empty()), "{place}");
        }
    }
}

#[test]
fn disk_rules_depend_on_disk_kind() {
    let (_directory, root) = machine("cloud-vm");
    let mut system = host::read(&root);
    look_around_at(&mut system, &root, Vec::new());
    let scheduler = find(&system, "io-scheduler").unwrap();
    assert_eq!(scheduler.severity, Severity::Warning, "bfq on NVMe: {scheduler:?}");
    assert!(find(&system, "statistics-off").unwrap().message.contains("/dev/nvme3n1"));
    let disks = &mut system.environment.as_mut().unwrap().disks;
    disks.iter_mut().for_each(|disk| disk.device.name = "/dev/zram0".into());
    assert_eq!(find(&system, "statistics-off"), None, "zram counts its I/O without the setting");
}

#[test]
fn distant_node_and_full_file_system_are_found() {
    let mut system = bare_metal();
    system.topology.disallowed = system.topology.nodes[1].masks.clone();
    assert_eq!(find(&system, "numa-distance").unwrap().severity, Severity::Warning);
    for (kind, left, expected) in
        [("ext4", 5, Some(Severity::Note)), ("btrfs", 5, Some(Severity::Warning)), ("btrfs", 50, None)]
    {
        let file_system = system.targets[0].file_system.as_mut().unwrap();
        (file_system.kind, file_system.size, file_system.available) =
            (kind.into(), Some(100 << 30), Some(left << 30));
        assert_eq!(find(&system, "file-system-full").map(|found| found.severity), expected, "{kind} {left}");
    }
    let file_system = system.targets[0].file_system.as_mut().unwrap();
    (file_system.available, file_system.options) = (Some(0), "ro,relatime".into());
    assert_eq!(find(&system, "file-system-full"), None, "read-only");
}

#[test]
fn unusual_disk_settings_are_found() {
    use Severity::{Note, Warning};
    type Case = (&'static str, &'static [(&'static str, &'static str)], Option<Severity>);
    let cases: &[Case] = &[
        ("queue-size", &[("nr_requests", "4")], Some(Warning)),
        ("queue-size", &[("nr_requests", "64")], None),
        ("request-size", &[("max_sectors_kb", "32"), ("max_hw_sectors_kb", "2048")], Some(Warning)),
        ("request-size", &[("max_sectors_kb", "64"), ("max_hw_sectors_kb", "64")], None),
        ("request-size", &[("max_sectors_kb", "1280"), ("max_hw_sectors_kb", "2048")], None),
        ("read-ahead", &[("read_ahead_kb", "0")], Some(Note)),
        ("read-ahead", &[("read_ahead_kb", "65536")], Some(Note)),
        ("read-ahead", &[("read_ahead_kb", "4096")], None),
    ];
    for (name, settings, expected) in cases {
        let mut system = bare_metal();
        let queue = &mut system.environment.as_mut().unwrap().disks[0].device.queue;
        queue.extend(settings.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let found = find(&system, name);
        assert_eq!(found.as_ref().map(|found| found.severity), *expected, "{settings:?}: {found:?}");
    }
}

#[test]
fn mounts_loop_devices_and_masks_that_distort_are_found() {
    let mounted = |options: &str| {
        let mut system = bare_metal();
        system.targets[0].file_system.as_mut().unwrap().options = options.into();
        system
    };
    for (options, name) in [("rw,sync", "mount-sync"), ("rw,relatime,barrier=0", "mount-without-barriers")] {
        let finding = find(&mounted(options), name).unwrap();
        assert_eq!(
            (finding.severity, finding.place.target),
            (Severity::Warning, Some("target".into())),
            "{options}"
        );
    }
    for name in ["mount-sync", "mount-without-barriers", "loop-buffered", "affinity-mask"] {
        assert_eq!(find(&mounted("rw,relatime,dirsync,barrier=1"), name), None);
    }
    let mut system = bare_metal();
    system.environment.as_mut().unwrap().disks[0].device.direct = Some(false);
    assert!(find(&system, "loop-buffered").unwrap().message.contains(
        "accesses its file through the page \
         cache"
    ));
    system.topology.disallowed = system.topology.nodes[1].masks.clone();
    assert_eq!(find(&system, "affinity-mask").unwrap().evidence, ["4 of the 8 that are online"]);
    assert_eq!(find(&container(), "affinity-mask"), None, "that is the control group's");
}

#[test]
fn environment_findings_are_sorted_by_severity() {
    for machine in [bare_metal, cloud, container, hdd_server] {
        let severities: Vec<_> =
            environment::findings(&machine()).iter().map(|found| found.severity).collect();
        assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
    }
}

#[test]
fn same_machine_has_same_fingerprint_and_changes_are_named() {
    use diskspd::machine::fingerprint::Fingerprint;
    let first = bare_metal();
    let known = first.fingerprint.clone().unwrap();
    assert_eq!(known, bare_metal().fingerprint.unwrap());
    assert_eq!(known.parts["disk 1 firmware"], "1.0.7");
    assert_eq!(known.parts["memory"], "256 GiB");
    assert_eq!(known.parts["file system 1 type"], "ext4");

    let mut changed = first.clone();
    changed.environment.as_mut().unwrap().disks[0].device.firmware = Some("1.0.8".into());
    let other = Fingerprint::from_system(&changed);
    assert_ne!(other.hash, known.hash);
    let differences = known.differences(&other);
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].part, "disk 1 firmware");
    assert_eq!(
        (differences[0].first.as_deref(), differences[0].other.as_deref()),
        (Some("1.0.7"), Some("1.0.8"))
    );

    // What comes and goes is no part of it.
    let mut later = first;
    later.memory_available /= 2;
    later.start_time = Some(99);
    later.computer_name = "renamed".into();
    later.targets[0].path = "other".into();
    let environment = later.environment.as_mut().unwrap();
    environment.load = Default::default();
    environment.cpu.throttled = Some(99);
    environment.cpu.frequency.as_mut().unwrap().current = Some(1);
    assert_eq!(Fingerprint::from_system(&later), known);
}
