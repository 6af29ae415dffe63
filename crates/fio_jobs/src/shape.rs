//! The I/Os of a job: directions, sizes, and positions.

use super::each::{PerDirection, WrongValue};
use super::random::{self, RandomAccess};
use super::settings::JobSettings;
use super::sizes;
use diskspd_profile::{Distribution, DistributionKind, SizeShare};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobDirection {
    Read,
    Write,
    Mixed(u32),
    Trim,
}

#[derive(Debug, Clone)]
pub(super) struct JobShape {
    pub(super) way: JobDirection,
    /// Share of random I/O in percent; 0 = sequential.
    pub(super) random_percent: u32,
    pub(super) hole: u64,
    pub(super) sizes: PerDirection<Vec<SizeShare>>,
    /// Alignment of random I/O in bytes; `None` = the smallest size.
    pub(super) alignment: PerDirection<Option<u64>>,
    pub(super) random: PerDirection<RandomAccess>,
    /// Whether each block is accessed once before any is accessed twice.
    pub(super) each_once: bool,
}

impl JobShape {
    pub(super) fn from_settings(settings: &JobSettings) -> Option<JobShape> {
        let (way, random, hole) = parse_direction(settings)?;
        let sizes = sizes::read_sizes(settings)?;
        let alignment = match settings.has_option("ba") {
            true => settings.read("ba", |text| {
                PerDirection::<Option<u64>>::parse(text, |size| {
                    settings.bytes(size).map_err(WrongValue::from)
                })
            })?,
            false => PerDirection::all(None),
        };
        let random_percent = match (random, settings.has_option("percentage_random")) {
            (false, _) => 0,
            (true, false) => 100,
            (true, true) => percentage_random(settings)?,
        };
        let random = match settings.has_option("random_distribution") {
            true => settings.read("random_distribution", |text| random::read(text, settings.kb_base()))?,
            false => PerDirection::all(RandomAccess::Uniform),
        };
        let mut shape = JobShape { way, random_percent, hole, sizes, alignment, random, each_once: false };
        shape.each_once = shape.does_each_once(settings);
        if shape.has_map(settings) && shape.has_several_sizes() && !shape.each_once {
            let reason = "with several sizes, fio shortens each I/O before a block that was done; here \
                          this needs equal sizes of reads and writes, and random I/Os only";
            settings.refuse("norandommap", reason, "add norandommap=1: then fio keeps the sizes too");
            return None;
        }
        shape.report_shape(settings);
        Some(shape)
    }

    /// Whether fio keeps a map of completed blocks (`fixup_options` in its `init.c`). It does not for
    /// distributions, or if any direction's I/Os can start off the multiples of their smallest size.
    /// `softrandommap` only permits a job to continue without memory for the map.
    fn has_map(&self, settings: &JobSettings) -> bool {
        let given = !settings.is_on("norandommap") && !is_shift_register(settings);
        self.random_percent > 0 && self.is_uniform() && !self.is_aligned_otherwise() && given
    }

    /// Whether `ba` differs from the smallest size in any direction.
    fn is_aligned_otherwise(&self) -> bool {
        let PerDirection { read, write, trim } = &self.sizes;
        let differs = |align: Option<u64>, sizes: &[SizeShare]| {
            let smallest = sizes.iter().map(|size| u64::from(size.block_size)).min();
            align.is_some_and(|align| align > 0 && Some(align) != smallest)
        };
        let align = &self.alignment;
        differs(align.read, read) || differs(align.write, write) || differs(align.trim, trim)
    }

