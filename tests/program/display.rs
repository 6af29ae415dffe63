//! The progress display on a separate terminal (`script`), and without a terminal.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, directory, output, side_by_side, skip};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");
/// Options of a run that reads and writes without storage.
const LINE: &str = "-b4K -r -w30 -o4 -L -W0 --engine null -c1M";

/// Returns all output of a shell command on a terminal; `keys` are typed when it shows `at`.
fn on_terminal(columns: usize, line: &str, folder: &Path, keys: Option<(&str, &str)>) -> Option<String> {
    let line = format!("stty cols {columns} rows 24; {line}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder).env("TERM", "xterm").env("LANG", "C.UTF-8");
    script.env_remove("NO_COLOR").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = script.spawn() else {
        skip("there is no script(1) to make a terminal");
        return None;
    };
    let (mut input, mut shown) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut all, mut typed, mut piece) = (Vec::new(), keys.is_none(), [0; 4096]);
    loop {
        // A terminal that is closed is an error to its reader.
        let read = shown.read(&mut piece).unwrap_or(0);
        if read == 0 {
            break;
        }
        all.extend_from_slice(&piece[..read]);
        if let Some((at, keys)) = keys.filter(|_| !typed)
            && String::from_utf8_lossy(&all).contains(at)
        {
            input.write_all(keys.as_bytes()).unwrap();
            typed = true;
        }
    }
    drop(input);
    child.wait().unwrap();
    Some(String::from_utf8_lossy(&all).into_owned())
}

/// Returns the drawn lines without control sequences.
fn drawn(shown: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in shown.split(['\r', '\n']).filter(|line| line.contains("\x1b[K")) {
        let mut text = String::new();
        let mut rest = line;
        while let Some((before, behind)) = rest.split_once("\x1b[") {
            text += before;
            rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').get(1..).unwrap_or("");
        }
        lines.push(text + rest);
    }
    lines
}

#[test]
fn display_fits_every_width_with_all_figures() {
    let folder = directory();
    let cases = [
        (40, &["measure", " IOPS"][..], &["max ", "MiB"][..]),
        (80, &["measure", "reads ", "writes ", "q: end"], &[]),
        (300, &["measure", "MiB/s", "p99", "max ", "reads ", "writes ", "CPU ", "q: end"], &[]),
    ];
    side_by_side(cases, |(columns, expected, absent)| {
        let line = format!("{PROGRAM} {LINE} -d3 x.dat");
        let Some(shown) = on_terminal(columns, &line, folder.path(), None) else { return };
        let lines = drawn(&shown);
        assert!(!lines.is_empty(), "{shown}");
        assert!(lines.iter().all(|line| line.chars().count() < columns), "{columns}: {lines:#?}");
        let all = lines.join("\n");
        assert!(expected.iter().all(|text| all.contains(text)), "{columns}: {all}");
        assert!(!absent.iter().any(|text| all.contains(text)), "{columns}: {all}");
        assert!(all.contains('█') && all.contains('%'), "{all}");
        assert!(shown.contains("\x1b[36m"), "colours: {shown}");
        // The report follows, and nothing of the display is left.
        assert!(shown.contains("actual test time"), "{shown}");
    });
}

#[test]
fn display_follows_a_resize() {
    let folder = directory();
    let line = format!("(sleep 2; stty cols 50 </dev/tty) & {PROGRAM} {LINE} -d6 x.dat");
    let Some(shown) = on_terminal(150, &line, folder.path(), None) else { return };
    let widths: Vec<usize> = drawn(&shown).iter().map(|line| line.chars().count()).collect();
    assert!(widths.iter().any(|width| *width >= 50), "{shown}");
    assert!(*widths.last().unwrap() < 50, "{shown}");
}

#[test]
fn no_color_leaves_the_display_plain() {
    let folder = directory();
    let line = format!("NO_COLOR=1 {PROGRAM} {LINE} -d3 x.dat");
    let Some(shown) = on_terminal(80, &line, folder.path(), None) else { return };
    assert!(drawn(&shown).iter().any(|line| line.contains("measure")), "{shown}");
    assert!(!shown.contains("\x1b[3") && !shown.contains("\x1b[2m"), "{shown:?}");
}

/// A dumb terminal and a log receive lines without control sequences.
#[test]
fn output_without_terminal_has_ten_second_lines() {
    let folder = directory();
    side_by_side([(false, ""), (false, " --quiet"), (true, "")], |(is_terminal, option)| {
        let line = format!("{LINE} -d11{option} x.dat");
        let shown = if is_terminal {
            let line = format!("TERM=dumb {PROGRAM} {line}");
            let Some(shown) = on_terminal(80, &line, folder.path(), None) else { return };
            shown
        } else {
            let mut command = Command::new(PROGRAM);
            Ended::from(output(command.current_dir(folder.path()).args(line.split(' '))).unwrap()).stderr
        };
        let lines = shown.lines().filter(|line| line.contains("left: measure, ")).count();
        assert_eq!(lines >= 1, option.is_empty(), "{line}: {shown}");
        assert!(!shown.contains('\x1b'), "{shown:?}");
    });
}

