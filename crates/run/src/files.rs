//! The files of a run, before and at its beginning: created, filled, inspected.

pub(super) mod content;
pub(super) mod creation;
mod crew;
pub(super) mod precreated;
pub(super) mod prefill;
pub mod prepare;
pub(super) mod purge;
pub(super) mod space;
