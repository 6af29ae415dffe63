//! Construction of engines, and reasons why one is unavailable.

use super::kernel;
use super::null::Null;
use super::sim::{Sim, SimDevice};
use super::unavailable::AvailabilityError;
use super::{ENGINES, Engine, EngineError, EngineKind, EngineRow, Setup};
use diskspd_sys::clock::Clock;

/// Operations on the rows of the engine table that depend on this system.
pub trait MakeEngine {
    /// Whether the engine works on this machine, in this process.
    ///
    /// # Errors
    /// Fails with the cause and a remedy.
    fn available(&self) -> Result<(), AvailabilityError>;

    /// Creates the engine for the calling thread. Mapped files mixed with other files are served outside
    /// the engine.
    ///
    /// # Errors
    /// Fails if the engine does not support the setup, or if the kernel refuses it. Never falls back to
    /// another engine.
    fn create(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError>;

    /// As [`MakeEngine::create`], without registration of the buffer (`-un`), so that each I/O pins its
    /// memory.
    fn create_unregistered(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError>;
}

impl MakeEngine for EngineRow {
    fn available(&self) -> Result<(), AvailabilityError> {
        if self.real_io { kernel::available(self.kind) } else { Ok(()) }
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
        if self.real_io { kernel::create(self, setup) } else { create_model(self, setup) }
    }

    fn create_unregistered(&self, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
        if self.real_io { kernel::create_unregistered(self, setup) } else { self.create(setup) }
    }
}

fn create_model(row: &EngineRow, setup: Setup) -> Result<Box<dyn Engine>, EngineError> {
    let device = match row.kind {
        EngineKind::SimCliff => SimDevice::cliff(),
        EngineKind::SimThrottle => SimDevice::throttle(),
        EngineKind::SimDrift => SimDevice::drift(),
        EngineKind::SimStall => SimDevice::stall(),
        EngineKind::SimOutage => SimDevice::outage(),
        EngineKind::Null => return Ok(Box::new(Null::open(setup)?)),
        _ => SimDevice::default(),
    };
    Ok(Box::new(Sim::new(setup, device)))
}

/// Returns the text of `--engine help`: each engine, and whether it is available.
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
    fn help_describes_every_engine() {
        for row in &ENGINES {
            assert!(describe_all().contains(row.description), "{}", row.name);
        }
    }
}
