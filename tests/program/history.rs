//! Tests of stored runs: with the program, killed at any moment, on a full disk, and with indexes of other
//! programs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::lab::Lab;
use crate::common::{self, Ended, output, read_json, skip, tool};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

struct History {
    lab: Lab,
}

const RUN: &str = "--engine=sim -b4K -r -L -W0 -d1 -c1G";

impl std::ops::Deref for History {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

impl History {
    fn new() -> History {
        History { lab: Lab::new() }
    }

    fn store(&self) -> PathBuf {
        self.path("store")
    }

    #[track_caller]
    fn output(&self, line: &str) -> String {
        self.done(line).stdout
    }

    /// Stores a run; returns its id.
    #[track_caller]
    fn save(&self, options: &str) -> String {
        let ended = self.run(&format!("{RUN} {options} target")).succeeds();
        acknowledged(&ended.stderr).pop().expect(&ended.stderr)
    }

    fn index(&self) -> PathBuf {
        self.store().join("index.sqlite")
    }

    fn ids(&self) -> BTreeSet<String> {
        self.output("history export")
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect()
    }
}

/// Returns the ids of stored runs in the output of a run.
fn acknowledged(stderr: &str) -> Vec<String> {
    let ids = stderr.lines().filter_map(|line| line.strip_prefix("kept as @"));
    ids.map(|rest| rest.split(',').next().unwrap().to_owned()).collect()
}

fn dump(index: &Path) -> Vec<String> {
    let connection = Connection::open(index).unwrap();
    let mut lines = Vec::new();
    for table in ["runs", "tags", "targets", "time_spans", "figures", "fingerprints"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells: Vec<String> =
                (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect();
            lines.push(format!("{table}: {}", cells.join(" ")));
        }
    }
    lines.sort();
    lines
}

#[test]
fn kept_run_is_listed_reported_and_repeated() {
    let history = History::new();
    let first = history.run(&format!("{RUN} --save=base target"));
    let id = acknowledged(&first.stderr).pop().expect(&first.stderr);
    let list = history.output("history");
    assert!(list.lines().nth(1).unwrap().contains("base") && list.contains("target"), "{list}");
    for name in ["@base", &format!("@{id}"), &format!("@{}", &id[..4])] {
        assert_eq!(history.output(&format!("report {name}")), first.stdout, "{name}");
    }
    let file = history.store().join(format!("runs/{id}.json.gz"));
    assert_eq!(history.output(&format!("report {}", file.display())), first.stdout);
    history.run(&format!("{RUN} --store {} target", history.store().display())).fails(3, &["add --save"]);
    history.run("rerun --save=again @base").succeeds();
    assert_eq!(history.ids().len(), 2);
    assert!(history.output("history show again").contains("label: again"));
}

#[test]
fn runs_are_found_by_their_properties() {
    let history = History::new();
    let [a, b] = ["--save=a", "--save=b"].map(|save| history.save(save));
    history.output(&format!("history tag {a} fast good"));
    let lines = |options: &str| history.output(&format!("history list {options}")).lines().count() - 1;
    for (options, count) in [
        ("", 2),
        ("--label a", 1),
        ("--label none", 0),
        ("--tag fast", 1),
        ("--tag fast --tag bad", 0),
        ("--target targ", 2),
        ("--target other", 0),
        ("--since 1h", 2),
        ("--since 2099-01-01", 0),
        ("--since 2020-01-01T10:00", 2),
        ("--last 1", 1),
    ] {
        assert_eq!(lines(options), count, "{options}");
    }
    history.output(&format!("history untag {a} fast"));
    history.output(&format!("history label {b} better"));
    assert_eq!((lines("--tag fast"), lines("--tag good"), lines("--label better")), (0, 1, 1));
    history.run("history --since yesterday").fails(3, &["--since"]);
    history.run("history --since 2026-99-99").fails(1, &["not a date"]);
    history.run("history show nothing").fails(1, &["no run is called 'nothing'"]);
    history.run("history list --metric p99").fails(3, &["has no effect"]);
}

#[test]
fn only_unpinned_runs_are_removed() {
    let history = History::new();
    let [a, b] = ["--save=a", "--save"].map(|save| history.save(save));
    history.output(&format!("history pin {a}"));
    history.run(&format!("history remove {a}")).fails(1, &["is pinned", "unpin"]);
    history.output(&format!("history remove {b}"));
    assert_eq!(history.ids(), BTreeSet::from([a.clone()]));
    history.output(&format!("history unpin {a}"));
    history.output("history remove a");
    assert_eq!(fs::read_dir(history.store().join("runs")).unwrap().count(), 0);
}

#[test]
fn killed_writer_among_ten_loses_no_acknowledged_run() {
    let history = History::new();
    let kept = std::sync::Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for writer in 0..10 {
            let (history, kept) = (&history, &kept);
            scope.spawn(move || {
                for round in 0..2 {
                    let line = format!("{RUN} --save=w{writer} target");
                    let mut child = history.command(&line);
                    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
                    let mut child = common::while_nothing_starts(|| child.spawn()).unwrap();
                    if writer == 0 {
                        // At another moment each time; which one depends on how busy the machine is, and any will do.
                        std::thread::sleep(Duration::from_millis(15 + 40 * round));
                        let _ = child.kill();
                    }
                    let ended: Ended = child.wait_with_output().unwrap().into();
                    assert!(writer == 0 || ended.code == 0, "{}", ended.stderr);
                    kept.lock().unwrap().extend(acknowledged(&ended.stderr));
                }
            });
        }
    });
    let kept = kept.into_inner().unwrap();
    assert!(kept.len() >= 18);
    let there = history.ids();
    assert!(kept.is_subset(&there), "lost: {:?}", kept.difference(&there));
    for id in &there {
        history.output(&format!("report @{id}"));
    }
    let before = dump(&history.index());
    history.output("history reindex");
    assert_eq!(dump(&history.index()), before);
}

