//! Commands that make several runs, in jobs of several ranks: with real launchers.

#![allow(clippy::unwrap_used)]

use crate::common::{Ended, command_of, directory, output, read_json, skip, tool, worker_process};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const LAUNCHERS: [&str; 2] = ["mpirun.openmpi --oversubscribe", "mpirun.mpich"];

/// Common options of simulated runs: little I/O, equal on every machine.
const SIM: &str = "--engine=sim -b4K -r -z3 -c1G -d1 -W0 -L";

/// Returns a launcher's command for a number of ranks; `None` = missing.
pub fn job(launcher: &str, ranks: usize, folder: &Path) -> Option<Command> {
    let mut words = launcher.split(' ');
    let program = words.next().unwrap();
    if tool(&format!("{program} --version")).is_none() {
        skip(&format!("{program} is missing (openmpi-bin, mpich)"));
        return None;
    }
    let mut command = Command::new(program);
    command.args(words).args(["-n", &ranks.to_string()]).current_dir(folder);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("DISKSPD_STORE", folder.join("store"));
    Some(command)
}

pub fn words(line: &str) -> Vec<String> {
    line.replace("SIM", SIM).split(' ').map(str::to_owned).collect()
}

pub fn ranks(launcher: &str, size: usize, line: &str, folder: &Path) -> Option<Ended> {
    let mut command = job(launcher, size, folder)?;
    let command = command.arg(env!("CARGO_BIN_EXE_diskspd")).args(words(line));
    Some(output(command).unwrap().into())
}

fn run_alone(line: &str, folder: &Path) -> Ended {
    let line = words(line);
    let line: Vec<&str> = line.iter().map(String::as_str).collect();
    output(command_of(&line).current_dir(folder).env("DISKSPD_STORE", folder.join("store"))).unwrap().into()
}

pub fn json(path: &Path) -> Value {
    read_json(path)
}

/// Ranks are seeded like threads, so two ranks and two threads have equal simulated points.
#[test]
fn points_of_ranks_equal_points_of_threads() {
    let folder = directory();
    let iops = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let place = text.lines().next().unwrap().split(',').position(|name| name == "iops").unwrap();
        text.lines().skip(1).map(|row| row.split(',').nth(place).unwrap().to_owned()).collect()
    };
    let line = "sweep -o1,2,4 --csv NAME SIM THREADS -g300i f%r";
    let of = |name, threads| line.replace("NAME", name).replace("THREADS", threads);
    run_alone(&of("one.csv", "-t2"), folder.path()).succeeds();
    for launcher in LAUNCHERS {
        let Some(both) = ranks(launcher, 2, &of("both.csv", "-t1"), folder.path()) else { return };
        assert_eq!(both.code, 0, "{launcher}: {}", both.stderr);
        assert_eq!(iops("both.csv"), iops("one.csv"), "{launcher}");
        assert_eq!(iops("both.csv").len(), 3);
    }
}

#[test]
fn rate_of_job_is_divided_like_among_threads() {
    let folder = directory();
    for arrivals in ["", ",poisson"] {
        let line = |threads: &str| format!("SIM --rate-total 30{arrivals} {threads} x");
        let one = run_alone(&line("-t4"), folder.path());
        let Some(four) = ranks(LAUNCHERS[1], 4, &line("-t1"), folder.path()) else { return };
        assert_eq!(four.code, 0, "{}", four.stderr);
        assert_eq!(four.report().total("Total IO"), one.report().total("Total IO"), "{arrivals}");
        assert!(four.stderr.contains("the 4 ranks start 30 I/Os per second together, 7.5 each"));
    }
}

#[test]
fn repetition_of_job_keeps_records_of_all_ranks() {
    let folder = directory();
    for launcher in LAUNCHERS {
        let line = "--repeat 2 --out r.json SIM -g300i f%r";
        let Some(both) = ranks(launcher, 2, line, folder.path()) else { return };
        assert_eq!(both.code, 0, "{launcher}: {}", both.stderr);
        for name in ["r-1.json", "r-2.json"] {
            let hosts = json(&folder.path().join(name))["hosts"].as_array().unwrap().clone();
            assert_eq!(hosts.len(), 2, "{launcher} {name}");
            assert!(hosts.iter().all(|host| host["missing"].is_null()), "{launcher} {name}");
        }
    }
}

