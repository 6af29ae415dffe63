//! What a job's I/Os are: directions, sizes, and where they go.

use super::each::Each;
use super::settings::Settings;
use diskspd_model::profile::{
    AddressSpread, Distribution, DistributionKind, DistributionRange, MOST_PORTIONS, SizeShare,
};

/// In which direction data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// All I/Os read.
    Read,
    /// All write.
    Write,
    /// So many percent read, the others write.
    Mixed(u32),
    /// All are trims.
    Trim,
}

/// Where random I/O goes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Random {
    /// Everywhere alike.
    #[default]
    Uniform,
    /// By one of our forms.
    Spread(AddressSpread),
    /// By ranges.
    Ranges(Distribution),
}

/// What a job's I/Os are.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Which way.
    pub(super) way: Way,
    /// Share of random I/O, percent; 0 = sequential.
    pub(super) random_percent: u32,
    /// What is left out between two sequential I/Os, bytes.
    pub(super) hole: u64,
    /// Sizes with their shares; one alone is that of all.
    pub(super) sizes: Each<Vec<SizeShare>>,
    /// Random I/O begins at multiples of this, bytes; `None` = of the smallest size.
    pub(super) alignment: Each<Option<u64>>,
    /// Where random I/O goes.
    pub(super) random: Each<Random>,
}

/// fio's block size, bytes.
const USUAL: SizeShare = SizeShare { block_size: 4096, share: 1 };

impl Shape {
    /// That of a job; `None` = it was refused.
    pub(super) fn of(settings: &Settings) -> Option<Shape> {
        let (way, random, hole) = way(settings)?;
        let sizes = sizes(settings)?;
        let alignment = match settings.has("ba") {
            true => settings.read("ba", |text| {
                Each::<Option<u64>>::parse(text, |size| {
                    settings.bytes(size).map_err(|error| error.to_string())
                })
            })?,
            false => Each::all(None),
        };
        let random_percent = match (random, settings.has("percentage_random")) {
            (false, _) => 0,
            (true, false) => 100,
            (true, true) => percentage_random(settings)?,
        };
        let random = match settings.has("random_distribution") {
            true => settings.read("random_distribution", distributions)?,
            false => Each::all(Random::Uniform),
        };
        let shape = Shape { way, random_percent, hole, sizes, alignment, random };
        shape.tell(settings);
        Some(shape)
    }

    /// What is known to differ.
    fn tell(&self, settings: &Settings) {
        if self.random_percent > 0 && !settings.is_on("norandommap") && !settings.is_on("softrandommap") {
            let what = "fio does each block once before it does any twice; here offsets are drawn independently, as \
                        with norandommap=1";
            settings.tell("norandommap (not given)", what);
            if self.has_several_sizes() {
                let what =
                    "fio shortens I/Os that would reach a block that was done; here they keep their sizes";
                settings.tell("norandommap (not given)", what);
            }
        }
        if matches!(self.random.read, Random::Spread(_)) || matches!(self.random.write, Random::Spread(_)) {
            settings.tell(
                "random_distribution",
                "blocks have the shares of Zipf's law; fio's hash puts several of them on one block, and others are hot",
            );
        }
        if (1..100).contains(&self.random_percent) {
            settings
                .tell("percentage_random", "the sequential I/Os go on behind the last one, as -rs does it");
        }
    }

    /// The bytes that an I/O has on average, of these sizes.
    pub(super) fn mean(sizes: &[SizeShare]) -> f64 {
        let shares: f64 = sizes.iter().map(|size| f64::from(size.share)).sum();
        let bytes: f64 = sizes.iter().map(|size| f64::from(size.block_size) * f64::from(size.share)).sum();
        bytes / shares.max(1.0)
    }

    /// Whether a way has several sizes.
    fn has_several_sizes(&self) -> bool {
        [&self.sizes.read, &self.sizes.write].iter().any(|sizes| sizes.len() > 1)
    }

    /// The smallest size of all ways, bytes.
    pub(super) fn smallest(&self) -> u32 {
        let Each { read, write, trim } = &self.sizes;
        let used: Vec<&Vec<SizeShare>> = match self.way {
            Way::Read => vec![read],
            Way::Write => vec![write],
            Way::Mixed(_) => vec![read, write],
            Way::Trim => vec![trim],
        };
        used.into_iter().flatten().map(|size| size.block_size).min().unwrap_or(1)
    }
}

