//! I/O modes not supported by every kernel; all are specific to Linux, so none is checked here.

use crate::profile::RawText;
use serde::Serialize;
use std::path::Path;

pub(super) const UNCHECKED_TEXT: &str = "not checked on Windows: frequencies and sleep states of CPUs, \
    limits of job objects, load by other programs, alignment of partitions, links of disks\n";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) enum FeatureStatus {}

/// Returns no features.
pub(super) fn probe_features(_: &RawText, _: &Path) -> Vec<FeatureStatus> {
    Vec::new()
}

pub(super) fn text(_: &[FeatureStatus]) -> String {
    String::new()
}
