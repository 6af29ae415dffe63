//! One job as it is understood: all that its settings say, in our units.

use super::files::{self, Files};
use super::number::Size;
use super::options::{self, EngineRule};
use super::settings::Settings;
use super::shape::{Random, Shape, Way};
use diskspd_model::engines::EngineKind;
use diskspd_model::profile::{ContentShape, IoPriority, Throughput};

/// A job.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// How many threads do the same.
    pub(super) clones: u32,
    /// Which engine does it.
    pub(super) engine: EngineKind,
    /// Outstanding I/Os of each thread.
    pub(super) depth: u32,
    /// What the I/Os are.
    pub(super) shape: Shape,
    /// Which files, and which part of each.
    pub(super) files: Files,
    /// The page cache is bypassed.
    pub(super) direct: bool,
    /// Writes go through to the medium.
    pub(super) write_through: bool,
    /// The kernel is told whether I/O is random or sequential.
    pub(super) hints: bool,
    /// Large pages for buffers.
    pub(super) large_pages: bool,
    /// What is written.
    pub(super) content: Content,
    /// Limit of each thread.
    pub(super) throughput: Option<Throughput>,
    /// I/Os of a thread between two pauses, and those, ms.
    pub(super) pause: Option<(u32, u32)>,
    /// I/O priority.
    pub(super) priority: IoPriority,
    /// CPUs of its threads; empty = any.
    pub(super) cpus: Vec<u8>,
    /// How long it is measured, s; `None` = until it is done.
    pub(super) runtime_s: Option<u32>,
    /// It goes on until that time is over, however much it has done.
    pub(super) time_based: bool,
    /// Warm-up, s.
    pub(super) warmup_s: u32,
    /// When it starts, us after the others.
    pub(super) start_delay_us: u64,
    /// How often it does everything.
    pub(super) loops: u64,
    /// What each thread does before it ends: bytes, or a part of its area.
    pub(super) amount: Option<Size>,
    /// And at most so many I/Os.
    pub(super) number_ios: Option<u64>,
    /// Seed.
    pub(super) seed: u32,
    /// It begins when all jobs before it have ended.
    pub(super) stonewall: bool,
    /// It begins when this job has ended.
    pub(super) wait_for: Option<String>,
    /// What holds for the whole run.
    pub(super) run: OfRun,
}

/// What a job asks for that is one for all jobs of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OfRun {
    /// Flush after so many writes.
    pub(super) fsync_every: Option<u32>,
    /// Flush at the end.
    pub(super) flush_after: bool,
    /// Verify what is written.
    pub(super) verify: bool,
    /// Read it back afterwards.
    pub(super) read_back: bool,
    /// Poll for completions.
    pub(super) poll: bool,
    /// I/Os per second of each thread, at random times.
    pub(super) poisson: Option<u64>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Random bytes, the same buffer again and again at another place.
    Usual,
    /// Zeros.
    Zeros,
    /// Made for each I/O.
    Made(ContentShape),
}

impl Job {
    /// What a job's settings say; `None` = something of it was refused.
    pub(super) fn of(settings: &Settings) -> Option<Job> {
        // All of them are read before one is missed, so that everything that is wrong is told.
        let (engine, shape, files) = (engine(settings), Shape::of(settings), files::of(settings));
        let (engine, shape, files) = (engine?, shape?, files?);
        let clones = settings.number("numjobs", 1..=4096).unwrap_or(1) as u32;
        let depth = settings.number("iodepth", 1..=65_536).unwrap_or(1) as u32;
        let depth = if engine.is_synchronous() { 1 } else { depth };
        let (throughput, poisson) = rate(settings, &shape)?;
        let direct = settings.switch("direct");
        let buffered = settings.switch("buffered").map(|buffered| !buffered);
        let last = settings.last_of(&["direct", "buffered"]);
        let direct = if last == Some("buffered") { buffered } else { direct };
        let job = Job {
            clones,
            engine,
            depth,
            files,
            direct: direct.unwrap_or(false),
            write_through: write_through(settings)?,
            hints: hints(settings)?,
            large_pages: large_pages(settings)?,
            content: content(settings)?,
            throughput,
            pause: pause(settings)?,
            priority: priority(settings)?,
            cpus: cpus(settings)?,
            runtime_s: seconds(settings, "runtime").filter(|seconds| *seconds > 0),
            time_based: settings.is_on("time_based"),
            warmup_s: seconds(settings, "ramp_time").unwrap_or(0),
            start_delay_us: start_delay(settings)?,
            loops: settings.number("loops", 1..=1_000_000_000).unwrap_or(1),
            amount: settings.size("io_size"),
            number_ios: settings.number("number_ios", 1..=u64::MAX),
            seed: settings.number("randseed", 0..=u64::MAX).map_or(0, |seed| seed as u32),
            stonewall: settings.is_on("stonewall"),
            wait_for: settings.text("wait_for").map(str::to_owned),
            run: of_run(settings, &shape, poisson)?,
            shape,
        };
        job.tell(settings);
        job.fits(settings).then_some(job)
    }