#[test]
fn rebuilt_index_equals_the_old_one() {
    let history = History::new();
    let ids = ["--save=a", "--save=b -w30", "--save -D100"].map(|save| history.save(save));
    history.output(&format!("history tag {} x y", ids[0]));
    history.output(&format!("history pin {}", ids[1]));
    let before = dump(&history.index());
    assert!(before.len() > 12, "{before:?}");
    history.output("history reindex");
    assert_eq!(dump(&history.index()), before);
    // A program that was killed between file and row; somebody who cleaned up by hand.
    Connection::open(history.index()).unwrap().execute("DELETE FROM runs WHERE id = ?1", [&ids[0]]).unwrap();
    history.output("history");
    assert_eq!(dump(&history.index()).len(), before.len());
    fs::remove_file(history.store().join(format!("runs/{}.json.gz", ids[2]))).unwrap();
    assert_eq!(history.ids().len(), 2);
    fs::remove_file(history.index()).unwrap();
    assert_eq!(history.ids().len(), 2);
}

#[test]
fn foreign_index_is_refused_and_damaged_index_is_rebuilt() {
    let history = History::new();
    let id = history.save("--save");
    let set = |sql: &str| Connection::open(history.index()).unwrap().execute_batch(sql).unwrap();
    set("PRAGMA user_version = 7");
    history.run("history").fails(1, &["newer diskspd", "version 7"]);
    // Keeping doesn't need the index.
    let more = history.run(&format!("{RUN} --save target"));
    assert!(more.code == 0 && more.stderr.contains("the run is kept"), "{}", more.stderr);
    set("PRAGMA user_version = 3");
    assert_eq!(history.ids().len(), 2);
    // Tables of a version before the first: they are made anew from the files.
    set(
        "PRAGMA user_version = 0; DROP TABLE figures; DROP TABLE tags; DROP TABLE targets; DROP TABLE time_spans; DROP TABLE runs; CREATE TABLE old (x)",
    );
    assert!(history.ids().contains(&id) && history.ids().len() == 2);
    set("UPDATE runs SET source = 'tape'");
    assert_eq!(history.ids().len(), 2);
    for unknown in ["UPDATE figures SET verdict = 'excellent'", "UPDATE runs SET severity = 'fatal'"] {
        set(unknown);
        history.run("history").fails(1, &["invalid content", "history reindex"]);
        history.output("history reindex");
    }
    set("PRAGMA application_id = 1");
    history.run("history").fails(1, &["another program"]);
    fs::remove_file(history.index()).unwrap();
    assert_eq!(history.ids().len(), 2);
}

#[test]
fn damaged_index_is_rebuilt_automatically() {
    let history = History::new();
    let [a, _] = ["--save=a -w30", "--save=b"].map(|save| history.save(save));
    history.output("history tag a x");
    let (before, whole) = (dump(&history.index()), fs::read(history.index()).unwrap());
    let mut damaged: Vec<Vec<u8>> = vec![vec![b'x'; 8192], b"short".to_vec(), vec![0xff; 100_000]];
    // A page of a table, half of the file, everything behind its head.
    for (from, to) in [(4096, 8192), (8192, 12_288), (100, whole.len()), (whole.len() / 2, whole.len())] {
        let mut bytes = whole.clone();
        bytes[from..to].iter_mut().for_each(|byte| *byte ^= 0x5a);
        damaged.push(bytes);
    }
    damaged.push(whole[..whole.len() / 2].to_vec());
    for (number, bytes) in damaged.iter().enumerate() {
        fs::write(history.index(), bytes).unwrap();
        let command =
            ["history", "history export", "history trend", "report @a", "history show a"][number % 5];
        let ended = history.run(command);
        assert!(ended.code == 0 && ended.stderr.contains("was rebuilt"), "{number}: {}", ended.stderr);
        assert_eq!(dump(&history.index()), before, "{number}");
        // It's told once.
        let again = history.run(command).stderr;
        assert!(!again.contains("rebuilt"), "{number}: {again}");
    }
    fs::write(history.index(), b"garbage").unwrap();
    history.output(&format!("history pin {a}"));
    fs::write(history.index(), b"garbage").unwrap();
    history.save("--save=c");
    assert_eq!(history.ids().len(), 3);
    fs::write(history.index(), b"garbage").unwrap();
    assert_eq!(history.output("history reindex"), "the index has 3 runs\n");
}

/// A program killed between the file and the row also leaves such an index.
#[test]
fn stale_index_follows_the_files() {
    let history = History::new();
    let first = history.save("--save=mine");
    let older = fs::read(history.index()).unwrap();
    history.output("history tag mine x");
    let tagged = dump(&history.index());
    fs::write(history.index(), &older).unwrap();
    assert_ne!(dump(&history.index()), tagged);
    history.output("history");
    assert_eq!(dump(&history.index()), tagged);
    // The clock is set back, and the index is lost: the files know what was kept last.
    let about = |id: &str| history.store().join(format!("runs/{id}.about.json"));
    let order = |id: &str| {
        let stored: serde_json::Value = read_json(about(id));
        stored["order"].as_i64().unwrap()
    };
    let stored = fs::read_to_string(about(&first)).unwrap();
    let (now, late) = (order(&first).to_string(), "4000000000000000000");
    fs::write(about(&first), stored.replace(&now, late)).unwrap();
    fs::remove_file(history.index()).unwrap();
    assert_eq!(order(&history.save("--save=mine")).to_string(), "4000000000000000001");
}

