//! Rules for the content of writes (`--compress`, `--dedupe`).

use super::Case;
use crate::ContentShape;
use diskspd_base::finding::{Finding, Severity};

pub(super) fn check(case: &Case) -> Vec<Finding> {
    let Case { target, span, .. } = case;
    let Some(shape) = target.content else { return Vec::new() };
    let other = [
        (span.random_write_data, "-Zr (RandomWriteData)"),
        (target.random_data_source.is_some(), "-Z<size> (RandomDataSource)"),
        (target.zero_write_buffers, "-Z (zeros)"),
    ];
    let others = other.into_iter().filter(|(given, _)| *given).map(|(_, name)| {
        let what = "both set the write content; give one of them";
        ("C1", format!("--compress and --dedupe (linux:WriteContent) and {name} {what}"))
    });
    let rules = [
        (
            target.write_ratio == 0,
            "C2",
            "--compress and --dedupe (linux:WriteContent) need writes; add -w, or leave them out".to_owned(),
        ),
        (
            target.block_size < ContentShape::MIN_BLOCK,
            "C3",
            format!(
                "--compress and --dedupe (linux:WriteContent) need blocks (-b) of at least {} bytes",
                ContentShape::MIN_BLOCK
            ),
        ),
        (
            shape.compress.max(shape.dedupe) > ContentShape::MAX_SHARE,
            "C4",
            format!("--compress and --dedupe: shares are at most {} %", ContentShape::MAX_SHARE),
        ),
    ];
    let rules = rules.into_iter().filter(|(broken, ..)| *broken).map(|(_, rule, message)| (rule, message));
    let broken = others.chain(rules);
    broken.map(|(rule, message)| Finding::of_machine(rule, Severity::Error, message)).collect()
}