#[test]
fn comparison_in_job_runs_both_sides_on_all_ranks() {
    let folder = directory();
    let line = "compare --repeat 2 --order-seed 5 --json c.json -- -o1 SIM -g200i :: -o2 SIM -g200i f%r";
    let Some(both) = ranks(LAUNCHERS[1], 2, line, folder.path()) else { return };
    assert_eq!(both.code, 0, "{}", both.stderr);
    let runs = json(&folder.path().join("c.json")).to_string();
    let one =
        run_alone(&line.replace("SIM", "SIM -t2").replace("c.json", "one.json"), folder.path()).succeeds();
    let said = |ended: &Ended| -> Vec<String> {
        ended.stderr.lines().filter(|line| line.starts_with("run ")).map(str::to_owned).collect()
    };
    assert_eq!(said(&both), said(&one));
    assert_eq!(said(&both).len(), 4, "{runs}");
}

#[test]
fn suite_and_baseline_run_in_jobs() {
    let folder = directory();
    let suite = "name = 'nightly'\nabout = 'one test'\nrepeat = 2\n\n[[test]]\nname = 'reads'\n\
                 about = 'random reads'\ncommand = '-b4K -r -o4'\nmetric = 'iops'\n";
    fs::write(folder.path().join("s.toml"), suite).unwrap();
    let sim = "-- --engine=sim -c1G -d1 -W0 -g200i";
    let run = |line: &str| ranks(LAUNCHERS[1], 2, line, folder.path());
    let Some(made) = run(&format!("suite s.toml f.dat {sim}")) else { return };
    assert_eq!(made.code, 0, "{}", made.stderr);
    let set = run("baseline set usual @nightly.1").unwrap();
    assert_eq!(set.code, 0, "{}", set.stderr);
    let listed = run_alone("baseline list", folder.path());
    assert_eq!(listed.stdout.lines().count(), 2, "one rank sets it: {}", listed.stdout);
    let checked = run("baseline check usual").unwrap();
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("reads"), "{}", checked.stdout);
}

#[test]
fn precondition_runs_rounds_on_all_ranks() {
    let folder = directory();
    (0..2).for_each(|rank| fs::write(folder.path().join(format!("x{rank}")), [7; 1 << 20]).unwrap());
    let line = "precondition x%r --round 1 --rounds 5 --out p.json -- --engine=sim -t1 -o1";
    let Some(both) = ranks(LAUNCHERS[1], 2, line, folder.path()) else { return };
    assert_eq!(both.code, 0, "{}{}", both.stdout, both.stderr);
    let record = json(&folder.path().join("p.json"));
    assert_eq!(record["hosts"].as_array().unwrap().len(), 2);
    assert_eq!(record["preconditioning"]["rounds"].as_array().unwrap().len(), 5);
}

/// Commands without a meaning on several ranks are refused before any change.
#[test]
fn unfit_commands_of_jobs_are_refused() {
    for (line, said) in [
        ("sweep -o1,2 -c1M -d1 --with diskspd x%r", "--with starts another DISKSPD"),
        ("precondition x%r --purge", "--purge"),
        ("trace /dev/null", "trace runs on one host"),
    ] {
        let folder = directory();
        let Some(ended) = ranks(LAUNCHERS[1], 2, line, folder.path()) else { return };
        assert_ne!(ended.code, 0, "{line}");
        assert!(ended.stderr.contains(said), "{line}: {}", ended.stderr);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{line}");
    }
}

