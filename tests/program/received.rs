//! Files that users receive from others: suites, records, baselines, profiles, job files. They name a workload,
//! and neither start a program, give a permission, nor show what their owner may not read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::lab::Lab;
use crate::common::loops::Loop;
use crate::common::skip;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};

/// User without an entry.
const STRANGER: u32 = 54_321;

/// Returns a world-readable folder with a target.
fn open_lab() -> Lab {
    let lab = Lab::new();
    fs::set_permissions(lab.folder(), Permissions::from_mode(0o755)).unwrap();
    fs::write(lab.path("t.dat"), vec![0; 1 << 20]).unwrap();
    lab
}

/// Writes a suite of one test in one round.
fn write_suite(lab: &Lab, command: &str) {
    let text = format!("name = 's'\nrepeat = 1\n[[test]]\nname = 't'\ncommand = '''{command}'''\n");
    lab.write("s.toml", &text);
}

#[test]
fn suite_files_refuse_user_only_options() {
    let lab = open_lab();
    for (option, name) in [
        ("--with \"sh -c ': > mark'\"", "--with"),
        ("--with=./mark.sh", "--with"),
        ("--destroy", "--destroy"),
        ("--recreate -c1M", "--recreate"),
        ("--out mark", "--out"),
        ("--io-log mark", "--io-log"),
        ("--stream mark", "--stream"),
        ("--journal mark --verify", "--journal"),
        ("--save", "--save"),
        ("--mpi=./mark.so", "--mpi"),
        ("-ysmark", "-y"),
        ("-Rxml", "-R"),
        ("--dry-run", "--dry-run"),
    ] {
        write_suite(&lab, &format!("-b4K -w100 -d1 -W0 {option} t.dat"));
        for line in ["suite s.toml", "suite s.toml --dry-run", "suite s.toml t.dat -- -d1"] {
            lab.run(line).fails(3, &[&format!("cannot use {name} in a file")]);
            assert!(!lab.path("mark").exists(), "{option}: {line}");
        }
    }
    // Options of commands are none of a run, wherever they are.
    for option in ["--between=./mark.sh", "--dir=mark", "--with-a=./mark.sh"] {
        write_suite(&lab, &format!("-b4K -d1 {option} t.dat"));
        lab.run("suite s.toml").fails(3, &["unknown option"]);
    }
}

#[test]
fn run_folders_start_no_programs() {
    let lab = open_lab();
    let line = |between: &str| format!("sweep --dir d {between} --engine=sim -c1M -d1 -W0 -o1..2 -b4K t.dat");
    assert_eq!(lab.run(&line("--between=false")).code, 1);
    let kept = fs::read_to_string(lab.path("d/sweep.json")).unwrap();
    lab.write("d/sweep.json", &kept.replace("\"false\"", "\": > mark\""));
    for between in ["", "--between=false", "--between=true"] {
        lab.run(&line(between)).fails(1, &["it holds another sweep"]);
    }
    let line = |run: &str| format!("compare --dir c --repeat 3 --engine=sim -c1M -d1 -W0 -b4K {run} t.dat");
    assert_eq!(lab.run(&line("")).code, 0);
    let kept = fs::read_to_string(lab.path("c/comparison.json")).unwrap();
    lab.write("c/comparison.json", &kept.replace("-b4K", "--with=./mark.sh -b4K"));
    lab.write("mark.sh", "#!/bin/sh\n: > mark\n");
    fs::set_permissions(lab.path("mark.sh"), Permissions::from_mode(0o755)).unwrap();
    lab.run(&line("")).fails(1, &["it holds another comparison"]);
    assert!(!lab.path("mark").exists());
}

