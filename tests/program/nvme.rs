//! NVMe commands that bypass the block layer, as a user sends them: in a virtual machine, with drives of QEMU.

#![allow(clippy::unwrap_used)]

use crate::common::virtual_machine::{Outcome, VirtualMachine, emulates};
use crate::common::{directory, expanded};
use std::fs::File;

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
    ("zones empty", "--zoned $Z"),
    ("zones open", "-w100 --zoned $Z"),
    ("zones odd", "-w100 -b320K -o1 --zoned $Z"),
    ("zones cached", "-w100 -Sb -o1 --zoned $Y"),
    ("zones none", "--zoned $B"),
    ("protected", "-w100 -si --out $OUT/protected.json $P"),
    // No discards beside: reads of blocks that were zeroed and then discarded fail their check under QEMU 7.2.
    ("protected read", "-w30 --fsync-every 9 --write-zeroes 10 --destroy $P"),
    ("own metadata", "$M"),
    ("plan", "--dry-run $A"),
    ("statements", "--out $OUT/statements.json $B"),
    ("placed none", "-w100 --fdp 0 $A"),
    ("placed elsewhere", "-w100 --fdp 0 $B"),
    ("streams none", "-w100 --write-stream 1 $B"),
];

/// 4 zones, of which at most three may be open.
const ZONES: &str =
    ",zoned=true,zoned.zone_size=16M,zoned.zone_capacity=12M,zoned.max_open=3,zoned.max_active=3";

/// Engines with the places of their writes to zones.
const ZONE_WRITERS: [(&str, &str); 4] = [("nvme", "$Z"), ("uring", "$Y"), ("aio", "$Y"), ("sync", "$Y")];

const PROTECTED: usize = 2;

/// Drive with three placement handles, of four in its endurance group. No run fills its large reclaim units.
const PLACED: &str = "-device nvme-subsys,id=placed,fdp=on,fdp.runs=1G,fdp.nrg=1,fdp.nruh=4\n\
                      -device nvme,id=n5,serial=drive-5,subsys=placed\n\
                      -device nvme-ns,drive=d5,bus=n5,fdp.ruhs=0;1;2";

const PLACED_RUNS: &str = "left() { $DISKSPD doctor $F | grep 'data placement' >\"$OUT/left $1\"; }\n\
    left before; cp /sys/block/${G#/dev/}/queue/max_write_streams $OUT/streams\n\
    run 'placed' -t2 -T8M -w100 --until-written=1M --fdp 2,1 --out $OUT/placed.json $F; left placed\n\
    run 'placed by none' -w100 --until-written=1M $F; left 'by none'\n\
    run 'placed too high' -w100 --fdp 1-3 $F\n\
    run 'placed plan' -w50 --fdp 1,0 -t2 --dry-run $F\n\
    run 'streamed' -o1 -w100 --until-written=1M --write-stream 3 $G; left streamed\n\
    run 'streamed too high' -w100 --write-stream 1-4 $G\n\
    run 'streamed cached' -w100 -Sb --write-stream 1 $G\n\
    run 'streamed sync' -w100 --engine sync --write-stream 1 $G\n";

fn with_placement(machine: VirtualMachine, images: &std::path::Path) -> VirtualMachine {
    let image = images.join("placed");
    File::create(&image).unwrap().set_len(64 << 20).unwrap();
    let drive = format!("-drive file={},if=none,format=raw,cache=unsafe,id=d5", image.display());
    PLACED.lines().fold(machine.device(&drive), VirtualMachine::device)
}

