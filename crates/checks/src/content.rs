//! Reads that need no medium, according to the content of the targets before the run.

use super::{Finding, Severity, SpanContext};
use diskspd_figures::units;
use diskspd_machine::content::{ContentFacts, ContentShares, Reducer, Sample};
use diskspd_profile::RawText;

/// Minimum share of reads that invalidates the figures for the device.
const MIN_INVALID_SHARE: f64 = 0.5;
/// Share of gaps below which the figures change by less than the variation of runs.
const GAPS: f64 = 0.01;
/// Minimum share of a sample; smaller shares may be random, or normal content (empty parts of a file
/// system).
const SAMPLED: f64 = 0.1;

/// Reports all findings about the contents of one time span's targets.
pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let facts = span.results.observed.iter().flat_map(|observed| &observed.content);
    let findings = facts
        .flat_map(|facts| content_findings(&TargetContent { facts, path: span.host.path(facts.target) }));
    findings.map(|finding| finding.in_time_span(Some(span.number))).collect()
}

pub fn warnings(facts: &ContentFacts, path: &RawText) -> Vec<Finding> {
    let serious = content_findings(&TargetContent { facts, path })
        .into_iter()
        .filter(|finding| finding.severity > Severity::Note);
    let in_a_line = |finding: Finding| {
        let message = match &finding.remedy {
            Some(remedy) => format!("{}; {remedy}", finding.message),
            None => finding.message,
        };
        Finding::of_machine(finding.name, Severity::Warning, message).on_target(path)
    };
    serious.map(in_a_line).collect()
}

struct TargetContent<'a> {
    facts: &'a ContentFacts,
    path: &'a RawText,
}

impl std::ops::Deref for TargetContent<'_> {
    type Target = ContentFacts;

    fn deref(&self) -> &ContentFacts {
        self.facts
    }
}

fn content_findings(facts: &TargetContent) -> Vec<Finding> {
    let gaps = gaps(facts);
    let zeros = if gaps.is_some() { None } else { empty_device(facts) };
    let reduced = if zeros.is_some() { None } else { compressible_content(facts) };
    [gaps, zeros, reduced, repeating(facts), clones(facts)].into_iter().flatten().collect()
}

fn build_finding(name: &'static str, severity: Severity, facts: &TargetContent, message: String) -> Finding {
    Finding::of_machine(name, severity, message).on_target(facts.path)
}

/// Returns `Wrong` from half on, and a warning from `least` on.
fn share_severity(share: f64, least: f64) -> Option<Severity> {
    match share {
        _ if share >= MIN_INVALID_SHARE => Some(Severity::Wrong),
        _ if share >= least => Some(Severity::Warning),
        _ => None,
    }
}

/// Returns the severity of missing data for this share of the reads; `None` = irrelevant.
pub(super) fn gaps_severity(share: f64) -> Option<Severity> {
    share_severity(share, GAPS)
}

fn gaps(facts: &TargetContent) -> Option<Finding> {
    let space = facts.space.filter(|space| space.examined > 0)?;
    let unwritten = really_unwritten(&space, facts.sample.as_ref());
    let kinds = [(space.holes, "holes"), (unwritten, "unwritten extents"), (space.inline, "inline data")];
    let all = kinds.iter().fold(0, |sum: u64, (bytes, _)| sum.saturating_add(*bytes));
    let severity = gaps_severity(share(all, space.examined))?;
    let named = kinds.iter().filter(|(bytes, _)| *bytes > 0);
    let parts: Vec<String> = named
        .clone()
        .map(|(bytes, name)| format!("{} {name}", percent(share(*bytes, space.examined))))
        .collect();
    let path = facts.path;
    let what =
        if facts.device { format!("'{path}' is a loop device on a file that") } else { format!("'{path}'") };
    let message = format!("{what} is {}: reads of those parts never reach the device", parts.join(" and "));
    let sizes: Vec<String> =
        named.map(|(bytes, name)| format!("{:#} of {name}", units::Size(*bytes))).collect();
    let evidence =
        format!("{} in the {:#} that the run reads", sizes.join(", "), units::Size(space.examined));
    let remedy = match (facts.device, space.inline == all) {
        (true, _) => "fill it (all data on it is lost): --prefill=random --destroy",
        (_, true) => "use a larger file: this one is stored inside its inode",
        _ => "--prefill writes it",
    };
    Some(build_finding("content-unwritten", severity, facts, message).shown_by(evidence).remedy(remedy))
}

