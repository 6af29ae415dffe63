//! Device logs: log pages of NVMe controllers with health data and volume limits.
//!
//! Sources: NVM Express Base Specification 2.0, 5.16.1.3 (SMART / Health Information); Amazon's guide
//! "Amazon EBS detailed performance statistics" and the counterpart for instance store volumes.

mod bytes;
mod health;
mod media;
mod volume;

pub use health::Health;
pub use media::MediaCounters;
pub use volume::{LatencyBin, VolumeCounters};

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogSource {
    NvmeHealth,
    /// Amazon EBS volume with limits.
    Ebs,
    /// Local volume of an Amazon EC2 instance with limits.
    InstanceStore,
    /// Media writes and erases of an endurance group with flexible data placement.
    Placement,
}

#[derive(Debug)]
pub struct LogRow {
    pub source: LogSource,
    pub name: &'static str,
    /// Identifier of the log page (LID).
    pub page: u8,
    pub length: u32,
    pub namespace: u32,
    /// Whether the page belongs to the namespace's endurance group, and requires data placement there.
    pub placement: bool,
    /// Required prefix of the controller's model. Other controllers are not queried, because an unknown
    /// page adds an entry to their error log. `None` = all.
    pub model: Option<&'static str>,
    pub parse: fn(&[u8]) -> Option<LogPage>,
}

pub const LOG_SOURCES: &[LogRow] = &[
    LogRow {
        source: LogSource::NvmeHealth,
        name: "NVMe health",
        page: 0x02,
        length: 512,
        // The controller, not one namespace.
        namespace: u32::MAX,
        placement: false,
        model: None,
        parse: |bytes| Health::parse(bytes).map(LogPage::Health),
    },
    LogRow {
        source: LogSource::Ebs,
        name: "Amazon EBS",
        page: 0xd0,
        length: 4096,
        namespace: 1,
        placement: false,
        model: Some("Amazon Elastic Block Store"),
        parse: |bytes| VolumeCounters::of_ebs(bytes).map(LogPage::Volume),
    },
    LogRow {
        source: LogSource::InstanceStore,
        name: "Amazon EC2 instance store",
        page: 0xd0,
        length: 4096,
        namespace: 1,
        placement: false,
        model: Some("Amazon EC2 NVMe Instance Storage"),
        parse: |bytes| VolumeCounters::of_instance_store(bytes).map(LogPage::Volume),
    },
    LogRow {
        source: LogSource::Placement,
        name: "FDP statistics",
        page: 0x22,
        length: 64,
        namespace: 0,
        placement: true,
        model: None,
        parse: |bytes| MediaCounters::parse(bytes).map(LogPage::Media),
    },
];

impl LogSource {
    pub fn row(self) -> &'static LogRow {
        // Each has one, which a test holds.
        LOG_SOURCES.iter().find(|row| row.source == self).unwrap_or(&LOG_SOURCES[0])
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogPage {
    Health(Health),
    Volume(VolumeCounters),
    Media(MediaCounters),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceLogDelta {
    /// Kernel name of the disk: `nvme0n1`.
    pub device: String,
    pub source: LogSource,
    /// Reading shortly before the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<LogPage>,
    /// Reading right after the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<LogPage>,
    /// Time between the readings in ns.
    pub interval_ns: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl DeviceLogDelta {
    pub fn health(&self) -> Option<(&Health, &Health)> {
        match (self.before.as_ref()?, self.after.as_ref()?) {
            (LogPage::Health(before), LogPage::Health(after)) => Some((before, after)),
            _ => None,
        }
    }

    /// Returns a volume's counts between the readings; `None` = unavailable or reset in between.
    pub fn volume(&self) -> Option<VolumeCounters> {
        match (self.before.as_ref()?, self.after.as_ref()?) {
            (LogPage::Volume(before), LogPage::Volume(after)) => after.since(before),
            _ => None,
        }
    }

    /// Returns the media writes between the readings; `None` as for volumes.
    pub fn media(&self) -> Option<MediaCounters> {
        match (self.before.as_ref()?, self.after.as_ref()?) {
            (LogPage::Media(before), LogPage::Media(after)) => after.since(before),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_sources_have_one_row_and_distinct_pages() {
        for row in LOG_SOURCES {
            assert_eq!(row.source.row().name, row.name);
            assert_eq!(LOG_SOURCES.iter().filter(|other| other.source == row.source).count(), 1);
            assert_eq!((row.parse)(&[]), None, "{}", row.name);
            assert_eq!((row.parse)(&vec![0; row.length as usize - 1]), None, "{}", row.name);
        }
        // Nothing but zeros is health of a controller that is new and has no sensor, and no volume.
        assert_eq!((LogSource::Ebs.row().parse)(&[0; 4096]), None);
        assert_eq!((LogSource::InstanceStore.row().parse)(&[0; 4096]), None);
    }
}