/// `rw`, and its share of reads: the way, whether offsets are random, and what is left out between I/Os.
fn way(settings: &Settings) -> Option<(Way, bool, u64)> {
    let text = settings.text("rw").unwrap_or("read").to_owned();
    let (word, behind) = text.split_once(':').map_or((text.as_str(), None), |(word, add)| (word, Some(add)));
    let (way, random) = match word {
        "read" => (Way::Read, false),
        "write" => (Way::Write, false),
        "rw" | "readwrite" => (Way::Mixed(50), false),
        "randread" => (Way::Read, true),
        "randwrite" => (Way::Write, true),
        "randrw" => (Way::Mixed(50), true),
        "trim" => (Way::Trim, false),
        "randtrim" => (Way::Trim, true),
        "trimwrite" | "randtrimwrite" => {
            let reason = "a trim isn't followed by a write of the same block";
            settings.refuse("rw", reason, "use --trim for a share of discards beside writes");
            return None;
        }
        _ => {
            let ways = "read, write, rw, randread, randwrite, randrw, trim, randtrim";
            settings.refuse("rw", format!("this is none of {ways}"), "give one of them");
            return None;
        }
    };
    let hole = match behind {
        None => 0,
        Some(add) if add.starts_with('-') => {
            settings.refuse("rw", "I/O doesn't go backwards", "use rw=read, or rw=randread");
            return None;
        }
        Some("1") if random => 0,
        Some(_) if random => {
            let reason = "each random I/O has an offset of its own, never several in sequence";
            settings.refuse("rw", reason, "leave the number out, or use percentage_random");
            return None;
        }
        Some(add) => settings.read("rw", |_| settings.bytes(add))?,
    };
    let way = match (way, settings.last_of(&["rwmixread", "rwmixwrite"])) {
        (Way::Mixed(_), Some(name)) => {
            let share = settings.number(name, 0..=100)? as u32;
            match if name == "rwmixread" { share } else { 100 - share } {
                0 => Way::Write,
                100 => Way::Read,
                reads => Way::Mixed(reads),
            }
        }
        (way, _) => way,
    };
    Some((way, random, hole))
}

fn sizes(settings: &Settings) -> Option<Each<Vec<SizeShare>>> {
    let one = |bytes: u64| {
        let block_size = u32::try_from(bytes).ok().filter(|bytes| *bytes > 0);
        block_size.map(|block_size| SizeShare { block_size, share: 1 }).ok_or("a block has 1 byte to 4 GiB")
    };
    let size = |text: &str| {
        let bytes = settings.bytes(text).map_err(|error| error.to_string())?;
        one(bytes).map_err(str::to_owned)
    };
    let read: Each<Option<Vec<SizeShare>>> = match settings.last_of(&["bs", "bsrange", "bssplit"]) {
        None => Each::all(None),
        Some("bs") => {
            settings.read("bs", |text| Each::parse(text, |text| Ok::<_, String>(vec![size(text)?])))?
        }
        Some("bsrange") => settings.read("bsrange", |text| {
            Each::parse(text, |text| {
                let (least, most) = text.split_once('-').unwrap_or((text, text));
                range(size(least)?, size(most)?)
            })
        })?,
        Some(_) => settings.read("bssplit", |text| Each::parse(text, |text| split(text, size)))?,
    };
    Some(read.map(|sizes| sizes.unwrap_or_else(|| vec![USUAL])))
}

/// fio draws `least + most * u`, and rounds down to a multiple of the least: all multiples are as likely.
fn range(least: SizeShare, most: SizeShare) -> Result<Vec<SizeShare>, String> {
    let (least, most) = (least.block_size, most.block_size);
    if least > most {
        return Err("the smaller size comes first".to_owned());
    }
    if least == most {
        return Ok(vec![SizeShare { block_size: least, share: 1 }]);
    }
    let count = most / least;
    if !most.is_multiple_of(least) || count as usize > MOST_PORTIONS {
        return Err("the larger size has to be a multiple of the smaller one, at most 64 times it".to_owned());
    }
    Ok((1..=count).map(|number| SizeShare { block_size: least * number, share: 1 }).collect())
}

