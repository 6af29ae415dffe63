//! Rules of what is verified (`--verify`).

use crate::profile::{Method, Profile, VerifyMode};

/// What verification can't go with: rule and message.
pub(super) fn rules(method: &Method, profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let Some(mode) = method.verify else { return Vec::new() };
    let spans = || profile.time_spans.iter();
    let mut targets = spans().flat_map(|span| span.targets.iter().map(move |target| (span, target)));
    let is_written = spans().flat_map(|span| &span.targets).any(|target| target.write_ratio > 0);
    let has_content = targets.any(|(span, target)| {
        let other = span.random_write_data || target.random_data_source.is_some() || target.content.is_some();
        target.write_ratio > 0 && (other || target.zero_write_buffers)
    });
    let rules = [
        (
            method.simulated(),
            "M16",
            "--verify: engines sim and null move no data that could be verified; choose another engine",
        ),
        (
            mode == VerifyMode::Read && is_written,
            "M17",
            "--verify=read checks what an earlier run has stamped, and these writes (-w) would destroy it; \
             use --verify, which stamps them, or leave out -w",
        ),
        (
            mode.stamps() && !is_written && !profile.time_spans.is_empty(),
            "M18",
            "--verify: nothing is written, so that nothing of this run can be verified; give a share of \
             writes (-w), or use --verify=read to check what an earlier run has stamped",
        ),
        (
            mode.stamps() && has_content,
            "M19",
            "--verify and -Z, -Zr, -Z<size>, --compress or --dedupe both say what writes carry; give one \
             of them",
        ),
        (
            spans().flat_map(|span| &span.targets).any(|target| target.trim_ratio > 0),
            "T5",
            "--verify and --trim exclude each other: what a discard leaves behind is the device's choice, so \
             no sector could be called right or wrong; leave out one of them",
        ),
    ];
    let broken = rules.into_iter().filter(|(broken, ..)| *broken);
    broken.map(|(_, rule, message)| (rule, message)).collect()
}
