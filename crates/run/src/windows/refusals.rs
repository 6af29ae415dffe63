//! Features not implemented on Windows, rejected explicitly with reason and hint.

use diskspd_host::target::locate;
use diskspd_plan::PlanError;
use diskspd_profile::{Profile, RawText, RunOptions, Target};
use diskspd_sys::raw_devices::may_be_device;
use diskspd_sys::targets::may_be_file;

/// Whether an option is given, its name, and the reason why it is not supported.
type Lacking<'a> = (bool, &'a str, &'a str);

fn of_run(profile: &Profile, run_options: &RunOptions) -> [Lacking<'static>; 6] {
    [
        (run_options.cpu_latency_us.is_some(), "--cpu-latency", "it needs Linux's /dev/cpu_dma_latency"),
        (run_options.explain.is_some(), "--explain", "it needs Linux's tracefs"),
        (profile.etw.is_some(), "-e", "it needs Linux's perf events"),
        (
            run_options.prefill.is_some(),
            "--prefill",
            "this program does not write parts of files before a run on Windows",
        ),
        (
            run_options.flush_after,
            "--flush-after",
            "this program cannot read on Windows how much of a file is cached",
        ),
        (run_options.poll, "--poll", "it needs io_uring"),
    ]
}

fn of_target(target: &Target) -> [Lacking<'static>; 6] {
    [
        (
            target.bypass_io.is_some(),
            "BypassIO (-Sy, -SY)",
            "this program does not request it from the volume; -Su comes closest",
        ),
        (target.dont_cache, "--dontcache", "it needs Linux's RWF_DONTCACHE"),
        (target.atomic, "--atomic", "it needs Linux's RWF_ATOMIC"),
        (target.no_wait, "--nowait", "it needs Linux's RWF_NOWAIT"),
        (target.zoned, "--zoned", "this program cannot read zones on Windows"),
        (target.write_hint.is_some(), "--write-hint", "it needs Linux's lifetimes of writes"),
    ]
}

fn lacking_refusal(lacking: &[Lacking]) -> Option<PlanError> {
    let (_, option, why) = lacking.iter().find(|(is_given, ..)| *is_given)?;
    // Microsoft's tool does not have the options of this program.
    let instead = match option.starts_with("--") {
        true => "leave it out",
        false => "leave it out, or let Microsoft's tool make the run (--with)",
    };
    Some(PlanError::profile(format!("{option} is not available on Windows: {why}; {instead}")))
}

/// Whether the last part of a path is a name that Windows gives to the console, to nothing or to a port, in
/// every folder and with every extension.
fn names_reserved_device(path: &RawText) -> bool {
    let text = path.to_string();
    let last = text.rsplit(['\\', '/', ':']).next().unwrap_or_default();
    let name = last.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = |prefix: &str| {
        let number = name.strip_prefix(prefix).map(|number| number.chars().collect::<Vec<_>>());
        number.is_some_and(|number| matches!(number[..], ['0'..='9' | '¹' | '²' | '³']))
    };
    let is_name = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&name.as_str());
    is_name || is_port("COM") || is_port("LPT")
}

/// Whether a target can be one here: a file, a disk (`#1`) or a volume (`X:`). `#` takes a number.
fn may_be_target(path: &RawText) -> bool {
    let Ok(place) = locate(path.as_bytes());
    may_be_device(&place) || may_be_file(&place) && !path.as_bytes().starts_with(b"#")
}

/// Returns an error for an unimplemented part of the run; `None` if all is implemented. Simulated time
/// does not depend on the system.
pub(super) fn find_unsupported(profile: &Profile, run_options: &RunOptions) -> Option<PlanError> {
    let targets = || profile.time_spans.iter().flat_map(|span| &span.targets);
    if run_options.virtual_time() {
        return None;
    }
    if let Some(refused) = lacking_refusal(&of_run(profile, run_options)) {
        return Some(refused);
    }
    if run_options.simulated() {
        return None;
    }
    if profile.time_spans.iter().any(|span| span.io_ring.is_some()) {
        let why = "it needs the I/O rings of Windows 11 (IoRing), which this program does not use";
        return lacking_refusal(&[(true, "-u", why)]);
    }
    targets().find_map(|target| {
        let path = &target.path;
        if names_reserved_device(path) {
            return Some(PlanError::profile(format!(
                "'{path}' is a device of Windows (console, null device or port), not a file: use another name"
            )));
        }
        match may_be_target(path) {
            false => Some(PlanError::profile(format!(
                "'{path}' is not a file, a disk or a volume that this program can use: write #<n> or \
                 \\\\.\\PhysicalDrive<n> for a disk (diskspd devices lists them), X: or \\\\.\\X: for a \
                 volume"
            ))),
            true => lacking_refusal(&of_target(target)).or_else(|| {
                let (_, row, _) = target.shares.iter().next()?;
                lacking_refusal(&[(true, row.option, "on Windows targets are only read and written")])
            }),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_refused_in_every_folder() {
        for name in
            ["CON", "nul", "NUL.dat", r"C:\x\aux", "dir/prn.txt", "COM1", "lpt9", "con .x", "NUL:x/COM0"]
        {
            assert!(names_reserved_device(&name.into()), "{name}");
        }
        for name in ["console", "x.con", "nul1", "COM", "COM10", "LPTx", r"C:\con\x.dat", "#1", "X:", ""] {
            assert!(!names_reserved_device(&name.into()), "{name}");
        }
    }
}