fn machine(images: &std::path::Path) -> VirtualMachine {
    // The last one shows the blocks of the protected one as they are, without what protects them.
    let kinds = [("", 0), (ZONES, 1), (",ms=8,pi=1", PROTECTED), (",ms=8", 3), ("", PROTECTED)];
    let machine = VirtualMachine::new().module("nvme-core").module("ext4").optional_module("crc32c_generic");
    kinds.iter().enumerate().fold(machine, |machine, (number, (words, image))| {
        let image = images.join(image.to_string());
        File::options().create(true).append(true).open(&image).unwrap().set_len(64 << 20).unwrap();
        let how = "if=none,format=raw,cache=unsafe,file.locking=off";
        machine
            .device(&format!("-drive file={},{how},id=d{number}", image.display()))
            .device(&format!("-device nvme,id=n{number},serial=drive-{number}"))
            .device(&format!("-device nvme-ns,drive=d{number},bus=n{number},share-rw=on{words}"))
    })
}

/// Writes to zones with an engine, between two reports of the device.
const ZONE_RUNS: &str = "zones() {\n\
    blkzone report $Y >\"$OUT/before $1\"\n\
    run \"zones $1\" -o2 -w100 -d60 --zoned --until-written=40M --destroy --engine $1 \\\n\
        --out \"$OUT/$1.json\" --io-log \"$OUT/$1.csv\" $2\n\
    blkzone report $Y >\"$OUT/after $1\"; }\n";

const MORE_ZONE_RUNS: &str = "run 'zones mixed' -o2 -w50 -d60 --zoned --until-written=30M --destroy $Y\n\
    run 'zones read again' -r -t2 --zoned $Y\n\
    timeout -s KILL 2 $DISKSPD -W0 -o2 -w100 -d60 --zoned --destroy $Y >'/mnt/zones killed' 2>&1\n\
    echo \"exit $?\" >>'/mnt/zones killed'\n\
    run 'zones after' -o1 -t3 -w100 -d60 --zoned --until-written=40M --destroy $Y\n\
    modprobe null_blk nr_devices=1 gb=1 zoned=1 zone_size=256 zone_nr_conv=1\n\
    run 'zones conventional' -o3 -w100 -r -b1M -d60 --zoned --until-written=1G --destroy /dev/nullb0\n\
    blkzone report /dev/nullb0 >$OUT/conventional\n";

fn script(placed: bool) -> String {
    // Controllers answer some time after their driver is there, and are numbered as they answer.
    let last = if placed { 5 } else { 4 };
    let driver = "modprobe nvme poll_queues=1\n\
                  for n in $(seq 0 LAST); do until [ -e /dev/ng${n}n1 ]; do sleep 0.1; done; done\n";
    let driver = driver.replace("LAST", &last.to_string());
    let names = "for each in /sys/class/nvme/nvme?; do n=${each#*class/nvme/nvme}n1; case $(cat $each/serial) in\n\
                 drive-0*) A=/dev/ng$n; B=/dev/nvme$n;; drive-1*) Z=/dev/ng$n; Y=/dev/nvme$n;;\n\
                 drive-2*) P=/dev/ng$n; Q=/dev/nvme$n;; drive-3*) M=/dev/ng$n;; drive-4*) R=/dev/nvme$n;;\n\
                 drive-5*) F=/dev/ng$n; G=/dev/nvme$n;; esac; done\n\
                 set +e\n\
                 run() { $DISKSPD -d1 -W0 -o4 \"${@:2}\" >\"$OUT/$1\" 2>&1; echo \"exit $?\" >>\"$OUT/$1\"; }\n";
    // Each I/O costs the emulated processors much: no more than is needed.
    let brief = |words: &str| expanded(&format!("BRIEF {words}"));
    let runs: String = RUNS.iter().map(|(name, words)| format!("run '{name}' {}\n", brief(words))).collect();
    let data = "head -c 4 $B | od -An -tx1 >$OUT/data\n";
    // The kernel checks what it reads itself. Then the protection of the first blocks, which QEMU keeps behind
    // the last one, is cleared: their reference tags are those of others.
    let protected = "dd if=$Q of=/dev/null bs=64K count=16 iflag=direct 2>$OUT/checked; echo $? >>$OUT/checked\n\
                     dd if=/dev/zero of=$R bs=512 seek=$(blockdev --getsz $Q) count=1 oflag=direct 2>/dev/null\n\
                     run damaged $P; $DISKSPD doctor $P >$OUT/doctor\n";
    // One after the other: a signature, a mount, swap.
    let used = "mkfs.ext4 -qF $B; run signature -w100 $A; mkdir /tmp/at; mount $B /tmp/at\n\
                cp /proc/mounts $OUT/mounts\n\
                run mounted -w100 --destroy $A; run 'mounted, read' $A; umount /tmp/at\n\
                mkswap $B >/dev/null; swapon $B; run swap -w100 --destroy $A; swapoff $B\n";
    let zones: String =
        ZONE_WRITERS.iter().map(|(engine, target)| format!("zones {engine} {target}\n")).collect();
    let zones = format!("{ZONE_RUNS}{zones}{MORE_ZONE_RUNS}");
    let (before, after) = runs.split_once("run 'mixed'").unwrap();
    let placed = if placed { PLACED_RUNS } else { "" };
    format!("{driver}{names}{before}{data}run 'mixed'{after}{protected}{zones}{used}{placed}true\n")
}

