//! Fuzz target: sizes and distributions, the two grammars inside options. The first line is a size, the
//! second the value of `-rd`, the third the size of the area. Accepted values print unchanged, and are
//! within the area.

use diskspd::cli::{self, Invocation};
use diskspd::finding::Severity;
use diskspd::profile::Distribution;
use diskspd::profile::validate::validate;
use diskspd::units;
use diskspd::workload::{Grid, effective_ranges};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

pub fn check(data: &[u8]) {
    let mut lines = data.split(|&b| b == b'\n').map(<[u8]>::to_vec);
    let mut line = || lines.next().unwrap_or_default();
    let (size, distribution, area) = (line(), line(), line());
    let block = match units::parse_size(&size, 4096) {
        Ok(bytes) => {
            // In bytes it is the same size.
            assert_eq!(units::parse_size(bytes.to_string().as_bytes(), 1), Ok(bytes));
            assert!(!units::Size(bytes).to_string().is_empty());
            u32::try_from(bytes).unwrap_or(4096).max(1)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            4096
        }
    };
    if let Some(distribution) = accepted(block, distribution) {
        // Files end below 2^63 bytes.
        let region = units::parse_size(&area, 4096).unwrap_or(1 << 30).clamp(block.into(), 1 << 62);
        lies_within(&distribution, Grid { region, block_size: block, stride: block.into() });
    }
}

/// The distribution of a command line that is valid; `None` = it was refused, with a reason.
fn accepted(block: u32, value: Vec<u8>) -> Option<Distribution> {
    let option = OsString::from_vec([b"-rd".to_vec(), value].concat());
    let words = ["diskspd".into(), format!("-b{block}").into(), "-r".into(), option, "x".into()];
    match cli::parse(&words) {
        Ok(Invocation::Run(request)) => {
            let findings = validate(&request.profile, true);
            let valid = findings.iter().all(|finding| finding.severity != Severity::Error);
            let target = request.profile.time_spans.into_iter().next()?.targets.into_iter().next()?;
            target.distribution.filter(|_| valid)
        }
        Ok(_) => None,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// Checks that ranges are within the area, in the order of their exclusive I/O points. (Bytes may be
/// shared, because ranges too small for the grid still get a position.)
fn lies_within(distribution: &Distribution, grid: Grid) {
    let end_of_grid = grid.aligned_size().max(grid.region);
    let (mut points, mut start) = (0, 0);
    for range in effective_ranges(distribution, &grid) {
        assert!(range.io_span > 0 && range.length > 0, "{range:?}");
        assert!(range.io_base >= points && range.start >= start, "{range:?}");
        points = range.io_base + range.io_span;
        start = range.start;
        assert!(points <= 100 && start + range.length <= end_of_grid, "{range:?} of {grid:?}");
    }
}