/// A lost rank ends the sweep; the earlier points are kept.
#[test]
fn sweep_keeps_points_when_rank_is_killed() {
    let folder = directory();
    let Some(mut command) = job(LAUNCHERS[0], 2, folder.path()) else { return };
    command.args(["sh", "-c", "echo $$ > pid$OMPI_COMM_WORLD_RANK; exec \"$0\" \"$@\""]);
    command.arg(env!("CARGO_BIN_EXE_diskspd")).args(words("sweep --dir kept -w0,50,100 -b4K -c64K -d2 -W0"));
    command.args(["-g50i", "%r.dat"]).env("TMPDIR", folder.path());
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let points = || {
        let names = fs::read_dir(folder.path().join("kept/runs")).into_iter().flatten().flatten();
        names.filter(|entry| entry.file_name().to_string_lossy().ends_with(".json")).count()
    };
    let first = || points() > 0;
    while !first() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let kept = points();
    std::thread::sleep(Duration::from_millis(700));
    let rank = fs::read_to_string(folder.path().join("pid1")).unwrap();
    assert!(Command::new("kill").args(["-9", rank.trim()]).status().unwrap().success());
    let ended: Ended = running.wait_with_output().unwrap().into();
    assert_ne!(ended.code, 0);
    assert!(kept > 0 && points() >= kept, "{}", ended.stderr);
    // The sweep continues where it was, with all ranks.
    let line = "sweep --dir kept -w0,50,100 -b4K -c64K -d2 -W0 -g50i %r.dat";
    let again = ranks(LAUNCHERS[0], 2, line, folder.path()).unwrap();
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains("continuing after"), "{}", again.stderr);
}

/// Each rank reads back its own journal, or with a shift that of another rank.
#[test]
fn journals_of_all_ranks_are_read_back() {
    let folder = directory();
    let write = "-b4K -r -w100 -Sh -d1 -W0 -g200i -c256K --verify --journal %r.journal %r.dat";
    let Some(written) = ranks(LAUNCHERS[1], 2, write, folder.path()) else { return };
    assert_eq!(written.code, 0, "{}", written.stderr);
    for (shift, order) in [("", [0, 1]), (" --shift-ranks 1", [1, 0]), (" --shift-ranks 2", [0, 1])] {
        let line = format!("verify-after %r.journal{shift}");
        let back = ranks(LAUNCHERS[1], 2, &line, folder.path()).unwrap();
        assert_eq!(back.code, 0, "{shift}: {}{}", back.stdout, back.stderr);
        for (rank, of) in order.iter().enumerate() {
            let part = back.stdout.split("rank ").nth(rank + 1).unwrap();
            assert!(part.starts_with(&rank.to_string()) && part.contains(&format!("journal {of}.journal")));
        }
    }
    fs::write(folder.path().join("1.dat"), vec![7; 256 << 10]).unwrap();
    let back = ranks(LAUNCHERS[1], 2, "verify-after %r.journal", folder.path()).unwrap();
    assert_eq!(back.code, 4, "{}{}", back.stdout, back.stderr);
    let common = ranks(LAUNCHERS[1], 2, "verify-after 0.journal", folder.path()).unwrap();
    common.fails(3, &["%r"]);
}

#[test]
fn shifted_ranks_read_data_of_others() {
    let folder = directory();
    let write = "-b4K -w100 -Sh -d1 -W0 -c256K --verify=write %r.dat";
    let Some(written) = ranks(LAUNCHERS[1], 2, write, folder.path()) else { return };
    assert_eq!(written.code, 0, "{}", written.stderr);
    let read = "-b4K -d1 -W0 --verify=read --shift-ranks 1 --io-log %r.csv --out all.json %r.dat";
    let back = ranks(LAUNCHERS[1], 2, read, folder.path()).unwrap();
    assert_eq!(back.code, 0, "{}{}", back.stdout, back.stderr);
    let hosts = json(&folder.path().join("all.json"))["hosts"].as_array().unwrap().clone();
    let paths: Vec<&str> = hosts.iter().map(|host| host["targets"][0]["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["1.dat", "0.dat"]);
    // Logs are of the rank that writes them.
    assert!(folder.path().join("0.csv").exists() && folder.path().join("1.csv").exists());
    for unfit in ["-w100 --shift-ranks 1 %r.dat", "-c1M --shift-ranks 1 %r.dat"] {
        ranks(LAUNCHERS[1], 2, &format!("-d1 -W0 {unfit}"), folder.path())
            .unwrap()
            .fails(3, &["--shift-ranks"]);
    }
    run_alone("--shift-ranks 1 -d1 0.dat", folder.path()).fails(3, &["--shift-ranks needs several ranks"]);
}

#[test]
fn sweep_over_hosts_uses_first_ranks() {
    let folder = directory();
    let line = "sweep --hosts 1,2,4 --json s.json --dir kept SIM -g100i f%r";
    for launcher in LAUNCHERS {
        let _ = fs::remove_dir_all(folder.path().join("kept"));
        let Some(swept) = ranks(launcher, 4, line, folder.path()) else { return };
        assert_eq!(swept.code, 0, "{launcher}: {}{}", swept.stdout, swept.stderr);
        let ranks_of = |number: usize| {
            let record = json(&folder.path().join(format!("kept/records/000{number}.json")));
            record["hosts"].as_array().unwrap().len()
        };
        let mut sizes: Vec<usize> = (1..=3).map(ranks_of).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 2, 4], "{launcher}");
    }
    ranks(LAUNCHERS[1], 2, "--hosts 4 SIM f%r", folder.path()).unwrap().fails(3, &["--hosts"]);
    run_alone("--hosts 1 SIM f", folder.path()).fails(3, &["--hosts needs several ranks"]);
}

