//! What the library's parts promise, most of it without a run: command lines, profiles, plans, figures, reports, machines.
//!
//! `cargo test --test library stats::` tests one of them.

mod address_streams;
mod advice;
mod baselines;
mod command_lines;
mod common;
mod comparison;
mod compat;
mod crates;
mod device_list;
mod device_use;
mod documentation;
mod environment;
mod fio_jobs;
mod fio_results;
mod fsync_every;
mod golden_reports;
mod integrity;
mod lab_pages;
mod machines;
mod merged;
mod mixes;
mod open;
mod pace;
mod page;
mod prepare;
mod presets;
mod profiles;
mod published;
mod published_sweeps;
mod ranks;
mod rate_total;
mod records;
mod refusals;
mod replays;
mod result_text;
mod result_xml;
mod schemas;
mod simulated_runs;
mod spreads;
mod stacks;
mod stats;
mod steady;
mod steady_shapes;
mod storage;
mod sweep_models;
mod tidy;
mod topology;
mod traces;
mod trend;
mod trims;
mod until_volume;
mod write_zeroes;

/// Cargo looks for no test programs here (`autotests = false`): a file that nobody names would never be compiled.
#[test]
fn every_file_is_part_of_a_test_program() {
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let programs = ["library", "program", "measured"];
    let text = |name: &str| std::fs::read_to_string(tests.join(format!("{name}.rs"))).unwrap_or_default();
    let modules = programs.map(text).concat();
    for entry in std::fs::read_dir(&tests).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let of_its_own = programs.contains(&&*name) || ["data", "engines"].contains(&&*name);
        let beside = path.is_dir() && tests.join(format!("{name}.rs")).exists();
        let named = modules.contains(&format!("\nmod {name};\n"));
        assert!(of_its_own || beside || named, "{}: no test program has this module", path.display());
    }
}