    /// Whether `--each-once` does what fio does with its map, or with a shift register, which goes round all
    /// blocks and shortens nothing.
    fn does_each_once(&self, settings: &JobSettings) -> bool {
        let PerDirection { read, write, trim } = &self.sizes;
        let (align, random) = (&self.alignment, &self.random);
        let (sizes, align, random) = match self.way {
            JobDirection::Read => (read, align.read, &random.read),
            JobDirection::Write => (write, align.write, &random.write),
            JobDirection::Trim => (trim, align.trim, &random.trim),
            JobDirection::Mixed(_)
                if (read, align.read, &random.read) != (write, align.write, &random.write) =>
            {
                return false;
            }
            JobDirection::Mixed(_) => (read, align.read, &random.read),
        };
        let smallest = sizes.iter().map(|size| size.block_size).min().unwrap_or(1);
        let blocks =
            align.is_none_or(|align| align == u64::from(smallest)) && *random == RandomAccess::Uniform;
        let register = is_shift_register(settings) && sizes.len() == 1;
        self.random_percent == 100 && blocks && (self.has_map(settings) || register)
    }

    fn report_shape(&self, settings: &JobSettings) {
        if self.has_map(settings) && !self.each_once {
            let what =
                "fio covers all blocks before it repeats one; here offsets are random, as with norandommap=1";
            settings.add_note("norandommap (not given)", what);
        }
        if matches!(self.random.read, RandomAccess::Spread(_))
            || matches!(self.random.write, RandomAccess::Spread(_))
        {
            settings.add_note(
                "random_distribution",
                "blocks have the shares of Zipf's law; fio's are close to it, and its hot blocks are other \
                 ones",
            );
        }
        if (1..100).contains(&self.random_percent) {
            settings.add_note(
                "percentage_random",
                "the sequential I/Os continue after the last one, as with \
                -rs",
            );
        }
    }

    /// Returns the mean size of an I/O in bytes.
    pub(super) fn mean(sizes: &[SizeShare]) -> f64 {
        let shares: f64 = sizes.iter().map(|size| f64::from(size.share)).sum();
        let bytes: f64 = sizes.iter().map(|size| f64::from(size.block_size) * f64::from(size.share)).sum();
        bytes / shares.max(1.0)
    }

    pub(super) fn has_several_sizes(&self) -> bool {
        self.used_sizes().iter().any(|sizes| sizes.len() > 1)
    }

    pub(super) fn is_uniform(&self) -> bool {
        let PerDirection { read, write, trim } = &self.random;
        [read, write, trim].iter().all(|places| **places == RandomAccess::Uniform)
    }

    /// Returns the end of the last range of a distribution in bytes, from the area's start; 0 = no such
    /// range.
    pub(super) fn ranges_end(&self) -> u64 {
        let end = |spans: &Vec<u64>| spans.iter().fold(0u64, |end, span| end.saturating_add(*span));
        self.absolute_ranges().iter().map(|(spans, _)| end(spans)).max().unwrap_or(0)
    }

    /// Whether all ranges of a distribution in bytes begin at possible positions of an I/O.
    pub(super) fn ranges_are_aligned(&self) -> bool {
        let aligned = |spans: &Vec<u64>, align: u64| spans.iter().all(|span| span.is_multiple_of(align));
        self.absolute_ranges().iter().all(|(spans, align)| aligned(spans, *align))
    }

    /// The lengths of the ranges in bytes, and the alignment, of each way that the job's I/Os go.
    fn absolute_ranges(&self) -> Vec<(Vec<u64>, u64)> {
        let PerDirection { read, write, trim } = &self.random;
        let (align, sizes) = (&self.alignment, &self.sizes);
        let reads = (read, align.read, &sizes.read);
        let writes = (write, align.write, &sizes.write);
        let used = match self.way {
            JobDirection::Read => vec![reads],
            JobDirection::Write => vec![writes],
            JobDirection::Mixed(_) => vec![reads, writes],
            JobDirection::Trim => vec![(trim, align.trim, &sizes.trim)],
        };
        let ranges = used.into_iter().filter_map(|(places, align, sizes)| match places {
            RandomAccess::Ranges(Distribution { kind: DistributionKind::Absolute, ranges }) => {
                let smallest = sizes.iter().map(|size| u64::from(size.block_size)).min().unwrap_or(1);
                let align = align.filter(|align| *align > 0).unwrap_or(smallest);
                Some((ranges.iter().map(|range| range.span).collect(), align))
            }
            _ => None,
        });
        ranges.collect()
    }