/// MPI waits forever for a process that ended without MPI.
#[test]
fn rank_with_another_program_ends_job() {
    for launcher in LAUNCHERS {
        let folder = directory();
        let Some(mut command) = job(launcher, 2, folder.path()) else { return };
        command.arg(env!("CARGO_BIN_EXE_diskspd")).args(words("SIM x")).args([":", "-n", "1", "/bin/true"]);
        let ended: Ended = output(&mut command).unwrap().into();
        assert_ne!(ended.code, 0, "{launcher}");
        // Open MPI's launcher may notice it first.
        let notices = ["only 2 of the 3 processes", "exiting improperly"];
        assert!(notices.iter().any(|notice| ended.stderr.contains(notice)), "{launcher}: {}", ended.stderr);
    }
}

/// Completed time spans are stored by each rank, even if any rank is killed.
#[test]
fn killed_job_leaves_completed_time_spans() {
    for killed in [0, 1] {
        let folder = directory();
        let Some(mut command) = job(LAUNCHERS[1], 2, folder.path()) else { return };
        let profile = run_alone("-Rpxml -b4K -w100 -g100i -c64K -d1 -W0 %r.dat", folder.path()).stdout;
        let (begin, end) = (profile.find("<TimeSpan>").unwrap(), profile.find("</TimeSpans>").unwrap());
        let second = profile[begin..end].replace("<Duration>1<", "<Duration>60<");
        fs::write(folder.path().join("p.xml"), format!("{}{second}{}", &profile[..end], &profile[end..]))
            .unwrap();
        command.args(["sh", "-c", "echo $$ > pid$PMI_RANK; exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_diskspd")).args(["-Xp.xml"]).env("TMPDIR", folder.path());
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let kept = || -> Vec<String> {
            let names = fs::read_dir(folder.path()).unwrap().flatten();
            let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.filter(|name| name.starts_with("diskspd-rank-") && name.ends_with(".json")).collect()
        };
        let until = Instant::now() + Duration::from_secs(60);
        while kept().len() < 2 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let rank: u32 =
            fs::read_to_string(folder.path().join(format!("pid{killed}"))).unwrap().trim().parse().unwrap();
        let process = worker_process(rank);
        assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
        let ended: Ended = running.wait_with_output().unwrap().into();
        assert_ne!(ended.code, 0, "rank {killed}");
        let mut names = kept();
        names.sort();
        assert_eq!(names.len(), 2, "rank {killed}: {}", ended.stderr);
        for (given, first) in [(&names[..], "2 hosts"), (&names[1..], "1 of 2 hosts (missing: rank 0)")] {
            let line = format!("merge {} --out m.json", given.join(" "));
            let merged = run_alone(&line, folder.path());
            assert!(merged.stdout.starts_with(first), "rank {killed}: {}{}", merged.stdout, merged.stderr);
            let figures = json(&folder.path().join("m.json"))["figures"]["time_spans"].clone();
            assert!(figures[0]["total"]["total"]["throughput"]["ios"].as_u64() > Some(0), "{figures}");
        }
    }
}
