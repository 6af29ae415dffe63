//! Rules of verification (`--verify`).

use crate::{Profile, RunOptions, TargetIds, VerifyMode};

pub(super) fn rules(run_options: &RunOptions, profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let Some(mode) = run_options.verify else { return Vec::new() };
    let spans = || profile.time_spans.iter();
    let mut targets = spans().flat_map(|span| span.targets.iter().map(move |target| (span, target)));
    let is_written = spans().flat_map(|span| &span.targets).any(|target| target.write_ratio > 0);
    let has_content = targets.any(|(span, target)| {
        let other = span.random_write_data || target.random_data_source.is_some() || target.content.is_some();
        target.write_ratio > 0 && (other || target.zero_write_buffers)
    });
    let rules = [
        (
            run_options.simulated(),
            "M16",
            "--verify: engines sim and null move no data; choose another engine",
        ),
        (
            mode == VerifyMode::Read && is_written,
            "M17",
            "--verify=read checks sectors stamped by an earlier run, which these writes (-w) would destroy; \
             use --verify to stamp the writes, or leave out -w",
        ),
        (
            mode.stamps() && !is_written && !profile.time_spans.is_empty(),
            "M18",
            "--verify needs writes to verify; add -w, or use --verify=read to check sectors stamped by an \
             earlier run",
        ),
        (
            mode.stamps() && has_content,
            "M19",
            "--verify and -Z, -Zr, -Z<size>, --compress or --dedupe both set the write content; give one of \
             them",
        ),
    ];
    let count = TargetIds::from_profile(profile).paths().len();
    let mut numbers = run_options.verify_as.clone();
    numbers.sort_unstable();
    let repeats = numbers.windows(2).any(|pair| pair[0] == pair[1]);
    let numbered = (
        !numbers.is_empty() && count > 0 && (numbers.len() != count || repeats),
        "M30",
        "--verify=read needs one number per target, each different: its position (from 1) in the run that \
         stamped it",
    );
    let rules = rules.into_iter().chain([numbered]);
    let broken = rules.filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}
