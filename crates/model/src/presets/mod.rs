//! Named workloads: what people measure again and again, each with the reasons for its numbers and where
//! they come from. Pure data; the command line makes profiles of it (`--preset`).

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
