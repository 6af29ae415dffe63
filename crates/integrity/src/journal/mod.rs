//! The journal of acknowledged writes (`--journal`): what has to be there whatever happens.

pub mod format;
mod layout;
mod pieces;
mod writer;

pub use format::{Acknowledged, JournalContent, JournalDamage, JournalTarget, Mixing, NoJournal};
pub(crate) use layout::LARGEST_SECTOR;
pub use writer::AckJournal;
