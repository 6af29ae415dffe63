//! Tests of comparisons of new runs: two builds in one line, two kernels boot by boot, and all results of
//! the gate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::lab::Lab;
use crate::common::{self, Ended, output, read_json, skip, wait_until};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

const RUN: &str = "--engine=sim -c1G -b4K -r -L -W0 -d1 -o8";

/// Folder of a comparison.
struct Bench {
    lab: Lab,
    temporary: TempDir,
}

impl std::ops::Deref for Bench {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

impl Bench {
    fn new() -> Bench {
        let temporary = common::directory();
        Bench { lab: Lab::new().with_variable("TMPDIR", temporary.path()), temporary }
    }

    fn impostor(&self, name: &str, text: &str) {
        let asked = "case \"$*\" in *--version*|*--dry-run*|*trial.json*) exec PROGRAM \"$@\";; esac";
        self.script(name, &format!("{asked}\n{text}"));
    }

    #[track_caller]
    fn run(&self, line: &str) -> Ended {
        let ended = self.lab.run(line);
        assert_eq!(self.left_behind(), 0, "{line}: {}", ended.stderr);
        ended
    }

    fn left_behind(&self) -> usize {
        fs::read_dir(self.temporary.path()).unwrap().count()
    }

    /// Runs a line at a boot of a kernel; `None` = cannot be simulated on this machine.
    fn run_at(&self, release: &str, boot: u32, line: &str) -> Option<Ended> {
        let [kernel, id] = [format!("kernel-{release}"), format!("boot-{boot}")];
        fs::write(self.path(&kernel), format!("{release}\n")).unwrap();
        fs::write(self.path(&id), format!("00000000-0000-4000-8000-{boot:012}\n")).unwrap();
        let stage = format!(
            "mount --bind {kernel} /proc/sys/kernel/osrelease && mount --bind {id} \
             /proc/sys/kernel/random/boot_id && exec \"$@\""
        );
        let inner = self.command(line);
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &stage, "sh"]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(self.folder()).env("TMPDIR", self.temporary.path());
        command.env("DISKSPD_STORE", self.path("store"));
        let ended: Ended = output(&mut command).ok()?.into();
        let is_staged = !ended.stderr.contains("unshare") && !ended.stderr.contains("mount:");
        is_staged.then_some(ended)
    }
}

#[test]
fn two_builds_are_compared_in_one_line() {
    let bench = Bench::new();
    bench.script("same", "exec PROGRAM \"$@\"");
    bench.script(
        "shallow",
        "[ \"$1\" = --version ] && exec PROGRAM \"$@\"\nset -- -o1 \"$@\"\nexec PROGRAM \"$@\" ",
    );
    // The last -o counts: that of the wrapper has to stand behind those of the line.
    bench.script(
        "slow",
        "[ \"$1\" = --version ] && exec PROGRAM \"$@\"\n[ \"$1\" = -o8 ] && shift && set -- -o1 \"$@\"\nexec PROGRAM \"$@\"",
    );
    let line =
        |more: &str| format!("compare --repeat 6 {more} -o8 --engine=sim -c1G -b4K -r -L -W0 -d1 target");
    let worse = bench.run(&line(
        "--order-seed 4 --with-a ./same --with-b=./slow --fail-if worse=5% --json c.json --html c.html",
    ));
    worse.fails(2, &[]);
    for words in [
        "A: ./same (DiskSpd for Linux 0.1.0): -o8 --engine=sim",
        "B: ./slow (DiskSpd for Linux 0.1.0): ",
        "IOPS: B is worse: -",
        "I/Os in flight: 8 in A, 1 in B",
        "program: ./same (DiskSpd for Linux 0.1.0) in A, ./slow (DiskSpd for Linux 0.1.0) in B",
    ] {
        assert!(worse.stdout.contains(words), "{words}: {}", worse.stdout);
    }
    assert!(!worse.stdout.contains("sequentially"), "{}", worse.stdout);
    common::schema::comparison(&fs::read(bench.path("c.json")).unwrap());
    assert!(fs::read_to_string(bench.path("c.html")).unwrap().contains("./slow (DiskSpd for Linux"));
    // The comparison in JSON is reported again, in all its forms.
    assert_eq!(bench.run("report c.json").stdout, worse.stdout);
    assert_eq!(bench.run("report c.json --html again.html").code, 0);
    for page in ["c.html", "again.html"] {
        let page = fs::read_to_string(bench.path(page)).unwrap();
        let title = page.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned();
        assert!(title.contains("IOPS of B against A: WORSE, -"), "{title}");
    }
    assert_eq!(bench.run("report c.json --out c.csv").code, 0);
    let csv = fs::read_to_string(bench.path("c.csv")).unwrap();
    assert!(csv.starts_with("workload,figure,a_median,") && csv.contains(",iops,"), "{csv}");
    bench.run("report --csv c.json").fails(1, &["contains no runs"]);
    let order: Vec<&str> =
        worse.stderr.lines().filter_map(|line| line.strip_prefix("run ")?.split(": ").nth(1)).collect();
    assert_eq!(order, ["A1", "B1", "B2", "A2", "B3", "A3", "B4", "A4", "A5", "B5", "A6", "B6"]);
    let printed: serde_json::Value = read_json(bench.path("c.json"));
    assert_eq!(printed["order_seed"], 4);
    assert!(worse.stdout.contains("--order-seed 4"), "{}", worse.stdout);
    // This build on both sides: nothing but noise, and runs that differ in their addresses.
    let options = format!("--with-b {} --fail-if unsure --json same.json", env!("CARGO_BIN_EXE_diskspd"));
    let same = bench.run(&line(&options)).succeeds();
    assert_eq!(read_json(bench.path("same.json"))["time_spans"][0]["metrics"][0]["verdict"], "same");
    let told = |name: &str| same.stderr.lines().find(|line| line.contains(name)).unwrap().to_owned();
    let iops = |name: &str| told(name).rsplit(": ").next().unwrap().to_owned();
    assert_ne!(iops("A1"), iops("A2"), "{}", same.stderr);
    // Another line for each program.
    let lines =
        format!("compare --repeat 4 --with-b ./same --fail-if worse -- {RUN} -o16 :: {RUN} -o1 target");
    bench.run(&lines).fails(2, &[]);
}

