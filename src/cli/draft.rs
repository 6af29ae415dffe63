//! Intermediate state of a command line during parsing.

use super::answer::InfoRequest;
use super::error::ValueError;
use super::quantity::Quantity;
use super::{Overrides, ProfileFile, ProfileForm, RunRequest};
use crate::finding::Finding;
use crate::profile::{CacheMode, RawText, ResultFormat, Target, TimeSpan};
use crate::units;

/// Settings as the options fill them in, and the state that later options are judged against.
#[derive(Debug, Clone, Default)]
pub struct RunRequestBuilder {
    /// Request that the options fill in; without time spans at first.
    pub request: RunRequest,
    /// Settings of the only time span; no targets yet.
    pub span: TimeSpan,
    pub target: Target,
    pub overrides: Overrides,
    pub system_only: bool,
    /// Whether an order of the kinds of cores was given (`-ap`, `-aup`, ...).
    pub efficiency_given: bool,
    /// Text of `--mix`, not parsed yet.
    pub mix: Option<Vec<u8>>,
    pub profile_path: Option<(ProfileForm, RawText)>,
    pub set_events: Vec<RawText>,
    /// Alignment or stride of `-r` or `-s`, in bytes.
    pub alignment: Option<u64>,
    /// Whether the given alignment differs from the block size.
    pub alignment_given: bool,
    pub cache_mode: Option<CacheMode>,
    pub base_given: bool,
    /// Whether `-f` or the length of `-B` was given.
    pub end_given: bool,
    /// Option such as `-?` that prints at once; later arguments are not read.
    pub answer: Option<InfoRequest>,
}

impl RunRequestBuilder {
    /// Returns the block size in bytes, the unit of the size suffix `b`.
    pub fn block_size(&self) -> u64 {
        self.target.block_size.into()
    }

    /// Reports `-Sb` for block devices, because DISKSPD's XML cannot express it.
    fn lost_in_profile(&self, paths: &[RawText]) -> Option<String> {
        let is_device = |path: &RawText| {
            let bytes = path.as_bytes();
            bytes.first() == Some(&b'#') || bytes.starts_with(b"/dev/")
        };
        let to_xml = self.request.profile_only && self.overrides.result_format == Some(ResultFormat::Xml);
        let lost = to_xml && self.cache_mode == Some(CacheMode::Cached) && paths.iter().any(is_device);
        lost.then(|| {
            "DISKSPD's XML profiles cannot express -Sb: with -X this profile uses block devices \
             unbuffered; add <DisableOSCache>false</DisableOSCache> to the target for cached I/O"
                .to_owned()
        })
    }

    fn lost_before_2_3(&self) -> Option<String> {
        let to_xml = self.request.profile_only && self.overrides.result_format == Some(ResultFormat::Xml);
        if !to_xml || self.request.profile.compat.is_2_3() {
            return None;
        }
        let span = &self.span;
        let settings = [
            (span.io_ring.is_some(), "-u"),
            (span.completion_depth.is_some(), "-oc"),
            (self.overrides.buffer_separation.is_some(), "-bs"),
            (span.affinity_traversal.is_some(), "the letters of -a"),
            (span.affinity.iter().any(|at| at.cpu.is_none()), "-ag<group>"),
            (self.target.bypass_io.is_some(), "-Sy and -SY"),
        ];
        let lost: Vec<&str> =
            settings.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect();
        (!lost.is_empty()).then(|| {
            format!(
                "XML profiles of DISKSPD 2.2 cannot express {}: it is left out; add --compat 2.3 for a \
                 profile of 2.3",
                lost.join(", ")
            )
        })
    }

    /// Reads a lenient integer between the start and the ending of an argument. Text after the digits is
    /// dropped with a warning, as in `-W0.5` and `-o1,2,4`. A unit that changes the value is refused, unless
    /// `--compat` requests DISKSPD's reading.
    pub fn lenient_integer(
        &mut self,
        (option, ending): (&str, &str),
        value: &[u8],
        quantity: Quantity,
        expected: &str,
    ) -> Result<i32, ValueError> {
        let number = units::parse_lenient_integer(value);
        let dropped = units::behind_lenient_integer(value);
        let intended = quantity.convert(value).filter(|_| self.overrides.compat.is_none());
        if let Some(intended) = intended {
            let unit = String::from_utf8_lossy(dropped);
            let what = format!("this option has no unit '{unit}': DISKSPD reads {number}");
            let compat = "--compat 2.2 keeps DISKSPD's reading";
            return Err(ValueError::new(value.len() - dropped.len(), what)
                .with_expected(expected)
                .hint(format!("use {option}{intended}{ending}; {compat}")));
        }
        if !dropped.is_empty() {
            let (shown, dropped) = (String::from_utf8_lossy(value), String::from_utf8_lossy(dropped));
            self.request.warnings.push(Finding::warning(format!(
                "{option}{shown}{ending} is read as {option}{number}{ending}, as by DISKSPD: '{dropped}' is \
                 dropped. Give {expected}"
            )));
        }
        Ok(number)
    }

    /// The request that the options and `paths` (targets, or substitutions for a profile's templates) make.
    pub fn finish(mut self, command_line: RawText, paths: Vec<RawText>) -> RunRequest {
        let lost = self.lost_in_profile(&paths);
        self.request.warnings.extend(lost.map(Finding::warning));
        self.request.warnings.extend(self.lost_before_2_3().map(Finding::warning));
        let mut request = self.request;
        let profile = &mut request.profile;
        profile.command_line = command_line;
        match self.profile_path {
            Some((form, path)) => {
                let overrides = self.overrides;
                let (words, substitutions) = (Vec::new(), paths);
                let profile_file = ProfileFile { path, form, words, overrides, substitutions };
                request.profile_file = Some(profile_file);
            }
            None => {
                // Each of several sizes has its own.
                let own = !self.target.sizes.is_empty() && !self.alignment_given;
                let alignment = self.alignment.filter(|_| !own).unwrap_or(0);
                let mut settings = Target {
                    block_alignment: alignment,
                    cache_mode: self.cache_mode.unwrap_or(CacheMode::Cached),
                    uncached_devices: self.cache_mode != Some(CacheMode::Cached),
                    ..self.target
                };
                settings.sum_up_parts();
                let targets = paths.into_iter().map(|path| Target { path, ..settings.clone() }).collect();
                profile.time_spans = vec![TimeSpan { targets, ..self.span }];
                self.overrides.apply(profile);
                if let Some(replay) = &mut request.run_options.replay {
                    replay.duration_given = self.overrides.duration.is_some();
                    // Recording begins with the first I/O.
                    let warmup = self.overrides.warmup.unwrap_or(0);
                    profile.time_spans.iter_mut().for_each(|span| span.warmup = warmup);
                }
            }
        }
        request
    }
}