#[test]
fn abandoned_temporary_files_are_removed_when_idle() {
    let history = History::new();
    let id = history.save("--save=mine");
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    let draft = |name: &str| {
        let path = history.store().join("runs").join(name);
        fs::write(&path, "{}").unwrap();
        (fs::File::options().write(true).open(&path).unwrap(), path)
    };
    let names = ["about.0123456789abcdef.json", "0123456789abcdef.json.gz", "about.00000000000000ff.json"];
    let [about, record, locked] = names.map(|name| draft(&format!("{id}.{name}")));
    let fresh = draft(&format!("{id}.about.fedcba9876543210.json"));
    for (file, _) in [&about, &record, &locked] {
        file.set_modified(old).unwrap();
    }
    rustix::fs::flock(&locked.0, rustix::fs::FlockOperation::LockExclusive).unwrap();
    history.output("history tag mine x");
    let is_there = [&about, &record, &locked, &fresh].map(|(_, path)| path.exists());
    assert_eq!(is_there, [false, false, true, true]);
    assert_eq!(history.ids(), BTreeSet::from([id]));
}

#[test]
fn hostile_index_never_reaches_outside_files() {
    let history = History::new();
    let id = history.save("--save=mine");
    let outside = history.path("x.json.gz");
    let about = history.path("x.about.json");
    let tables: Vec<String> = {
        let connection = Connection::open(history.index()).unwrap();
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(tables.len(), 9);
    let absolute = outside.display().to_string();
    let absolute = absolute.strip_suffix(".json.gz").unwrap();
    let long = "k".repeat(5000);
    let ids =
        ["../../x", absolute, "", "x\0y", &long, ".", "..", "kkkkkkkkkk/.", "KKKKKKKKKKKK", "kkkkkkkkkkk"];
    let row = |id: &str| {
        let id = id.replace('\'', "''").replace('\0', "' || char(0) || '");
        format!(
            "INSERT OR REPLACE INTO runs VALUES ('{id}', 'json', 'evil', 0, 1, 1, 1, 1, NULL, 1, 'x', NULL, NULL, NULL, 'w', NULL, NULL, NULL);"
        )
    };
    for evil in ids {
        for also in [
            "",
            "CREATE TRIGGER t AFTER DELETE ON runs BEGIN INSERT INTO runs VALUES ('../../x', 'json', 'evil', 0, 1, 1, 1, 1, NULL, 1, 'x', NULL, NULL, NULL, 'w', NULL, NULL, NULL); END;",
            "CREATE VIEW v AS SELECT 1;",
            "DROP TABLE tags; CREATE VIEW tags AS SELECT '../../x' AS run, 'evil' AS tag;",
        ] {
            fs::write(&outside, "precious").unwrap();
            fs::write(&about, "precious").unwrap();
            Connection::open(history.index())
                .unwrap()
                .execute_batch(&format!("{} {also}", row(evil)))
                .unwrap();
            for command in [
                "history remove evil".to_owned(),
                "history remove ../../x".to_owned(),
                "history tag evil x".to_owned(),
                "report @evil".to_owned(),
                "history show evil".to_owned(),
            ] {
                let ended = history.run(&command);
                assert!(
                    ended.code == 1 && ended.stderr.contains("no run is called"),
                    "{command}: {}",
                    ended.stderr
                );
            }
            assert!(history.output("history").contains(&id[..4]), "{evil:?} {also}");
            assert_eq!(fs::read(&outside).unwrap(), b"precious");
            assert_eq!(fs::read(&about).unwrap(), b"precious");
        }
    }
    assert_eq!(history.ids(), BTreeSet::from([id]));
}

#[test]
fn links_in_a_store_are_not_followed() {
    use std::os::unix::fs::symlink;
    let history = History::new();
    let [a, b] = ["--save=a", "--save=b"].map(|save| history.save(save));
    let elsewhere = history.path("elsewhere");
    fs::rename(history.index(), &elsewhere).unwrap();
    symlink(&elsewhere, history.index()).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    let listed = history.run("history");
    assert!(listed.code == 0 && listed.stdout.contains(&a[..4]), "{}", listed.stderr);
    assert!(listed.stderr.contains(history.index().to_str().unwrap()), "{}", listed.stderr);
    // Files are the truth: what is said of a run doesn't take an index on the disk.
    let pinned = history.run("history pin a");
    assert!(
        pinned.code == 0 && pinned.stderr.contains(history.index().to_str().unwrap()),
        "{}",
        pinned.stderr
    );
    let saved = history.run(&format!("{RUN} --save=c target"));
    assert!(saved.code == 0 && saved.stderr.contains(history.index().to_str().unwrap()), "{}", saved.stderr);
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
    // A dangling one would make a file where it leads.
    fs::remove_file(&elsewhere).unwrap();
    history.run("history unpin a");
    assert!(!elsewhere.exists());
    fs::remove_file(history.index()).unwrap();
    // SQLite's own journal, where a crash left one.
    fs::write(&elsewhere, "precious").unwrap();
    symlink(&elsewhere, history.store().join("index.sqlite-journal")).unwrap();
    history.run("history pin a");
    assert_eq!(fs::read(&elsewhere).unwrap(), b"precious");
    let _ = fs::remove_file(history.store().join("index.sqlite-journal"));
    assert_eq!(history.ids().len(), 3);
    // A run that is a link to one elsewhere.
    let run = |id: &str, ending: &str| history.store().join(format!("runs/{id}.{ending}"));
    fs::rename(run(&b, "json.gz"), &elsewhere).unwrap();
    symlink(&elsewhere, run(&b, "json.gz")).unwrap();
    fs::remove_file(history.index()).unwrap();
    let listed = history.run("history");
    assert!(listed.code == 0 && listed.stderr.contains("symbolic link"), "{}", listed.stderr);
    fs::write(history.path("about"), "{}").unwrap();
    fs::remove_file(run(&a, "about.json")).unwrap();
    symlink(history.path("about"), run(&a, "about.json")).unwrap();
    history.run(&format!("history tag {a} x")).fails(1, &["symbolic link"]);
    // The store's folder may be anywhere.
    let link = history.path("link");
    symlink(history.store(), &link).unwrap();
    assert!(history.run(&format!("history --store {}", link.display())).code == 0);
}

#[test]
fn leftovers_of_killed_program_are_removed() {
    let history = History::new();
    let kept = history.save("--save");
    let runs = history.store().join("runs");
    let names = || -> BTreeSet<String> {
        fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let whole = names();
    let orphan = runs.join("kkkkkkkkkkkk.about.json");
    fs::copy(runs.join(format!("{kept}.about.json")), &orphan).unwrap();
    let other = runs.join("notes.about.json");
    fs::write(&other, "somebody's own").unwrap();
    let lock = fs::File::open(&orphan).unwrap();
    lock.lock().unwrap();
    history.output("history");
    assert!(orphan.exists(), "somebody is about to keep a run");
    drop(lock);
    history.output("history");
    assert!(!orphan.exists() && other.exists());
    fs::remove_file(other).unwrap();
    assert_eq!(names(), whole);
    if tool("strace -V").is_none() {
        return common::skip("strace is needed to kill a program at a moment");
    }
    // Before and behind each file that gets its name.
    for (call, count) in [("linkat", 3), ("fsync", 5), ("unlink", 1)] {
        for when in 1..=count {
            let line = format!("{RUN} --save=killed target");
            let mut command = Command::new("strace");
            command.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}")]);
            command.args(["-e", &format!("inject={call}:signal=KILL:when={when}")]);
            command.arg(history.command(&line).get_program()).args(line.split_whitespace());
            command.env("DISKSPD_STORE", history.store());
            let ended: Ended = output(&mut command).unwrap().into();
            let acknowledged = acknowledged(&ended.stderr);
            let there = history.ids();
            assert!(acknowledged.iter().all(|id| there.contains(id)), "{call} {when}: {}", ended.stderr);
            let expected: BTreeSet<String> =
                there.iter().flat_map(|id| [format!("{id}.json.gz"), format!("{id}.about.json")]).collect();
            assert_eq!(names(), expected, "{call} {when}");
        }
    }
}

#[test]
fn runs_are_listed_in_order_of_storage() {
    let history = History::new();
    let ended = history.run(&format!("{RUN} --repeat 4 --save=several target"));
    let made = acknowledged(&ended.stderr);
    assert_eq!(made.len(), 4, "{}", ended.stderr);
    let listed = || -> Vec<String> {
        let text = history.output("history export --csv");
        let totals = text.lines().filter(|line| line.contains(",total,"));
        totals.map(|line| line.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(), made);
    history.output("history reindex");
    assert_eq!(listed(), made);
    // The latest was kept by a clock three days ahead, which then was set right.
    let about = history.store().join(format!("runs/{}.about.json", made[3]));
    let mut notes: serde_json::Value = read_json(&about);
    for (name, ahead) in [("saved_at", 3 * 86_400), ("order", 3 * 86_400 * 1_000_000_000_i64)] {
        notes[name] = (notes[name].as_i64().unwrap() + ahead).into();
    }
    fs::write(&about, notes.to_string()).unwrap();
    history.output("history reindex");
    let last = [history.save("--save"), history.save("--save")];
    assert_eq!(listed(), [made, last.to_vec()].concat());
    (0..4).for_each(|_| drop(history.save("--save")));
    let trend = history.output("history trend");
    // Three days less the time that the runs took.
    let back = ["2 days", "3 days"].map(|days| format!("the clock was set back by {days}"));
    assert!(back.iter().any(|told| trend.contains(told)), "{trend}");
}

#[test]
fn each_run_of_several_has_its_start_time() {
    let history = History::new();
    history.output("-b4K -r -L -W0 -d1 -c1M --engine=null --repeat 3 --save=timed target");
    let text = history.output("history export --jsonl");
    let run = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let began: Vec<i64> = text.lines().map(|line| run(line)["run"]["started_at"].as_i64().unwrap()).collect();
    assert!(began.windows(2).all(|pair| pair[0] < pair[1]), "{began:?}");
}

#[test]
fn tables_have_all_time_spans_in_full_precision() {
    let history = History::new();
    let profile = history.path("profile.xml");
    let span = |block: u32, writes: u32| {
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><MeasureLatency>true</MeasureLatency><Targets><Target><Path>target</Path>\
             <BlockSize>{block}</BlockSize><FileSize>1048576</FileSize><RequestCount>3</RequestCount><WriteRatio>{writes}</WriteRatio>\
             <ThreadsPerFile>2</ThreadsPerFile></Target></Targets></TimeSpan>"
        )
    };
    fs::write(
        &profile,
        format!("<Profile><TimeSpans>{}{}</TimeSpans></Profile>", span(4096, 0), span(65_536, 30)),
    )
    .unwrap();
    history.output(&format!("-X{} --engine=sim --save=two", profile.display()));
    let text = history.output("history export");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let at = |row: &[&str], name: &str| {
        row[rows[0].iter().position(|column| *column == name).expect(name)].to_owned()
    };
    assert_eq!(rows.len(), 1 + 6);
    let parameters = |row: &[&str]| {
        ["time_span", "block_bytes", "write_percent", "threads", "outstanding", "in_flight"]
            .map(|name| at(row, name))
    };
    assert_eq!(parameters(&rows[1]), ["1", "4096", "0", "2", "3", "6"]);
    assert_eq!(parameters(&rows[4]), ["2", "65536", "30", "2", "3", "6"]);
    let connection = Connection::open(history.index()).unwrap();
    let sql = "SELECT count(*), sum(block_bytes), sum(iops) FROM time_spans JOIN figures USING (run, time_span) WHERE direction = 'total'";
    let (count, bytes, iops): (u32, u64, f64) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let sum: f64 = [&rows[1], &rows[4]].iter().map(|row| at(row, "iops").parse::<f64>().unwrap()).sum();
    assert_eq!((count, bytes), (2, 4096 + 65_536));
    assert!((sum - iops).abs() < 1e-9);
    let list = history.output("history list");
    assert!(list.contains("1 of 2  4 KiB") && list.contains("2 of 2  64 KiB"), "{list}");
    let table = history.output("report --csv @two");
    assert!(table.lines().nth(1).unwrap().contains(&format!(",{},", at(&rows[1], "mean_ms"))), "{table}");
}

#[test]
fn damaged_run_does_not_hide_others() {
    let history = History::new();
    let [a, b] = ["--save", "--save"].map(|save| history.save(save));
    fs::write(history.store().join(format!("runs/{a}.json.gz")), b"\x1f\x8b no").unwrap();
    fs::remove_file(history.index()).unwrap();
    let listed = history.run("history");
    assert!(
        listed.code == 0 && listed.stderr.contains(&a) && listed.stdout.contains(&b[..4]),
        "{}",
        listed.stderr
    );
}

#[test]
fn store_of_version_1_stays_readable() {
    let history = History::new();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/store/version-1");
    fs::create_dir_all(history.store().join("runs")).unwrap();
    for entry in fs::read_dir(kept.join("runs")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, history.store().join("runs").join(path.file_name().unwrap())).unwrap();
    }
    let rebuilt = history.output("history list");
    let index = fs::read_to_string(kept.join("index.sql")).unwrap();
    fs::remove_file(history.index()).unwrap();
    Connection::open(history.index()).unwrap().execute_batch(&index).unwrap();
    // Its index is one of an older version, and made anew from the files.
    assert_eq!(history.output("history list"), rebuilt);
    assert_eq!(
        dump(&history.index()).iter().filter(|row| row.starts_with("runs:")).count(),
        rebuilt.lines().count() - 1
    );
    assert!(history.output("history list --tag old").contains("first"));
    history.output("report @first");
}

