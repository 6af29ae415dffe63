//! Tests of `--verify` and `--journal` for users: exit codes, rejections, kills, and power cuts.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{command, directory, directory_with, diskspd, side_by_side, stop, tool, wait_until};
use diskspd::integrity::journal::format::JournalPiece;
use diskspd::integrity::journal::{Acknowledged, JournalTarget, Mixing};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn start(line: &str, path: &Path) -> Child {
    let mut command: Command = command(line, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    crate::common::while_nothing_starts(|| command.spawn()).unwrap()
}

/// Waits until the journal says that much is durable.
fn wait_for_journal(journal: &Path) {
    wait_until("the journal grows", || fs::metadata(journal).is_ok_and(|file| file.len() > 100_000));
}

#[test]
fn integrity_error_has_separate_exit_code() {
    let (_directory, file) = directory_with("data");
    diskspd("-c256K -b16K -w100 -s BRIEF -o1 --verify=write {}", &file).report();
    let line = "-b16K -s BRIEF -o2 --verify=read {}";
    diskspd(line, &file).succeeds();
    let mut content = fs::read(&file).unwrap();
    content[3 * 512 + 100] ^= 2;
    fs::write(&file, content).unwrap();
    let ended = diskspd(line, &file);
    ended.fails(4, &["--verify", "corrupt", "offset 1536"]);
    assert!(ended.stdout.contains("Total IO"), "there is a report all the same");
}

#[test]
fn sectors_of_another_target_are_damage() {
    let directory = directory();
    let [a, b] = ["a", "b"].map(|name| directory.path().join(name));
    let both = format!("-c256K -b16K -w100 -s BRIEF -F1 -o1 --verify=write {} {{}}", a.display());
    diskspd(&both, &b).report();
    let alone = "-b16K -s BRIEF -o1 --verify=read {}";
    for file in [&a, &b] {
        assert_eq!(diskspd(alone, file).code, 0);
    }
    let (mut of_a, of_b) = (fs::read(&a).unwrap(), fs::read(&b).unwrap());
    of_a[32768..33280].copy_from_slice(&of_b[32768..33280]);
    fs::write(&a, of_a).unwrap();
    diskspd(alone, &a).fails(4, &["--verify", "misplaced", "offset 32768"]);
}

#[test]
fn swapped_targets_are_damage_without_declared_order() {
    let directory = directory();
    let [a, b, spare] = ["a", "b", "spare"].map(|name| directory.path().join(name));
    let line = |options: &str, first: &Path, second: &Path| {
        diskspd(&format!("{options} -s BRIEF -b16K -F2 -o1 {} {{}}", first.display()), second)
    };
    line("-c256K -w100 --verify=write", &a, &b).report();
    let reading = |mode: &str, first: &Path, second: &Path| line(&format!("--verify={mode}"), first, second);
    assert_eq!(reading("read", &a, &b).code, 0);
    let turned = reading("read", &b, &a);
    turned.fails(4, &[" misplaced; ", "target 2's data in target 1", "target 1's data in target 2"]);
    turned.fails(4, &["--verify=read:2,1"]);
    assert_eq!(reading("read:2,1", &b, &a).code, 0, "the user says that they stood so");
    reading("read:2,1", &a, &b).fails(4, &["target 1's data in target 2", "target 2's data in target 1"]);
    // One that is named alone is the one that its number says, or nobody knows.
    assert_eq!(diskspd("-b16K -s BRIEF -o1 --verify=read {}", &b).code, 0);
    assert_eq!(diskspd("-b16K -s BRIEF -o1 --verify=read:2 {}", &b).code, 0);
    diskspd("-b16K -s BRIEF -o1 --verify=read:1 {}", &b).fails(4, &["target 2's data in target 1"]);
    for (from, to) in [(&a, &spare), (&b, &a), (&spare, &b)] {
        fs::rename(from, to).unwrap();
    }
    reading("read", &a, &b).fails(4, &["target 2's data in target 1", "target 1's data in target 2"]);
    // Another run that knew one of them alone is no alarm.
    diskspd("-w100 -s BRIEF -b16K -o1 --verify=write {}", &b).report();
    assert_eq!(reading("read", &a, &b).code, 0);
    reading("read:1", &a, &b).fails(3, &["one number per target"]);
    reading("read:0,1", &a, &b).fails(3, &["from 1"]);
}

#[test]
fn findings_are_reported_despite_later_io_error() {
    let directory = directory();
    let [data, image, profile] = ["data", "image", "profile.xml"].map(|name| directory.path().join(name));
    diskspd("-c64K -b16K -w100 -s BRIEF -o1 --verify=write {}", &data).report();
    let mut content = fs::read(&data).unwrap();
    content[3 * 512 + 100] ^= 2;
    fs::write(&data, content).unwrap();
    fs::write(&image, vec![1; 1 << 20]).unwrap();
    let Some(other) = Loop::on(&image) else { return };
    File::options().write(true).open(&image).unwrap().set_len(8192).unwrap();
    // The third read of the device is behind the end of its image; by then all of the file has been read.
    let target = |path: &Path, more: &str| {
        format!("<Target><Path>{}</Path><BlockSize>4096</BlockSize>{more}</Target>", path.display())
    };
    let slow = "<RequestCount>1</RequestCount><BurstSize>1</BurstSize><ThinkTime>200</ThinkTime>";
    let text = format!(
        "<Profile><TimeSpans><TimeSpan><Duration>9</Duration><Warmup>0</Warmup><Targets>{}{}</Targets>\
        </TimeSpan></TimeSpans></Profile>",
        target(&data, ""),
        target(&other.device, slow)
    );
    fs::write(&profile, text).unwrap();
    let ended = diskspd("--verify=read -X{}", &profile);
    ended.fails(4, &["Input/output error", "the run failed", "--verify", " corrupt, in ", "offset 1536"]);
}

#[test]
fn useless_or_existing_journal_is_refused() {
    let directory = directory();
    let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
    let run = |options: &str, journal: &Path| {
        let line = format!("-c64K -b4K -w100 BRIEF {options} --journal {} {{}}", journal.display());
        diskspd(&line, &file)
    };
    run("--verify", &journal).fails(1, &["would ever count as durable", "-Sh"]);
    run("-Sh", &journal).fails(3, &["--journal", "--verify"]);
    run("--verify -Sh", &file).fails(1, &["target of the run"]);
    assert!(!journal.exists());
    fs::write(&journal, "mine").unwrap();
    run("--verify -Sh", &journal).fails(1, &["exists, and a journal holds one run"]);
    assert_eq!(fs::read(&journal).unwrap(), b"mine");
    diskspd("verify-after {}", &journal).fails(1, &["is not a journal"]);
    fs::write(&file, [0; 65536]).unwrap();
    fs::hard_link(&file, directory.path().join("other")).unwrap();
    let other = directory.path().join("other");
    let twice = format!("-b4K -w100 BRIEF --verify {} {{}}", other.display());
    diskspd(&twice, &file).fails(1, &["same file"]);
}

#[test]
fn acknowledged_writes_of_killed_run_exist() {
    side_by_side(["-Sh -o4 -t2", "-Sb --fsync-every 5 -t2", "-Sm -Nv -t2"], |way| {
        let directory = directory();
        let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
        let line = format!("-c1M -b4K -r -w70 -W0 -d60 --verify --journal {} {way} {{}}", journal.display());
        let mut run = start(&line, &file);
        wait_for_journal(&journal);
        run.kill().unwrap();
        run.wait().unwrap();
        let ended = diskspd("--verify-after {}", &journal).succeeds();
        assert!(ended.stdout.contains("killed") && ended.stdout.contains("failed:    none"));
        // The same if a person knows that the storage lost power: what is durable is there all the same.
        let ended = diskspd("verify-after --power-lost {}", &journal).succeeds();
        let lost = "the storage lost power while it ran (--power-lost)";
        assert!(ended.stdout.contains(lost), "{}", ended.stdout);
    });
}

#[test]
fn campaign_keeps_cycles_and_states_its_result() {
    let directory = directory();
    let (file, cuts) = (directory.path().join("data"), directory.path().join("cuts"));
    fs::create_dir(&cuts).unwrap();
    let campaign = || diskspd("verify-after --campaign {}", &cuts);
    campaign().fails(1, &["it holds no journal", "0001.journal"]);
    let begin = |number: u32| {
        let journal = cuts.join(format!("{number:04}.journal"));
        let line =
            format!("-c1M -b4K -r -w100 -W0 -d60 -Sh -o4 --verify --journal {} {{}}", journal.display());
        let mut run = start(&line, &file);
        wait_for_journal(&journal);
        run.kill().unwrap();
        run.wait().unwrap();
    };
    begin(1);
    let killed = campaign().succeeds();
    assert!(killed.stdout.contains("1 cycle read back, 0 with"), "{}", killed.stdout);
    // Without its result it is read back once more, as one whose storage alone lost power.
    fs::remove_file(cuts.join("0001.journal.cycle.json")).unwrap();
    let lost = diskspd("verify-after --campaign {} --power-lost", &cuts);
    assert!(lost.stdout.contains("1 cycle read back, 1 with"), "{}", lost.stdout);
    begin(2);
    let script =
        "echo another > boot && mount --bind boot /proc/sys/kernel/random/boot_id && exec \"$0\" \"$@\"";
    let mut elsewhere = Command::new("unshare");
    elsewhere.args(["-m", "sh", "-euc", script, env!("CARGO_BIN_EXE_diskspd"), "verify-after", "--campaign"]);
    elsewhere.arg(&cuts).current_dir(directory.path());
    match tool("id -u").as_deref() {
        Some("0") => {
            let cut = crate::common::Ended::from(crate::common::output(&mut elsewhere).unwrap()).succeeds();
            assert!(cut.stdout.contains("2 cycles read back, 2 with a power cut"), "{}", cut.stdout);
            assert!(cut.stdout.contains("in 77.6 % of power cuts or more"), "{}", cut.stdout);
        }
        _ => crate::common::skip("another boot id needs root"),
    }
    // What wasn't read back at once has been written over; what is damaged stays told.
    begin(3);
    begin(4);
    fs::write(&file, vec![0; 1 << 20]).unwrap();
    for _ in 0..2 {
        let ended = campaign();
        assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("not read back before the next run"), "{}", ended.stdout);
        assert!(
            ended.stdout.contains("DAMAGED in 1 of ") && ended.stdout.contains("unwritten"),
            "{}",
            ended.stdout
        );
        // The next one was cut before it had begun.
        fs::write(cuts.join("0005.journal"), "").unwrap();
    }
    assert!(campaign().stdout.contains("its run has not started: nothing to read back"));
    fs::write(cuts.join("0004.journal.cycle.json"), "{").unwrap();
    campaign().fails(1, &["0004.journal.cycle.json: it is damaged", "remove it"]);
}