/// Returns the bytes that are really unwritten. Unwritten extents may have dirty data in memory, so their
/// blocks are not zero.
fn really_unwritten(space: &ContentShares, sample: Option<&Sample>) -> u64 {
    match sample.filter(|sample| sample.unwritten > 0) {
        Some(sample) => (space.unwritten as f64 * share(sample.unwritten_zeros, sample.unwritten)) as u64,
        None => space.unwritten,
    }
}

/// A device full of zeros has been discarded, or never written. A disk with turning parts and no discard
/// reads them.
fn empty_device(facts: &TargetContent) -> Option<Finding> {
    let sample = facts.sample.filter(|sample| facts.device && sample.blocks > 0)?;
    if facts.discards == Some(false) && facts.rotational == Some(true) {
        return None;
    }
    let zeros = share(sample.zeros, sample.blocks);
    let compressing = find_reducer(facts, |reducer| reducer.compresses);
    // That zeros aren't stored is certain only where something is known to compress them.
    let severity = match share_severity(zeros, SAMPLED)? {
        Severity::Wrong if compressing.is_none() => Severity::Warning,
        severity => severity,
    };
    let path = facts.path;
    let how_much = if zeros == 1.0 { "only zeros".into() } else { format!("{} zeros", percent(zeros)) };
    let message = match compressing {
        Some(by) => {
            format!(
                "'{path}' holds {how_much}, which {} does not store: reading them costs it nothing",
                by.name
            )
        }
        None => format!(
            "'{path}' holds {how_much}: reads of discarded or unwritten blocks never reach the medium"
        ),
    };
    let evidence = format!("{} of {} blocks sampled are zeros", sample.zeros, sample.blocks);
    let finding = build_finding("content-zeros", severity, facts, message).shown_by(evidence);
    Some(finding.remedy("fill it (all data on it is lost): --prefill=random --destroy"))
}

fn compressible_content(facts: &TargetContent) -> Option<Finding> {
    let sample = facts.sample.filter(|sample| sample.blocks > 0)?;
    let by = find_reducer(facts, |reducer| reducer.compresses)?;
    let left = share(sample.compressed, sample.blocks.saturating_mul(sample.block_size));
    let severity = share_severity(1.0 - left, SAMPLED)?;
    let path = facts.path;
    let message = format!(
        "the content of '{path}' compresses to about {}, and {} compresses: the device reads less than the \
         run counts",
        percent(left),
        by.name
    );
    let evidence = match sample.zeros {
        0 => format!("estimated from {} blocks", sample.blocks),
        zeros => format!("estimated from {} blocks, {zeros} of them zeros", sample.blocks),
    };
    Some(
        build_finding("content-compressible", severity, facts, message)
            .shown_by(evidence)
            .remedy(rewrite_text(facts)),
    )
}

fn rewrite_text(facts: &TargetContent) -> &'static str {
    match facts.device {
        true => "fill it (all data on it is lost): --prefill=random --destroy",
        false => "overwrite it once with random content: -w100 -Zr -b1M",
    }
}

fn repeating(facts: &TargetContent) -> Option<Finding> {
    let sample = facts.sample.filter(|sample| sample.blocks > 0)?;
    let by = find_reducer(facts, |reducer| reducer.deduplicates)?;
    let severity = share_severity(share(sample.duplicates, sample.blocks), SAMPLED)?;
    let message = format!(
        "'{}' has duplicate blocks, and {} deduplicates: it reads less than the run counts",
        facts.path, by.name
    );
    let evidence = format!("{} of {} blocks sampled repeat others", sample.duplicates, sample.blocks);
    Some(
        build_finding("content-repeats", severity, facts, message)
            .shown_by(evidence)
            .remedy(rewrite_text(facts)),
    )
}

