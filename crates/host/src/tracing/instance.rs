//! A separate buffer for recorded events: an instance of tracefs, created here and removed at the end.
//!
//! A killed program leaves its instance and its memory; the next program that creates one removes it.

use super::pages::PageLayout;
use super::refusal::TracingError;
use super::tracefs::Tracefs;
use crate::root::names;
use diskspd_machine::tracing::StampClock;
use diskspd_sys::clock::Nanos;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Recording<'a> {
    /// Tracepoints, named like `block/block_rq_issue`.
    pub tracepoints: &'a [&'a str],
    /// Kernel filter on their fields, shorter than a page.
    pub filter: &'a str,
    pub clock: StampClock,
    /// Kernel numbers of the CPUs whose events are read.
    pub cpus: &'a [u32],
    /// Size of a CPU's buffer in KiB: the preferred size, and the minimum if memory is short.
    pub kib: (u64, u64),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TakenEvents {
    pub buffers: u64,
    /// Whether events may be lost: some were overwritten, or a buffer was more than half full. Pages do
    /// not show later events without space.
    pub may_be_lost: bool,
}

#[derive(Debug)]
pub struct Instance {
    directory: PathBuf,
    layout: PageLayout,
    kib: u64,
    buffers: Vec<CpuBuffer>,
    _tracefs: Tracefs,
}

impl Instance {
    /// Creates an instance, after removing abandoned ones.
    ///
    /// # Errors
    /// Fails if it cannot be created; the error contains the remedy.
    pub fn open(tracefs: &Tracefs, recording: &Recording) -> Result<Instance, TracingError> {
        let all = tracefs.directory().join("instances");
        remove_abandoned(&all);
        let directory = make_instance(&all).map_err(|error| instance_refusal(&all, error))?;
        // From here on it is removed when anything fails.
        let mut instance = Instance {
            directory,
            layout: PageLayout::default(),
            kib: 0,
            buffers: Vec::new(),
            _tracefs: tracefs.clone(),
        };
        instance.set_up(recording)?;
        Ok(instance)
    }

    fn set_up(&mut self, recording: &Recording) -> Result<(), TracingError> {
        let set = |file: &str, value: &str| {
            self.set(file, value).map_err(|error| instance_refusal(&self.directory.join(file), error))
        };
        set("tracing_on", "0")?;
        set("trace_clock", recording.clock.trace_clock())?;
        // What doesn't fit is then counted as lost and leaves a gap, instead of replacing what wasn't read
        // yet.
        set("options/overwrite", "0")?;
        // The names of programs aren't read: keeping them would take time at every switch from one to
        // another. A kernel without the switch does without.
        let _ = self.set("trace_options", "norecord-cmd");
        let kib = self.set_size(recording.kib)?;
        self.narrow(recording.tracepoints, recording.filter)?;
        for tracepoint in recording.tracepoints {
            set(&format!("events/{tracepoint}/enable"), "1")?;
        }
        // The size of a page is a setting of the instance, too.
        let header = self.directory.join("events/header_page");
        let layout = in_one_piece(&header).map_err(|error| instance_refusal(&header, error))?;
        let unknown = || {
            instance_refusal(
                &header,
                io::Error::other(
                    "this program does not support its \
            format",
                ),
            )
        };
        self.layout = PageLayout::parse(&layout).ok_or_else(unknown)?;
        self.kib = kib;
        for cpu in recording.cpus {
            let directory = self.directory.join(format!("per_cpu/cpu{cpu}"));
            let buffer = CpuBuffer::open(&directory).map_err(|error| instance_refusal(&directory, error))?;
            self.buffers.push(buffer);
        }
        Ok(())
    }

    fn set_size(&self, (wanted, least): (u64, u64)) -> Result<u64, TracingError> {
        let file = "buffer_size_kb";
        let mut kib = wanted;
        loop {
            match self.set(file, &kib.to_string()) {
                Ok(()) => return Ok(kib),
                Err(error) if error.raw_os_error() == Some(libc::ENOMEM) && kib / 2 >= least => kib /= 2,
                Err(error) => return Err(instance_refusal(&self.directory.join(file), error)),
            }
        }
    }

