//! NVMe commands past the block layer, as a user sends them: in a virtual machine, with drives of QEMU.

#![allow(clippy::unwrap_used)]

use crate::common::directory;
use crate::common::virtual_machine::{Outcome, VirtualMachine};
use std::fs::File;

/// What is done: a name, and words for the program. `$A` has plain blocks of 512 bytes, `$Z` zones, `$P`
/// protection information.
const RUNS: &[(&str, &str)] = &[
    ("read", "--out $OUT/read.json $A"),
    ("written", "-w100 -si -b64K -Sh --poll --destroy $A"),
    ("mixed", "-w40 --fsync-every 8 --trim 20 --write-zeroes 20 --destroy $A"),
    ("other engine", "--engine uring $A"),
    ("other target", "--engine nvme $B"),
    ("both", "-F1 $A $B"),
    ("large", "-b1M $A"),
    ("misaligned", "-b1000 $A"),
    ("cached", "-Sb $A"),
    ("zones", "-w100 --destroy $Z"),
    ("zones read", "$Z"),
    ("protected", "$P"),
    ("plan", "--dry-run $A"),
    ("statements", "--out $OUT/statements.json $B"),
];

fn machine(images: &std::path::Path) -> VirtualMachine {
    let kinds = ["", ",zoned=true,zoned.zone_size=16M,zoned.zone_capacity=16M", ",ms=8,pi=1"];
    let machine = VirtualMachine::new().module("nvme-core").module("ext4").module("crc32c_generic");
    kinds.iter().enumerate().fold(machine, |machine, (number, words)| {
        let image = images.join(number.to_string());
        File::create(&image).unwrap().set_len(64 << 20).unwrap();
        machine
            .device(&format!("-drive file={},if=none,id=d{number},format=raw,cache=unsafe", image.display()))
            .device(&format!("-device nvme,id=n{number},serial=drive-{number}"))
            .device(&format!("-device nvme-ns,drive=d{number},bus=n{number}{words}"))
    })
}

fn script() -> String {
    // Controllers answer some time after their driver is there, and are numbered as they answer.
    let driver = "modprobe nvme poll_queues=1\n\
                  until [ -e /dev/ng0n1 ] && [ -e /dev/ng1n1 ] && [ -e /dev/ng2n1 ]; do sleep 0.1; done\n";
    let names = "for each in /sys/class/nvme/nvme?; do n=${each#*class/nvme/nvme}n1; case $(cat $each/serial) in\n\
                 drive-0*) A=/dev/ng$n; B=/dev/nvme$n;; drive-1*) Z=/dev/ng$n;; *) P=/dev/ng$n;; esac; done\n\
                 set +e\n\
                 run() { $DISKSPD -d1 -W0 -o4 \"${@:2}\" >\"$OUT/$1\" 2>&1; echo \"exit $?\" >>\"$OUT/$1\"; }\n";
    let runs: String = RUNS.iter().map(|(name, words)| format!("run '{name}' {words}\n")).collect();
    let data = "head -c 4 $B | od -An -tx1 >$OUT/data\n";
    // One after the other: a signature, a mount, swap.
    let used = "mkfs.ext4 -qF $B; run signature -w100 $A; mkdir /tmp/at; mount $B /tmp/at\n\
                cp /proc/mounts $OUT/mounts\n\
                run mounted -w100 --destroy $A; run 'mounted, read' $A; umount /tmp/at\n\
                mkswap $B >/dev/null; swapon $B; run swap -w100 --destroy $A; swapoff $B\n";
    let (before, after) = runs.split_once("run 'mixed'").unwrap();
    format!("{driver}{names}{before}{data}run 'mixed'{after}{used}true\n")
}

#[track_caller]
fn assert_told(outcome: &Outcome, name: &str, exit: i32, expected: &[&str]) {
    let told = outcome.text(name);
    for text in expected {
        assert!(told.contains(text), "{name}: {text} is not in: {told}");
    }
    assert!(told.contains(&format!("exit {exit}\n")), "{name}: {told}");
}

#[test]
fn namespaces_are_read_written_and_protected_like_block_devices() {
    let images = directory();
    let Some(outcome) = machine(images.path()).script(&script()).run() else { return };
    assert_eq!(outcome.exit, 0, "{}", outcome.console);
    assert!(outcome.text("mounts").contains(" /tmp/at ext4 "), "{}", outcome.console);
    for (name, exit, expected) in [
        ("read", 0, &["UNKNOWN", "pass-through"][..]),
        ("written", 0, &["'/dev/ng", "total:"]),
        ("mixed", 0, &["Flushes of timespan 1", "Discards of timespan 1", "Write zeroes of timespan 1"]),
        ("other engine", 3, &["takes NVMe commands alone"]),
        ("other target", 3, &["is not the character device of an NVMe namespace"]),
        ("both", 3, &["threads of its own"]),
        ("large", 1, &["one NVMe command transfers at most 512KiB"]),
        ("misaligned", 1, &["whole logical blocks of 512 bytes", "block size (-b) of 1000"]),
        ("cached", 1, &["never use the page cache"]),
        ("zones", 1, &["it is zoned"]),
        ("zones read", 0, &["total:"]),
        ("protected", 1, &["protection information"]),
        ("plan", 0, &["| nvme ", "takes NVMe commands alone"]),
        ("signature", 1, &["holds an ext4 file system", "--destroy"]),
        ("mounted", 1, &["it is in use", "is mounted at /tmp/at"]),
        ("mounted, read", 0, &["total:"]),
        ("swap", 1, &["it is in use", "swap"]),
    ] {
        assert_told(&outcome, name, exit, expected);
    }
    assert_eq!(outcome.text("data").trim(), "00 01 02 03", "what was written by commands is on the device");
    let record: serde_json::Value = serde_json::from_str(&outcome.text("read.json")).unwrap();
    assert!(record.to_string().contains("\"engine\":\"nvme\""), "the record says which engine it was");
    let record: serde_json::Value = serde_json::from_str(&outcome.text("statements.json")).unwrap();
    let said = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["statements"][0];
    // QEMU's drives are at 323 K and never critical (hw/nvme/ctrl.c).
    for reading in ["before", "after"] {
        let health = &said[reading]["health"];
        assert_eq!((&health["kelvin"], &health["critical"]), (&323.into(), &0.into()), "{said}");
    }
}
