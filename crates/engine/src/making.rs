//! Engines are made, where they can be.

use super::mixed::Mixed;
use super::mmap::Mmap;
use super::nowait::Nowait;
use super::null::Null;
use super::sim::{Sim, SimDevice};
use super::sync::Sync;
use super::unavailable::Unavailable;
use super::{ENGINES, Engine, EngineError, EngineKind, EngineRow, Setup, aio, nvme, uring};
use diskspd_sys::clock::Clock;

/// What the rows of the table of engines can do on this system.
pub trait MakeEngine {
    /// Whether the engine works on this machine, in this process.
    ///
    /// # Errors
    /// Why not, and what to do about it.
    fn available(&self) -> Result<(), Unavailable>;

    /// Makes one, for the calling thread. Files that are mapped among others that aren't are served beside
    /// the engine.
    ///
    /// # Errors
    /// A setup that the engine can't serve, or what the kernel refused. Never another engine instead.
    fn create(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError>;

    /// The same without registering its buffer with the kernel (`-un`): every I/O pins its own memory.
    ///
    /// # Errors
    /// As [`MakeEngine::create`].
    fn create_unregistered(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError>;
}

impl MakeEngine for EngineRow {
    fn available(&self) -> Result<(), Unavailable> {
        match self.kind {
            EngineKind::Uring | EngineKind::Nvme => uring::probe(),
            EngineKind::Aio => aio::probe(),
            _ => Ok(()),
        }
    }

    fn create(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
        if setup.depth == 0 {
            return Err(EngineError::invalid(format!(
                "engine {}: queue depth 0, at least 1 is needed",
                self.name
            )));
        }
        if setup.depth > self.max_depth {
            return Err(EngineError::invalid(format!(
                "engine {}: queue depth {}, at most {} is possible; use a smaller -o with more threads (-t)",
                self.name, setup.depth, self.max_depth
            )));
        }
        if self.virtual_time && !matches!(setup.clock, Clock::Virtual(_)) {
            return Err(EngineError::invalid(format!("engine {} needs a virtual clock", self.name)));
        }
        if self.real_io && setup.files.iter().any(|file| file.ways.no_wait) {
            return Ok(Box::new(Nowait::new(setup, |doubled| open_all(self, doubled))?));
        }
        open_all(self, setup)
    }

    fn create_unregistered(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
        let options = uring::Options { registered_buffer: false, ..uring::Options::default() };
        match self.kind {
            EngineKind::Uring if setup.files.iter().any(|file| file.ways.no_wait) => {
                let open = |doubled| Ok(Box::new(uring::Uring::new(doubled, options)?) as Box<dyn Engine>);
                Ok(Box::new(Nowait::new(setup, open)?))
            }
            EngineKind::Uring => Ok(Box::new(uring::Uring::new(setup, options)?)),
            EngineKind::Nvme => Ok(Box::new(nvme::open(setup, options)?)),
            _ => self.create(setup),
        }
    }
}

/// Makes an engine of files of which some may be mapped.
fn open_all(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    if row.real_io && row.kind != EngineKind::Mmap && setup.files.iter().any(|f| f.mapping.is_some()) {
        return Ok(Box::new(Mixed::new(setup, row.kind, |others| open(row, others))?));
    }
    open(row, setup)
}

/// Makes an engine of files that are all alike.
pub(super) fn open(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    Ok(match row.kind {
        EngineKind::Uring => Box::new(uring::Uring::new(setup, uring::Options::default())?),
        EngineKind::Aio => aio::Aio::open(setup)?,
        EngineKind::Sync if setup.files.iter().all(|file| file.ways.are_plain()) => {
            Box::new(Sync::<false>::open(setup)?)
        }
        EngineKind::Sync => Box::new(Sync::<true>::open(setup)?),
        EngineKind::Mmap => Box::new(Mmap::open(setup)?),
        EngineKind::Nvme => Box::new(nvme::open(setup, uring::Options::default())?),
        EngineKind::Null => Box::new(Null::open(setup)?),
        EngineKind::Sim => Box::new(Sim::new(setup, SimDevice::default())),
        EngineKind::SimCliff => Box::new(Sim::new(setup, SimDevice::cliff())),
        EngineKind::SimThrottle => Box::new(Sim::new(setup, SimDevice::throttle())),
        EngineKind::SimDrift => Box::new(Sim::new(setup, SimDevice::drift())),
        EngineKind::SimStall => Box::new(Sim::new(setup, SimDevice::stall())),
        EngineKind::SimOutage => Box::new(Sim::new(setup, SimDevice::outage())),
    })
}

/// The text of `--engine help`: every engine, and whether it works here.
pub fn describe_all() -> String {
    let mut text =
        "auto   the default: for each thread the engine that suits its workload and targets;\n       \
         --dry-run, -v and the record (--out FILE.json) say which, and why\n"
            .to_string();
    for row in &ENGINES {
        let state = match row.available() {
            Ok(()) => format!("available, queue depth up to {}", row.max_depth),
            Err(why) => format!("not available: {why}"),
        };
        text += &format!("{:<12} {}\n             {state}\n", row.name, row.description);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_describes_every_engine() {
        for row in &ENGINES {
            assert!(describe_all().contains(row.description), "{}", row.name);
        }
    }
}