#[test]
fn extra_options_of_one_build_are_refused() {
    let bench = Bench::new();
    bench.script("paced", "[ \"$1\" = --version ] && exec PROGRAM \"$@\"\nexec PROGRAM -g2000i \"$@\"");
    let line =
        |more: &str| format!("compare --repeat 4 --with-b ./paced --fail-if worse {more} {RUN} target");
    bench.run(&line("")).fails(3, &["rate limit: none in A, 2000 I/Os/s of each thread in B", "--anyway"]);
    let anyway = bench.run(&line("--anyway --metric iops"));
    anyway.fails(2, &[]);
    assert!(anyway.stdout.contains("NOT COMPARABLE") && anyway.stdout.contains("B is worse"));
}

#[test]
fn unusable_program_is_refused_before_any_run() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).unwrap();
    fs::write(bench.path("plain"), "").unwrap();
    bench.script("word", "exit");
    bench.script("liar", "echo DiskSpd for Linux 9.9.9");
    bench.script("endless", "exec yes DiskSpd");
    let later = "for one; do case $one in json:*) echo '{\"format\":{\"name\":\"diskspd-record\",\"version\":99}}' > \
        ${one#json:};; esac; done; echo DiskSpd for Linux 9.9.9";
    bench.script("later", later);
    bench.script(
        "old",
        "case \"$*\" in *--version*) exec PROGRAM \"$@\";; esac; echo ERROR: unknown engine >&2; exit 3",
    );
    bench.script(
        "picky",
        "case \"$*\" in *--dry-run*) echo ERROR: unknown option >&2; exit 3;; esac; exec PROGRAM \"$@\"",
    );
    for (program, words) in [
        (
            "/bin/ls",
            "--with-b /bin/ls: is not DiskSpd for Linux: its --version does not print 'DiskSpd for Linux",
        ),
        ("/bin/true", "is not DiskSpd for Linux"),
        ("./nothing", "--with-b ./nothing: cannot be started: No such file"),
        ("word", "for a program in this folder write ./word"),
        ("./folder", "--with-b ./folder: is a folder"),
        ("./plain", "cannot be started: Permission denied (os error 13); is it executable?"),
        ("./liar", "DiskSpd for Linux 9.9.9: a trial run left no record"),
        ("./later", "its records cannot be read by this program: the record has format version 99"),
        ("./old", "a simulated trial run ended with exit code 3: unknown engine"),
        (
            "./picky",
            "./picky (DiskSpd for Linux 0.1.0) refuses this command line: a dry run ended with exit code 3: unknown option",
        ),
    ] {
        let ended = bench.run(&format!("compare --repeat 4 --with-b {program} --fail-if worse {RUN} target"));
        ended.fails(1, &[words]);
        assert!(!ended.stderr.contains("run 1 of") && ended.stdout.is_empty(), "{}", ended.stderr);
    }
    for (line, words) in [
        ("--repeat 2 --with-b ./old", "the options of a run and its target are missing"),
        ("--with-b ./old -o1 target", "need --until-sure, or --repeat"),
        ("--repeat 2 --with-b ./old -o1", "target"),
        ("--repeat 2 --with-b ./old --jsno x -o1 target", "did you mean --json"),
        ("--repeat 2 --with-b ./old --stream x -o1 target", "--stream is for single runs"),
        ("--repeat 2 --with-b ./old --dir d -o1 target", "--dir compares two kernels"),
        ("--repeat 2 --dir d -- -o1 :: -o2 target", "but :: separates two"),
        ("--dir d -o1 target", "--dir needs --repeat"),
        ("--repeat 2 word --with-b ./old -- -o1 target", "'word' is before --"),
        ("--with-a ./old a.json b.json", "need --until-sure, or --repeat"),
    ] {
        bench.run(&format!("compare {line}")).fails(3, &[words]);
    }
    assert!(!bench.path("d").exists());
}