#[track_caller]
fn assert_reported(outcome: &Outcome, name: &str, exit: i32, expected: &[&str]) {
    let told = outcome.text(name);
    for text in expected {
        assert!(told.contains(text), "{name}: {text} is not in: {told}");
    }
    assert!(told.contains(&format!("exit {exit}\n")), "{name}: {told}");
}

#[test]
fn namespaces_are_read_written_and_protected_like_block_devices() {
    let images = directory();
    let placed = emulates("nvme-subsys", "fdp");
    let machine = machine(images.path());
    let machine = if placed { with_placement(machine, images.path()) } else { machine };
    let Some(outcome) = machine.script(&script(placed)).run() else { return };
    assert_eq!(outcome.exit, 0, "{}", outcome.console);
    assert!(outcome.text("mounts").contains(" /tmp/at ext4 "), "{}", outcome.console);
    for (name, exit, expected) in [
        ("read", 0, &["UNKNOWN", "pass-through"][..]),
        ("written", 0, &["'/dev/ng", "total:"]),
        ("mixed", 0, &["Flushes of timespan 1", "Discards of timespan 1", "Write zeroes of timespan 1"]),
        ("other engine", 3, &["accepts only NVMe commands"]),
        ("other target", 3, &["is not the character device of an NVMe namespace"]),
        ("both", 3, &["its own threads"]),
        ("large", 1, &["one NVMe command transfers at most 512KiB"]),
        ("misaligned", 1, &["whole logical blocks of 512 bytes", "block size (-b) of 1000"]),
        ("cached", 1, &["never use the page cache"]),
        ("zones", 1, &["add --zoned"]),
        ("zones read", 0, &["total:"]),
        ("zones empty", 1, &["reads are impossible"]),
        ("zones open", 1, &["at most 3 open"]),
        ("zones odd", 1, &["does not divide"]),
        ("zones cached", 1, &["leave out -Sb"]),
        ("zones none", 1, &["the kernel reports no zones"]),
        ("zones mixed", 0, &["Zone resets of timespan 1"]),
        ("zones read again", 0, &["total:"]),
        ("zones killed", 137, &[]),
        ("zones after", 0, &["Zone resets of timespan 1"]),
        ("zones conventional", 0, &["Zone resets of timespan 1"]),
        ("protected", 0, &["protection information of type 1", "total:"]),
        ("protected read", 0, &["Write zeroes of timespan 1"]),
        ("own metadata", 1, &["8 bytes of metadata per block that the host must send"]),
        ("damaged", 1, &["failed: End-to-end "]),
        ("placed none", 1, &["its controller does not support flexible data placement"]),
        ("placed elsewhere", 1, &["use the character device", "or --write-stream"]),
        ("streams none", 1, &["the kernel reports no write streams"]),
        ("plan", 0, &["| nvme ", "accepts only NVMe commands"]),
        ("signature", 1, &["holds an ext4 file system", "--destroy"]),
        ("mounted", 1, &["it is in use", "is mounted at /tmp/at"]),
        ("mounted, read", 0, &["total:"]),
        ("swap", 1, &["it is in use", "swap"]),
    ] {
        assert_reported(&outcome, name, exit, expected);
    }
    assert_eq!(outcome.text("data").trim(), "00 01 02 03", "what was written by commands is on the device");
    assert!(outcome.text("checked").ends_with("\n0\n"), "{}", outcome.text("checked"));
    let doctor = outcome.text("doctor");
    let row = doctor.lines().find(|line| line.contains("protection information")).unwrap_or_default();
    assert!(row.contains("yes") && row.contains("type 1"), "{doctor}");
    let record: serde_json::Value = serde_json::from_str(&outcome.text("protected.json")).unwrap();
    assert!(record.to_string().contains("protection information by the controller"));
    let record: serde_json::Value = serde_json::from_str(&outcome.text("read.json")).unwrap();
    assert!(record.to_string().contains("\"engine\":\"nvme\""), "the record says which engine it was");
    let record: serde_json::Value = serde_json::from_str(&outcome.text("statements.json")).unwrap();
    let said = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["device_logs"][0];
    // QEMU's drives are at 323 K and never critical (hw/nvme/ctrl.c).
    for reading in ["before", "after"] {
        let health = &said[reading]["health"];
        assert_eq!((&health["kelvin"], &health["critical"]), (&323.into(), &0.into()), "{said}");
    }
    for (engine, _) in ZONE_WRITERS {
        assert_zones(&outcome, engine);
    }
    match placed {
        true => assert_placed(&outcome),
        false => eprintln!("not tried: this QEMU has no data placement (8.0 has): set DISKSPD_TEST_QEMU"),
    }
    let report = outcome.text("conventional");
    assert!(report.lines().next().unwrap().contains("CONVENTIONAL"), "{report}");
    assert_eq!(report.matches("zcond: 1(em)").count(), 0, "all others were written: {report}");
}

