//! `-rd`: distribution of random I/O.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::profile::{Distribution, DistributionKind, DistributionRange};
use crate::units;

/// Parses the text after `-rd`: `pct` or `abs` and pairs of I/O share and span, separated by colons.
pub(super) fn read(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let kind = match value.get(..3) {
        Some(b"pct") => DistributionKind::Percent,
        Some(b"abs") => DistributionKind::Absolute,
        _ => {
            return Err(
                ValueError::new(0, "unknown type of distribution").with_expected("pct or abs, in lower case")
            );
        }
    };
    let mut ranges = Vec::new();
    let mut position = 3;
    loop {
        let (range, taken) = parse_pair(kind, &value[position..], draft.block_size())
            .map_err(|problem| problem.at(position))?;
        ranges.push(range);
        position += taken;
        match value.get(position) {
            None => break,
            Some(b':') => position += 1,
            Some(_) => {
                let problem = ValueError::new(position, "unexpected text after the range");
                return Err(problem.with_expected(": and a further range, or the end"));
            }
        }
    }
    draft.target.distribution = Some(Distribution::with_tail(kind, ranges));
    Ok(())
}

/// Parses one pair; returns it and its length in bytes.
fn parse_pair(
    kind: DistributionKind,
    text: &[u8],
    block_size: u64,
) -> Result<(DistributionRange, usize), ValueError> {
    let (io, io_length) = units::parse_digits(text)
        .map_err(|error| ValueError::from(error).with_expected("a percentage of the I/O"))?;
    if io > 100 {
        return Err(ValueError::new(
            0,
            "this is not a percentage of the \
                                    I/O",
        )
        .with_expected("a percentage from 0 to 100"));
    }
    if text.get(io_length) != Some(&b'/') {
        return Err(ValueError::new(io_length, "the span of the range is missing")
            .with_expected("/ and the range's share of the target (pct) or size (abs)"));
    }
    let start = io_length + 1;
    let rest = &text[start..];
    let (span, taken) = match kind {
        DistributionKind::Percent => {
            let expected = "a percentage of the target from 1 to 100";
            let (span, taken) = units::parse_digits(rest)
                .map_err(|error| ValueError::from(error).with_expected(expected).at(start))?;
            if !(1..=100).contains(&span) {
                return Err(
                    ValueError::new(start, "this is not a percentage of the target").with_expected(expected)
                );
            }
            (span, taken)
        }
        DistributionKind::Absolute => {
            let (span, taken) = units::parse_size_prefix(rest, block_size)
                .map_err(|error| ValueError::from(error).at(start))?;
            if span == 0 {
                return Err(ValueError::new(start, "a range cannot be empty")
                    .hint("leave out the last range: the rest of the I/O goes to the rest of the target"));
            }
            (span, taken)
        }
    };
    // Bounded by 100 above.
    Ok((DistributionRange { io: io as u32, span }, start + taken))
}