    /// Whether I/Os are shortened so that they do not overlap a completed block.
    pub(super) fn shortens(&self) -> bool {
        self.each_once && self.has_several_sizes()
    }

    /// Returns the smallest size of all directions in bytes.
    pub(super) fn smallest(&self) -> u32 {
        self.used_sizes().into_iter().flatten().map(|size| size.block_size).min().unwrap_or(1)
    }

    /// Returns the largest size of all directions in bytes.
    pub(super) fn largest(&self) -> u32 {
        self.used_sizes().into_iter().flatten().map(|size| size.block_size).max().unwrap_or(1)
    }

    /// Returns the sizes of each direction that the job uses.
    fn used_sizes(&self) -> Vec<&Vec<SizeShare>> {
        let PerDirection { read, write, trim } = &self.sizes;
        match self.way {
            JobDirection::Read => vec![read],
            JobDirection::Write => vec![write],
            JobDirection::Mixed(_) => vec![read, write],
            JobDirection::Trim => vec![trim],
        }
    }
}

/// Whether offsets come from a linear feedback shift register, which needs no map.
fn is_shift_register(settings: &JobSettings) -> bool {
    settings.text("random_generator") == Some("lfsr")
}

/// Returns the value of `rw`: the direction with its share of reads, whether offsets are random, and the
/// gap between I/Os.
fn parse_direction(settings: &JobSettings) -> Option<(JobDirection, bool, u64)> {
    let text = settings.text("rw").unwrap_or("read").to_owned();
    let (word, behind) = text.split_once(':').map_or((text.as_str(), None), |(word, add)| (word, Some(add)));
    let (way, random) = match word {
        "read" => (JobDirection::Read, false),
        "write" => (JobDirection::Write, false),
        "rw" | "readwrite" => (JobDirection::Mixed(50), false),
        "randread" => (JobDirection::Read, true),
        "randwrite" => (JobDirection::Write, true),
        "randrw" => (JobDirection::Mixed(50), true),
        "trim" => (JobDirection::Trim, false),
        "randtrim" => (JobDirection::Trim, true),
        "trimwrite" | "randtrimwrite" => {
            let reason = "a trim is not followed by a write of the same block";
            settings.refuse(
                "rw",
                reason,
                "for a share of discards in addition to writes add --trim to the line that diskspd convert \
                 prints",
            );
            return None;
        }
        _ => {
            let ways = "read, write, rw, randread, randwrite, randrw, trim, randtrim";
            settings.refuse("rw", format!("not one of {ways}"), "give one of them");
            return None;
        }
    };
    let hole = match behind {
        None => 0,
        Some(add) if add.starts_with('-') => {
            let reason = "a stride goes forward: no I/O begins before the end of the last one";
            settings.refuse("rw", reason, "use rw=read, or rw=randread");
            return None;
        }
        Some("1") if random => 0,
        Some(_) if random => {
            let reason = "each random I/O has its own offset, never several in sequence";
            settings.refuse("rw", reason, "leave the number out, or use percentage_random");
            return None;
        }
        Some(add) => settings.read("rw", |_| settings.bytes(add))?,
    };
    let way = match (way, settings.last_of(&["rwmixread", "rwmixwrite"])) {
        (JobDirection::Mixed(_), Some(name)) => {
            let share = settings.number(name, 0..=100)? as u32;
            match if name == "rwmixread" { share } else { 100 - share } {
                0 => JobDirection::Write,
                100 => JobDirection::Read,
                reads => JobDirection::Mixed(reads),
            }
        }
        (way, _) => way,
    };
    Some((way, random, hole))
}

fn percentage_random(settings: &JobSettings) -> Option<u32> {
    settings.read("percentage_random", |text| {
        let each = PerDirection::parse(text, |text| match text.parse::<u32>() {
            Ok(percent) if percent <= 100 => Ok(percent),
            _ => Err(WrongValue::Other("possible are 0 to 100")),
        })?;
        match (each.read, each.write) {
            (Some(read), Some(write)) if read == write => Ok(read),
            _ => Err(WrongValue::Other("reads and writes cannot have different shares of random I/O")),
        }
    })
}
