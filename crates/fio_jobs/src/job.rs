//! One parsed job: its settings in this program's units.

use super::access::{self, JobContent};
use super::files::{self, Files};
use super::number::FioSize;
use super::options::{self, EngineRule};
use super::pace;
use super::run_settings::{self, RunSettings};
use super::settings::JobSettings;
use super::shape::{JobDirection, JobShape};
use super::surroundings::HostContext;
use diskspd_base::engines::EngineKind;
use diskspd_profile::{IoPriority, Throughput, WriteLifetime};

/// Smallest buffer in bytes that may use huge pages (as in `plan/buffers.rs`).
const HUGE_FROM: u64 = 64 << 10;

#[derive(Debug, Clone)]
pub(super) struct RequestedJob {
    /// Number of threads with the same work.
    pub(super) clones: u32,
    pub(super) engine: EngineKind,
    /// Outstanding I/Os of each thread.
    pub(super) depth: u32,
    pub(super) shape: JobShape,
    pub(super) files: Files,
    pub(super) direct: bool,
    pub(super) write_through: bool,
    pub(super) atomic: bool,
    pub(super) dont_cache: bool,
    pub(super) ends_all: bool,
    pub(super) hints: bool,
    pub(super) large_pages: bool,
    pub(super) content: JobContent,
    pub(super) throughput: Option<Throughput>,
    /// I/Os of a thread between two pauses, and the length of a pause in ms.
    pub(super) pause: Option<(u32, u32)>,
    pub(super) priority: IoPriority,
    /// CPUs of its threads; empty = any.
    pub(super) cpus: Vec<u8>,
    pub(super) write_hint: Option<WriteLifetime>,
    /// Whether the job uses the zones of a device.
    pub(super) zoned: bool,
    /// Measured time in s; `None` = until its I/O is complete.
    pub(super) runtime_s: Option<u32>,
    /// Whether the job continues until its time limit, regardless of completed work.
    pub(super) time_based: bool,
    pub(super) warmup_s: u32,
    pub(super) start_delay_us: u64,
    pub(super) loops: u64,
    /// Work of each thread before it ends: bytes, or a part of its area.
    pub(super) amount: Option<FioSize>,
    pub(super) number_ios: Option<u64>,
    pub(super) seed: u32,
    /// Whether the job starts after the end of all earlier jobs.
    pub(super) stonewall: bool,
    /// Name of the job that must end first.
    pub(super) wait_for: Option<String>,
    pub(super) run: RunSettings,
}

impl RequestedJob {
    pub(super) fn from_settings(settings: &JobSettings, around: &dyn HostContext) -> Option<RequestedJob> {
        // All settings are read before a missing one is reported, so that every error is reported.
        let (engine, shape, files) =
            (engine_kind(settings), JobShape::from_settings(settings), files::from_settings(settings));
        let (engine, mut shape, files) = (engine?, shape?, files?);
        let clones = settings.number("numjobs", 1..=4096).unwrap_or(1) as u32;
        let depth = settings.number("iodepth", 1..=65_536).unwrap_or(1) as u32;
        let depth = if engine.is_synchronous() { 1 } else { depth };
        let rate = pace::rate(settings, &shape)?;
        if let Some(reads) = rate.reads {
            shape.way = JobDirection::Mixed(reads);
        }
        let direct = settings.switch("direct");
        let buffered = settings.switch("buffered").map(|buffered| !buffered);
        let last = settings.last_of(&["direct", "buffered"]);
        let direct = if last == Some("buffered") { buffered } else { direct };
        let mut job = RequestedJob {
            clones,
            engine,
            depth,
            files,
            // NVMe commands never use the page cache.
            direct: direct.unwrap_or(false) || engine == EngineKind::Nvme,
            write_through: access::write_through(settings)? | settings.is_on("writefua"),
            atomic: settings.is_on("atomic"),
            dont_cache: settings.is_on("uncached"),
            ends_all: settings.is_on("exitall"),
            hints: access::hints(settings)?,
            large_pages: access::large_pages(settings)?,
            content: access::content(settings)?,
            throughput: rate.limit,
            pause: pace::pause(settings)?,
            priority: access::priority(settings)?,
            cpus: access::cpus(settings, around)?,
            write_hint: access::write_hint(settings)?,
            zoned: access::zoned(settings)?,
            runtime_s: whole_seconds(settings, "runtime").filter(|seconds| *seconds > 0),
            time_based: settings.is_on("time_based"),
            warmup_s: whole_seconds(settings, "ramp_time").unwrap_or(0),
            start_delay_us: start_delay(settings)?,
            // 0 is as if they weren't given.
            loops: settings.number("loops", 0..=1_000_000_000).unwrap_or(1).max(1),
            amount: settings.size("io_size").filter(|size| *size != FioSize::Bytes(0)),
            number_ios: settings.number("number_ios", 0..=u64::MAX).filter(|ios| *ios > 0),
            seed: settings.number("randseed", 0..=u64::MAX).map_or(0, |seed| seed as u32),
            stonewall: settings.is_on("stonewall"),
            wait_for: settings.text("wait_for").map(str::to_owned),
            run: run_settings::of_run(settings, &shape, rate.poisson)?,
            shape,
        };
        // A zone's write pointer determines the next position.
        job.shape.each_once &= !job.zoned;
        job.report_settings(settings);
        job.fits_settings(settings).then_some(job)
    }