#[track_caller]
fn left(outcome: &Outcome, when: &str) -> [String; 3] {
    let row = outcome.text(&format!("left {when}"));
    let told = row.split_once("handles: 3; left in the reclaim unit of ");
    let told = told.map_or("", |(_, told)| told);
    assert!(!told.is_empty(), "{when}: {row}");
    [0, 1, 2].map(|handle| {
        let (_, told) = told.split_once(&format!("{handle}: ")).unwrap();
        told.split([',', ' ']).next().unwrap().to_owned()
    })
}

#[track_caller]
fn assert_placed(outcome: &Outcome) {
    for (name, exit, expected) in [
        ("placed", 0, &["by thread (FDP): 2,1", "write amplification", "(FDP statistics)"][..]),
        ("placed by none", 0, &["total:"]),
        ("placed too high", 1, &["placement handles 0 to 2, and no 3"]),
        ("placed plan", 0, &["to placement identifier 0x1 '", "to placement identifier 0x0 '"]),
    ] {
        assert_reported(outcome, name, exit, expected);
    }
    let whole = "1GiB".to_owned();
    let [before, by_handle, by_none] = ["before", "placed", "by none"].map(|when| left(outcome, when));
    assert_eq!(before, [whole.clone(), whole.clone(), whole.clone()]);
    assert_eq!(by_handle[0], whole);
    assert!(by_handle[1] != whole && by_handle[2] != whole, "{by_handle:?}");
    assert!(by_none[0] != whole && by_none[1..] == by_handle[1..], "{by_none:?} {by_handle:?}");
    let record: serde_json::Value = serde_json::from_str(&outcome.text("placed.json")).unwrap();
    assert_eq!(record["profile"]["time_spans"][0]["targets"][0]["fdp"].to_string(), "[2,1]");
    let threads = record["hosts"][0]["results"]["time_spans"][0]["threads"].as_array().unwrap();
    for (thread, note) in threads.iter().zip(["placement identifier 0x2", "placement identifier 0x1"]) {
        assert!(thread["engine"]["features"].to_string().contains(note), "{thread}");
    }
    let statements = &record["hosts"][0]["results"]["time_spans"][0]["observed"]["device_logs"];
    let said = statements.as_array().unwrap().iter().find(|said| said["source"] == "placement").unwrap();
    let [before, after] = ["before", "after"].map(|when| said[when]["media"]["host_bytes"].as_u64().unwrap());
    // More than that may have been written outside of the window.
    assert!(after - before >= 1 << 20 && before < 1 << 30, "{said}");

    let streams = outcome.directory().join("streams");
    if !streams.exists() {
        assert_reported(outcome, "streamed", 1, &["takes Linux 6.16"]);
        eprintln!("not tried: this kernel has no write streams (Linux 6.16 has): set DISKSPD_TEST_KERNEL");
        return;
    }
    assert_eq!(outcome.text("streams").trim(), "3");
    for (name, exit, expected) in [
        ("streamed", 0, &["streams of writes, by thread: 3", "write amplification"][..]),
        ("streamed too high", 1, &["write streams 1 to 3 (queue/max_write_streams), and no 4"]),
        ("streamed cached", 1, &["leave out -Sb"]),
        ("streamed sync", 3, &["use --engine uring"]),
    ] {
        assert_reported(outcome, name, exit, expected);
    }
    // The kernel counts streams from 1, the device handles from 0.
    let streamed = left(outcome, "streamed");
    assert!(streamed[2] != by_none[2] && streamed[..2] == by_none[..2], "{streamed:?} {by_none:?}");
}

