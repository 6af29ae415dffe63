//! `--prefill` writes the unwritten parts before the run, so that reads reach the device and writes need no
//! new space.

use crate::files::content;
use crate::files::crew;
use crate::located::SpanTargets;
use crate::options::Options;
use diskspd_base::access::OpenMode;
use diskspd_base::message_error::MessageError;
use diskspd_figures::units::Size;
use diskspd_host::claims::Claims;
use diskspd_host::content::{Order, sample_content};
use diskspd_machine::content::ContentFacts;
use diskspd_plan::SpanPlan;
use diskspd_plan::workload::{Random, payload};
use diskspd_profile::Prefill;
use diskspd_sys::anchor::Location;
use diskspd_sys::extents::{PieceKind, each_piece};
use diskspd_sys::files;
use diskspd_sys::memory::Buffer;
use diskspd_sys::{free_space, inode, page_cache, positioned, writeback};
use diskspd_worker::{Control, RunReporter};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Block devices that an earlier time span of the run filled.
pub(crate) type PrefilledDevices = RefCell<HashSet<PathBuf>>;

const CHUNK: u64 = 1 << 20;
const THREADS: usize = 4;
/// Time limit of the check for an empty device, in ns.
const MAX_CHECK_TIME: u64 = 300_000_000;

/// Fills the targets: the unwritten parts of regular files, and with `--destroy` the used part of block
/// devices.
///
/// # Errors Which target can't be filled, and why. Also when the user interrupted.
pub(crate) fn prefill(
    plan: &SpanPlan,
    located: &SpanTargets,
    claims: &Claims,
    done: &PrefilledDevices,
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), MessageError> {
    let Some(content) = options.run_options.prefill.filter(|_| !options.run_options.simulated()) else {
        return Ok(());
    };
    for order in content::orders(plan, located, |_| true) {
        let parts = match files::kind(&order.located).map_err(|error| error.to_string())? {
            inode::Kind::BlockDevice => device_parts(&order, content, options, done)?,
            _ => file_parts(&order)?,
        };
        let total: u64 = parts.iter().map(|(from, to)| to - from).sum();
        if total > 0 {
            voice.note(&format!("'{}': --prefill writes {:#}", order.path, Size(total)));
            Filling { order: &order, content, parts, total, control, voice }.write(claims)?;
            voice.clear_line();
        }
    }
    Ok(())
}

/// Returns the part to fill, if the run fills the device.
fn device_parts(
    order: &Order,
    content: Prefill,
    options: &Options,
    done: &PrefilledDevices,
) -> Result<Vec<(u64, u64)>, MessageError> {
    if done.borrow().contains(order.located.name()) {
        return Ok(Vec::new());
    }
    if content == Prefill::Auto
        && !sample_content(order, MAX_CHECK_TIME).is_some_and(|facts| is_empty(&facts))
    {
        return Ok(Vec::new());
    }
    if !options.destroy {
        return Err(needs_destroy(order).into());
    }
    done.borrow_mut().insert(order.located.name().to_owned());
    Ok(vec![(order.from, order.to)])
}

fn needs_destroy(order: &Order) -> String {
    format!(
        "'{}' is a block device: --prefill would overwrite {:#} of it; pass --destroy to allow it",
        order.path,
        Size(order.to - order.from)
    )
}

/// Returns a message for each device that would be rejected. The effect of `auto` is unknown before the
/// device is inspected.
pub(crate) fn refusals(plan: &SpanPlan, located: &SpanTargets, options: &Options) -> Vec<String> {
    if options.destroy || matches!(options.run_options.prefill, None | Some(Prefill::Auto)) {
        return Vec::new();
    }
    let is_device =
        |order: &Order| files::kind(&order.located).is_ok_and(|kind| kind == inode::Kind::BlockDevice);
    content::orders(plan, located, |_| true)
        .iter()
        .filter(|order| is_device(order))
        .map(needs_destroy)
        .collect()
}

fn is_empty(facts: &ContentFacts) -> bool {
    match (facts.sample, facts.space) {
        (Some(sample), _) => sample.zeros == sample.blocks && sample.unwritten_zeros == sample.unwritten,
        // A loop device on a file that is one hole: there is no block to be read.
        (None, Some(space)) => space.examined > 0 && space.holes == space.examined,
        (None, None) => false,
    }
}

