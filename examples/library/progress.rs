//! Draws a bar during a run in real time. The engine `null` completes each I/O at once.

use super::simulated;
use diskspd::prelude::*;
use std::error::Error;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Collects a line for each report of the run. A terminal would print it after `\r`.
#[derive(Default)]
struct Bar(Mutex<Vec<String>>);

impl Bar {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl RunObserver for Bar {
    fn wants(&self) -> Subscriptions {
        Subscriptions { progress: true, ..Subscriptions::default() }
    }

    fn progress(&self, progress: &Progress) {
        let line = match progress {
            Progress::Preparing { done_bytes, total_bytes, .. } => {
                format!("preparing: {} %", 100 * done_bytes / (*total_bytes).max(1))
            }
            Progress::Running { phase, left_ns, rates, .. } => {
                let left_s = left_ns.div_ceil(1_000_000_000);
                let iops = rates.map(|rates| format!(", {:.0} IOPS", rates.iops)).unwrap_or_default();
                format!("{phase}: {}{iops}", "#".repeat(usize::try_from(left_s).unwrap_or(0)))
            }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

pub fn run(output: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut profile = simulated::profile(8, 0);
    profile.time_spans[0].duration = 2;
    let run_options = RunOptions { engine: Some(EngineKind::Null), ..RunOptions::default() };
    let bar = Arc::new(Bar::default());
    let session = Session { listener: Arc::clone(&bar) as Arc<dyn RunObserver>, ..Session::default() };
    execute(&profile, &run_options, &session)?;
    Ok(bar.lines().iter().try_for_each(|line| writeln!(output, "{line}"))?)
}