/// Returns the bytes below the write pointers of a report.
fn below_write_pointers(report: &str) -> u64 {
    const CAPACITY: u64 = 12 << 20;
    let written = |line: &str| {
        let sectors = line.split_once("wptr 0x").and_then(|(_, rest)| rest.split_once(' ')).unwrap().0;
        (512 * u64::from_str_radix(sectors, 16).unwrap()).min(CAPACITY)
    };
    report.lines().map(written).sum()
}

#[track_caller]
fn assert_zones(outcome: &Outcome, engine: &str) {
    assert_reported(outcome, &format!("zones {engine}"), 0, &["Zone resets of timespan 1"]);
    let record: serde_json::Value = serde_json::from_str(&outcome.text(&format!("{engine}.json"))).unwrap();
    let counted = &record["figures"]["time_spans"][0]["zone_resets"]["total"]["zone_resets"];
    let [mut resets, mut written] = [0, 0];
    for line in outcome.text(&format!("{engine}.csv")).lines().filter(|line| !line.starts_with('#')) {
        match line.split(',').collect::<Vec<_>>()[..] {
            [_, _, "zone-reset", ..] => resets += 1,
            [_, _, "write", _, size, ..] => written += size.parse::<u64>().unwrap(),
            _ => assert!(line.starts_with("thread,") || line.is_empty(), "{line}"),
        }
    }
    assert!(written >= 40 << 20 && counted.as_u64() <= Some(resets), "{engine}: {counted} of {resets}");
    let [before, after] =
        ["before", "after"].map(|when| below_write_pointers(&outcome.text(&format!("{when} {engine}"))));
    // Two requests may have had something in flight at the end.
    let mut ends =
        (0..3).flat_map(|writes| (0..3).map(move |more| (writes << 16, (resets + more) * (12 << 20))));
    assert!(
        ends.any(|(writes, reset)| before + written + writes == after + reset),
        "{engine}: {before} before, {written} written, {resets} resets, {after} after"
    );
}
