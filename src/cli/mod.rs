//! The command line: tables of the options of runs (`flags/`) and of the commands (`commands/`). The
//! parsers, the help, the man pages, the shell completions and the compatibility table derive from them.

mod answer;
mod command_line;
mod commands;
pub mod compatibility;
pub mod completions;
mod draft;
mod error;
mod events;
mod exit;
mod fio_line;
mod flag;
mod flags;
mod foreign;
mod foreign_options;
mod give_up;
pub mod help;
mod invocation;
mod line;
pub mod man;
mod mix;
mod option;
mod parse;
mod preset;
pub mod print_options;
mod quantity;
mod requests;
pub mod shell_quote;
mod suggest;
mod sweep_line;
mod topics;
mod words;

pub use commands::{is_bisection, is_plain_path, names as command_names, nearly as nearly_command};
pub use error::{ArgumentLocation, CliError};
pub use exit::Exit;
pub use foreign_options::word as meant_by_word;
pub use give_up::split as split_give_up;
pub use line::TypedLine;
pub use parse::parse;
pub use sweep_line::SweepLine;

pub use crate::profile::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE};
use answer::InfoRequest;
pub use answer::UsageExtent;
pub use events::EventNames;
pub use invocation::Invocation;
pub use requests::*;