/// Returns the parts of a file that were never written.
fn file_parts(order: &Order) -> Result<Vec<(u64, u64)>, MessageError> {
    let fail = |doing| move |error: io::Error| kernel_error(order, doing, &error);
    let file = File::open(order.located.access_path()).map_err(fail("inspect the file"))?;
    let found = file.metadata().map_err(fail("inspect the file"))?;
    let size = found.len();
    let (mut parts, mut missing): (Vec<(u64, u64)>, u64) = (Vec::new(), 0);
    // With what is in memory written first: nothing that is there may be written over.
    each_piece(&file, 0, size, true, &mut |piece| {
        missing += if piece.kind == PieceKind::Hole { piece.to - piece.from } else { 0 };
        if matches!(piece.kind, PieceKind::Hole | PieceKind::Unwritten) {
            match parts.last_mut().filter(|last| last.1 == piece.from) {
                Some(last) => last.1 = piece.to,
                None => parts.push((piece.from, piece.to)),
            }
        }
        true
    })
    .map_err(fail("determine what was written"))?;
    // The superuser could write it all the same.
    if !parts.is_empty() && found.permissions().readonly() {
        return Err(format!(
            "'{}' is read-only, so --prefill cannot fill it: make it writable (chmod u+w), or leave out \
             --prefill",
            order.path
        )
        .into());
    }
    let free = free_space::space_of_file(&file).and_then(|room| room.ours).unwrap_or(u64::MAX);
    match missing > free {
        true => Err(full_error(order, missing, free).into()),
        false => Ok(parts),
    }
}

fn kernel_error(order: &Order, doing: &str, error: &io::Error) -> String {
    format!("'{}': --prefill cannot {doing}: {error}", order.path)
}

/// `free` = free bytes before the fill.
fn full_error(order: &Order, needed: u64, free: u64) -> String {
    format!(
        "'{}': --prefill: the file system is full: the holes need {:#}, {:#} were free; free some space, or \
         leave out --prefill",
        order.path,
        Size(needed),
        Size(free)
    )
}

struct Filling<'a> {
    order: &'a Order,
    content: Prefill,
    parts: Vec<(u64, u64)>,
    total: u64,
    control: &'a Control,
    voice: &'a RunReporter,
}

struct PrefillShared<'a> {
    cached: File,
    /// File opened with `O_DIRECT`; `None` = not supported.
    direct: Option<File>,
    chunks: Vec<(u64, u64)>,
    next: AtomicUsize,
    done: AtomicU64,
    failed: AtomicBool,
    filling: &'a Filling<'a>,
    seed: u64,
}

impl Filling<'_> {
    fn write(&self, claims: &Claims) -> Result<(), MessageError> {
        let target = &self.order.located;
        let free = free_space::read_free_space(target.access_path()).and_then(|room| room.ours).unwrap_or(0);
        let open = |direct| -> Result<File, MessageError> {
            let mode = OpenMode { write: true, direct, ..OpenMode::default() };
            let opened = files::open(target, &mode).map_err(|error| format!("--prefill: {error}"))?;
            claims.permit(target.name(), &opened).map_err(|refusal| refusal.to_string())?;
            Ok(opened.file.into())
        };
        let shared = PrefillShared {
            cached: open(false)?,
            direct: if self.order.direct > 0 { open(true).ok() } else { None },
            chunks: self.parts.iter().flat_map(|&(from, to)| split_chunks(from, to)).collect(),
            next: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            filling: self,
            seed: diskspd_sys::clock::monotonic(),
        };
        let path = &self.order.path;
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::StorageFull => full_error(self.order, self.total, free),
            io::ErrorKind::QuotaExceeded => {
                format!("'{path}': --prefill: this user's disk quota is exhausted")
            }
            _ if error.raw_os_error().is_none() => format!("'{path}': --prefill: {error}"),
            _ => kernel_error(self.order, "write", &error),
        };
        shared.run().map_err(fail)?;
        if self.control.is_interrupted() {
            return Err(format!("'{path}': --prefill was interrupted").into());
        }
        shared.cached.sync_all().map_err(fail)?;
        // The run is to read from the device.
        page_cache::release(&shared.cached);
        Ok(())
    }
}

fn split_chunks(from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = move |begin: u64| ((begin / CHUNK + 1) * CHUNK).min(to);
    std::iter::successors(Some((from, end(from))), move |&(_, last)| (last < to).then(|| (last, end(last))))
}