#[test]
fn destroyed_target_of_killed_run_is_found() {
    let directory = directory();
    let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
    let line = format!(
        "-c1M -b4K -r -w100 -W0 -d60 -Sb --fsync-every 8 --verify --journal {} {{}}",
        journal.display()
    );
    let mut run = start(&line, &file);
    wait_for_journal(&journal);
    run.kill().unwrap();
    run.wait().unwrap();
    let intact = diskspd("verify-after {}", &journal);
    assert!(intact.code == 0 && !intact.stdout.contains("undecided"), "{}", intact.stdout);
    assert!(intact.stdout.contains("without a loss of power"), "{}", intact.stdout);
    for (byte, fault) in [(0, "unwritten"), (0x5a, "foreign")] {
        fs::write(&file, vec![byte; 1 << 20]).unwrap();
        let ended = diskspd("verify-after {}", &journal);
        assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains(fault) && !ended.stdout.contains("undecided"), "{}", ended.stdout);
    }
    // The head alone, and the head with the target.
    let whole = fs::read(&journal).unwrap();
    let piece = |at: usize| 8 + u32::from_le_bytes(whole[at..at + 4].try_into().unwrap()) as usize;
    let head = piece(0);
    for (length, why) in [(head, "names no target"), (head + piece(head), "no durable write")] {
        fs::write(&journal, &whole[..length]).unwrap();
        let ended = diskspd("verify-after {}", &journal);
        assert_eq!(ended.code, 2, "{}{}", ended.stdout, ended.stderr);
        assert!(
            ended.stdout.contains("no data was verified: the journal") && ended.stdout.contains(why),
            "{}",
            ended.stdout
        );
    }
}

