//! Tests of the library's parts, mostly without a run: command lines, profiles, plans, figures, reports,
//! machines.
//!
//! `cargo test --test library stats::` tests one of them.

mod common;
mod machines;

mod model {
    mod address_streams;
    mod each_once;
    mod fsync_every;
    mod mixes;
    mod pace;
    mod placement;
    mod presets;
    mod profiles;
    mod rate_total;
    mod spreads;
    mod stats;
    mod topology;
    mod traces;
    mod trims;
    mod until_volume;
    mod write_zeroes;
    mod zoned;
}

mod judge {
    mod advice;
    mod baselines;
    mod certainty;
    pub mod comparison;
    mod environment;
    mod finding_samples;
    mod fio_results;
    mod merged;
    mod outages;
    mod precondition;
    mod published_sweeps;
    mod ranks;
    mod records;
    mod result_text;
    mod result_xml;
    mod statements;
    mod steady;
    mod steady_shapes;
    mod sweep_models;
    mod trend;
    mod uneven;
    mod until_sure;
}

mod fio_jobs {
    mod converted_jobs;
}

mod report {
    mod compat;
    pub mod golden_reports;
    mod lab_pages;
    mod page;
    mod record_fields;
    mod schemas;
}

mod host {
    mod device_list;
    mod device_use;
    mod open;
    mod refusals;
    mod stacks;
    mod storage;
}

mod run {
    mod integrity;
    mod prepare;
    mod replays;
    mod simulated_runs;
}

mod cli {
    mod command_lines;
}

mod project {
    mod crates;
    mod documentation;
    mod examples;
    mod fuzz_targets;
    mod manifests;
    mod old_bugs;
    mod published;
    mod security;
    mod tidy;
    mod workflows;
}

#[test]
fn every_file_is_part_of_a_test_program() {
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = |program: &str| std::fs::read_to_string(tests.join(program)).unwrap();
    let programs = ["library.rs", "program.rs", "measured.rs"].map(text).concat();
    let entries =
        |folder: &std::path::Path| std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    // `engines` is a test program of its own, `data` holds no code; `common` and `machines` are modules in one piece.
    let folders =
        entries(&tests).filter(|path| path.is_dir() && !path.ends_with("engines") && !path.ends_with("data"));
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if programs.contains(&format!("\nmod {name};\n")) {
            continue;
        }
        let start = programs
            .find(&format!("\nmod {name} {{\n"))
            .unwrap_or_else(|| panic!("no program has tests/{name}"));
        let modules = programs[start + 1..].split("\n}\n").next().unwrap();
        for file in entries(&folder).filter(|file| file.extension().is_none_or(|extension| extension == "rs"))
        {
            let module = file.file_stem().unwrap_or_default().to_string_lossy();
            assert!(
                modules.contains(&format!(" mod {module};")),
                "{}: no test program has this module",
                file.display()
            );
        }
    }
}
