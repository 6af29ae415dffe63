//! The usage text.

use super::commands::{self, COMMANDS};
use super::flags::GROUPS;
use super::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE};
use std::fmt::Write;

/// Name and version, as `--version` prints them: one line without its end.
pub fn version() -> String {
    format!(
        "DiskSpd for Linux {} (command lines, profiles and reports of DISKSPD {COMPATIBLE_VERSION}, \
         {COMPATIBLE_VERSION_DATE})",
        env!("CARGO_PKG_VERSION")
    )
}

/// Ways to call the program.
pub(super) const SYNOPSIS: &[&str] = &[
    "diskspd [options] <target>...",
    "diskspd -X<profile.xml> [options] [<substitution>...]",
    "diskspd <command> [<argument>]",
];

/// Forms of a target.
pub(super) const TARGETS: &[(&str, &str)] = &[
    ("<path>", "a file: must exist, unless -c creates it"),
    ("/dev/<name>", "a block device: disk, partition, logical volume"),
    ("#<n>, #<name>", "the block device with this number or name in diskspd devices; shells need quotes"),
    ("//<server>/<share>/<path>", "a file on an SMB share that is mounted; with \\ too, in quotes"),
    ("*<n>", "template: with -Rp, to be replaced when the profile is run (-X)"),
    ("./-name, ./*name, ./report", "files whose names look like an option, a template, a command"),
];

/// What a size is.
pub(super) const SIZES: &[(&str, &str)] = &[
    ("K, M, G, T", "times 1024, 1024^2, 1024^3, 1024^4, in either case: -b64K is -b65536"),
    ("B", "times the block size (-b): -b4K -c8b creates 32 KiB"),
];

/// Command lines with what they do.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "diskspd -c1G -b4K -r -o32 -t4 -d30 -Sh -L data.bin",
        "random reads of 4 KiB from a file of 1 GiB, 4 threads with 32 outstanding I/Os each, unbuffered, with \
         latencies",
    ),
    (
        "diskspd -b1M -si -t2 -w100 -Su data.bin",
        "sequential unbuffered writes of 1 MiB, two threads sharing one stream",
    ),
    (
        "diskspd -r -b8K -w30 -rdpct90/10 data.bin",
        "a mix with 30% writes, 90% of it on the first tenth of the file",
    ),
    ("diskspd -Rpxml -b4K -r '*1' > random.xml", "write a profile with a template for its target"),
    ("diskspd -d60 -Xrandom.xml /dev/nvme0n1", "run it for a minute on a disk, read only"),
];

/// Width of the column of options.
const COLUMN: usize = 30;
/// What stands before a meaning that has a line of its own: the column and the two blanks before it.
const INDENT: &str = "                                ";
/// Width that lines are wrapped to.
const WIDTH: usize = 100;

/// The usage text that `-?` and `--help` print; ends with a line feed.
pub fn usage() -> String {
    let mut text = version();
    text.push_str("\n\nUsage:\n");
    for line in SYNOPSIS {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str(
        "\nAll options come before all targets. The value of a letter is attached to it: -b4K, not -b 4K.\n",
    );
    section(&mut text, "Targets", TARGETS);
    section(&mut text, "Size suffixes, at most one", SIZES);
    for group in GROUPS {
        let _ = writeln!(text, "\n{}:", group.title);
        for flag in group.flags {
            for (index, (syntax, help)) in flag.forms.iter().enumerate() {
                let default = if index == 0 { format!(" [{}]", flag.default) } else { String::new() };
                row(&mut text, syntax, &format!("{help}{}", default.replace(" [off]", "")));
            }
        }
    }
    text.push_str("\nCommands:\n");
    for command in COMMANDS {
        row(&mut text, format!("{} {}", command.name, command.arguments).trim_end(), command.help);
    }
    text.push_str("  diskspd <command> --help explains a command.\n");
    text.push_str("\nExamples:\n");
    for (line, meaning) in EXAMPLES {
        let _ = writeln!(text, "  {line}\n      {meaning}");
    }
    text.push_str("\nBrackets show what holds without the option. diskspd man explains more.\n");
    text
}

/// The usage of a command, as `diskspd <command> --help` prints it; ends with a line feed. Empty for a name
/// that is none.
pub fn command_usage(name: &str) -> String {
    let Some(command) = commands::find(name.as_bytes()) else { return String::new() };
    let help = sentence(command.help);
    let mut text = format!("Usage: {}\n\n", command.usage());
    wrap(&mut text, &format!("{help}."));
    text.push_str("\nOptions:\n");
    for (form, meaning) in command.options.iter().chain(&[("--help, -?", "print this")]) {
        row(&mut text, form, meaning);
    }
    text
}

/// A line of help as the beginning of a sentence.
pub(super) fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

/// A paragraph.
fn wrap(text: &mut String, paragraph: &str) {
    let mut width = 0;
    for word in paragraph.split(' ') {
        if width > 0 && width + 1 + word.len() > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.len();
    }
    text.push('\n');
}

fn section(text: &mut String, title: &str, rows: &[(&str, &str)]) {
    let _ = writeln!(text, "\n{title}:");
    for (form, meaning) in rows {
        row(text, form, meaning);
    }
}

/// A form and its meaning side by side, the meaning wrapped; below each other when the form is too long.
fn row(text: &mut String, form: &str, meaning: &str) {
    let mut line =
        if form.len() < COLUMN { format!("  {form:COLUMN$}") } else { format!("  {form}\n{INDENT}") };
    let mut width = INDENT.len();
    for (index, word) in meaning.split(' ').enumerate() {
        let blank = usize::from(index > 0);
        if index > 0 && width + blank + word.len() > WIDTH {
            let _ = write!(line, "\n{INDENT}{word}");
            width = INDENT.len() + word.len();
        } else {
            let _ = write!(line, "{:blank$}{word}", "");
            width += blank + word.len();
        }
    }
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags;

    #[test]
    fn the_usage_shows_every_form_of_every_option_and_every_command() {
        let usage = usage();
        let unwrapped = usage.split_whitespace().collect::<Vec<_>>().join(" ");
        for (syntax, help) in flags::all().flat_map(|flag| flag.forms) {
            assert!(usage.contains(&format!("\n  {syntax}")) && unwrapped.contains(help), "{syntax}");
        }
        for command in COMMANDS {
            assert!(usage.contains(&format!("\n  {}", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn lines_fit_a_terminal() {
        let examples = usage().find("\nExamples:").unwrap();
        assert!(usage()[..examples].lines().all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn the_usage_names_the_version_it_is_compatible_with() {
        assert!(
            usage().starts_with(&version()) && version().contains("2.2.0") && version().contains("2024/6/3")
        );
    }

    #[test]
    fn the_examples_are_accepted() {
        for (line, _) in EXAMPLES {
            let line = line.split(" > ").next().unwrap().replace('\'', "");
            let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
            assert!(matches!(crate::cli::parse(&arguments), Ok(crate::cli::Invocation::Run(_))), "{line}");
        }
    }
}
