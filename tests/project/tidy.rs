//! Rules for every line of the program in all crates: dependencies, kernel access, length, duplicates,
//! visibility.
//!
//! Older violations are listed in `tests/data/tidy`, a line each with its reason. The lists may only
//! become shorter (`TIDY_RECORD=1` shortens them).

#![allow(clippy::unwrap_used)]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/findings.rs"]
mod findings;
#[path = "tidy/imports.rs"]
mod imports;
#[path = "tidy/prose.rs"]
mod prose;
#[path = "tidy/ratchet.rs"]
mod ratchet;
#[path = "tidy/readers.rs"]
mod readers;
#[path = "tidy/scopes.rs"]
mod scopes;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/texts.rs"]
mod texts;
#[path = "tidy/tokens.rs"]
mod tokens;

use ratchet::{Found, hold};
use source::{CRATES, SOURCES, Source, is_name, item_end};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn with(beside: &[&'static str]) -> Vec<(&'static str, &'static Source)> {
    let module = |source: &'static Source| source.module().first().map_or("lib", |module| module);
    let program = SOURCES.iter().map(|source| (module(source), source));
    let beside = beside.iter().flat_map(|name| CRATES[*name].iter().map(move |(source, _)| (*name, source)));
    program.chain(beside).collect()
}

/// Maximum lines of a function.
const LONGEST_FUNCTION: usize = 60;

/// Formats a file with the line of a place in it.
fn place(source: &Source, at: usize) -> String {
    format!("{}:{}", source.place, source.line(at))
}

/// Returns files with words that only some modules may use, also in tests.
fn outside(modules: &[&str], words: &[&str]) -> Found {
    let mut found = Found::default();
    for source in SOURCES.iter() {
        let name = source.name.trim_end_matches(".rs");
        let may = |module: &&str| name == *module || name.starts_with(&format!("{module}/"));
        if modules.iter().any(may) {
            continue;
        }
        for word in words {
            source.uses(word).for_each(|at| found.add(&source.name, 1, place(source, at)));
        }
    }
    found
}

fn may_use() -> BTreeMap<String, Vec<String>> {
    let list = ratchet::list("imports.txt");
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (module, used) = line.split_once(':').unwrap();
        (module.to_owned(), used.split_ascii_whitespace().map(str::to_owned).collect())
    };
    lines.map(row).collect()
}