    fn set(&self, file: &str, value: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).open(self.directory.join(file))?;
        // The kernel takes a value in one piece.
        file.write_all(value.as_bytes())
    }

    /// Sets another filter for these tracepoints before the recording starts.
    pub fn narrow(&self, tracepoints: &[&str], filter: &str) -> Result<(), TracingError> {
        for tracepoint in tracepoints {
            let file = format!("events/{tracepoint}/filter");
            self.set(&file, filter).map_err(|error| instance_refusal(&self.directory.join(file), error))?;
        }
        Ok(())
    }

    /// Enables or disables a tracepoint. A disabled one costs nothing.
    pub fn switch(&self, tracepoint: &str, on: bool) -> io::Result<()> {
        self.set(&format!("events/{tracepoint}/enable"), if on { "1" } else { "0" })
    }

    pub fn start(&self) -> io::Result<()> {
        self.set("tracing_on", "1")
    }

    pub fn stop(&self) -> io::Result<()> {
        self.set("tracing_on", "0")
    }

    /// Returns the unread events of all CPUs in the kernel's text form, one per line, ordered by time.
    pub fn text(&self) -> io::Result<String> {
        fs::read_to_string(self.directory.join("trace"))
    }

    /// Takes the buffered events. `each` receives the time and fields of every event, in order per CPU.
    /// `page` must have the size in the layout.
    pub fn take_events(
        &mut self,
        page: &mut [u8],
        mut each: impl FnMut(Nanos, &[u8]),
    ) -> io::Result<TakenEvents> {
        let layout = self.layout;
        let whole = (self.kib << 10) as usize / layout.size();
        let mut taken = TakenEvents::default();
        for buffer in &mut self.buffers {
            let mut pages = 0;
            // A buffer that fills as fast as it is read doesn't keep the others waiting.
            while pages <= 2 * whole {
                let Some(page) = layout.page(buffer.read(page)?) else { break };
                pages += 1;
                taken.may_be_lost |= page.missed;
                page.events.for_each(|(at, fields)| each(at, fields));
            }
            taken.buffers += u64::from(pages > 0);
            taken.may_be_lost |= pages > whole / 2;
        }
        Ok(taken)
    }

    /// Returns the number of lost events of all CPUs. This call costs more than reading events.
    pub fn lost_events(&self) -> io::Result<u64> {
        self.buffers.iter().map(CpuBuffer::lost_events).sum()
    }

    pub fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Size of a CPU's buffer in KiB.
    pub fn kib(&self) -> u64 {
        self.kib
    }

    pub fn buffers(&self) -> usize {
        self.buffers.len()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The kernel keeps an instance that has open files.
        self.buffers.clear();
        // A process that another thread is just starting has copies of them until it begins.
        for _ in 0..MAX_TRIES {
            match fs::remove_dir(&self.directory) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
                // No one can receive an error here. If it failed, a later program removes the instance.
                _ => return,
            }
        }
    }
}