/// `LOOP` is a loop device, `BY_LINK` a link to it.
#[test]
fn devices_that_only_files_name_are_not_written() {
    let Some(device) = Loop::new(8 << 20) else { return };
    let lab = open_lab();
    let name = device.device.display().to_string();
    std::os::unix::fs::symlink(&device.device, lab.path("link")).unwrap();
    let line = |line: &str| line.replace("LOOP", &name);
    let workload = "-b4K -o1 -d1 -W0";
    assert_eq!(lab.run(&line(&format!("{workload} -w100 --out w.json --quiet LOOP"))).code, 0);
    assert_eq!(lab.run("baseline set w w.json").code, 0);
    let profile = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target>\
                   <Path>LOOP</Path><WriteRatio>100</WriteRatio></Target></Targets></TimeSpan></TimeSpans></Profile>";
    lab.write("p.xml", &line(profile));
    let jobs = "[a]\nfilename=LOOP\nrw=write\nruntime=1\ntime_based\n";
    lab.write("j.fio", &line(jobs));
    for (command, by_file, by_user) in [
        ("-b4K -d1 -W0 -w100 LOOP", "suite s.toml", "suite s.toml LOOP"),
        ("-b4K -d1 -W0 -w100 LOOP", "suite s.toml -- --destroy", "suite s.toml link"),
        ("-b4K -d1 -W0 --trim 50 LOOP", "suite s.toml", "suite s.toml LOOP"),
        ("-b4K -d1 -W0 --write-zeroes 50 LOOP", "suite s.toml", "suite s.toml LOOP"),
        ("-b4K -d1 -W0 -w1 link", "suite s.toml", "suite s.toml LOOP"),
        ("-Xp.xml", "suite s.toml", "suite s.toml LOOP"),
        ("--fio j.fio", "suite s.toml", "suite s.toml LOOP"),
        ("", "suite p.xml --repeat 1", "suite p.xml LOOP --repeat 1"),
        ("", "rerun w.json", "rerun w.json LOOP"),
        ("", "rerun --destroy w.json", "rerun w.json link"),
        ("", "baseline check w --repeat 1 --destroy", "baseline check w LOOP --repeat 1"),
    ] {
        write_suite(&lab, &line(command));
        let refused = lab.run(&line(by_file));
        assert!([1, 3].contains(&refused.code), "{by_file} ({command}): {}", refused.code);
        assert!(refused.stderr.contains("only a file names this device"), "{by_file}: {}", refused.stderr);
        let planned = by_user.split_once(' ').map(|(command, rest)| format!("{command} --dry-run {rest}"));
        let line = line(&planned.filter(|_| !by_user.starts_with("baseline")).unwrap_or(by_user.to_owned()));
        lab.run(&line).succeeds();
    }
    // Reading needs no permission, and --destroy none of a file.
    write_suite(&lab, &line("-b4K -d1 -W0 LOOP"));
    lab.run("suite s.toml --dry-run").fails(0, &[""]);
    if device.mkfs("ext4").is_none() {
        return;
    }
    write_suite(&lab, &line("-b4K -d1 -W0 -w100 LOOP"));
    lab.run(&line("suite s.toml --dry-run LOOP")).fails(3, &["ext4"]);
    lab.run(&line("suite s.toml --dry-run LOOP -- --destroy")).fails(0, &[""]);
    lab.run("suite s.toml -- --destroy").fails(3, &["only a file names this device"]);
}

#[test]
fn unused_targets_are_refused() {
    let lab = open_lab();
    write_suite(&lab, "-b4K -d1 t.dat");
    lab.run("suite s.toml other.dat --dry-run").fails(3, &["'other.dat' is not used"]);
    lab.run("suite s.toml t.dat --dry-run").fails(0, &[""]);
    assert_eq!(lab.run("-b4K -d1 -W0 --engine=sim -c1M --out r.json t.dat").code, 0);
    lab.run("rerun r.json r.json").fails(3, &["'r.json' is not a target of this record"]);
    lab.run("rerun --dry-run r.json t.dat").fails(0, &[""]);
}

#[test]
fn messages_do_not_quote_files_named_by_files() {
    let lab = open_lab();
    lab.write("secret", "hush=1\nbs=hush\niodepth=${HUSH}\nhush\n\nrw=hush\ninclude hush\nverify=hush\n");
    lab.write("j.fio", "[global]\nfilename=t.dat\n[a]\ninclude secret\n");
    write_suite(&lab, "--fio secret");
    let own = lab.run("--fio secret").stderr;
    assert!(own.contains("hush"), "the user's own file is quoted: {own}");
    for (line, command, place) in [
        ("--fio j.fio", "", "secret:1: [a]"),
        ("convert j.fio", "", "secret:6: [a]"),
        ("suite s.toml", "--fio secret", "secret:1"),
        ("suite s.toml", "-Xsecret", "-Xsecret"),
        ("suite s.toml", "--replay secret t.dat", "--replay secret"),
    ] {
        write_suite(&lab, command);
        let ended = lab.run(line);
        assert!([1, 3].contains(&ended.code), "{line} ({command}): {}", ended.code);
        assert!(ended.stderr.contains(place), "{line} ({command}): {}", ended.stderr);
        assert!(!ended.stderr.to_lowercase().contains("hush"), "{line} ({command}): {}", ended.stderr);
    }
}

