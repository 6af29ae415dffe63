//! The thin binary: hands the arguments to the library and ends with the exit code it names.

#![deny(clippy::print_stderr, clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    diskspd::sys::parent_process::divide();
    diskspd::commands::main(std::env::args_os().collect())
}