/// Parts of a file that are one extent on the device: its own cache can have that.
fn clones(facts: &TargetContent) -> Option<Finding> {
    let space = facts.space.filter(|space| space.examined > 0)?;
    let repeated = share(space.repeated, space.examined);
    if repeated < SAMPLED {
        return None;
    }
    let distinct = units::Size(space.examined.saturating_sub(space.repeated));
    let message = format!(
        "{} of '{}' repeat extents of the same file: the device reads {distinct} again and again",
        percent(repeated),
        facts.path
    );
    let evidence = format!("{} are read, which are {distinct} on the device", units::Size(space.examined));
    let finding = build_finding("content-clones", Severity::Warning, facts, message).shown_by(evidence);
    Some(finding.remedy("copy the file without clones: cp --reflink=never"))
}

fn find_reducer<'a>(facts: &TargetContent<'a>, which: fn(&&Reducer) -> bool) -> Option<&'a Reducer> {
    facts.facts.data_reduction.iter().find(which)
}

fn share(part: u64, all: u64) -> f64 {
    part.min(all) as f64 / all.max(1) as f64
}

/// Formats whole percent; 0 and 100 only if exact.
pub(super) fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    match share {
        _ if share > 0.0 && rounded < 1.0 => "less than 1 %".into(),
        _ if share < 1.0 && rounded > 99.0 => "99 %".into(),
        _ => format!("{rounded:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn file_facts(space: ContentShares, sample: Sample, reducers: &[&str]) -> ContentFacts {
        ContentFacts {
            to: 100 * MIB,
            space: Some(ContentShares { examined: 100 * MIB, ..space }),
            sample: Some(sample),
            data_reduction: reducers
                .iter()
                .map(|name| Reducer {
                    name: (*name).into(),
                    compresses: true,
                    deduplicates: name.contains("VDO"),
                })
                .collect(),
            ..ContentFacts::default()
        }
    }

    fn device_facts(sample: Sample, discards: bool, rotational: bool, reducers: &[&str]) -> ContentFacts {
        ContentFacts {
            device: true,
            space: None,
            discards: Some(discards),
            rotational: Some(rotational),
            ..file_facts(ContentShares::default(), sample, reducers)
        }
    }

    /// Returns a sample of 128 blocks: numbers of zero and repeated blocks, and the compressed size in
    /// percent.
    fn sample_blocks(zeros: u64, repeats: u64, left: u64) -> Sample {
        let compressed = 128 * 4096 * left / 100;
        Sample { block_size: 4096, blocks: 128, zeros, duplicates: repeats, compressed, ..Sample::default() }
    }

    fn find_names(facts: &ContentFacts) -> Vec<(&'static str, Severity)> {
        content_findings(&TargetContent { facts, path: &"x".into() })
            .into_iter()
            .map(|finding| (finding.name, finding.severity))
            .collect()
    }

    #[test]
    fn shares_of_edited_records_stay_possible() {
        for (part, all, expected) in [(0, 0, 0.0), (1, 0, 0.0), (1, 2, 0.5), (u64::MAX, 1, 1.0)] {
            assert_eq!(share(part, all), expected, "{part} of {all}");
        }
    }

    #[test]
    fn unwritten_content_is_found() {
        use Severity::{Warning, Wrong};
        let none = ContentShares::default();
        let holes = |mib| ContentShares { holes: mib * MIB, ..none };
        let unwritten = |mib| ContentShares { unwritten: mib * MIB, ..none };
        let random = sample_blocks(0, 0, 100);
        let zeros = sample_blocks(128, 0, 0);
        let gap = |severity| vec![("content-unwritten", severity)];
        for (what, facts, expected) in [
            ("random data", file_facts(none, random, &[]), vec![]),
            ("the pattern on a plain file system", file_facts(none, sample_blocks(0, 127, 7), &[]), vec![]),
            ("zeros on a plain file system", file_facts(none, zeros, &[]), vec![]),
            ("all holes", file_facts(holes(100), Sample::default(), &[]), gap(Wrong)),
            ("all unwritten", file_facts(unwritten(100), Sample::default(), &[]), gap(Wrong)),
            ("half a hole", file_facts(holes(50), random, &[]), gap(Wrong)),
            ("less than half", file_facts(holes(49), random, &[]), gap(Warning)),
            ("one percent", file_facts(holes(1), random, &[]), gap(Warning)),
            (
                "less than one percent",
                file_facts(ContentShares { holes: MIB - 1, ..none }, random, &[]),
                vec![],
            ),
            (
                "together half",
                file_facts(ContentShares { holes: 25 * MIB, unwritten: 25 * MIB, ..none }, random, &[]),
                gap(Wrong),
            ),
            (
                "in the inode",
                file_facts(ContentShares { inline: 100 * MIB, ..none }, random, &[]),
                gap(Wrong),
            ),
            (
                "unwritten, with data in memory",
                file_facts(unwritten(100), Sample { unwritten: 128, ..Sample::default() }, &[]),
                vec![],
            ),
            (
                "unwritten, half of it with data in memory",
                file_facts(
                    unwritten(100),
                    Sample { unwritten: 128, unwritten_zeros: 64, ..Sample::default() },
                    &[],
                ),
                gap(Wrong),
            ),
            ("nothing known", ContentFacts::default(), vec![]),
            ("zeros, compressed", file_facts(none, zeros, &["btrfs"]), vec![("content-compressible", Wrong)]),
            (
                "the pattern, compressed",
                file_facts(none, sample_blocks(0, 127, 7), &["zram0"]),
                vec![("content-compressible", Wrong)],
            ),
            (
                "text, compressed",
                file_facts(none, sample_blocks(0, 0, 60), &["btrfs"]),
                vec![("content-compressible", Warning)],
            ),
            ("random data, compressed", file_facts(none, sample_blocks(0, 0, 97), &["btrfs"]), vec![]),
            (
                "alike, deduplicated",
                file_facts(none, sample_blocks(0, 100, 100), &["dm-0 (VDO)"]),
                vec![("content-repeats", Wrong)],
            ),
            (
                "some alike",
                file_facts(none, sample_blocks(0, 13, 100), &["dm-0 (VDO)"]),
                vec![("content-repeats", Warning)],
            ),
            ("few alike", file_facts(none, sample_blocks(0, 12, 100), &["dm-0 (VDO)"]), vec![]),
            ("alike, not deduplicated", file_facts(none, sample_blocks(0, 100, 100), &["btrfs"]), vec![]),
            ("a fresh SSD", device_facts(zeros, true, false, &[]), vec![("content-zeros", Warning)]),
            (
                "a fresh volume without discard",
                device_facts(zeros, false, false, &[]),
                vec![("content-zeros", Warning)],
            ),
            ("a hard disk of zeros", device_facts(zeros, false, true, &[]), vec![]),
            ("a used SSD", device_facts(sample_blocks(12, 0, 60), true, false, &[]), vec![]),
            (
                "a partly used SSD",
                device_facts(sample_blocks(13, 0, 60), true, false, &[]),
                vec![("content-zeros", Warning)],
            ),
            ("a fresh zram", device_facts(zeros, true, false, &["zram0"]), vec![("content-zeros", Wrong)]),
            ("a filled zram", device_facts(random, true, false, &["zram0"]), vec![]),
            (
                "a loop device on a sparse file",
                ContentFacts { device: true, ..file_facts(holes(100), Sample::default(), &[]) },
                gap(Wrong),
            ),
        ] {
            assert_eq!(find_names(&facts), expected, "{what}");
        }
    }

    #[test]
    fn content_warning_is_plain_before_the_run() {
        let told = |space| {
            let found = warnings(&file_facts(space, Sample::default(), &[]), &"x".into()).into_iter();
            found.map(|finding| finding.message).collect::<Vec<_>>()
        };
        let space = ContentShares { unwritten: 100 * MIB, ..ContentShares::default() };
        assert_eq!(
            told(space),
            ["'x' is 100 % unwritten extents: reads of those parts never reach the device; --prefill \
              writes it"]
        );
        let space = ContentShares { unwritten: 10 * MIB, holes: 1, ..ContentShares::default() };
        assert_eq!(
            told(space),
            ["'x' is less than 1 % holes and 10 % unwritten extents: reads of those parts never reach the \
              device; --prefill writes it"]
        );
    }

    #[test]
    fn percents_round_to_bounds_only_if_exact() {
        for (share, text) in
            [(0.0, "0 %"), (0.001, "less than 1 %"), (0.5, "50 %"), (0.999, "99 %"), (1.0, "100 %")]
        {
            assert_eq!(percent(share), text);
        }
    }
}