#[test]
fn exported_runs_are_imported_elsewhere() {
    let history = History::new();
    let out = history.path("run.json");
    history.save(&format!("--save=here --out {}", out.display()));
    let other = History::new();
    let import = format!("history import --label there {}", out.display());
    assert!(other.output(&import).contains("kept as @"));
    assert!(other.output(&import).contains("already kept"));
    assert!(history.output(&import).contains("already kept"));
    assert_eq!(other.output("report @there"), history.output("report @here"));
    let line = other.output("history export --jsonl");
    let exported: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(exported["label"], "there");
    assert!(exported["run"]["time_spans"][0]["total"]["iops"].as_f64().unwrap() > 1.0);
    fs::write(&out, "no record").unwrap();
    other.run(&import).fails(1, &["run.json"]);
    other.run("history import /nowhere").fails(1, &["/nowhere: cannot be read"]);
}

#[test]
fn results_of_diskspd_are_imported_one_by_one() {
    let history = History::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/result_xml");
    let one = data.join("25_dist.xml");
    let import = format!("history import --label old {}", one.display());
    assert!(
        history.output(&import).contains("kept as @") && history.output(&import).contains("already kept")
    );
    let several = data.join("several-within.xml");
    let kept = history.output(&format!("history import --label many {}", several.display()));
    let results = fs::read_to_string(&several).unwrap().matches("<Results>").count();
    assert_eq!(kept.lines().count(), results, "{kept}");
    // It holds one run so many times.
    assert_eq!(kept.matches(": already kept").count(), results - 1, "{kept}");
    let told = history.output(&format!("compare @many {} --anyway", several.display()));
    assert_eq!(told.matches("(1 run)").count(), 2, "{told}");
    let before = dump(&history.index());
    history.output("history reindex");
    assert_eq!(dump(&history.index()), before);
}