    fn report_settings(&self, settings: &JobSettings) {
        let cached = !self.direct && self.engine.row().needs_files;
        if cached && settings.switch("invalidate") != Some(false) {
            settings.add_note(
                "invalidate (1 by default)",
                "the page cache is not dropped before the run; the verdict says if the cache served it",
            );
        }
        if self.has_writes() && !self.run.verify {
            match self.content {
                JobContent::Usual => settings.add_note(
                    "scramble_buffers (1 by default)",
                    "writes are also random bytes, taken from random places of a larger buffer; fio changes \
                     its buffer before each write, which takes CPU time that is not needed here",
                ),
                JobContent::Fixed => settings.add_note(
                    "scramble_buffers",
                    "writes are random bytes from random places of one buffer as large as all buffers in \
                     fio",
                ),
                JobContent::Zeros | JobContent::Made(_) => {}
            }
        }
        if self.time_based && self.runtime_s.is_none() {
            settings.add_note(
                "time_based",
                "the job has no runtime: it ends by its size, as in fio, which warns",
            );
        }
        if self.pause.is_some() && self.clones > 1 && self.files.are_the_same_for_all() {
            settings.add_note("thinktime", "-i counts the I/Os of all threads between two pauses");
        }
        if self.pause.is_some() && self.depth > 1 {
            settings.add_note("thinktime", "a pause starts when the burst has been submitted, not completed");
        }
    }

    /// Whether the buffer of a thread is large enough for huge pages, which fio does not request on its
    /// own.
    pub(super) fn has_large_buffer(&self) -> bool {
        let bytes = u64::from(self.shape.largest()).saturating_mul(self.depth.into());
        self.engine.row().needs_files && !self.large_pages && bytes >= HUGE_FROM
    }

    fn fits_settings(&self, settings: &JobSettings) -> bool {
        if self.engine == EngineKind::Aio && self.shape.way == JobDirection::Trim {
            settings.refuse(
                "ioengine",
                "Linux AIO has no discards, and fio does them outside of it, one by one",
                "use ioengine=io_uring or psync",
            );
            return false;
        }
        if self.engine == EngineKind::Mmap && (self.direct || self.shape.way == JobDirection::Trim) {
            settings.refuse("ioengine", "mapped files are cached, and are not trimmed", "use ioengine=psync");
            return false;
        }
        self.commands_fit(settings) && self.zones_fit(settings) && self.ways_fit(settings)
    }