/// Sizes with percentages; those without one share what is left.
fn split(text: &str, size: impl Fn(&str) -> Result<SizeShare, String>) -> Result<Vec<SizeShare>, String> {
    let mut sizes = Vec::new();
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent {
            "" => 0,
            digits => digits.parse().map_err(|_| format!("{part}: this is no percentage"))?,
        };
        sizes.push(SizeShare { share: percent, ..size(bytes)? });
    }
    let stated: u32 = sizes.iter().fold(0, |sum, size| sum.saturating_add(size.share));
    let open = sizes.iter().filter(|size| size.share == 0).count() as u32;
    if stated > 100 || (open == 0 && stated < 100) || sizes.is_empty() {
        return Err(format!("the shares have to be 100 % together, and are {stated} %"));
    }
    let left = (100 - stated).checked_div(open).unwrap_or(0);
    let filled = sizes
        .into_iter()
        .map(|size| SizeShare { share: if size.share == 0 { left } else { size.share }, ..size });
    Ok(filled.filter(|size| size.share > 0).collect())
}

fn percentage_random(settings: &Settings) -> Option<u32> {
    settings.read("percentage_random", |text| {
        let each = Each::parse(text, |text| match text.parse::<u32>() {
            Ok(percent) if percent <= 100 => Ok(percent),
            _ => Err("possible are 0 to 100".to_owned()),
        })?;
        match (each.read, each.write) {
            (Some(read), Some(write)) if read == write => Ok(read),
            _ => Err("reads and writes can't have different shares of random I/O".to_owned()),
        }
    })
}

fn distributions(text: &str) -> Result<Each<Random>, String> {
    let Some((form, values)) = text.split_once(':') else {
        return match text {
            "random" => Ok(Each::all(Random::Uniform)),
            _ => Err("possible are random, zipf:THETA, zoned:.. and zoned_abs:..".to_owned()),
        };
    };
    let kind = match form {
        "zoned" => DistributionKind::Percent,
        "zoned_abs" => DistributionKind::Absolute,
        "zipf" => {
            let theta = values.split([':', ',']).next().unwrap_or_default();
            if theta.len() != values.len() {
                return Err(
                    "a center of the distribution can't be chosen: hot blocks lie far apart".to_owned()
                );
            }
            let number: f64 = theta.parse().map_err(|_| "theta is a number, such as 1.2".to_owned())?;
            let spread = AddressSpread::parse(&format!("zipf:{}", (number * 1000.0).round() / 1000.0));
            return spread
                .map(|spread| Each::all(Random::Spread(spread)))
                .map_err(|wrong| wrong.what.to_owned());
        }
        "pareto" | "normal" => {
            return Err(format!(
                "nothing here draws fio's {form} distribution, which a hash spreads over the file; use zipf, or zoned"
            ));
        }
        "sequence" => return Err("there are no listed offsets; use --replay with a log of I/Os".to_owned()),
        _ => return Err("possible are random, zipf:THETA, zoned:.. and zoned_abs:..".to_owned()),
    };
    let each = Each::parse(values, |text| ranges(text, kind))?;
    Ok(each.map(|ranges| ranges.map_or(Random::Uniform, Random::Ranges)))
}

/// Shares of the I/Os with the part of the area that each goes to.
fn ranges(text: &str, kind: DistributionKind) -> Result<Distribution, String> {
    let mut ranges = Vec::new();
    let (mut io, mut span) = (0u64, 0u64);
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (share, length) = part.split_once('/').unwrap_or((part, ""));
        let share: u32 =
            share.trim_end_matches('%').parse().map_err(|_| format!("{part}: no share in percent"))?;
        let length = match (kind, length) {
            (DistributionKind::Percent, "") => 100u64.saturating_sub(span),
            (DistributionKind::Percent, percent) => {
                percent.trim_end_matches('%').parse().map_err(|_| format!("{part}: no part in percent"))?
            }
            (DistributionKind::Absolute, size) => {
                super::number::bytes(size, 1024).map_err(|error| format!("{part}: {error}"))?
            }
        };
        (io, span) = (io.saturating_add(share.into()), span.saturating_add(length));
        ranges.push(DistributionRange { io: share, span: length });
    }
    let whole = kind == DistributionKind::Absolute || span == 100;
    match io == 100 && whole {
        true => Ok(Distribution { kind, ranges }),
        false => Err(format!(
            "the shares have to be 100 % together, and are {io} % of the I/Os, {span} % of the area"
        )),
    }
}