#[test]
fn folders_of_results_of_diskspd_and_fio_are_imported() {
    let history = History::new();
    let (data, folder) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), history.path("old"));
    fs::create_dir(&folder).unwrap();
    let names = ["fio/mix.json", "fio/mix_iops.1.log", "fio/stonewall.json", "fio/hosts.json"];
    let texts = ["samples/text-a-random-read-latency.txt", "samples/text-c-two-timespans.txt"];
    for name in names.iter().chain(&texts) {
        fs::copy(data.join(name), folder.join(name.rsplit('/').next().unwrap())).unwrap();
    }
    let both = texts.map(|name| fs::read_to_string(data.join(name)).unwrap()).concat().replace('\n', "\r\n");
    let wide: Vec<u8> = both.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.join("powershell.log"), [&b"\xff\xfe"[..], &wide].concat()).unwrap();
    fs::write(folder.join("README.txt"), "what this is").unwrap();

    let import = format!("history import --label old {}", folder.display());
    let kept = history.run(&import);
    assert!(kept.stderr.contains("README.txt"), "{}", kept.stderr);
    let kept = kept.stdout;
    // Both reports that stand in the text in UTF-16 are there already, or those in the texts of their own.
    assert_eq!(kept.lines().filter(|line| line.contains(": kept as @")).count(), 3 + 2, "{kept}");
    assert_eq!(kept.matches(": already kept").count(), 2, "{kept}");
    let again = history.output(&import);
    assert_eq!(again.lines().filter(|line| line.contains("already kept")).count(), 7, "{again}");

    let lines = history.output("history export --jsonl");
    let runs: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fio = runs.iter().find(|run| run["run"]["label"] == "mix").unwrap();
    assert_eq!(fio["run"]["time_spans"][0]["fio"]["percentiles"][1], "counted");
    let id = fio["id"].as_str().unwrap();
    assert!(history.output(&format!("history show {id}")).contains(": mix"));
    let table = history.output(&format!("report {} --csv", folder.display()));
    let of = |name: &str| table.lines().filter(|line| line.contains(name)).count();
    assert_eq!((of("stonewall.json"), of("powershell.log#2"), of("fio 3.33")), (2, 2, 4), "{table}");
    let page = history.path("page.html");
    history.output(&format!("report {} --html {}", folder.display(), page.display()));
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.contains("fio-iops"));

    let before = dump(&history.index());
    history.output("history reindex");
    assert_eq!(dump(&history.index()), before);
}

