//! One machine of a run: its properties, the storage of its targets, and its results.

use super::{HostClock, HostSummary, Results};
use diskspd_base::finding::Finding;
use diskspd_machine::System;
use diskspd_machine::storage::Storage;
use diskspd_profile::{RawText, TargetId, TargetIds};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;

static NO_PATH: LazyLock<RawText> = LazyLock::new(RawText::default);

/// Machine of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    pub name: String,
    pub rank: u32,
    /// Number of ranks of its job, which share the rate of `--rate-total`; `None` = it ran alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    pub system: System,
    /// The targets, each path once: the place of one is its id, by which everything else names it.
    pub targets: Vec<HostTarget>,
    pub results: Results,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "diskspd_base::finding::text_form")]
    pub notices: Vec<Finding>,
    /// Clock and measured times; `None` for a single host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<HostClock>,
    /// Reason for missing results of a participating host; `None` = it has results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Summary of this host in a merged run, whose `results` cover all hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Box<HostSummary>>,
}

/// Target as this machine sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTarget {
    pub id: TargetId,
    #[serde(flatten)]
    pub storage: Storage,
}

impl Host {
    /// Creates the only host of a run. Its targets take their properties from `system`.
    pub fn single(targets: &TargetIds, mut system: System, results: Results) -> Host {
        let storages = std::mem::take(&mut system.targets).into_iter();
        let mut known: HashMap<RawText, Storage> =
            storages.map(|storage| (storage.path.clone(), storage)).collect();
        let target = |(id, path): (u32, &RawText)| HostTarget {
            id: TargetId(id),
            storage: known
                .remove(path)
                .unwrap_or_else(|| Storage { path: path.clone(), ..Storage::default() }),
        };
        let targets = (0..).zip(targets.paths()).map(target).collect();
        let (name, rank, notices) = (system.computer_name.clone(), 0, Vec::new());
        Host { name, rank, system, targets, results, notices, ..Host::default() }
    }

    /// Returns the storage of a target; `None` if there is no such target, or it was not examined.
    pub fn storage(&self, id: TargetId) -> Option<&Storage> {
        let storage = &self.targets.get(id.index())?.storage;
        storage.is_block_device().is_some().then_some(storage)
    }

    /// Returns the path of a target as entered by the user.
    pub fn path(&self, id: TargetId) -> &RawText {
        self.targets.get(id.index()).map_or(&NO_PATH, |target| &target.storage.path)
    }
}