#[test]
fn imports_point_one_way() {
    let may_use = may_use();
    let mut wrong = Vec::new();
    for source in SOURCES.iter() {
        let Some(own) = source.module().first().copied() else { continue };
        let allowed = &may_use[own];
        for (at, path) in imports::imported_modules(source) {
            let used = path.first().filter(|used| may_use.contains_key(*used) && *used != own);
            if let Some(used) = used.filter(|used| !allowed.contains(used)) {
                wrong.push(format!("{} uses {used}", place(source, at)));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports that tests/data/tidy/imports.txt does not allow:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn modules_use_only_lower_modules() {
    let mut modules: Vec<&str> =
        SOURCES.iter().filter_map(|source| source.module().first().copied()).collect();
    modules.dedup();
    let list = ratchet::list("imports.txt");
    let rows = list.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(':').next().unwrap());
    let rows: Vec<&str> = rows.collect();
    for module in modules {
        assert!(rows.contains(&module), "{module} has no row in tests/data/tidy/imports.txt");
    }
    for (module, used) in may_use() {
        let row = |wanted: &str| rows.iter().position(|row| *row == wanted);
        for used in used {
            assert!(
                row(&used) < row(&module) && row(&used).is_some(),
                "{used} stands in no row above {module}"
            );
        }
    }
}

#[test]
fn modules_use_each_other_in_no_circle() {
    let mut found = Found::default();
    for (module, edges) in imports::edges(&SOURCES) {
        for (name, circle) in imports::circles(&edges) {
            let path = module.iter().chain([&name]).cloned().collect::<Vec<_>>().join("/");
            found.add(path, circle.len() as u64, circle.join(" "));
        }
    }
    hold("modules that use each other are one; the number is how many there are", "circles.txt", &found);
}

#[test]
fn files_use_each_other_in_no_circle() {
    let mut found = Found::default();
    for (name, sources) in CRATES.iter() {
        for circle in circles::circles(sources) {
            let told = format!("\n{}\n    {}\n", circle.files.join(" "), circle.arrows.join("\n    "));
            found.add(name, circle.files.len() as u64, told);
        }
    }
    let rule = "what both sides of a circle use belongs in a file of its own";
    hold(rule, "file_circles.txt", &found);
}

#[test]
fn only_host_engines_and_sys_call_the_kernel() {
    let kernel = [
        "libc::",
        "rustix::",
        "io_uring::",
        "signal_hook::",
        "std::os::unix",
        "std::os::fd",
        "std::os::linux",
    ];
    let found = outside(&["sys", "host", "engine"], &kernel);
    hold("ask sys, host or an engine for what the kernel does", "kernel.txt", &found);
}

const SYSTEMS: [&str; 8] = [
    "cfg(unix",
    "cfg(windows",
    "cfg(not(unix",
    "cfg(not(windows",
    "cfg_attr(unix",
    "cfg_attr(windows",
    "target_os",
    "target_family",
];

#[test]
fn only_run_commands_depend_on_platform() {
    let beside = ["diskspd", "sys", "host", "engine", "integrity", "worker", "run", "ranks"];
    let mut wrong = Vec::new();
    for (name, sources) in CRATES.iter().filter(|(name, _)| !beside.contains(&name.as_str())) {
        if matches!(name.as_str(), "xtask" | "tests" | "engines-tests") {
            continue;
        }
        for (source, _) in sources {
            let asks = SYSTEMS.iter().flat_map(|word| source.code.match_indices(word));
            wrong.extend(asks.map(|(at, _)| place(source, at)));
        }
    }
    assert!(wrong.is_empty(), "what differs between systems belongs into sys:\n{}", wrong.join("\n"));
}

#[test]
fn only_the_clock_reads_a_clock() {
    let reads = ["Instant::now", "SystemTime::now", "clock_gettime"];
    let found = outside(&["clock", "sys/kernel_clock", "sys/windows/kernel_clock", "sys/time_stamp"], &reads);
    hold("ask clock for the time", "clocks.txt", &found);
}

const OPENS_FOR_WRITING: [&str; 14] = [
    "File::create",
    "File::create_new",
    "File::options",
    "OpenOptions::new",
    "fs::write",
    "fs::copy",
    "fs::rename",
    "FileTarget::open",
    "FileTarget::at",
    "open_to_write",
    "place::elsewhere",
    "OFlags::WRONLY",
    "OFlags::RDWR",
    "OFlags::CREATE",
];

#[test]
fn only_output_policy_opens_files_for_writing() {
    let mut found = Found::default();
    for source in SOURCES.iter() {
        for word in OPENS_FOR_WRITING {
            let uses = source.uses(word).filter(|at| !source.is_test(*at));
            uses.for_each(|at| found.add(&source.name, 1, place(source, at)));
        }
    }
    let rule = "write files through output::OutputPolicy, which protects existing data";
    hold(rule, "writers.txt", &found);
}

#[test]
fn only_sys_may_be_unsafe() {
    let roots = SOURCES.iter().filter(|source| source.place.ends_with("src/lib.rs"));
    let may: Vec<&str> = roots
        .filter(|root| !root.written.contains("#![forbid(unsafe_code)]"))
        .map(|root| root.place.as_str())
        .collect();
    assert_eq!(may, ["crates/sys/src/lib.rs"], "#![forbid(unsafe_code)] stands in every other crate");
}

fn functions(source: &Source) -> Vec<(usize, String, usize)> {
    let starts = source.uses("fn").filter(|at| !source.is_test(*at));
    let function = |at: usize| {
        let name: String = source.code[at + 2..].trim_start().chars().take_while(|c| is_name(*c)).collect();
        let lines = source.text[at..item_end(&source.code, at)].lines().count();
        // A type, as in `fn(u64)`, has none.
        (!name.is_empty()).then_some((at, name, lines))
    };
    starts.filter_map(function).collect()
}

#[test]
fn functions_are_short() {
    let mut found = Found::default();
    for (_, source) in with(&["xtask"]) {
        for (at, name, lines) in functions(source).into_iter().filter(|(.., lines)| *lines > LONGEST_FUNCTION)
        {
            found.add(format!("{}::{name}", source.name), lines as u64, place(source, at));
        }
    }
    let rule = format!("functions have at most {LONGEST_FUNCTION} lines");
    hold(&rule, "long_functions.txt", &found);
}

#[test]
fn lines_are_as_narrow_as_rustfmt_makes_them() {
    let settings = include_str!("../../rustfmt.toml");
    let width = settings.lines().find_map(|line| line.strip_prefix("max_width = ")).unwrap();
    let width: usize = width.parse().unwrap();
    let mut found = Found::default();
    for (module, source) in with(&["xtask"]) {
        let wide = source.written.lines().filter(|line| line.chars().count() > width).count();
        if wide > 0 {
            found.add(module, wide as u64, &source.name);
        }
    }
    let rule = format!("break lines of more than {width} characters, comments and texts too");
    hold(&rule, "wide_lines.txt", &found);
}

#[test]
fn prefixes_of_messages_are_written_in_one_place() {
    let mut found = Found::default();
    for source in SOURCES.iter().filter(|source| source.name != "finding.rs") {
        for (at, text) in source.literals.iter().filter(|(at, _)| !source.is_test(*at)) {
            if text.starts_with("ERROR: ") || text.starts_with("WARNING: ") {
                found.add(&source.name, 1, place(source, *at));
            }
        }
    }
    hold("make it a finding, which prints its prefix", "prefixes.txt", &found);
}

#[test]
fn kernel_files_are_named_in_host_only() {
    let mut found = Found::default();
    for source in SOURCES.iter().filter(|source| !matches!(source.module().first(), Some(&"sys" | &"host"))) {
        for (at, text) in source.literals.iter().filter(|(at, _)| !source.is_test(*at)) {
            if text.starts_with("/proc/") || text.starts_with("/sys/") {
                found.add(&source.name, 1, place(source, *at));
            }
        }
    }
    hold("ask host for what the kernel's files say", "kernel_files.txt", &found);
}

/// Returns the number of functions of a source outside of its tests whose errors are plain texts.
fn text_errors(source: &Source) -> usize {
    let is_error = |at: &usize| {
        let before = &source.code[..*at];
        // The nearest bracket that is still open belongs to a Result.
        let open = before.char_indices().rev().scan(0_i32, |depth, (at, c)| {
            *depth += match c {
                '>' if !before[..at].ends_with('-') => 1,
                '<' => -1,
                _ => 0,
            };
            Some((at, *depth))
        });
        let opens = open.take(400).find(|(_, depth)| *depth < 0);
        !source.is_test(*at) && opens.is_some_and(|(at, _)| before[..at].ends_with("Result"))
    };
    source.code.match_indices(", String>").map(|(at, _)| at).filter(is_error).count()
}

#[test]
fn functions_return_error_types() {
    let mut found = Found::default();
    for (module, source) in with(&["xtask", "tests", "engines-tests"]) {
        let count = text_errors(source) as u64;
        if count > 0 {
            found.add(module, count, format!("{} {count}", source.name));
        }
    }
    hold("give the error a type: who gets it may want to know more than its text", "text_errors.txt", &found);
}

#[test]
fn functions_reports_offset_name_and_length() {
    let source = Source::new("a.rs".into(), "fn a(x: [u8; 2]) {\n\n}\nfn b();\ntype C = fn(u8);\n".into());
    assert_eq!(functions(&source), [(0, "a".into(), 3), (22, "b".into(), 1)]);
}

/// Advice forbidden in messages and pages, because it grants more than necessary: capabilities that bypass
/// file permissions, switches for all users, modes that open a file to all users.
const WIDENING: &[&str] = &[
    "cap_dac",
    "cap_sys_rawio",
    "cap_fowner",
    "cap_chown",
    "cap_setuid",
    "perf_event_paranoid=",
    "io_uring_disabled=0",
    "unconfined",
    "--privileged",
    "nopasswd",
    "protected_regular=",
    "protected_symlinks=",
    "chmod 777",
    "chmod 0777",
    "chmod 666",
    "chmod 0666",
    "chmod +",
    "chmod a",
    "chmod o",
    "chmod go",
    "chmod u+s",
    "chmod, ",
    "let everybody ",
];

fn literal_text(source: &Source) -> String {
    let texts = source.literals.iter().filter(|(at, _)| !source.is_test(*at));
    texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The pages of the documentation: `README.md`, and `docs` with its folders.
fn pages(root: &Path) -> Vec<PathBuf> {
    let (mut pages, mut folders) = (vec![root.join("README.md")], vec![root.join("docs")]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|ending| ending == "md") => pages.push(path),
                false => {}
            }
        }
    }
    pages
}

#[test]
fn advice_never_widens_permissions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let sources = SOURCES.iter().map(|source| (literal_text(source), root.join(&source.place)));
    let pages = pages(root).into_iter().map(|path| (fs::read_to_string(&path).unwrap(), path));
    for (text, path) in sources.chain(pages) {
        // A string goes on in the next line behind a backslash.
        let text = text.replace("\\\n", " ").to_lowercase();
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        for phrase in WIDENING {
            // Of the capabilities it is said in words which one not to give, and why.
            let found = text.match_indices(phrase).filter(|(at, _)| !text[..*at].ends_with("(`"));
            wrong.extend(found.map(|_| format!("{}: {phrase}", path.display())));
        }
        // Counting events passes no file's permissions.
        let capabilities =
            text.split("setcap ").skip(1).filter(|given| !given.starts_with("cap_perfmon=ep "));
        wrong.extend(capabilities.map(|given| {
            format!("{}: setcap {}", path.display(), given.chars().take(40).collect::<String>())
        }));
    }
    assert!(wrong.is_empty(), "advice that permits more than it is for:\n{}", wrong.join("\n"));
}
