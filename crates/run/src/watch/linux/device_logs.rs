//! Self-reported state of the targets' devices, before and after the measured window.
//!
//! It stays outside the window, because a log command takes device time.

use diskspd_base::message_error::MessageError;
use diskspd_host::device_log::DeviceLogs;
use diskspd_host::root::Root;
use diskspd_machine::device_log::{DeviceLogDelta, LogPage, LogSource};
use diskspd_sys::clock::{self, Nanos};

/// Watches the logs of all disks of a time span.
#[derive(Debug)]
pub(crate) struct StatementWatch {
    disks: Vec<DeviceLogs>,
    before: Option<LogReading>,
    after: Option<LogReading>,
}

#[derive(Debug)]
struct LogReading {
    at: Nanos,
    pages: Vec<DiskPages>,
}

type DiskPages = Vec<(LogSource, Result<LogPage, MessageError>)>;

impl StatementWatch {
    /// Finds the devices with logs; names of the kernel.
    pub(crate) fn new(names: &[String]) -> StatementWatch {
        let root = Root::live_system();
        let disks = names.iter().filter_map(|name| DeviceLogs::open_logs(&root, name)).collect();
        StatementWatch { disks, before: None, after: None }
    }

    pub(crate) fn begin(&mut self) {
        self.before = self.read();
    }

    pub(crate) fn end(&mut self) {
        self.after = self.read();
    }

    fn read(&self) -> Option<LogReading> {
        (!self.disks.is_empty()).then(|| LogReading {
            at: clock::monotonic(),
            pages: self.disks.iter().map(DeviceLogs::read).collect(),
        })
    }

    pub(crate) fn finish(self) -> Vec<DeviceLogDelta> {
        let Some((before, after)) = self.before.zip(self.after) else { return Vec::new() };
        let apart_ns = after.at.saturating_sub(before.at);
        let disks = self.disks.iter().zip(before.pages.into_iter().zip(after.pages));
        disks.flat_map(|(disk, (before, after))| of_disk(disk.name(), before, after, apart_ns)).collect()
    }
}

/// Returns the logs of a disk, always in the same order.
fn of_disk(
    name: &str,
    before: DiskPages,
    after: DiskPages,
    apart_ns: u64,
) -> impl Iterator<Item = DeviceLogDelta> {
    before.into_iter().zip(after).map(move |((source, before), (_, after))| {
        let refused = before.as_ref().err().or(after.as_ref().err()).map(ToString::to_string);
        let device = name.to_owned();
        DeviceLogDelta {
            device,
            source,
            before: before.ok(),
            after: after.ok(),
            interval_ns: apart_ns,
            error: refused,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::device_log::Health;

    #[test]
    fn missing_device_log_states_the_reason() {
        let page = |kelvin| Ok(LogPage::Health(Health { kelvin, ..Health::default() }));
        let one = |before, after| {
            let source = LogSource::NvmeHealth;
            of_disk("nvme0n1", vec![(source, before)], vec![(source, after)], 7).next().unwrap()
        };
        let both = one(page(300), page(310));
        assert_eq!((both.error.as_deref(), both.interval_ns), (None, 7));
        assert_eq!(both.health().map(|(before, after)| (before.kelvin, after.kelvin)), Some((300, 310)));
        let gone = one(page(300), Err("gone".into()));
        assert_eq!((gone.health(), gone.error.as_deref()), (None, Some("gone")));
        let neither = one(Err("before".into()), Err("after".into()));
        assert_eq!((neither.before, neither.error.as_deref()), (None, Some("before")));
    }

    #[test]
    fn unmeasured_time_span_has_no_findings() {
        let mut watch = StatementWatch::new(&["sda".into()]);
        watch.begin();
        assert_eq!(watch.finish(), []);
    }
}