#[test]
fn fio_percentile_in_open_bin_is_listed_as_bound() {
    let history = History::new();
    let file = history.path("open.json");
    let times = serde_json::json!({
        "N": 100, "min": 1000, "max": 60_000_000_000_u64, "mean": 1e9,
        "bins": { "1000448": 50, "17112760320": 50 },
    });
    let read =
        serde_json::json!({ "io_bytes": 409_600, "total_ios": 100, "runtime": 10_000, "lat_ns": times });
    let job = serde_json::json!({
        "jobname": "a", "error": 0, "job options": { "rw": "randread", "bs": "4k" }, "read": read,
        "job_runtime": 10_000,
    });
    let result = serde_json::json!({ "fio version": "fio-3.36", "timestamp_ms": 1000, "jobs": [job] });
    fs::write(&file, result.to_string()).unwrap();
    history.output(&format!("history import {}", file.display()));
    assert!(history.output("history list").contains(">= 17045.651"));
    assert!(history.output("history export").contains(",1.000448,>=17045.651456,>=17045.651456,"));
    history.output("history reindex");
    assert!(history.output("history list").contains(">= 17045.651"));
}

/// Checks the pages of list and trend: all figures of the export, and the change.
fn has_the_page_of_all(history: &History) {
    let page = history.path("page.html");
    let export = history.output("history export");
    let total = export.lines().filter(|line| line.contains(",total,"));
    let figures: Vec<&str> = total.flat_map(|line| line.split(',').skip(15).take(6)).collect();
    assert_eq!(figures.len(), 20 * 6);
    for (command, shown) in
        [("history", ">-50.0</span> % (worse)"), ("history trend --metric iops", "IOPS worse, 20 runs")]
    {
        assert_eq!(history.output(&format!("{command} --html {}", page.display())), "");
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.contains(shown) && text.contains("2023/11/24"), "{command}");
        let lacks: Vec<&&str> =
            figures.iter().filter(|figure| !text.contains(&format!("value=\"{figure}\""))).collect();
        assert!(lacks.is_empty(), "{command}: {lacks:?}");
    }
    history.run("history export --html page.html").fails(3, &["--html has no effect"]);
    history.run("history --html a.html --html b.html").fails(3, &["--html is given twice"]);
    history.run("history --html none/page.html").fails(1, &["--html none/page.html"]);
}

#[test]
fn runs_of_the_same_work_form_a_history() {
    let history = History::new();
    let [first, out] = ["first.json", "run.json"].map(|name| history.folder().join(name));
    history.run(&format!("{RUN} --out {} target", out.display())).report();
    let mut record: serde_json::Value = read_json(&out);
    // The same record on twenty days, the last ten with a window twice as long, half the rate, and another disk of
    // the same model, which no fingerprint tells.
    for day in 0..20 {
        let system = &mut record["hosts"][0]["system"];
        system["start_time"] = (1_700_000_000 + day * 86_400).into();
        let serial = if day < 10 { "S1" } else { "S2" };
        let device = serde_json::json!({"name": "/dev/nvme0n1", "disk": null, "model": "X", "firmware": null,
            "identity": serial, "size": null, "queue": {}});
        system["fingerprint"] = serde_json::json!({"hash": "1", "parts": {"kernel": "6.18"}});
        system["environment"]["disks"] = serde_json::json!([{"device": device}]);
        if day == 10 {
            let measured = &mut record["hosts"][0]["results"]["time_spans"][0]["measured"];
            *measured = (measured.as_u64().unwrap() * 2).into();
        }
        record.as_object_mut().unwrap().remove("index");
        fs::write(&out, record.to_string()).unwrap();
        history.output(&format!("history import {}", out.display()));
        if day == 0 {
            fs::copy(&out, &first).unwrap();
        }
    }
    history.output(&format!("compare {} {}", first.display(), out.display()));
    let trend = history.output("history trend");
    assert!(trend.contains("20 runs") && trend.contains("-50.0 % (WORSE)"), "{trend}");
    assert!(trend.contains("2023-11-24"), "{trend}");
    let replaced = "disk 1 serial number or WWN S1 -> S2";
    assert!(trend.contains(&format!("at the same time as a change of {replaced} (not")), "{trend}");
    assert_eq!(history.output("history export").matches(replaced).count(), 3, "in a line for each direction");
    assert!(history.output("history trend --last 10").contains("too few runs for a trend, which needs 16"));
    has_the_page_of_all(&history);
}

