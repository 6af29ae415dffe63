//! Commands that read files and make no runs, and the answers that they print.

pub(crate) mod answer_file;
pub(crate) mod convert;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod preset;
pub(crate) mod repetition;
pub(crate) mod report;
pub(crate) mod trace;