#[test]
fn steps_show_position_and_interim_answer() {
    let folder = directory();
    let line = "-b4K -r -o4 -W0 --engine null";
    let cases = [
        (format!("--repeat 3 {line} -d2 -c1M x.dat"), &["run 2 of 3", "so far: mean of 1 run "][..]),
        (
            "sweep -o1,2,4 -b4K -r -W0 --engine null -d2 -c1M x.dat".to_owned(),
            &["run 3 of 3", "so far: at most "],
        ),
        (
            format!("compare --repeat 2 -- {line} -d2 -c1M :: {line} -d2 -c1M x.dat"),
            &["run 3 of 4", "so far: ", " IOPS"],
        ),
    ];
    side_by_side(cases, |(command, expected)| {
        let line = format!("{PROGRAM} {command}");
        let Some(shown) = on_terminal(100, &line, folder.path(), None) else { return };
        let all = drawn(&shown).join("\n");
        assert!(expected.iter().all(|text| all.contains(text)), "{command}: {all}\n{shown}");
        assert!(all.contains(" left"), "{all}");
    });
}

#[test]
fn each_of_several_targets_has_a_row() {
    let folder = directory();
    let line = format!("{PROGRAM} {LINE} -d4 a.dat b.dat");
    let Some(shown) = on_terminal(100, &line, folder.path(), None) else { return };
    let lines = drawn(&shown);
    for name in ["a.dat", "b.dat"] {
        let row = |line: &&String| line.contains(name) && line.contains(" IOPS");
        assert!(lines.iter().any(|line| row(&line)), "{name}: {lines:#?}");
    }
    // The rows of a thread with several targets are unknown.
    let line = format!("{PROGRAM} -F1 {LINE} -d3 a.dat b.dat");
    let Some(shown) = on_terminal(100, &line, folder.path(), None) else { return };
    assert!(!drawn(&shown).iter().any(|line| line.contains("a.dat") && line.contains(" IOPS")), "{shown}");
}

#[test]
fn keys_mark_and_end_a_run_with_its_report() {
    let folder = directory();
    let line = format!("{PROGRAM} {LINE} -d600 --out r.json x.dat; echo code=$?; stty -a");
    let Some(shown) = on_terminal(100, &line, folder.path(), Some(("CPU ", "mq"))) else { return };
    assert!(shown.contains("actual test time") && shown.contains("code=0"), "{shown}");
    let record = fs::read_to_string(folder.path().join("r.json")).unwrap();
    assert!(record.contains("mark: "), "the record has the mark");
    // The terminal is as before.
    let modes = shown.rsplit_once("code=0").unwrap().1;
    assert!(modes.contains(" icanon") && modes.contains(" echo ") && !modes.contains("-icanon"), "{modes}");
}

/// A background job does not read keys, which the program in the foreground receives.
#[test]
fn background_job_does_not_read_keys() {
    let folder = directory();
    let line = format!("set -m; {PROGRAM} {LINE} -d3 x.dat & wait; read -r key; echo got=$key.");
    let line = format!("bash -c '{line}'");
    let Some(shown) = on_terminal(100, &line, folder.path(), Some(("measure", "qqx\n"))) else { return };
    assert!(shown.contains("got=qqx."), "{shown}");
    assert!(!shown.contains("q: end"), "{shown}");
}

#[test]
fn program_in_shell_loop_leaves_standard_input() {
    let folder = directory();
    let run = format!("{PROGRAM} {LINE} -d1 --quiet x.dat >/dev/null");
    let line = format!("printf \"a\\nb\\nc\\n\" | while read -r x; do {run}; echo loop=$x.; done");
    let Some(shown) = on_terminal(100, &line, folder.path(), Some(("loop=a", "q"))) else { return };
    assert!(["a", "b", "c"].iter().all(|x| shown.contains(&format!("loop={x}."))), "{shown}");
}

/// A launcher passes the drawing of rank 0 to its own terminal.
#[test]
fn each_host_of_a_job_has_a_row() {
    let folder = directory();
    side_by_side(["mpirun.mpich", "mpirun.openmpi --oversubscribe"], |launcher| {
        if crate::common::tool(&format!("{} --version", launcher.split(' ').next().unwrap())).is_none() {
            skip("mpirun.mpich (mpich) or mpirun.openmpi (openmpi-bin) is missing");
            return;
        }
        let allowed = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
        let line = format!("{allowed} {launcher} -n 2 {PROGRAM} {LINE} -g100i -d5 f%r.dat");
        let Some(shown) = on_terminal(100, &line, folder.path(), None) else { return };
        let all = drawn(&shown).join("\n");
        for text in ["rank 0 (", "rank 1 (", "2 hosts: measure", "p99 up to "] {
            assert!(all.contains(text), "{launcher}: {text}: {all}");
        }
    });
}