/// Small file system in memory, unmounted on drop.
struct Disk(PathBuf);

impl Disk {
    /// Mounts with this size; `None` with a printed reason if that is impossible.
    fn new(at: PathBuf, kib: u32) -> Option<Disk> {
        fs::create_dir(&at).unwrap();
        let mounted = tool(&format!("mount -t tmpfs -o size={kib}k none {}", at.display()));
        if mounted.is_none() {
            skip("no tmpfs can be mounted here (needs root)");
        }
        mounted.map(|_| Disk(at))
    }

    fn fill(&self, left: usize) -> PathBuf {
        let file = self.0.join("filler");
        let mut filler = fs::File::create(&file).unwrap();
        while filler.write_all(&[1; 4096]).is_ok() {}
        let size = filler.metadata().unwrap().len();
        filler.set_len(size - left as u64).unwrap();
        file
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        assert!(tool(&format!("umount {}", self.0.display())).is_some() || std::thread::panicking());
    }
}

#[test]
fn full_disk_is_reported_and_recovers_with_space() {
    let history = History::new();
    let elsewhere = history.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let Some(disk) = Disk::new(history.path("disk"), 2048) else { return };
    let line = |command: &str| format!("{command} --store {}", disk.0.join("store").display());
    // Simulated runs of one seed are the same run.
    let save = |seed: u32| -> Ended {
        let mut command = history.command(&format!("{} -z{seed} --save target", line(RUN)));
        output(command.env("TMPDIR", &elsewhere)).unwrap().into()
    };
    let mut kept = acknowledged(&save(0).stderr);
    assert_eq!(kept.len(), 1);
    let one = fs::metadata(disk.0.join(format!("store/runs/{}.json.gz", kept[0]))).unwrap().len() as usize;
    let filler = disk.fill(4 * one.next_multiple_of(4096));
    let failed = (1..40).find_map(|seed| {
        let ended = save(seed);
        kept.extend(acknowledged(&ended.stderr));
        (ended.code != 0).then_some(ended)
    });
    let failed = failed.expect("the disk never was full");
    assert!(failed.stdout.contains("Total IO"), "what was measured is reported all the same");
    let said = failed.stderr.clone();
    failed.fails(1, &["--save", "No space left", "the run is kept as"]);
    // Nothing of a run that isn't kept is left, and what was kept is there, on the full disk and later.
    let ids = || -> BTreeSet<String> {
        let listed = history.output(&line("history export"));
        listed.lines().skip(1).map(|run| run.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(), kept.iter().cloned().collect());
    let report = |id: &str| history.output(&line(&format!("report @{id}")));
    kept.iter().for_each(|id| assert!(report(id).contains("Total IO"), "{id}"));
    fs::remove_file(filler).unwrap();
    let again = save(40).succeeds();
    kept.extend(acknowledged(&again.stderr));
    let saved = said.split("the run is kept as ").nth(1).unwrap().lines().next().unwrap().trim();
    // Its name says what it is: others open it by that.
    let (is_packed, content) = (saved.ends_with(".gz"), fs::read(saved).unwrap());
    assert_eq!(content.starts_with(&[0x1f, 0x8b]), is_packed, "{saved}");
    assert!(is_packed || content.starts_with(b"{"), "{saved}");
    let imported = history.output(&line(&format!("history import {saved}")));
    assert_eq!(ids().len(), kept.len() + 1, "{imported}");
    assert!(kept.iter().all(|id| ids().contains(id)), "{kept:?}");
}

#[test]
fn two_command_lines_alternate_and_are_compared() {
    let history = History::new();
    let compare =
        |options: &str, lines: &str| history.run(&format!("compare {options} --repeat 4 -- {lines} target"));
    let better = compare("", &format!("-o1 {RUN} :: -o8 {RUN}"));
    assert!(better.code == 0 && better.stdout.contains("IOPS: B is better"), "{}", better.stderr);
    assert!(better.stdout.contains(": 1 in A, 8 in B"), "{}", better.stdout);
    assert_eq!(better.stderr.lines().filter(|line| line.starts_with("run ")).count(), 8);
    let json = history.path("comparison.json");
    let worse =
        compare(&format!("--fail-if worse=5% --json {}", json.display()), &format!("-o8 {RUN} :: -o1 {RUN}"));
    worse.fails(2, &[]);
    common::schema::comparison(&fs::read(&json).unwrap());
    let page = history.path("comparison.html");
    let same = compare(&format!("--fail-if worse --html {}", page.display()), &format!("{RUN} :: {RUN}"));
    let page = fs::read_to_string(&page).unwrap();
    // Options are kept together where lines are broken.
    let command = "diskspd compare <span class=\"whole\">--fail-if</span>";
    assert!(page.contains(command));
    let target = history.path("data").display().to_string();
    history
        .run(&format!("compare --html {target} --repeat 1 -- {RUN} :: {RUN} {target}"))
        .fails(1, &["would overwrite a target of the run"]);
    assert!(
        same.code == 0 && same.stdout.contains("this machine's own noise"),
        "{}{}",
        same.stdout,
        same.stderr
    );
    compare("", &format!("-b4K --engine=sim -c1G :: {RUN} -b8K"))
        .fails(3, &["block size: 4096 bytes in A, 8192 bytes in B"]);
}

#[test]
fn copies_of_a_run_are_not_additional_runs() {
    let history = History::new();
    for (side, depth) in [("old", 4), ("new", 1)] {
        let folder = history.folder().join(side);
        fs::create_dir(&folder).unwrap();
        for number in 0..2 {
            let form = |ending| format!("--out {}/{number}.{ending}", folder.display());
            let forms = ["json", "xml", "txt", "html"].map(form).join(" ");
            let run = format!("--engine=sim -c1G -b4K -r -L -W0 -d1 -z{number} -o{depth} {forms} target");
            assert_eq!(history.run(&run).code, 0);
        }
        for copy in ["a", "b"] {
            fs::copy(folder.join("0.json"), folder.join(format!("{copy}.json"))).unwrap();
        }
    }
    let here = history.folder().display();
    let ended = history.run(&format!("compare {here}/old {here}/new --fail-if worse"));
    assert_eq!(ended.stdout.matches("(2 runs)").count(), 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("old: '") && ended.stderr.contains(" 5 more"), "{}", ended.stderr);
    // Two runs a side tell nothing; eight would, and there would be no more that was measured.
    assert!(!ended.stdout.contains("WORSE"), "{}", ended.stdout);
    let one = |name: &str| format!("{here}/old/{name}");
    let line = format!("compare {} {} --fail-if worse", one("0.json"), one("a.json"));
    history.run(&line).fails(2, &["a run is on both sides", "--fail-if fails: runs are on both sides"]);
    let set = format!("baseline set copied {here}/old");
    history.output(&set);
    let check = format!("baseline check copied --against {here}/old --fail-if worse");
    history.run(&check).fails(2, &["2 runs are on both sides"]);
    let imported = history.output(&format!("history import {here}/new"));
    assert_eq!(imported.matches(": kept as @").count(), 2, "{imported}");
    // Reports of one run are no reports of two hosts.
    let merge = format!("merge {} {}", one("0.xml"), one("0.txt"));
    history.run(&merge).fails(1, &["is the same run of the same host"]);
}

#[test]
fn one_sided_wrong_figures_pass_no_gate() {
    let history = History::new();
    let here = history.folder();
    let (right, wrong, file) = (here.join("right.json"), here.join("wrong.json"), here.join("cached.dat"));
    let cached = format!("-c16M -b4K -r -W1 -d1 -L --out {} {}", wrong.display(), file.display());
    history.run(&cached);
    let record: serde_json::Value = read_json(&wrong);
    if !record["judgement"].to_string().contains("\"wrong\"") {
        return skip("reads of a file from the page cache are not WRONG here: its file system is in memory");
    }
    history.run(&format!("--engine sim -c16M -b4K -r -W1 -d1 -L --out {} x", right.display()));
    let compare =
        |a: &Path, b: &Path| history.run(&format!("compare {} {} --fail-if worse", a.display(), b.display()));
    let better = compare(&right, &wrong);
    better.fails(2, &["--fail-if fails: figures of B are WRONG, and none of A"]);
    let told = "WRONG: the figures of 1 of 1 runs of B are WRONG: a change need not be one of the device";
    assert!(better.stdout.find(told) < better.stdout.find("two runs"), "{}", better.stdout);
    assert!(better.stdout.contains(told), "{}", better.stdout);
    // Both alike: they are compared as what they are. What is right doesn't fail beside what isn't.
    for (a, b) in [(&wrong, &wrong), (&wrong, &right)] {
        let ended = compare(a, b);
        assert!(ended.stdout.contains("of 1 runs of A are WRONG"), "{}", ended.stdout);
        assert!(!ended.stderr.contains("figures of B are WRONG"), "{}", ended.stderr);
    }
}

#[test]
fn sides_are_files_folders_patterns_and_labels() {
    let history = History::new();
    let folder = history.path("runs");
    fs::create_dir(&folder).unwrap();
    for number in 0..4 {
        let file = folder.join(format!("run-{number}.json"));
        history.save(&format!("--save=kept --out {}", file.display()));
    }
    let here = folder.display();
    for (side, runs) in [
        (format!("{here}"), "(4 runs)"),
        (format!("{here}/run-?.json"), "(4 runs)"),
        (format!("{here}/run-0.json,{here}/run-1.json"), "(2 runs)"),
        (format!("{here}/run-0.json"), "(1 run)"),
        (history.store().join("runs").display().to_string(), "(4 runs)"),
        ("@kept".to_owned(), "(4 runs)"),
    ] {
        let told = history.output(&format!("compare {side} @kept"));
        assert!(told.lines().next().unwrap().contains(runs), "{told}");
    }
    let table = history.output(&format!("report --csv {}", history.store().join("runs").display()));
    assert_eq!(table.lines().count(), 1 + 4, "{table}");
    history.run("compare @kept @none").fails(1, &["no run is called 'none'"]);
    history.run(&format!("compare @kept {here}/none*")).fails(1, &["no file matches"]);
    history.run("compare @kept").fails(3, &["two sides"]);
    let before = fs::read(folder.join("run-1.json")).unwrap();
    history
        .run(&format!("compare @kept {here} --html {here}/run-1.json"))
        .fails(1, &["would overwrite the file that compare reads"]);
    assert_eq!(fs::read(folder.join("run-1.json")).unwrap(), before);
    history.run(&format!("compare {here}/run-0.json {here}/run-1.json --fail-if unsure")).fails(2, &[]);
}
