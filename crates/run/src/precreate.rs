//! `PrecreateFiles`: files created once, before the first time span, instead of in each.

use diskspd_profile::{PrecreateFiles, Profile, RawText, Target};
use diskspd_worker::SpanOutcome;
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: RawText,
    pub size: u64,
    /// Whether to fill with zeros instead of the pattern.
    pub zero: bool,
}

/// Returns those files in byte order of their paths. It considers all targets of a path in all time spans;
/// a target without a size counts as size 0.
pub(crate) fn files(profile: &Profile) -> Vec<File> {
    let Some(which) = profile.precreate_files else { return Vec::new() };
    let mut by_path: BTreeMap<&RawText, Vec<&Target>> = BTreeMap::new();
    for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
        by_path.entry(&target.path).or_default().push(target);
    }
    by_path.into_iter().filter_map(|(path, targets)| file_to_create(which, path, &targets)).collect()
}

fn file_to_create(which: PrecreateFiles, path: &RawText, targets: &[&Target]) -> Option<File> {
    let sizes = || targets.iter().map(|target| target.file_size.unwrap_or(0));
    let size = sizes().max().filter(|size| *size > 0)?;
    let zero = targets.first()?.zero_write_buffers;
    let fits = match which {
        PrecreateFiles::UseMaxSize => true,
        PrecreateFiles::OnlyFilesWithConstantSizes => sizes().all(|other| other == size),
        PrecreateFiles::OnlyFilesWithConstantOrZeroSizes => sizes().all(|other| other == size || other == 0),
    };
    let agree = targets.iter().all(|target| target.zero_write_buffers == zero);
    (fits && agree).then(|| File { path: path.clone(), size, zero })
}

/// Returns the executed profile, in which every target states its file's size. It is the size of a file
/// created before the first time span, otherwise the size in the file's last target of the time span.
pub fn resized(profile: &Profile) -> Profile {
    let precreated: HashMap<RawText, u64> =
        files(profile).into_iter().map(|file| (file.path, file.size)).collect();
    let mut profile = profile.clone();
    for span in &mut profile.time_spans {
        let own = |target: &Target| Some((target.path.clone(), target.file_size.filter(|size| *size > 0)?));
        let created: HashMap<RawText, u64> = span.targets.iter().filter_map(own).collect();
        for target in &mut span.targets {
            let size = precreated.get(&target.path).or_else(|| created.get(&target.path));
            target.file_size = size.copied().or(target.file_size);
        }
    }
    profile
}

#[derive(Debug)]
pub enum PrecreateError {
    /// Message with a reason found before any file was changed.
    Refused(String),
    /// Message with the first failure, and the files abandoned because of it.
    Failed(String),
    /// The user interrupted. The state of abandoned files is already reported.
    Interrupted,
}

impl From<PrecreateError> for SpanOutcome {
    fn from(not: PrecreateError) -> SpanOutcome {
        match not {
            PrecreateError::Refused(message) => SpanOutcome::from_failures(vec![message]),
            PrecreateError::Failed(message) => SpanOutcome::failed(vec![message]),
            PrecreateError::Interrupted => SpanOutcome::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PrecreateFiles::*;
    use diskspd_profile::TimeSpan;

    /// A profile with one time span per list; a target is its path, its size (0 = none), whether it writes
    /// zeros.
    fn sample_profile(which: Option<PrecreateFiles>, spans: &[&[(&str, u64, bool)]]) -> Profile {
        let target = |&(path, size, zero): &(&str, u64, bool)| Target {
            path: path.into(),
            file_size: (size > 0).then_some(size),
            zero_write_buffers: zero,
            ..Target::default()
        };
        let span = |targets: &&[(&str, u64, bool)]| TimeSpan {
            targets: targets.iter().map(target).collect(),
            ..TimeSpan::default()
        };
        Profile { precreate_files: which, time_spans: spans.iter().map(span).collect(), ..Profile::default() }
    }

    const SPANS: &[&[(&str, u64, bool)]] = &[
        &[("f1", 100, false), ("f2", 0, false), ("f3", 0, false), ("f4", 300, false), ("f5", 300, false)],
        &[("f1", 150, false), ("f2", 200, false), ("f4", 300, false), ("f5", 300, true)],
    ];

    #[test]
    fn sizes_of_all_time_spans_decide() {
        type Case = (Option<PrecreateFiles>, &'static [(&'static str, u64)]);
        let cases: &[Case] = &[
            (None, &[]),
            (Some(UseMaxSize), &[("f1", 150), ("f2", 200), ("f4", 300)]),
            (Some(OnlyFilesWithConstantSizes), &[("f4", 300)]),
            (Some(OnlyFilesWithConstantOrZeroSizes), &[("f2", 200), ("f4", 300)]),
        ];
        for (which, expected) in cases {
            let found: Vec<(String, u64)> = files(&sample_profile(*which, SPANS))
                .into_iter()
                .map(|f| (f.path.to_string(), f.size))
                .collect();
            let expected: Vec<(String, u64)> =
                expected.iter().map(|(path, size)| (path.to_string(), *size)).collect();
            assert_eq!(found, expected, "{which:?}");
        }
    }

    #[test]
    fn files_are_filled_in_byte_order_with_their_content() {
        let profile =
            sample_profile(Some(UseMaxSize), &[&[("b", 1, false), ("a", 2, true), ("Z", 3, false)]]);
        let found: Vec<_> =
            files(&profile).into_iter().map(|f| (f.path.to_string(), f.size, f.zero)).collect();
        assert_eq!(found, [("Z".into(), 3, false), ("a".into(), 2, true), ("b".into(), 1, false)]);
    }

    #[test]
    fn shared_file_has_one_size_per_time_span() {
        let spans: &[&[(&str, u64, bool)]] =
            &[&[("a", 0, false), ("a", 5, false), ("b", 9, false), ("a", 7, false)], &[("a", 0, false)]];
        let resized = resized(&sample_profile(None, spans));
        let sizes: Vec<Option<u64>> =
            resized.time_spans.iter().flat_map(|span| &span.targets).map(|t| t.file_size).collect();
        assert_eq!(sizes, [Some(7), Some(7), Some(9), Some(7), None]);
    }

    #[test]
    fn other_files_keep_their_size() {
        let resized = resized(&sample_profile(Some(UseMaxSize), SPANS));
        let sizes =
            |span: usize| resized.time_spans[span].targets.iter().map(|t| t.file_size).collect::<Vec<_>>();
        assert_eq!(sizes(0), [Some(150), Some(200), None, Some(300), Some(300)]);
        assert_eq!(sizes(1), [Some(150), Some(200), Some(300), Some(300)]);
    }
}
