//! What was observed around the measured window beside the I/Os themselves: facts for `truth` to judge.

use serde::{Deserialize, Serialize};

/// Facts about one time span. What could not be observed is missing, never zero.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// Names of the engines that did the I/O, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<String>,
    /// Whether completions were polled for (`--poll`): no processor slept meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polled: bool,
}
