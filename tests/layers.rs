//! Imports point one way, from `commands` down to `units`: the table of who may use whom.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// A module and the modules it may name. Whatever isn't listed is forbidden.
const MAY_USE: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("stats", &["units"]),
    ("sys", &["units"]),
    ("clock", &["sys"]),
    // Paths as raw bytes.
    ("profile", &["sys", "units"]),
    ("workload", &["engine", "profile", "results"]),
    ("engine", &["clock", "sys"]),
    ("system", &["clock", "sys", "profile", "units"]),
    ("results", &["engine", "profile", "stats", "system", "units"]),
    ("plan", &["engine", "profile", "sys", "system", "units", "workload"]),
    ("truth", &["engine", "profile", "results", "stats", "system", "units"]),
    // What is found about the targets before a run is said before it.
    (
        "run",
        &[
            "clock", "engine", "plan", "profile", "results", "stats", "sys", "system", "truth", "units",
            "workload",
        ],
    ),
    ("report", &["plan", "profile", "results", "stats", "system", "truth", "units", "workload"]),
    ("cli", &["clock", "engine", "profile", "units"]),
    (
        "commands",
        &[
            "cli", "clock", "engine", "plan", "profile", "report", "results", "run", "sys", "system",
            "truth", "units",
        ],
    ),
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// Modules of the crate that a source names in `crate::...` paths, tests left out.
fn uses(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    code.split("crate::").skip(1).flat_map(first_names).collect()
}

/// `units` of `units::size(..)`, and both of `{units, clock::now}`.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    match path.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(name).collect(),
        None => vec![name(path)],
    }
}

#[test]
fn every_module_uses_only_what_lies_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (module, allowed) in MAY_USE {
        let folder = root.join(module);
        let files = if folder.is_dir() { sources(&folder) } else { vec![root.join(format!("{module}.rs"))] };
        for file in files {
            for used in uses(&fs::read_to_string(&file).unwrap()) {
                if used != *module && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{} uses {used}", file.strip_prefix(&root).unwrap().display()));
                }
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "imports that point the wrong way:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_in_the_table() {
    let library = include_str!("../src/lib.rs");
    for module in library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        assert!(MAY_USE.iter().any(|(name, _)| *name == module), "{module} has no row");
    }
}

/// Modules that may say what Linux is like; everybody else asks them.
const LINUX: &[&str] = &["sys", "system", "engine"];

/// Names of the kernel's own interface.
const KERNEL: &[&str] = &["libc::", "rustix::", "signal_hook::", "io_uring::", "std::os::"];

#[test]
fn only_the_system_the_engines_and_sys_speak_to_the_kernel() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for file in sources(&root) {
        let name = file.strip_prefix(&root).unwrap();
        let module = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let source = fs::read_to_string(&file).unwrap();
        // Tests too: what they need of the kernel, they ask the same modules for.
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let speaks = |line: &&str| KERNEL.iter().any(|kernel| line.contains(kernel));
        if !LINUX.contains(&module) {
            wrong.extend(code.filter(speaks).map(|line| format!("{}: {}", name.display(), line.trim())));
        }
    }
    assert!(wrong.is_empty(), "Linux above its facade:\n{}", wrong.join("\n"));
}

/// What no message and no page may advise: it would let somebody do more than what the advice is for. Capabilities that
/// pass the permissions of files, switches that permit something to everybody, modes that open a file to all.
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

/// Code without its comments and tests: what can be said.
fn said(source: &str) -> String {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The pages of the documentation: `README.md` and `docs`.
fn pages(root: &Path) -> Vec<PathBuf> {
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.chain([root.join("README.md")]).collect()
}

#[test]
fn no_advice_widens_what_anybody_may_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let sources =
        sources(&root.join("src")).into_iter().map(|path| (said(&fs::read_to_string(&path).unwrap()), path));
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