/// Simulates a power cut with the file of a loop device, because unflushed writes are only in the device's
/// page cache.
#[test]
fn power_cut_keeps_acknowledged_writes_or_names_lying_disk() {
    let Some(device) = Loop::new(8 << 20) else { return };
    let directory = directory();
    let at = |name: &str| directory.path().join(name);
    let (journal, early, late) = (at("journal"), at("early"), at("late"));
    let line = format!(
        "-b16K -r -w100 -W0 -d60 -o1 -t2 -Sb --fsync-every 4 --verify --journal {} {{}}",
        journal.display()
    );
    let mut run = start(&line, &device.device);
    wait_for_journal(&journal);
    stop(run.id());
    let cut = |image: &Path| fs::copy(device.backing(), image).unwrap();
    cut(&early);
    let told = fs::metadata(&journal).unwrap().len();
    tool(&format!("kill -CONT {}", run.id())).unwrap();
    wait_until("the journal grows", || fs::metadata(&journal).unwrap().len() > told + 100_000);
    stop(run.id());
    cut(&late);
    // The journal's own power is cut in the midst of a write.
    let written = fs::read(&journal).unwrap();
    fs::write(at("cut"), &written[..written.len() - 7]).unwrap();
    run.kill().unwrap();
    run.wait().unwrap();
    for image in [&late, &device.backing()] {
        let ended = diskspd(&format!("verify-after {} {{}}", at("cut").display()), image).succeeds();
        assert!(
            ended.stdout.contains("was killed") && ended.stdout.contains("an incomplete entry"),
            "{}",
            ended.stdout
        );
    }
    // The disk said that it had flushed, and holds what it held long before.
    let ended = diskspd(&format!("verify-after {} {{}}", at("cut").display()), &early);
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(" became durable 20") && ended.stdout.contains("lost"), "{}", ended.stdout);
}

