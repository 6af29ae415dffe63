//! The stream of addresses and directions of every pattern: against DISKSPD's own traces and generator output, against
//! the vectors of its description, against committed fingerprints, and as properties.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail anywhere")]

mod command;
mod distributions;
mod fingerprints;
mod placement;
mod properties;
mod random;
mod sequential;
mod traces;
mod vectors;
