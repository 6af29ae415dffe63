//! The sizes of a job's I/Os: `bs`, `bsrange`, `bssplit`.

use super::each::{PerDirection, WrongValue};
use super::settings::JobSettings;
use diskspd_profile::{MAX_PORTIONS, SizeShare};

/// Default block size of fio in bytes.
const DEFAULT_SIZE: SizeShare = SizeShare { block_size: 4096, share: 1 };

/// Returns the block sizes of a job; `None` if they were refused. As in fio, `bssplit` has precedence over
/// `bsrange`, and both over `bs`, regardless of their order (`fixup_options` in its `init.c`). The next
/// option provides omitted values.
pub(super) fn read_sizes(settings: &JobSettings) -> Option<PerDirection<Vec<SizeShare>>> {
    if settings.has_option("bssplit") && settings.last_of(&["bsrange", "bssplit"]) == Some("bsrange") {
        let reason = "with bssplit before it, fio has the range of one and the sizes of the other";
        settings.refuse("bsrange", reason, "leave out one of them");
        return None;
    }
    let one = |bytes: u64| {
        let block_size = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        block_size
            .map(|block_size| SizeShare { block_size, share: 1 })
            .ok_or(WrongValue::Other("a block has 1 byte to 4 GiB"))
    };
    let size = |text: &str| one(settings.bytes(text)?);
    let given =
        |name, read: &dyn Fn(&str) -> Result<Vec<SizeShare>, WrongValue>| match settings.has_option(name) {
            true => settings.read(name, |text| PerDirection::<Option<_>>::parse(text, read)),
            false => Some(PerDirection::all(None)),
        };
    let fixed = given("bs", &|text| Ok(vec![size(text)?]))?;
    let ranged = given("bsrange", &|text| {
        let (least, most) = text.split_once(['-', ':']).unwrap_or((text, text));
        size_range(size(least)?, size(most)?)
    })?;
    let drawn = given("bssplit", &|text| parse_split(text, size))?;
    Some(
        drawn
            .or_else_from(ranged)
            .or_else_from(fixed)
            .map(|sizes| sizes.unwrap_or_else(|| vec![DEFAULT_SIZE])),
    )
}

/// fio draws `least + most * u`, and rounds down to a multiple of the least: all multiples are as likely.
fn size_range(least: SizeShare, most: SizeShare) -> Result<Vec<SizeShare>, WrongValue> {
    let (least, most) = (least.block_size, most.block_size);
    if least > most {
        return Err(WrongValue::Other("the smaller size comes first"));
    }
    if least == most {
        return Ok(vec![SizeShare { block_size: least, share: 1 }]);
    }
    let count = most / least;
    if !most.is_multiple_of(least) || count as usize > MAX_PORTIONS {
        let what = "the larger size must be a multiple of the smaller size, at most 64 times it";
        return Err(WrongValue::Other(what));
    }
    Ok((1..=count).map(|number| SizeShare { block_size: least * number, share: 1 }).collect())
}

/// Maximum number of sizes in a split, as in fio (`BSSPLIT_MAX` in its `thread_options.h`).
const MAX_SIZES: usize = 64;

/// Returns sizes with percentages; sizes without a percentage share the rest. As in fio, a size is rounded
/// down to a multiple of the smallest one (`get_next_buflen` in its `io_u.c`). Any remaining percentage
/// goes to the largest share.
fn parse_split(
    text: &str,
    size: impl Fn(&str) -> Result<SizeShare, WrongValue>,
) -> Result<Vec<SizeShare>, WrongValue> {
    let mut sizes = Vec::new();
    for part in text.strip_suffix(':').unwrap_or(text).split(':') {
        if part.is_empty() {
            return Err(WrongValue::Other("a part between two colons is empty: fio ignores the rest"));
        }
        if sizes.len() == MAX_SIZES {
            return Err(WrongValue::Other("fio reads 64 sizes at most"));
        }
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent {
            "" => 0,
            digits => digits.parse().map_err(|_| WrongValue::part(part, "this is not a percentage"))?,
        };
        sizes.push(SizeShare { share: percent, ..size(bytes)? });
    }
    let stated: u32 = sizes.iter().fold(0, |sum, size| sum.saturating_add(size.share));
    let open = sizes.iter().filter(|size| size.share == 0).count() as u32;
    if stated > 100 || (open == 0 && stated < 100) {
        return Err(WrongValue::Shares(format!("{stated} %")));
    }
    let least = sizes.iter().map(|size| size.block_size).min().unwrap_or(1);
    let left = 100 - stated;
    let each = left.checked_div(open).unwrap_or(0);
    for size in &mut sizes {
        size.share = if size.share == 0 { each } else { size.share };
        size.block_size -= size.block_size % least;
    }
    // fio sorts them by their shares, and the last one has all that the others leave.
    sizes.sort_by_key(|size| size.share);
    if let (Some(last), true) = (sizes.last_mut(), open > 0) {
        last.share += left - each * open;
    }
    sizes.sort_by_key(|size| size.block_size);
    sizes.dedup_by(|next, kept| {
        let same = next.block_size == kept.block_size;
        kept.share += if same { next.share } else { 0 };
        same
    });
    sizes.retain(|size| size.share > 0);
    Ok(sizes)
}
