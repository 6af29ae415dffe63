//! Commands about this machine.

pub(crate) mod devices;
pub(crate) mod doctor;
pub(crate) mod event;
#[cfg_attr(not(target_os = "linux"), path = "io_features/windows.rs")]
pub(crate) mod io_features;
#[cfg(target_os = "linux")]
pub(crate) mod privileges;
