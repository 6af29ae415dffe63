//! One machine of a run: what it is, what its targets lie on, and what came out there.

use super::{HostClock, HostSummary, Results};
use crate::finding::Finding;
use crate::machine::System;
use crate::machine::storage::Storage;
use crate::profile::{RawText, TargetId, TargetIds};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::LazyLock;

static NO_PATH: LazyLock<RawText> = LazyLock::new(RawText::default);

/// A machine that took part in a run.
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
    /// What was told to people before and during the run, in that order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "crate::finding::told")]
    pub notices: Vec<Finding>,
    /// Its clock, and when it measured; `None` = it is the only host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<HostClock>,
    /// Why it has no results, although it was to take part; `None` = it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// In a merged run, in which `results` are those of all hosts together: what is kept of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Box<HostSummary>>,
}

/// A target as this machine knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTarget {
    pub id: TargetId,
    /// Its path, and what it lies on; only the path where nobody looked.
    #[serde(flatten)]
    pub storage: Storage,
}

impl Host {
    /// The only host of a run. What `system` knows of its targets becomes theirs.
    pub fn alone(targets: &TargetIds, mut system: System, results: Results) -> Host {
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

    /// What a target lies on; `None` = there is no such target, or nobody looked.
    pub fn storage(&self, id: TargetId) -> Option<&Storage> {
        let storage = &self.targets.get(id.index())?.storage;
        storage.is_block_device().is_some().then_some(storage)
    }

    /// The path of a target, as the user gave it.
    pub fn path(&self, id: TargetId) -> &RawText {
        self.targets.get(id.index()).map_or(&NO_PATH, |target| &target.storage.path)
    }
}
