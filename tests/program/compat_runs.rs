//! Tests of DISKSPD 2.3's options in runs.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, directory, directory_with, diskspd, output};
use diskspd::engine::MakeEngine;

fn line(line: &str) -> Ended {
    let (_directory, file) = directory_with("f.dat");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    diskspd(&format!("{line} BRIEF {{}}"), &file)
}

#[test]
fn io_uring_is_used_with_and_without_registered_buffers() {
    if diskspd::engines::EngineKind::Uring.row().available().is_err() {
        return crate::common::skip("no io_uring");
    }
    for (option, registered) in
        [("-u", true), ("-un4", false), ("-u1 -o1", true), ("-u100p -o32 -g2000i", true)]
    {
        let ended = line(&format!("{option} -r -b4K -w50 -v"));
        assert!(ended.report().total("Total IO").ios > 0, "{option}");
        let said = ended.stdout.clone() + &ended.stderr;
        assert!(said.contains("requested (-u)"), "{option}: {said}");
        let tells = said.contains("registered buffer") || said.contains("not registered with io_uring");
        assert_eq!(tells, registered, "{option}: {said}");
    }
    line("-u --engine sync").fails(3, &["-u means io_uring", "--engine sync"]);
}

#[test]
fn reports_of_2_3_have_their_sections() {
    let ended = line("--compat 2.3 --engine sim -u8 -o32 -b4K -r -L -vs");
    let told = &ended.stdout;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for part in
        ["effective affinity (", "IoRing Statistics\n", "Wait Statistics - Completion Wait\n", "  page size:"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// Returns the first thread's row in the table of waits: number and counts.
fn waits_of(options: &str) -> (Ended, Vec<u64>) {
    let ended = line(&format!("--compat 2.3 --engine sim -o32 -b4K -r -vs {options}"));
    let row = ended.stdout.lines().skip_while(|line| !line.contains("Completion Wait")).nth(3).unwrap();
    let cells = row.split(['|', ' ', '-']).filter_map(|cell| cell.parse().ok()).collect();
    (ended, cells)
}

#[test]
fn completions_per_wait_never_exceed_the_limit() {
    for (options, depth) in [("-oc4", 4), ("-oc1", 1), ("-oc1 -w100 --fsync-every 4", 1)] {
        let (_, cells) = waits_of(options);
        let [_, waits, by_completions @ ..] = &cells[..] else { unreachable!("{options}: {cells:?}") };
        assert_eq!(*waits, by_completions.iter().sum::<u64>(), "{options}: {cells:?}");
        assert!(by_completions[1] > 0, "{options}: {cells:?}");
        assert!(by_completions[depth + 1..].iter().all(|count| *count == 0), "{options}: {cells:?}");
    }
}

#[test]
fn threads_with_a_shared_rate_wait_for_their_time() {
    let (ended, cells) = waits_of("--rate-total 1000");
    assert!(ended.stdout.contains("throttle wait  -  sleep"), "{}", ended.stdout);
    let [_, waits, throttled, _, by_completions @ ..] = &cells[..] else { unreachable!("{cells:?}") };
    assert!(*throttled > 0, "{cells:?}");
    assert_eq!(waits + throttled, by_completions.iter().sum::<u64>(), "{cells:?}");
}

#[test]
fn completion_limit_keeps_addresses_and_ios() {
    let directory = directory();
    let log = |option: &str| {
        let path = directory.path().join(format!("log{option}"));
        let line = format!("{option} --engine sim -o16 -b4K -r -w30 -c1M --io-log {}", path.display());
        let ended = diskspd(&format!("{line} BRIEF {{}}"), &directory.path().join("none"));
        assert!(ended.report().total("Total IO").ios > 1000, "{option}");
        let text = std::fs::read_to_string(path).unwrap();
        let mut drawn: Vec<(u64, String)> = (text.lines().skip(1))
            .map(|line| line.split(',').collect::<Vec<_>>())
            .map(|c| (c[5].parse().unwrap(), format!("{} {}", c[2], c[3])))
            .collect();
        drawn.sort();
        drawn
    };
    let (all, few) = (log("-L"), log("-oc1"));
    // What is submitted together stands in no order.
    let offsets = |log: &[(u64, String)]| {
        let mut first: Vec<String> = log.iter().take(16).map(|io| io.1.clone()).collect();
        first.sort();
        first
    };
    assert_eq!(offsets(&all), offsets(&few));
}

#[test]
fn separate_buffers_carry_correct_data() {
    let directory = directory();
    for (option, expected) in [("-bsp", "0123"), ("--compat=2.3 -Z64K,SOURCE", "source"), ("-bsn", "0123")] {
        let (file, source) = (directory.path().join("f.dat"), directory.path().join("source"));
        std::fs::write(&file, vec![0xee; 1 << 16]).unwrap();
        std::fs::write(&source, vec![7; 1 << 16]).unwrap();
        let option = option.replace("SOURCE", &source.display().to_string());
        diskspd(&format!("{option} -b4K -w100 -o4 -t2 -T32K -W0 -d1 {{}}"), &file).report();
        let content = std::fs::read(&file).unwrap();
        let block: Vec<u8> = match expected {
            "source" => vec![7; 4096],
            _ => (0..4096).map(|i| i as u8).collect(),
        };
        assert!(content.chunks(4096).all(|found| found == block), "{option}");
    }
}

#[test]
fn windows_only_options_are_refused_and_named() {
    for option in ["-Suy", "-SuY"] {
        line(option).fails(1, &["BypassIO", "-Su bypasses"]);
    }
    line("-oc4 -o1").report();
    assert!(line("-oc4 -o1").stderr.contains("-oc (CompletionDepth)"));
    assert!(line("-ag9 --dry-run").stderr.contains("group 9"));
}

#[test]
fn system_option_prints_the_machine_only() {
    let told = |arguments: &[&str]| output(&mut command_of(arguments)).unwrap();
    let text = told(&["-Rs"]);
    assert_eq!(text.status.code(), Some(0));
    assert!(text.stdout.starts_with(b"System information:\n\n  computer name:"));
    let document = told(&["-Rpsxml", "--compat", "2.3"]);
    assert!(document.stdout.starts_with(b"<System>\n") && document.stdout.ends_with(b"</System>\n"));
    for arguments in [&["-Rs", "f.dat"][..], &["-Rs", "-d10"], &["-v", "-Rs"]] {
        assert_eq!(told(arguments).status.code(), Some(3), "{arguments:?}");
    }
}

#[test]
fn xml_2_2_warns_of_omitted_settings() {
    let printed = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        output(&mut command_of(&arguments)).unwrap()
    };
    let lost = printed("-Rpxml -u -oc4 -ac f.dat");
    let warning = String::from_utf8_lossy(&lost.stderr).into_owned();
    assert!(warning.contains("cannot express -u, -oc, the letters of -a"), "{warning}");
    assert!(printed("-Rpxml -u --compat=2.3 f.dat").stderr.is_empty());
}
