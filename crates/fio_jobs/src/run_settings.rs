//! Job options that apply to the whole run: flushes, verification, polling.

use super::random::RandomAccess;
use super::settings::JobSettings;
use super::shape::{JobDirection, JobShape};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RunSettings {
    pub(super) fsync_every: Option<u32>,
    pub(super) flush_after: bool,
    pub(super) verify: bool,
    pub(super) read_back: bool,
    pub(super) poll: bool,
    /// I/Os per second of each thread at random times.
    pub(super) poisson: Option<u64>,
}

pub(super) fn of_run(settings: &JobSettings, shape: &JobShape, poisson: Option<u64>) -> Option<RunSettings> {
    let writes = matches!(shape.way, JobDirection::Write | JobDirection::Mixed(_));
    let every = |name| settings.number(name, 0..=u64::from(u32::MAX)).filter(|every| *every > 0);
    let (fsync, fdatasync) = (every("fsync"), every("fdatasync"));
    if fsync.is_some() && fdatasync.is_some() {
        settings.refuse("fsync", "all jobs flush the same way", "give fsync or fdatasync");
        return None;
    }
    if writes && fsync.is_some() {
        settings.add_note("fsync", "flushes make data durable (fdatasync), not all metadata");
    }
    let flush_after = settings.is_on("end_fsync") || settings.is_on("fsync_on_close");
    if writes && flush_after {
        settings.add_note("end_fsync", "the flush comes after the time span and is timed separately");
    }
    let verify = match settings.text("verify") {
        None | Some("none" | "null" | "0") => false,
        Some("pattern" | "pattern_hdr" | "read") => {
            settings.refuse("verify", "sectors carry verification stamps, no pattern", "use verify=crc32c");
            return None;
        }
        Some(_) if writes => {
            let what = "each sector gets this program's stamp with a CRC-32C (docs/reference/integrity.md)";
            settings.add_note("verify", what);
            true
        }
        Some(_) => {
            let reason = "fio's verification headers cannot be read back";
            settings.refuse("verify", reason, "write with diskspd --verify, and read with --verify=read");
            return None;
        }
    };
    if verify && !matches!(shape.random.write, RandomAccess::Uniform) {
        settings.add_note("verify", "never-written blocks count as unknown, not as errors");
    }
    let backlog = settings.number("verify_backlog", 0..=u64::MAX).is_some_and(|blocks| blocks > 0);
    if verify && backlog && settings.switch("do_verify") == Some(false) {
        settings.refuse("verify_backlog", "nothing would be read back at all", "leave out do_verify=0");
        return None;
    }
    let read_back = verify && settings.switch("do_verify") != Some(false);
    let fsync_every = fsync.or(fdatasync).filter(|_| writes).map(|every| every as u32);
    let (flush_after, poll) = (flush_after && writes, settings.is_on("hipri"));
    Some(RunSettings { fsync_every, flush_after, verify, read_back, poll, poisson })
}
