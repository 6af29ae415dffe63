//! The sizes of a job's I/Os: `bs`, `bsrange`, `bssplit`.

use super::each::{Each, WrongValue};
use super::settings::JobSettings;
use diskspd_model::profile::{MOST_PORTIONS, SizeShare};

/// fio's block size, bytes.
const USUAL: SizeShare = SizeShare { block_size: 4096, share: 1 };

/// Those of a job; `None` = they were refused.
pub(super) fn of(settings: &JobSettings) -> Option<Each<Vec<SizeShare>>> {
    let one = |bytes: u64| {
        let block_size = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        block_size
            .map(|block_size| SizeShare { block_size, share: 1 })
            .ok_or(WrongValue::Other("a block has 1 byte to 4 GiB"))
    };
    let size = |text: &str| one(settings.bytes(text)?);
    let read: Each<Option<Vec<SizeShare>>> = match settings.last_of(&["bs", "bsrange", "bssplit"]) {
        None => Each::all(None),
        Some("bs") => {
            settings.read("bs", |text| Each::parse(text, |text| Ok::<_, WrongValue>(vec![size(text)?])))?
        }
        Some("bsrange") => settings.read("bsrange", |text| {
            Each::parse(text, |text| {
                let (least, most) = text.split_once(['-', ':']).unwrap_or((text, text));
                range(size(least)?, size(most)?)
            })
        })?,
        Some(_) => settings.read("bssplit", |text| Each::parse(text, |text| split(text, size)))?,
    };
    Some(read.map(|sizes| sizes.unwrap_or_else(|| vec![USUAL])))
}

/// fio draws `least + most * u`, and rounds down to a multiple of the least: all multiples are as likely.
fn range(least: SizeShare, most: SizeShare) -> Result<Vec<SizeShare>, WrongValue> {
    let (least, most) = (least.block_size, most.block_size);
    if least > most {
        return Err(WrongValue::Other("the smaller size comes first"));
    }
    if least == most {
        return Ok(vec![SizeShare { block_size: least, share: 1 }]);
    }
    let count = most / least;
    if !most.is_multiple_of(least) || count as usize > MOST_PORTIONS {
        let what = "the larger size has to be a multiple of the smaller one, at most 64 times it";
        return Err(WrongValue::Other(what));
    }
    Ok((1..=count).map(|number| SizeShare { block_size: least * number, share: 1 }).collect())
}

/// Sizes with percentages; those without one share what is left.
fn split(
    text: &str,
    size: impl Fn(&str) -> Result<SizeShare, WrongValue>,
) -> Result<Vec<SizeShare>, WrongValue> {
    let mut sizes = Vec::new();
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent {
            "" => 0,
            digits => digits.parse().map_err(|_| WrongValue::part(part, "this is no percentage"))?,
        };
        sizes.push(SizeShare { share: percent, ..size(bytes)? });
    }
    let stated: u32 = sizes.iter().fold(0, |sum, size| sum.saturating_add(size.share));
    let open = sizes.iter().filter(|size| size.share == 0).count() as u32;
    if stated > 100 || (open == 0 && stated < 100) || sizes.is_empty() {
        return Err(WrongValue::Shares(format!("{stated} %")));
    }
    let left = (100 - stated).checked_div(open).unwrap_or(0);
    let filled = sizes
        .into_iter()
        .map(|size| SizeShare { share: if size.share == 0 { left } else { size.share }, ..size });
    Ok(filled.filter(|size| size.share > 0).collect())
}
