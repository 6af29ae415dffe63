//! Named workloads: common measurements, each with reasons and sources for its numbers. Pure data; the
//! command line converts them to profiles (`--preset`).

mod preset;
mod show;
mod table;

pub use preset::{Grade, GradedLoad, JudgedLatency, Preset, Step, Threshold};
pub use show::{list, markdown, show};
pub use table::PRESETS;

pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

pub fn names() -> String {
    PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ")
}
