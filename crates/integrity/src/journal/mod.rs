//! The journal of acknowledged writes (`--journal`): what has to be there whatever happens.

pub mod format;
mod pieces;
mod writer;

pub use format::{Acknowledged, JournalContent, JournalDamage, JournalTarget, Mixing, NoJournal};
pub use writer::AckJournal;