    fn commands_fit(&self, settings: &JobSettings) -> bool {
        if self.engine != EngineKind::Nvme {
            let asked = settings.is_on("writefua");
            if asked {
                settings.refuse("writefua", "applies only to NVMe passthrough commands", "use sync=dsync");
            }
            return !asked;
        }
        let kind = settings.text("cmd_type").unwrap_or("nvme");
        let rules = [
            (kind != "nvme", "cmd_type", "commands are NVMe commands", "use cmd_type=nvme, and /dev/ng0n1"),
            (
                self.run.verify,
                "verify",
                "verification reads and writes without NVMe commands",
                "leave it out, or name the block device, with ioengine=io_uring",
            ),
            (
                self.run.flush_after && self.has_writes(),
                "end_fsync",
                "the flush at the end is done without NVMe commands",
                "leave it out, or name the block device, with ioengine=io_uring",
            ),
            (
                self.priority != IoPriority::Normal,
                "prioclass",
                "NVMe commands bypass the I/O scheduler",
                "leave it out",
            ),
        ];
        let broken = rules.into_iter().filter(|(broken, ..)| *broken);
        broken.map(|(_, option, reason, remedy)| settings.refuse(option, reason, remedy)).count() == 0
    }

    fn ways_fit(&self, settings: &JobSettings) -> bool {
        let asks_kernel = matches!(self.engine, EngineKind::Aio | EngineKind::Uring | EngineKind::Sync);
        let atomic = self.atomic && self.has_writes();
        let is_timed = self.time_based && self.runtime_s.is_some();
        let rules = [
            (
                atomic && (!asks_kernel || !self.direct),
                "atomic",
                "atomic writes bypass the page cache, by libaio, io_uring or pvsync2",
                "use direct=1 and one of them",
            ),
            (
                atomic && self.shape.has_several_sizes(),
                "atomic",
                "atomic writes are verified and checked for one block size",
                "give one bs",
            ),
            (
                self.number_ios.is_some() && !is_timed && self.shape.shortens(),
                "number_ios",
                "I/Os end before a block that an earlier I/O accessed, so the total size of this number of \
                 I/Os is unknown",
                "give size or io_size, or add norandommap=1",
            ),
            (
                self.dont_cache && !self.direct && !asks_kernel,
                "uncached",
                "only libaio, io_uring and pvsync2 can ask for it",
                "use one of them",
            ),
        ];
        let broken = rules.into_iter().filter(|(broken, ..)| *broken);
        broken.map(|(_, option, reason, remedy)| settings.refuse(option, reason, remedy)).count() == 0
    }

    pub(super) fn has_writes(&self) -> bool {
        matches!(self.shape.way, JobDirection::Write | JobDirection::Mixed(_))
    }
}

fn engine_kind(settings: &JobSettings) -> Option<EngineKind> {
    let name = settings.text("ioengine").unwrap_or("psync");
    match options::engine(name) {
        Some(EngineRule::Is(kind)) => Some(kind),
        Some(EngineRule::Near(kind, what)) => {
            settings.add_note("ioengine", format!("{name}: {what}"));
            Some(kind)
        }
        Some(EngineRule::Refused(reason)) => {
            settings.refuse("ioengine", reason, "docs/reference/fio-jobs.md has the engines that there are");
            None
        }
        None => {
            settings.refuse("ioengine", "fio's engine is unknown here", "use libaio, io_uring or psync");
            None
        }
    }
}

/// Returns a time in whole seconds, rounded up.
fn whole_seconds(settings: &JobSettings, name: &'static str) -> Option<u32> {
    let micros = settings.micros(name)?;
    let seconds = micros.div_ceil(1_000_000);
    if !micros.is_multiple_of(1_000_000) {
        settings.add_note(name, format!("times are whole seconds: {seconds} s"));
    }
    match u32::try_from(seconds) {
        Ok(seconds) => Some(seconds),
        Err(_) => {
            settings.refuse(name, "the time is too long", "give at most 136 years");
            None
        }
    }
}

fn start_delay(settings: &JobSettings) -> Option<u64> {
    if settings.text("startdelay").is_some_and(|text| text.contains('-')) {
        settings.refuse("startdelay", "the delay cannot be drawn", "give one time");
        return None;
    }
    Some(settings.micros("startdelay").unwrap_or(0))
}
