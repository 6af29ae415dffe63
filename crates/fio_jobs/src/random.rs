//! Distribution of random I/O: `random_distribution`.

use super::each::{PerDirection, WrongValue};
use super::number;
use diskspd_profile::{AddressSpread, Distribution, DistributionKind, DistributionRange};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum RandomAccess {
    #[default]
    Uniform,
    Spread(AddressSpread),
    Ranges(Distribution),
}

/// Default theta of fio (`FIO_DEF_ZIPF` in its `fio.h`).
const USUAL_THETA: &str = "1.1";
/// Maximum number of ranges, as in fio (`ZONESPLIT_MAX` in its `thread_options.h`).
const MAX_RANGES: usize = 256;
const DISTRIBUTION_FORMS: WrongValue =
    WrongValue::Other("possible values: random, zipf:THETA, zoned:.., zoned_abs:..");
const HASHED_POSITIONS: &str =
    "fio spreads this distribution over the file by a hash, which nothing here does; use zipf, or zoned";

/// Parses the option's value.
///
/// # Errors
/// Fails if it is invalid, or has no equivalent.
pub(super) fn read(text: &str, kb_base: u64) -> Result<PerDirection<RandomAccess>, WrongValue> {
    let (form, values) = match (text.split_once(':'), text) {
        (Some(both), _) => both,
        (None, "random") => return Ok(PerDirection::all(RandomAccess::Uniform)),
        (None, "zipf") => ("zipf", USUAL_THETA),
        (None, "pareto" | "normal") => (text, ""),
        (None, _) => return Err(DISTRIBUTION_FORMS),
    };
    let kind = match form {
        "zoned" => DistributionKind::Percent,
        "zoned_abs" => DistributionKind::Absolute,
        "zipf" => return parse_zipf(values).map(|spread| PerDirection::all(RandomAccess::Spread(spread))),
        "pareto" | "normal" => return Err(WrongValue::Other(HASHED_POSITIONS)),
        "sequence" => {
            return Err(WrongValue::Other(
                "a fixed sequence of random offsets is not supported; use --replay with a log of I/Os",
            ));
        }
        _ => return Err(DISTRIBUTION_FORMS),
    };
    let each = PerDirection::parse(values, |text| parse_ranges(text, kind, kb_base))?;
    Ok(each.map(|ranges| ranges.map_or(RandomAccess::Uniform, RandomAccess::Ranges)))
}

fn parse_zipf(theta: &str) -> Result<AddressSpread, WrongValue> {
    if theta.contains([':', ',']) {
        let what = "the center of the distribution cannot be chosen: hot blocks lie far apart";
        return Err(WrongValue::Other(what));
    }
    let number: f64 = theta.parse().map_err(|_| WrongValue::Other("theta is a number, such as 1.2"))?;
    let rounded = (number * 1000.0).round() / 1000.0;
    if (number - rounded).abs() > 1e-9 {
        return Err(WrongValue::Other("theta has three decimals at most"));
    }
    let text = format!("zipf:{rounded}");
    AddressSpread::parse(&text).map_err(|wrong| WrongValue::Other(wrong.what))
}

fn parse_ranges(text: &str, kind: DistributionKind, kb_base: u64) -> Result<Distribution, WrongValue> {
    let mut ranges = Vec::new();
    let (mut io, mut span) = (0u64, 0u64);
    for part in text.strip_suffix(':').unwrap_or(text).split(':') {
        if part.is_empty() {
            return Err(WrongValue::Other("a part between two colons is empty: fio ignores the rest"));
        }
        if ranges.len() == MAX_RANGES {
            return Err(WrongValue::Other("fio reads 256 ranges at most"));
        }
        let (share, length) = part.split_once('/').unwrap_or((part, ""));
        let percent = |text: &str| {
            text.trim_end_matches('%').parse::<u32>().map_err(|_| WrongValue::part(part, "not a percentage"))
        };
        let length = match (kind, length) {
            (DistributionKind::Percent, "") => 100u64.saturating_sub(span),
            (DistributionKind::Percent, share) => percent(share)?.into(),
            (DistributionKind::Absolute, size) => number::bytes(size, kb_base)
                .map_err(|error| WrongValue::NumberIn { part: part.to_owned(), error })?,
        };
        let share = percent(share)?;
        (io, span) = (io.saturating_add(share.into()), span.saturating_add(length));
        ranges.push(DistributionRange { io: share, span: length });
    }
    let whole = kind == DistributionKind::Absolute || span == 100;
    match io == 100 && whole {
        true => Ok(Distribution { kind, ranges }),
        false => Err(WrongValue::Shares(format!("{io} % of the I/Os, {span} % of the area"))),
    }
}