/// Reads a file of up to a page in one call, because the kernel returns it only to the first read.
fn in_one_piece(file: &Path) -> io::Result<String> {
    let mut bytes = vec![0; 4096];
    let length = File::open(file)?.read(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

fn instance_refusal(at: &Path, error: io::Error) -> TracingError {
    TracingError::Instance { at: at.to_owned(), error }
}

/// Maximum number of attempts to remove an instance.
const MAX_TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

const PREFIX: &str = "diskspd-";
/// Maximum number of instances of one process, or of processes with the same number in different containers.
const MAX_NAMESAKES: u32 = 64;

fn make_instance(all: &Path) -> io::Result<PathBuf> {
    let process = std::process::id();
    let mut result = Err(io::ErrorKind::AlreadyExists.into());
    for number in 0..MAX_NAMESAKES {
        let directory = match number {
            0 => all.join(format!("{PREFIX}{process}")),
            _ => all.join(format!("{PREFIX}{process}-{number}")),
        };
        result = fs::create_dir(&directory).map(|()| directory);
        if !result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    result
}

/// Removes instances of killed programs. An instance of a program in another container has an unknown
/// process number and open files, so it stays.
fn remove_abandoned(all: &Path) {
    for name in names(all) {
        if instance_owner(&name).is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists())
        {
            let _ = fs::remove_dir(all.join(name));
        }
    }
}

/// Returns the process of an instance; `None` = the instance of another program.
fn instance_owner(name: &str) -> Option<u32> {
    let numbers = name.strip_prefix(PREFIX)?;
    let (process, number) = numbers.split_once('-').unwrap_or((numbers, "0"));
    number.parse::<u32>().ok()?;
    process.parse().ok()
}

#[derive(Debug)]
struct CpuBuffer {
    pipe: File,
    stats: PathBuf,
}

impl CpuBuffer {
    fn open(directory: &Path) -> io::Result<CpuBuffer> {
        let mut options = OpenOptions::new();
        let pipe =
            options.read(true).custom_flags(libc::O_NONBLOCK).open(directory.join("trace_pipe_raw"))?;
        Ok(CpuBuffer { pipe, stats: directory.join("stats") })
    }

    /// Takes the oldest page out of the buffer, which may not be full yet, into memory as long as the
    /// layout says; nothing = the buffer is empty.
    fn read<'a>(&mut self, into: &'a mut [u8]) -> io::Result<&'a [u8]> {
        match self.pipe.read(into) {
            Ok(length) => Ok(&into[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(&[]),
            Err(error) => Err(error),
        }
    }

    fn lost_events(&self) -> io::Result<u64> {
        Ok(parse_lost_events(&fs::read_to_string(&self.stats)?))
    }
}

/// Returns the missing events in a buffer's `stats`: overwritten, abandoned by a deeply interrupted
/// writer, or dropped without space.
fn parse_lost_events(stats: &str) -> u64 {
    let counts = stats.lines().filter_map(|line| line.split_once(':'));
    counts
        .filter(|(name, _)| matches!(*name, "overrun" | "commit overrun" | "dropped events"))
        .filter_map(|(_, count)| count.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Root;

    #[test]
    fn lost_events_are_sum_of_three_counts() {
        let stats = "entries: 5\noverrun: 1\ncommit overrun: 20\nbytes: 7000\noldest event ts: 29094.975060\n\
                     now ts: 29094.986792\ndropped events: 300\nread events: 9000\n";
        assert_eq!(parse_lost_events(stats), 321);
        assert_eq!(parse_lost_events("overrun: x\n"), 0);
    }

    #[test]
    fn only_own_tracing_instances_are_recognized() {
        for (name, process) in [
            ("diskspd-17", Some(17)),
            ("diskspd-17-2", Some(17)),
            ("diskspd-peers-17", None),
            ("diskspd-17-x", None),
            ("diskspd-", None),
            ("17", None),
        ] {
            assert_eq!(instance_owner(name), process, "{name}");
        }
    }

    #[test]
    fn tracing_instances_coexist_and_are_removed() {
        let tracefs = Tracefs::find(&Root::live_system());
        let recording = Recording {
            tracepoints: &["block/block_rq_issue"],
            filter: "dev == 1",
            clock: StampClock::Raw,
            cpus: &[0],
            kib: (64, 64),
        };
        let opened = tracefs.and_then(|tracefs| {
            let all = tracefs.directory().join("instances");
            // No process has such a number.
            let abandoned = all.join(format!("{PREFIX}{}", u32::MAX));
            fs::create_dir(&abandoned).map_err(|error| instance_refusal(&all, error))?;
            let one = Instance::open(&tracefs, &recording)?;
            assert!(!abandoned.exists());
            Ok((one, Instance::open(&tracefs, &recording)?))
        });
        let (mut one, other) = match opened {
            Ok(opened) => opened,
            Err(refusal) => return eprintln!("SKIPPED: {refusal}"),
        };
        let directories = [one.directory.clone(), other.directory.clone()];
        let set = |file: &str| fs::read_to_string(directories[0].join(file)).expect("readable");
        assert!(set("trace_clock").contains("[mono_raw]"));
        assert_eq!(set("events/block/block_rq_issue/filter").trim(), "dev == 1");
        one.narrow(&["block/block_rq_issue"], "dev == 2").expect("another filter");
        assert_eq!(set("events/block/block_rq_issue/filter").trim(), "dev == 2");
        assert_eq!((set("tracing_on").trim(), set("options/overwrite").trim()), ("0", "0"));
        // The kernel makes whole pages of it.
        assert_eq!(set("buffer_size_kb").trim().parse::<u64>().expect("a number") / 8, one.kib() / 8);
        one.start().expect("start");
        assert_eq!(set("tracing_on").trim(), "1");
        one.stop().expect("stop");
        let mut page = vec![0; one.layout().size()];
        let taken = one.take_events(&mut page, |_, _| panic!("no such device")).expect("readable");
        assert_eq!((taken, one.buffers()), (TakenEvents::default(), 1));
        assert_eq!(one.lost_events().expect("stats"), 0);
        drop((one, other));
        // Other tests may just have one of that name.
        let pause = || std::thread::sleep(Duration::from_millis(100));
        let is_gone = |directory: &PathBuf| (0..1000).any(|_| !directory.exists() || (pause(), false).1);
        assert!(directories.iter().all(is_gone), "{directories:?}");
        let missing = Recording { tracepoints: &["block/none"], ..recording };
        let tracefs = Tracefs::find(&Root::live_system()).expect("still there");
        let told = Instance::open(&tracefs, &missing).expect_err("no such tracepoint").to_string();
        assert!(told.contains("events/block/none/filter"), "{told}");
        assert!(is_gone(&directories[0]), "removed on errors too");
    }
}