    /// What is known to differ.
    fn tell(&self, settings: &Settings) {
        let cached = !self.direct && self.engine.row().needs_files;
        if cached && settings.switch("invalidate") != Some(false) {
            settings.tell(
                "invalidate (1 by default)",
                "what is in the page cache is not dropped before the run: what is cached is told behind it",
            );
        }
        if self.has_writes() && self.content == Content::Usual && !self.run.verify {
            settings.tell(
                "scramble_buffers (1 by default)",
                "writes carry random bytes too, but from places of a larger buffer, or made anew",
            );
        }
        if self.time_based && self.runtime_s.is_none() {
            settings
                .tell("time_based", "the job has no runtime: it ends by its size, as in fio, which warns");
        }
        if self.pause.is_some() && self.depth > 1 {
            settings.tell("thinktime", "a pause begins when the I/Os of the burst were submitted");
        }
    }

    /// What can't go together.
    fn fits(&self, settings: &Settings) -> bool {
        if self.engine == EngineKind::Aio && self.shape.way == Way::Trim {
            settings.refuse(
                "ioengine",
                "Linux AIO has no discards, and fio does them beside it, one by one",
                "use ioengine=io_uring or psync",
            );
            return false;
        }
        if self.engine == EngineKind::Mmap && (self.direct || self.shape.way == Way::Trim) {
            settings.refuse("ioengine", "mapped files are cached, and are not trimmed", "use ioengine=psync");
            return false;
        }
        true
    }

    /// Whether any of its I/Os write.
    pub(super) fn has_writes(&self) -> bool {
        matches!(self.shape.way, Way::Write | Way::Mixed(_))
    }
}

fn engine(settings: &Settings) -> Option<EngineKind> {
    let name = settings.text("ioengine").unwrap_or("psync");
    match options::engine(name) {
        Some(EngineRule::Is(kind)) => Some(kind),
        Some(EngineRule::Near(kind, what)) => {
            settings.tell("ioengine", format!("{name}: {what}"));
            Some(kind)
        }
        Some(EngineRule::Refused(reason)) => {
            settings.refuse("ioengine", reason, "docs/fio-jobs.md has the engines that there are");
            None
        }
        None => {
            settings.refuse("ioengine", "fio's engine is unknown here", "use libaio, io_uring or psync");
            None
        }
    }
}

/// Whole seconds of a time, rounded up.
fn seconds(settings: &Settings, name: &'static str) -> Option<u32> {
    let micros = settings.micros(name)?;
    let seconds = micros.div_ceil(1_000_000);
    if !micros.is_multiple_of(1_000_000) {
        settings.tell(name, format!("times are whole seconds: {seconds} s"));
    }
    match u32::try_from(seconds) {
        Ok(seconds) => Some(seconds),
        Err(_) => {
            settings.refuse(name, "the time is too long", "give at most 136 years");
            None
        }
    }
}

fn start_delay(settings: &Settings) -> Option<u64> {
    if settings.text("startdelay").is_some_and(|text| text.contains('-')) {
        settings.refuse("startdelay", "the delay can't be drawn", "give one time");
        return None;
    }
    Some(settings.micros("startdelay").unwrap_or(0))
}

fn write_through(settings: &Settings) -> Option<bool> {
    match settings.text("sync") {
        None | Some("none" | "0") => Some(false),
        Some("dsync") => Some(true),
        Some("sync" | "1" | "") => {
            settings
                .tell("sync", "writes are durable with their data (O_DSYNC), not with all metadata (O_SYNC)");
            Some(true)
        }
        Some(_) => {
            settings.refuse("sync", "possible are none, dsync and sync", "give one of them");
            None
        }
    }
}

