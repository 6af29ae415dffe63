//! The figures that a command reports: fio's JSON, and the reports of DISKSPD and this program.

use crate::clock::{self, Clock, SECOND};
use crate::formats::table as formats;
use crate::limits::RECORD;
use crate::results::{ClaimedFigures, ClaimedSide, DirectionSummary, RunSummary, SpanSummary};
use crate::sys::files;
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::standard_output;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Maximum kept output in bytes.
const MAX_OUTPUT_BYTES: usize = 64 << 20;
/// Time for the rest of the output after the end of the command, ns. A descendant may keep the pipe open.
const MAX_REST_TIME: u64 = SECOND;

/// Location of the command's own figures.
#[derive(Debug, PartialEq, Eq)]
enum ClaimSource {
    Nowhere,
    StandardOutput,
    File(PathBuf),
}

pub(super) struct Claims {
    place: ClaimSource,
    printed: Arc<Mutex<Vec<u8>>>,
    copier: Option<JoinHandle<()>>,
}

impl Claims {
    pub(super) fn expect_claims(words: &[OsString]) -> Claims {
        Claims { place: place(words), printed: Arc::default(), copier: None }
    }

    /// Whether the output of the command is read on its way to standard output.
    pub(super) fn are_piped(&self) -> bool {
        self.place == ClaimSource::StandardOutput
    }

    /// Passes on the output of the command, byte by byte, and keeps a copy.
    pub(super) fn take(&mut self, mut from: ChildStdout) {
        let printed = Arc::clone(&self.printed);
        self.copier = Some(std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(length @ 1..) = from.read(&mut buffer) {
                let Some(bytes) = buffer.get(..length) else { break };
                let mut out = standard_output::writer();
                // Where no process reads any more the command gets SIGPIPE.
                if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
                    break;
                }
                let mut kept = printed.lock_anyway();
                let room = MAX_OUTPUT_BYTES.saturating_sub(kept.len()).min(length);
                kept.extend(bytes.iter().take(room));
            }
        }));
    }

    /// Reads the figures; `None` = not found, or not readable.
    pub(super) fn read(&mut self) -> Option<ClaimedFigures> {
        if let Some(copier) = self.copier.take() {
            let until = clock::monotonic() + MAX_REST_TIME;
            while !copier.is_finished() && clock::monotonic() < until {
                Clock::Monotonic.sleep_until(clock::monotonic() + SECOND / 200);
            }
        }
        let bytes = match &self.place {
            ClaimSource::Nowhere => return None,
            ClaimSource::StandardOutput => std::mem::take(&mut *self.printed.lock_anyway()),
            ClaimSource::File(path) if path.is_file() => files::read_input(path, RECORD).ok()?,
            ClaimSource::File(_) => return None,
        };
        let format = formats::of_beginning(&bytes)?;
        let runs = (format.read)(&bytes, "").ok()?;
        claimed(format.name, &runs)
    }
}

/// Returns the location of the figures for this command line.
fn place(words: &[OsString]) -> ClaimSource {
    let Some((program, arguments)) = words.split_first() else { return ClaimSource::Nowhere };
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let texts: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match &*name {
        "fio" => {
            let value = |option: &str| {
                let attached = texts.iter().find_map(|text| text.strip_prefix(option)?.strip_prefix('='));
                let apart = || {
                    let at = texts.iter().position(|text| text == option)?;
                    texts.get(at + 1).map(String::as_str)
                };
                attached.or_else(apart)
            };
            match (value("--output-format"), value("--output")) {
                (Some(format), _) if !format.contains("json") => ClaimSource::Nowhere,
                (None, _) => ClaimSource::Nowhere,
                (Some(_), Some(file)) => ClaimSource::File(file.into()),
                (Some(_), None) => ClaimSource::StandardOutput,
            }
        }
        "diskspd" | "diskspd.exe" => ClaimSource::StandardOutput,
        _ => ClaimSource::Nowhere,
    }
}

fn claimed(source: &str, runs: &[RunSummary]) -> Option<ClaimedFigures> {
    let spans: Vec<&SpanSummary> = runs.iter().flat_map(|run| &run.time_spans).flatten().collect();
    let sum = |of: fn(&SpanSummary) -> &DirectionSummary| {
        let figures = || spans.iter().map(|span| of(span));
        ClaimedSide {
            ios: figures().map(|figures| figures.ios).sum(),
            bytes: figures().map(|figures| figures.bytes).sum(),
            iops: figures().map(|figures| figures.iops).sum(),
        }
    };
    (!spans.is_empty()).then(|| ClaimedFigures {
        source: source.to_owned(),
        read: sum(|span| &span.read),
        write: sum(|span| &span.write),
        seconds: spans.iter().map(|span| span.seconds).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fio_output_is_found_by_its_options() {
        let of = |line: &str| place(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for (line, expected) in [
            ("fio a.fio", ClaimSource::Nowhere),
            ("fio --output-format=terse a.fio", ClaimSource::Nowhere),
            ("/usr/bin/fio --output-format=json a.fio", ClaimSource::StandardOutput),
            ("fio --output-format json+ --output=o.json a.fio", ClaimSource::File("o.json".into())),
            ("fio --output o.json --output-format=normal,json", ClaimSource::File("o.json".into())),
            ("dd if=a", ClaimSource::Nowhere),
            ("./diskspd -d1 t.dat", ClaimSource::StandardOutput),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