impl PrefillShared<'_> {
    /// Writes all chunks with several threads while this one reports progress. The first error counts.
    fn run(&self) -> io::Result<()> {
        let Filling { order, total, voice, .. } = *self.filling;
        let name = order.path.to_string();
        let threads = self.chunks.len().min(THREADS) as u64;
        let report = || voice.draw_preparation(&name, self.done.load(Ordering::Relaxed), total);
        crew::work("prefill", threads, &self.failed, || self.run_thread(), report)
    }

    fn run_thread(&self) -> io::Result<()> {
        let mut buffer = Buffer::new(CHUNK as usize)?;
        let align = u64::from(self.filling.order.direct).max(512);
        while !self.failed.load(Ordering::Relaxed) && !self.filling.control.is_interrupted() {
            let Some(&(from, to)) = self.chunks.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some(bytes) = buffer.as_mut_slice().get_mut(..(to - from) as usize) else { break };
            fill(bytes, self.filling.content, from, self.seed);
            match &self.direct {
                Some(file) if from % align == 0 && to % align == 0 => {
                    positioned::write_all(file, bytes, from)?
                }
                _ => {
                    positioned::write_all(&self.cached, bytes, from)?;
                    // Memory full of dirty pages would stop everything at the end; where it can't be, the
                    // flush does all.
                    let _ = writeback::start(&self.cached, from, to - from);
                }
            }
            self.done.fetch_add(to - from, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn fill(bytes: &mut [u8], content: Prefill, offset: u64, seed: u64) {
    match content {
        Prefill::Zero => bytes.fill(0),
        Prefill::Pattern => payload::pattern(bytes, offset),
        Prefill::Auto | Prefill::Random => {
            Random::new(seed ^ offset.rotate_left(32)).fill_expanded(bytes);
            // A device may answer from nowhere what is zero, be it a sector or a smaller unit.
            bytes.iter_mut().for_each(|byte| *byte += u8::from(*byte == 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_host::located::ResolvedTargets;
    use diskspd_profile::TargetId;

    #[test]
    fn fill_chunks_cover_the_part_on_a_grid() {
        for (from, to) in [(0, CHUNK), (0, 3 * CHUNK), (4096, CHUNK + 100), (5, 6), (CHUNK - 1, CHUNK + 1)] {
            let chunks: Vec<_> = split_chunks(from, to).collect();
            assert_eq!((chunks.first().unwrap().0, chunks.last().unwrap().1), (from, to));
            assert!(chunks.windows(2).all(|pair| pair[0].1 == pair[1].0 && pair[0].1 % CHUNK == 0));
            assert!(chunks.iter().all(|(from, to)| to > from && to - from <= CHUNK));
        }
    }

    #[test]
    fn interruption_stops_prefill_and_is_reported() {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let location = directory.path().join("file");
        File::create(&location).unwrap().set_len(1 << 30).unwrap();
        let located = ResolvedTargets::default().resolve(&location).unwrap().unwrap();
        let order =
            Order { target: TargetId(0), path: "file".into(), located, from: 0, to: 1 << 30, direct: 4096 };
        let (control, voice) = (Control::default(), RunReporter::quiet());
        control.interrupt();
        let parts = file_parts(&order).unwrap();
        assert_eq!(parts, [(0, 1 << 30)]);
        let content = Prefill::Auto;
        let filling =
            Filling { order: &order, content, parts, total: 1 << 30, control: &control, voice: &voice };
        let error = filling.write(&Claims::default()).unwrap_err();
        assert!(error.to_string().ends_with("--prefill was interrupted"), "{error}");
        assert_eq!(file_parts(&order).unwrap(), [(0, 1 << 30)], "no data was written");
    }

    #[test]
    fn prefill_writes_the_requested_content() {
        let content = |content, offset| {
            let mut bytes = vec![9; 5000];
            fill(&mut bytes, content, offset, 1);
            bytes
        };
        assert!(content(Prefill::Zero, 0).iter().all(|byte| *byte == 0));
        assert_eq!(content(Prefill::Pattern, 300)[..3], [44, 45, 46]);
        for random in [Prefill::Auto, Prefill::Random] {
            let bytes = content(random, 0);
            assert!(bytes.iter().all(|byte| *byte != 0));
            assert!(diskspd_host::content::estimate::compressed_size(&bytes) > 4800);
            assert_ne!(bytes, content(random, CHUNK), "no two chunks are alike");
        }
    }
}