#[test]
fn failed_run_ends_the_comparison_and_the_gate() {
    let bench = Bench::new();
    bench.impostor(
        "dies",
        "echo WARNING: smoke >&2; echo ERROR: the disk is on fire >&2; echo '  hint: water' >&2; exit 5",
    );
    bench.impostor("crashes", "kill -SEGV $$");
    bench.impostor("forgets", "exit 0");
    for (program, words) in [
        (
            "dies",
            ": B1: ./dies (DiskSpd for Linux 0.1.0) ended with exit code 5: the disk is on fire; hint: water",
        ),
        ("crashes", "was ended (signal: 11 (SIGSEGV)"),
        ("forgets", "left no record"),
    ] {
        let ended =
            bench.run(&format!("compare --repeat 4 --with-b ./{program} --fail-if worse {RUN} target"));
        ended.fails(1, &[words, "the comparison stops here, without a result"]);
        assert_eq!(ended.stdout, "", "{program}");
    }
}

/// Returns the number of processes of a group, or with these words in their command line.
fn processes_with(words: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(words)).count()
}

#[test]
fn ctrl_c_ends_the_running_program_and_cleans_up() {
    let bench = Bench::new();
    let mark = format!("{}", bench.path("target").display());
    // No exec: a script and what it has started.
    bench.impostor("wrapper", "PROGRAM \"$@\"; exit $?");
    let line =
        format!("compare --repeat 4 --with-a ./wrapper --with-b ./wrapper -c1M -b4K -o1 -W0 -d600 {mark}");
    for (signal, how_often) in [("-INT", 1), ("-TERM", 1), ("-INT", 2)] {
        let mut child = common::while_nothing_starts(|| {
            bench.command(&line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        });
        // This one, the script, and the run.
        wait_until("a run goes on", || {
            assert!(child.try_wait().unwrap().is_none(), "it has ended");
            processes_with("-d600") >= 3 && processes_with(&format!("record.json\0{mark}")) >= 2
        });
        for _ in 0..how_often {
            common::tool(&format!("kill {signal} {}", child.id())).unwrap();
        }
        let ended: Ended = child.wait_with_output().unwrap().into();
        ended.fails(1, &["the comparison was interrupted without a result"]);
        wait_until("all of it has ended", || processes_with(&mark) == 0);
        assert_eq!(bench.left_behind(), 0, "{}", ended.stderr);
    }
}

#[test]
fn killed_comparison_ends_its_programs() {
    let bench = Bench::new();
    let mark = format!("{}", bench.path("target").display());
    let line = format!(
        "compare --repeat 4 --with-b {} -c1M -b4K -o1 -W0 -d600 {mark}",
        env!("CARGO_BIN_EXE_diskspd")
    );
    let mut child = common::while_nothing_starts(|| {
        bench.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    });
    wait_until("a run goes on", || {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        processes_with(&format!("record.json\0{mark}")) >= 1
    });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the run has ended", || processes_with(&mark) == 0);
}

#[test]
fn two_kernels_are_compared_boot_by_boot() {
    let bench = Bench::new();
    let line = format!("compare --repeat 2 --dir kernels --fail-if worse=5% {RUN} target");
    let Some(first) = bench.run_at("6.1.0", 1, &line) else { return skip("no mount namespace can be made") };
    first.fails(
        2,
        &[
            "run 2 of 2 on 6.1.0 (A)",
            "one kernel alone cannot be judged",
            "next: boot the other kernel and repeat",
        ],
    );
    let at = |release: &str, boot: u32, line: &str| bench.run_at(release, boot, line).unwrap();
    at("6.1.0", 1, &line)
        .fails(1, &["kernel 6.1.0 was already measured in this boot; boot the other kernel"]);
    at("6.1.0", 2, &line).fails(1, &["this is kernel 6.1.0; boot the other kernel and repeat"]);
    let other = line.replace("--repeat 2", "--repeat 3");
    at("6.2.0", 2, &other).fails(1, &["it holds another comparison", "--repeat 2 --dir kernels"]);
    at("6.2.0", 2, &line.replace("-o8", "-o9")).fails(1, &["it holds another comparison"]);
    let second = at("6.2.0", 2, &line).succeeds();
    assert!(
        second.stdout.contains("A: kernel 6.1.0: ")
            && second.stdout.contains(": AB, ")
            && second.stdout.contains("kernel: 6.1.0 in A, 6.2.0 in B")
    );
    let next = |ended: &Ended| {
        let at = ended.stderr.find("next: boot kernel ").unwrap_or_else(|| panic!("{}", ended.stderr));
        ["6.1.0", "6.2.0"].into_iter().find(|name| ended.stderr[at + 18..].starts_with(name)).unwrap()
    };
    assert!(second.stderr.contains("10 more boots"), "{}", second.stderr);
    at("6.3.0", 3, &line).fails(1, &["this is kernel 6.3.0, but the folder compares 6.1.0 with 6.2.0"]);
    let third = next(&second);
    let not_third = if third == "6.1.0" { "6.2.0" } else { "6.1.0" };
    at(not_third, 3, &line).fails(1, &["the random order of the boots"]);
    // Killed after the first of its runs: the rest is made at the same boot, or all of them at the next one.
    at(third, 3, &line);
    let cut = || fs::remove_file(bench.path("kernels/runs/0006.json")).unwrap();
    cut();
    let again = at(third, 3, &line);
    assert!(
        again.stderr.contains(&format!("run 2 of 2 on {third}")) && !again.stderr.contains("run 1 of 2"),
        "{}",
        again.stderr
    );
    cut();
    let mut last = at(third, 4, &line);
    let mut order = vec!["6.1.0", "6.2.0", third];
    for boot in 5..14 {
        order.push(next(&last));
        last = at(next(&last), boot, &line);
        let is_widened = last.stdout.contains("Each boot measured one side");
        assert_eq!(is_widened, order.len() < 12, "{}", last.stdout);
    }
    assert!(
        last.stdout.contains("IOPS: the same within 2 %") && last.code == 0,
        "{}{}",
        last.stdout,
        last.stderr
    );
    assert!(!last.stderr.contains("more boot"), "{}", last.stderr);
    let letters: String = order.iter().map(|kernel| if *kernel == "6.1.0" { 'A' } else { 'B' }).collect();
    assert!(last.stdout.contains(&format!("Order of the boots: {letters}, random")), "{}", last.stdout);
    assert_eq!(letters.matches('A').count(), 6);
    // Another machine, and something else in the folder.
    let about = fs::read_to_string(bench.path("kernels/comparison.json")).unwrap();
    let moved = about.replacen("\"name\": \"", "\"name\": \"not-", 3).replace("not-diskspd", "diskspd");
    fs::write(bench.path("kernels/comparison.json"), moved.replace("\"number\": \"", "\"number\": \"0"))
        .unwrap();
    at("6.2.0", 14, &line).fails(1, &["another machine"]);
    fs::write(bench.path("kernels/comparison.json"), about.replace("\"version\": 2", "\"version\": 1"))
        .unwrap();
    at("6.2.0", 14, &line).fails(1, &["its boots are in a fixed order"]);
    at("6.2.0", 14, &line.replace("kernels", "."))
        .fails(1, &["it holds files that do not belong to a comparison"]);
}

fn made(bench: &Bench, folder: &str, levels: &[f64], change: impl Fn(&mut diskspd::results::Record)) {
    let one = bench.path("one.json");
    if !one.exists() {
        bench.run(&format!("{RUN} --out {} target", one.display())).succeeds();
    }
    fs::create_dir_all(bench.path(folder)).unwrap();
    for (number, level) in levels.iter().enumerate() {
        let mut record = diskspd::formats::json::read(&fs::read(&one).unwrap()).unwrap();
        let span = &mut record.hosts[0].results.time_spans[0];
        // In random pairs with the runs of another folder.
        let a_is_first = [true, true, false, true, false, false, true, false][number];
        let turn = number as i64 * 2 + i64::from(folder.ends_with('b') == a_is_first);
        span.started_at = Some(1_700_000_000_000 + turn * 60_000);
        // As many I/Os in another time are another rate.
        span.measured = (span.measured as f64 / level) as u64;
        change(&mut record);
        fs::write(bench.path(&format!("{folder}/{number}.json")), diskspd::formats::json::bytes(&record))
            .unwrap();
    }
}

fn scattered(level: f64) -> Vec<f64> {
    (0..8).map(|at| level * (1.0 + 0.002 * f64::from(at * 5 % 7))).collect()
}

fn dead(record: &mut diskspd::results::Record) {
    for target in
        record.hosts[0].results.time_spans[0].threads.iter_mut().flat_map(|thread| &mut thread.targets)
    {
        (target.read, target.write) = Default::default();
    }
}

#[test]
fn gate_passes_equal_results_and_explains_undetermined() {
    let bench = Bench::new();
    let plain = |_: &mut diskspd::results::Record| ();
    let ended_early =
        |record: &mut diskspd::results::Record| record.hosts[0].results.time_spans[0].measured = 0;
    made(&bench, "base-a", &scattered(1.0), plain);
    made(&bench, "better-b", &scattered(1.2), plain);
    made(&bench, "same-b", &scattered(1.003), plain);
    made(&bench, "worse-b", &scattered(0.9), plain);
    made(&bench, "open-b", &[0.7, 1.4, 0.8, 1.3, 0.9, 1.2, 1.0, 1.1], plain);
    made(&bench, "dead-b", &scattered(1.0), dead);
    made(&bench, "dead-a", &scattered(1.0), dead);
    made(&bench, "unmeasured-b", &scattered(1.0), ended_early);
    made(&bench, "single-b", &[0.5], plain);
    made(&bench, "single-a", &[1.0], plain);
    let unsure = "passes because it is unknown whether B is worse";
    for (sides, gate, code, says) in [
        ("base-a better-b", "worse", 0, ""),
        ("base-a better-b", "unsure", 0, ""),
        ("base-a same-b", "worse", 0, ""),
        ("base-a same-b", "unsure", 0, ""),
        ("base-a worse-b", "worse", 2, ""),
        ("base-a worse-b", "worse=5%", 2, ""),
        ("base-a worse-b", "worse=20%", 0, ""),
        ("base-a worse-b", "unsure", 0, ""),
        ("base-a open-b", "worse", 0, unsure),
        ("base-a open-b", "unsure", 2, ""),
        ("single-a single-b", "worse", 0, unsure),
        ("single-a single-b", "unsure", 2, ""),
        ("base-a dead-b", "worse", 2, ""),
        ("base-a dead-b", "worse=5%", 2, ""),
        ("dead-a same-b", "worse", 0, ""),
        ("dead-a dead-b", "worse", 2, "not judged: IOPS: it is 0 in every run of both sides"),
        ("dead-a dead-b", "unsure", 2, "--fail-if fails: not comparable"),
        ("base-a unmeasured-b", "worse", 2, "not judged: "),
    ] {
        let ended = bench.run(&format!("compare {sides} --fail-if {gate}"));
        assert_eq!(ended.code, code, "{sides} {gate}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(says), "{sides} {gate}: {}", ended.stderr);
        assert!(!says.is_empty() || ended.stderr.is_empty(), "{sides} {gate}: {}", ended.stderr);
    }
}

#[test]
fn order_seed_needs_runs_to_make() {
    let bench = Bench::new();
    for line in ["compare --order-seed 1 a b", "compare --repeat 3 --order-seed 1 --dir boots -b4K target"] {
        bench.run(line).fails(3, &["--order-seed"]);
    }
    bench.run("compare --repeat 3 --order-seed -1 -- -o1 :: -o2 target").fails(3, &["--order-seed"]);
}

#[test]
fn comparison_ends_when_its_answer_is_certain() {
    let bench = Bench::new();
    for (depths, ended) in [(["-o1", "-o16"], "difference"), (["-o8", "-o8"], "equivalence")] {
        let [first, other] = depths;
        let sides = format!("{RUN} {first} :: {RUN} {other} target");
        let line = format!("compare --until-sure --json c.json --html p.html -- {sides}");
        let done = bench.run(&line).succeeds();
        let found = read_json(bench.path("c.json"));
        let sure = &found["until_sure"];
        assert_eq!(sure["ended"], ended, "{found}");
        let pairs = sure["pairs"].as_u64().unwrap();
        assert!(pairs < 30 && sure["look"].is_u64() && sure["max_pairs"] == 30, "{sure}");
        for side in found["sides"].as_array().unwrap() {
            assert_eq!(side["runs"].as_array().unwrap().len() as u64, pairs);
        }
        let sentence = format!("{pairs} pairs of at most 30");
        assert!(done.stdout.contains(&sentence), "{}", done.stdout);
        assert!(fs::read_to_string(bench.path("p.html")).unwrap().contains(&sentence));
        let again = bench.run("report c.json").stdout;
        assert!(again.contains(&sentence), "{again}");
        bench.run("report c.json --out c.csv");
        let csv = fs::read_to_string(bench.path("c.csv")).unwrap();
        assert!(csv.lines().nth(1).unwrap().contains(&format!(",{pairs},{},{ended}", sure["look"])), "{csv}");
    }
}

#[test]
fn builds_are_compared_until_sure() {
    let bench = Bench::new();
    bench.impostor("slow", "set -- $(echo \"$@\" | sed s/-o8/-o1/); exec PROGRAM \"$@\"");
    let sides = format!("--with-b ./slow --anyway --fail-if worse --json c.json {RUN} target");
    let done = bench.run(&format!("compare --until-sure {sides}"));
    assert_eq!(done.code, 2, "{}{}", done.stdout, done.stderr);
    assert_eq!(read_json(bench.path("c.json"))["until_sure"]["ended"], "difference");
}

#[test]
fn stopped_comparison_reports_its_pairs() {
    let bench = Bench::new();
    fs::write(bench.path("target"), vec![1; 1 << 20]).unwrap();
    let line = "compare --until-sure --json c.json -- -b4K -o1 -W0 -d1 :: -b4K -o2 -W0 -d1 target";
    let mut child = common::while_nothing_starts(|| {
        bench.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("run 3 of at most 60")), "it has ended");
    common::tool(&format!("kill -INT {}", child.id())).unwrap();
    // Without a reader its messages would end it.
    let told: Vec<String> = told.map_while(Result::ok).collect();
    let ended: Ended = child.wait_with_output().unwrap().into();
    assert_eq!(ended.code, 1, "{}{told:?}", ended.stdout);
    let found = read_json(bench.path("c.json"));
    let pairs = found["until_sure"]["pairs"].as_u64().unwrap();
    assert_eq!(found["until_sure"]["ended"], "stopped");
    assert!((1..5).contains(&pairs) && found["until_sure"]["look"].is_null(), "{found}");
    let verdict = &found["time_spans"][0]["metrics"][0]["verdict"];
    assert!(["cant_tell", "two_runs"].map(Into::into).contains(verdict), "{verdict}");
    assert!(ended.stdout.contains("of at most 30"), "{}", ended.stdout);
}

#[test]
fn workloads_are_judged_separately_on_real_runs() {
    let bench = Bench::new();
    let save = |label: &str, options: &str| {
        bench.run(&format!("--save={label} --repeat 6 {RUN} {options} target")).succeeds();
    };
    let both = |label: &str, small: &str, large: &str| {
        save(label, small);
        save(label, &format!("-b64K {large}"));
    };
    both("base", "", "");
    both("other", "", "");
    both("less", "", "-o1");
    save("part", "");
    for (label, code, stdout, stderr) in [
        ("other", 0, "block size 65536 bytes", "2 of 2 deciding figures are inconclusive"),
        (
            "part",
            2,
            "only in A, not compared: block size 65536 bytes",
            "not judged: only A has block size 65536 bytes",
        ),
    ] {
        let ended = bench.run(&format!("compare @base @{label} --fail-if worse"));
        assert_eq!(ended.code, code, "{label}: {}{}", ended.stdout, ended.stderr);
        assert!(
            ended.stdout.contains(stdout) && ended.stderr.contains(stderr),
            "{label}: {}{}",
            ended.stdout,
            ended.stderr
        );
    }
    // A history without other sessions leaves one side after the other open; a collapse is told all the same.
    let less = bench.run("compare @base @less --fail-if worse=5%");
    less.fails(2, &[]);
    assert!(
        less.stdout.contains("2 figures decide together") && less.stdout.contains("WORSE"),
        "{}",
        less.stdout
    );
    assert!(Path::new(&bench.path("store")).exists());
}