#[test]
fn links_to_files_of_the_kernel_are_not_read() {
    let lab = Lab::new();
    fs::create_dir(lab.path("f")).unwrap();
    lab.write("f/t.dat", "");
    assert_eq!(lab.run("-b4K -d1 -W0 --engine=sim -c1M --out f/r.json t.dat").code, 0);
    for (name, file) in [("a.json", "/proc/kmsg"), ("z.json", "/proc/self/status")] {
        std::os::unix::fs::symlink(file, lab.path("f").join(name)).unwrap();
    }
    for line in ["report f", "merge f", "history import f --store s"] {
        let ended = lab.run(line);
        assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains("a.json, t.dat, z.json"), "{line}: {}", ended.stderr);
    }
    for line in [
        "report f/z.json",
        "report /sys/kernel/uevent_seqnum",
        "compare f/r.json f/z.json",
        "merge f/r.json f/z.json",
        "rerun f/z.json",
        "-Xf/z.json",
        "--fio f/z.json",
        "convert f/z.json",
        "suite f/z.json",
        "trace --from f/z.json",
        "verify-after f/z.json",
        "--replay f/z.json f/t.dat",
        "history import f/z.json --store s",
        "baseline set b f/z.json --store s",
    ] {
        let ended = lab.run(line);
        assert!([1, 3].contains(&ended.code), "{line}: {}: {}", ended.code, ended.stderr);
        assert!(ended.stderr.contains("state of the kernel"), "{line}: {}", ended.stderr);
    }
    lab.write("j.fio", "[a]\nfilename=t.dat\nsize=1m\ninclude /proc/self/status\n");
    lab.run("--fio j.fio").fails(3, &["state of the kernel"]);
    lab.run("-b4K -c1M -d1 -W0 -w100 -Z4K,/proc/self/status t.dat").fails(1, &["state of the kernel"]);
}

#[test]
fn root_reads_only_what_owners_of_profiles_may() {
    if !rustix::process::geteuid().is_root() {
        return skip("needs root");
    }
    let lab = open_lab();
    let spans = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target>\
                 <Path>t.dat</Path><WriteRatio>100</WriteRatio><BlockSize>4096</BlockSize><WriteBufferContent>\
                 <Pattern>random</Pattern><RandomDataSource><SizeInBytes>4096</SizeInBytes><FilePath>secret\
                 </FilePath></RandomDataSource></WriteBufferContent></Target></Targets></TimeSpan></TimeSpans></Profile>";
    lab.write("p.xml", spans);
    lab.write("secret", "bs=4k\n");
    lab.write("j.fio", "[global]\nfilename=t.dat\nrw=read\nruntime=1\n[a]\ninclude secret\n");
    assert_eq!(lab.run("-Xp.xml --out r.json").code, 0);
    let cases =
        [(STRANGER, 0o600, false), (STRANGER, 0o640, false), (STRANGER, 0o644, true), (0, 0o600, true)];
    for (line, file, command, cases) in [
        ("-Xp.xml", "p.xml", "", &cases[..]),
        ("rerun r.json", "r.json", "", &cases[..1]),
        ("suite s.toml", "s.toml", "-b4K -w100 -d1 -W0 -Z4K,secret t.dat", &cases[..1]),
        ("suite s.toml", "s.toml", "-Xp.xml", &cases[..1]),
        ("--fio j.fio --dry-run", "j.fio", "", &cases),
    ] {
        write_suite(&lab, command);
        for (owner, mode, allowed) in cases.iter().copied() {
            fs::set_permissions(lab.path("secret"), Permissions::from_mode(mode)).unwrap();
            chown(lab.path(file), Some(owner), None).unwrap();
            let ended = lab.run(line);
            assert_eq!(ended.code == 0, allowed, "{line} {owner} {mode:o}: {}", ended.stderr);
            assert_eq!(ended.stderr.contains("may not read it"), !allowed, "{line}: {}", ended.stderr);
        }
        chown(lab.path(file), Some(0), None).unwrap();
    }
}
