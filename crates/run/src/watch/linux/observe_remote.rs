//! Observation of remote mounts: client counters right before and right after the window.

use diskspd_host::remote_counters::{self, RemoteReading};
use diskspd_host::root::Root;
use diskspd_machine::io_counters::{Activity, DeviceActivity};
use diskspd_machine::remote::{RemoteFacts, RemoteMount};
use diskspd_machine::stack::Layer;

/// Watches the mounts of other hosts in a time span.
#[derive(Debug)]
pub(crate) struct RemoteWatch {
    mounts: Vec<WatchedMount>,
}

#[derive(Debug)]
struct WatchedMount {
    name: String,
    mount: RemoteMount,
    before: Option<RemoteReading>,
    after: Option<RemoteReading>,
}

impl RemoteWatch {
    pub(crate) fn new<'a>(layers: impl Iterator<Item = &'a Layer>) -> RemoteWatch {
        let mut mounts: Vec<WatchedMount> = Vec::new();
        for layer in layers {
            let Some(mount) = &layer.remote else { continue };
            if !mounts.iter().any(|known| known.name == layer.name) {
                let (name, mount) = (layer.name.clone(), mount.clone());
                mounts.push(WatchedMount { name, mount, before: None, after: None });
            }
        }
        RemoteWatch { mounts }
    }

    pub(crate) fn begin(&mut self) {
        for watched in &mut self.mounts {
            watched.before = remote_counters::read(&Root::live_system(), &watched.mount);
        }
    }

    /// Takes the second reading.
    pub(crate) fn end(&mut self) {
        for watched in &mut self.mounts {
            watched.after = remote_counters::read(&Root::live_system(), &watched.mount);
        }
    }

    /// Returns the activity between the readings, without mounts that could not be read twice.
    pub(crate) fn finish(self) -> Vec<RemoteFacts> {
        let facts = |watched: WatchedMount| {
            let (before, after) = (watched.before?, watched.after?);
            let tcp = after.tcp.zip(before.tcp).map(|(after, before)| after.since(&before));
            Some(RemoteFacts { name: watched.name, activity: after.done.since(&before.done), tcp })
        };
        self.mounts.into_iter().filter_map(facts).collect()
    }
}

pub(crate) fn as_device(facts: &RemoteFacts) -> DeviceActivity {
    DeviceActivity {
        name: facts.name.clone(),
        activity: Activity::from(&facts.activity),
        has_statistics: true,
        ..DeviceActivity::default()
    }
}
