//! Parts that the commands share: arguments, the program under test, folders, other programs, random
//! numbers, tables.

mod apart;
mod arguments;
mod failure;
pub mod machine;
mod processes;
pub mod program;
pub mod random;
pub mod statistics;
pub mod table;
mod undo;

pub use apart::apart;
pub use arguments::Arguments;
pub use failure::Failure;
pub use processes::{is_installed, output, run, tool};
pub use random::Random;
pub use undo::Undo;