#[test]
fn damaged_journal_is_never_a_success() {
    let directory = directory();
    let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
    let line =
        format!("-c256K -b4K -s -w100 -W0 -d1 -Sh -o2 -g400 --verify --journal {} {{}}", journal.display());
    diskspd(&line, &file).report();
    let back = || diskspd("verify-after {}", &journal);
    assert_eq!(back().code, 0);
    let whole = fs::read(&journal).unwrap();
    let head = 8 + u32::from_le_bytes(whole[..4].try_into().unwrap()) as usize;
    let end = whole.len() - 9;
    for at in
        (head..whole.len()).step_by(whole.len() / 12).chain([head, head + 8, end - 1, end, whole.len() - 1])
    {
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        fs::write(&journal, flipped).unwrap();
        let ended = back();
        let expected = if at >= end { 0 } else { 6 };
        let is_target = at < head + 60;
        let possible = ended.code == expected || is_target && ended.code == 2;
        assert!(possible, "{at}: {} {}{}", ended.code, ended.stdout, ended.stderr);
        let last = ended.stdout.lines().last().unwrap();
        assert_eq!(last.starts_with("incomplete: "), at < end, "{at}: {last}");
    }
    for length in (head..whole.len()).step_by(whole.len() / 8) {
        fs::write(&journal, &whole[..length]).unwrap();
        assert!(matches!(back().code, 0 | 2), "{length}");
    }
    // What is wrong is worse than what is missing.
    let mut flipped = whole.clone();
    flipped[end - 1] ^= 4;
    fs::write(&journal, &flipped).unwrap();
    let intact = fs::read(&file).unwrap();
    fs::write(&file, vec![0; 256 << 10]).unwrap();
    assert_eq!(back().code, 4);
    fs::write(&file, intact).unwrap();
    // In a campaign the newest journal decides, and its result is kept.
    let cuts = directory.path().join("cuts");
    fs::create_dir(&cuts).unwrap();
    fs::write(cuts.join("1.journal"), &flipped).unwrap();
    for _ in 0..2 {
        let ended = diskspd("verify-after --campaign {}", &cuts);
        assert_eq!(ended.code, 6, "{}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("1 incomplete (damaged journal)"), "{}", ended.stdout);
    }
    fs::write(cuts.join("2.journal"), &whole).unwrap();
    assert_eq!(diskspd("verify-after --campaign {}", &cuts).code, 0);
}

#[test]
fn journal_with_impossible_values_is_refused() {
    let directory = directory();
    let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
    fs::write(&file, vec![0; 65536]).unwrap();
    let target = |id, path: &Path, sector, unit| {
        let (mixing, atomic, path) = (Mixing::Never, false, path.to_str().unwrap().into());
        JournalPiece::Target(JournalTarget { id, sector, unit, mixing, atomic, path })
    };
    let ack = Acknowledged {
        target: 0,
        writer: 0,
        offset: 0,
        oldest: 1,
        write: 1,
        write_offset: 0,
        write_length: u32::MAX,
        overlapped: false,
        at_us: 1,
    };
    let acks = [ack];
    let begin = || JournalPiece::Run(7, 0, "");
    let other = directory.path().join("./data");
    for (pieces, expected) in [
        (vec![target(0, &file, 512, 1 << 62), JournalPiece::Acks(&acks)], 2),
        (vec![target(0, &file, 1 << 31, 1 << 31), JournalPiece::Acks(&acks)], 2),
        (vec![target(0, &file, 512, (1 << 32) - 512), JournalPiece::Acks(&acks)], 4),
        (vec![target(0, &file, 512, 512), target(1, &other, 512, 512), JournalPiece::Acks(&acks)], 1),
    ] {
        let mut bytes = Vec::new();
        std::iter::once(begin()).chain(pieces).for_each(|piece| piece.append_to(&mut bytes));
        fs::write(&journal, bytes).unwrap();
        let ended = diskspd("verify-after {}", &journal);
        assert_eq!(ended.code, expected, "{}{}", ended.stdout, ended.stderr);
    }
}
