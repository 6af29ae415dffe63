//! Benchmark of listing, filtering and following a history of 10,000 runs. Each operation should stay
//! below 100 ms. `cargo bench --bench history` creates the history in a temporary folder and removes it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const RUNS: i64 = 10_000;
const ROUNDS: usize = 11;

const COMMANDS: [&str; 7] = [
    "history list",
    "history list --label label-7",
    "history list --tag every-tenth --since 2020-01-01",
    "history list --target target --last 20",
    "history trend",
    "history export",
    "report @label-7",
];

fn main() {
    let folder = tempfile::Builder::new().prefix("diskspd-bench-").tempdir_in("/var/tmp").unwrap();
    let store = folder.path().join("store");
    fill(folder.path(), &store);
    let began = Instant::now();
    run("history reindex", &store);
    println!("  {:8.0} ms  history reindex", began.elapsed().as_secs_f64() * 1e3);
    println!("{RUNS} runs, medians of {ROUNDS}, the whole program each time:");
    for command in COMMANDS {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let began = Instant::now();
                run(command, &store);
                began.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("  {:8.1} ms  {command}", times[ROUNDS / 2]);
    }
}

/// Ten thousand copies of a run, each at another hour, in a hundred labels: two different works, one of which became slower.
fn fill(folder: &Path, store: &Path) {
    let template = folder.join("run.json");
    let line = format!("--engine=sim -b4K -r -L -W0 -d1 -c1G --out {} target", template.display());
    run(&line, store);
    let record: serde_json::Value = serde_json::from_slice(&fs::read(&template).unwrap()).unwrap();
    let runs = store.join("runs");
    fs::create_dir_all(&runs).unwrap();
    for number in 0..RUNS {
        let mut record = record.clone();
        let start = 1_600_000_000 + number * 3600;
        let index = &mut record["index"];
        index["started_at"] = start.into();
        index["identity"] = format!("{number:016x}").into();
        let total = &mut index["time_spans"][0]["total"]["iops"];
        let noise = 1.0 + 0.01 * (((number * 7919) % 101) as f64 / 50.0 - 1.0);
        let level = if number < RUNS / 2 { 1.0 } else { 0.9 };
        *total = (total.as_f64().unwrap() * level * noise).into();
        if number % 2 == 0 {
            index["time_spans"][0]["parameters"]["duration_s"] = 2.into();
        }
        let id = id(number);
        let about = serde_json::json!({
            "format": { "name": "diskspd-about", "version": 1 },
            "label": format!("label-{}", number % 100),
            "tags": if number % 10 == 0 { vec!["every-tenth"] } else { vec![] },
            "saved_at": start,
        });
        fs::write(runs.join(format!("{id}.about.json")), about.to_string()).unwrap();
        let record = ordered(&record);
        fs::write(runs.join(format!("{id}.json.gz")), diskspd::store::packed::pack(record.as_bytes()))
            .unwrap();
    }
}

/// With format and index first, as the program writes it.
fn ordered(record: &serde_json::Value) -> String {
    let first = ["format", "index", "profile", "method", "hosts"];
    let fields = first.map(|name| format!("\"{name}\":{}", record[name]));
    format!("{{{}}}\n", fields.join(","))
}

/// Twelve letters from k to z.
fn id(number: i64) -> String {
    let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..12).map(|place| char::from(b'k' + (mixed >> (4 * place) & 15) as u8)).collect()
}

fn run(line: &str, store: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskspd"));
    command.args(line.split(' ')).env("DISKSPD_STORE", store);
    let status = command.stdout(Stdio::null()).stderr(Stdio::inherit()).status();
    assert!(status.is_ok_and(|status| status.success()), "diskspd {line} failed");
}
