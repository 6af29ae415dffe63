//! The kernel's clocks. Everybody else reads them through `crate::clock`.
//!
//! All times are nanoseconds in a `u64` ([`Nanos`]), counted from an origin that only differences make
//! sense of.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::*;
#[cfg(target_os = "linux")]
pub use linux::*;

/// Nanoseconds since an arbitrary, fixed origin.
pub type Nanos = u64;

/// One second in [`Nanos`].
pub const SECOND: Nanos = 1_000_000_000;