fn hints(settings: &Settings) -> Option<bool> {
    match settings.text("fadvise_hint") {
        None | Some("1" | "") => Some(true),
        Some("0" | "none") => Some(false),
        Some(_) => {
            settings.refuse("fadvise_hint", "the hint follows from rw, or there is none", "give 1 or 0");
            None
        }
    }
}

fn large_pages(settings: &Settings) -> Option<bool> {
    match settings.text("mem") {
        None | Some("malloc" | "mmap") => Some(false),
        Some("mmaphuge" | "shmhuge") => Some(true),
        Some(_) => {
            settings.refuse("mem", "buffers are the program's own memory", "use malloc, or mmaphuge");
            None
        }
    }
}

fn content(settings: &Settings) -> Option<Content> {
    let percent = |name| settings.number(name, 0..=100).filter(|percent| *percent > 0);
    let (compress, dedupe) = (percent("buffer_compress_percentage"), percent("dedupe_percentage"));
    if settings.is_on("zero_buffers") || compress == Some(100) {
        return Some(Content::Zeros);
    }
    if let Some(pattern) = settings.text("buffer_pattern") {
        let digits = pattern.trim_start_matches("0x");
        if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') && compress.is_none() {
            return Some(Content::Zeros);
        }
        let reason = "writes can't repeat a pattern of one's own";
        settings.refuse("buffer_pattern", reason, "use zero_buffers, or -Z<size>,<file> of diskspd");
        return None;
    }
    let [compress, dedupe] = [compress, dedupe].map(|share| share.unwrap_or(0).min(99) as u32);
    if dedupe > 0 {
        settings.tell("dedupe_percentage", "duplicates are units of 4 KiB that the same thread wrote before");
    }
    let made = compress > 0 || dedupe > 0 || settings.is_on("refill_buffers");
    Some(if made { Content::Made(ContentShape { compress, dedupe }) } else { Content::Usual })
}

/// Limit of each thread, or its I/Os per second at random times.
fn rate(settings: &Settings, shape: &Shape) -> Option<(Option<Throughput>, Option<u64>)> {
    let Some(name) = settings.last_of(&["rate", "rate_iops"]) else { return Some((None, None)) };
    let each = settings.read(name, |text| {
        super::each::Each::<Option<u64>>::parse(text, |text| {
            settings.bytes(text).map_err(|error| error.to_string())
        })
    })?;
    if [each.read, each.write, each.trim].iter().all(|limit| limit.unwrap_or(0) == 0) {
        return Some((None, None));
    }
    let limit = match shape.way {
        Way::Read => each.read,
        Way::Write => each.write,
        Way::Trim => each.trim,
        Way::Mixed(_) => {
            let reason = "fio limits reads and writes each, and lets the limits change their shares; -g limits both \
                          together";
            settings.refuse(name, reason, "use two jobs, one that reads and one that writes");
            return None;
        }
    };
    let Some(limit) = limit.filter(|limit| *limit > 0) else { return Some((None, None)) };
    let poisson = match settings.text("rate_process") {
        None | Some("linear") => false,
        Some("poisson") => true,
        Some(_) => {
            settings.refuse("rate_process", "possible are linear and poisson", "give one of them");
            return None;
        }
    };
    if name == "rate_iops" {
        return match (u32::try_from(limit), poisson) {
            (_, true) => Some((None, Some(limit))),
            (Ok(limit), false) => Some((Some(Throughput::Iops(limit)), None)),
            (Err(_), false) => {
                settings.refuse(name, "the rate is too high to be kept", "leave it out");
                None
            }
        };
    }
    let mixed = [&shape.sizes.read, &shape.sizes.write].iter().any(|sizes| sizes.len() > 1);
    let per_ms = (limit + 500) / 1000;
    let off = (per_ms * 1000).abs_diff(limit) as f64 / limit as f64;
    match u32::try_from(per_ms) {
        Ok(per_ms) if off <= 0.005 && !mixed && !poisson => {
            if off > 0.0 {
                settings.tell("rate", format!("rates are whole bytes per ms: {} B/s", per_ms * 1000));
            }
            Some((Some(Throughput::BytesPerMillisecond(per_ms)), None))
        }
        _ => {
            let reason = "a rate in bytes is whole bytes per millisecond, for blocks of one size, evenly";
            settings.refuse(name, reason, "use rate_iops");
            None
        }
    }
}

