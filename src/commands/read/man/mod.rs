//! `diskspd man`: roff for files and pipes, a pager on a terminal.

use crate::cli::{self, Exit};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::print::print;
use crate::sys::child::feed;
use crate::sys::{privileges, standard_output};
use std::env;
use std::process::Command;

/// Prints a man page, or opens it in a pager where standard output is a terminal. The pager starts with the
/// rights of the user: a copy of the program with more rights starts none.
pub(crate) fn show(page: &str) -> Result<Exit, CommandError> {
    if !standard_output::is_terminal() {
        return print(page);
    }
    let plain = cli::man::plain(page, standard_output::columns());
    // man(1) formats for the terminal and obeys $MANPAGER and $PAGER.
    let man = || is_shown(Command::new("man").args(["-l", "-"]), page);
    let pager = || list_pagers().any(|pager| is_shown(&mut shell_command(&pager), &plain));
    if !privileges::are_above_users() && (man() || pager()) {
        return Ok(Exit::Success);
    }
    print(&plain)
}

/// Pagers to use without man(1), in order of preference.
fn list_pagers() -> impl Iterator<Item = String> {
    let preferred = ["MANPAGER", "PAGER"].into_iter().find_map(|name| env::var(name).ok());
    let preferred = preferred.filter(|pager| !pager.trim().is_empty());
    preferred.into_iter().chain(["less".to_owned(), "more".to_owned()])
}

fn shell_command(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

fn is_shown(command: &mut Command, text: &str) -> bool {
    feed(command, text.as_bytes()).is_ok_and(|status| status.success())
}