/// I/Os of a thread between two pauses, and those, ms.
fn pause(settings: &Settings) -> Option<Option<(u32, u32)>> {
    let Some(micros) = settings.micros("thinktime").filter(|micros| *micros > 0) else { return Some(None) };
    let blocks = settings.number("thinktime_blocks", 1..=u64::from(u32::MAX)).unwrap_or(1) as u32;
    let after_issue = settings.text("thinktime_blocks_type") == Some("issue");
    match u32::try_from(micros / 1000) {
        Ok(ms) if micros.is_multiple_of(1000) && !after_issue => Some(Some((blocks, ms))),
        _ => {
            let reason = "pauses are whole milliseconds, behind I/Os that have completed";
            settings.refuse("thinktime", reason, "give whole milliseconds, such as thinktime=2ms");
            None
        }
    }
}

fn priority(settings: &Settings) -> Option<IoPriority> {
    match settings.number("prioclass", 0..=3) {
        None | Some(0) => Some(IoPriority::Normal),
        Some(3) => Some(IoPriority::VeryLow),
        Some(_) => {
            settings.refuse(
                "prioclass",
                "there is the usual class and the idle one",
                "leave it out, or give 3",
            );
            None
        }
    }
}

/// The CPUs of a list such as `0-3,8`.
fn cpus(settings: &Settings) -> Option<Vec<u8>> {
    if !settings.has("cpus_allowed") {
        return Some(Vec::new());
    }
    let cpus = settings.read("cpus_allowed", |text| {
        let mut cpus = Vec::new();
        for part in text.split([',', ':']) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let cpu = |text: &str| text.trim().parse::<u8>().map_err(|_| "CPUs are numbers from 0 to 63");
            cpus.extend(cpu(first)?..=cpu(last)?);
        }
        match cpus.iter().all(|cpu| *cpu < 64) && !cpus.is_empty() {
            true => Ok(cpus),
            false => Err("CPUs are numbers from 0 to 63"),
        }
    })?;
    if settings.text("cpus_allowed_policy") != Some("split") && cpus.len() > 1 {
        settings.tell("cpus_allowed", "each thread is bound to one of these CPUs, in turn");
    }
    Some(cpus)
}

fn of_run(settings: &Settings, shape: &Shape, poisson: Option<u64>) -> Option<OfRun> {
    let writes = matches!(shape.way, Way::Write | Way::Mixed(_));
    let every = |name| settings.number(name, 0..=u64::from(u32::MAX)).filter(|every| *every > 0);
    let (fsync, fdatasync) = (every("fsync"), every("fdatasync"));
    if fsync.is_some() && fdatasync.is_some() {
        settings.refuse("fsync", "there is one kind of flush", "give fsync or fdatasync");
        return None;
    }
    if writes && fsync.is_some() {
        settings.tell("fsync", "flushes make data durable (fdatasync), not all metadata");
    }
    let flush_after = settings.is_on("end_fsync") || settings.is_on("fsync_on_close");
    if writes && flush_after {
        settings.tell("end_fsync", "the flush comes behind the time span, and is timed by itself");
    }
    let verify = match settings.text("verify") {
        None | Some("none" | "null" | "0") => false,
        Some("pattern" | "pattern_hdr" | "read") => {
            settings.refuse("verify", "sectors hold stamps, not a pattern", "use verify=crc32c");
            return None;
        }
        Some(_) if writes => {
            let what = "each sector gets a stamp of our own with a CRC-32C (docs/integrity.md)";
            settings.tell("verify", what);
            true
        }
        Some(_) => {
            let reason = "fio's headers can't be read back";
            settings.refuse("verify", reason, "write with diskspd --verify, and read with --verify=read");
            return None;
        }
    };
    if verify && !matches!(shape.random.write, Random::Uniform) {
        settings.tell("verify", "blocks that were never written are no alarm");
    }
    let read_back = verify && settings.switch("do_verify") != Some(false);
    let fsync_every = fsync.or(fdatasync).filter(|_| writes).map(|every| every as u32);
    let (flush_after, poll) = (flush_after && writes, settings.is_on("hipri"));
    Some(OfRun { fsync_every, flush_after, verify, read_back, poll, poisson })
}
