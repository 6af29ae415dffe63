//! The usage text.

use super::commands::{self, COMMANDS};
use super::flags::GROUPS;
use super::own_option::HELP;
use super::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE};
use crate::units::wrapped::wrapped;
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

/// Columns that the text may take, and of them those of what is explained.
#[derive(Clone, Copy)]
struct Layout {
    columns: usize,
    forms: usize,
}

impl Layout {
    /// For so many columns: none is gained by lines that are harder to read.
    fn of(columns: usize) -> Layout {
        let columns = columns.clamp(40, 100);
        Layout { columns, forms: if columns < 72 { 10 } else { 32 } }
    }
}

/// The usage text that `-?` and `--help` print; ends with a line feed.
pub fn usage(columns: usize) -> String {
    let layout = Layout::of(columns);
    let mut text = wrapped(&version(), layout.columns, 0, 0);
    text.push_str("\n\nUsage:\n");
    for line in SYNOPSIS {
        let _ = writeln!(text, "  {line}");
    }
    text.push('\n');
    let rule =
        "All options come before all targets. The value of a letter is attached to it: -b4K, not -b 4K.";
    paragraph(&mut text, rule, layout);
    section(&mut text, "Targets", TARGETS, layout);
    section(&mut text, "Size suffixes, at most one", SIZES, layout);
    for group in GROUPS {
        let _ = writeln!(text, "\n{}:", group.title);
        for flag in group.flags {
            for (index, (syntax, help)) in flag.forms.iter().enumerate() {
                let default = if index == 0 { format!(" [{}]", flag.default) } else { String::new() };
                row(&mut text, syntax, &format!("{help}{}", default.replace(" [off]", "")), layout);
            }
        }
    }
    text.push_str("\nCommands:\n");
    for command in COMMANDS {
        row(&mut text, format!("{} {}", command.name, command.arguments).trim_end(), command.help, layout);
    }
    text.push_str("  diskspd <command> --help explains a command.\n");
    text.push_str("\nExamples:\n");
    EXAMPLES.iter().for_each(|example| show_example(&mut text, example, layout));
    text.push('\n');
    paragraph(&mut text, "Brackets show what holds without the option. diskspd man explains more.", layout);
    text
}

/// The usage of a command, as `diskspd <command> --help` prints it; ends with a line feed. Empty for a name
/// that is none.
pub fn command_usage(name: &str, columns: usize) -> String {
    let Some(command) = commands::find(name.as_bytes()) else { return String::new() };
    let layout = Layout::of(columns);
    let usage = wrapped(&command.usage(), layout.columns, 7, 7);
    let mut text = format!("Usage: {usage}\n\n");
    paragraph(&mut text, &format!("{}.", sentence(command.help)), layout);
    text.push_str("\nOptions:\n");
    for option in command.rows().iter().chain([&HELP]) {
        row(&mut text, &option.form(), &option.meaning(), layout);
    }
    if command.offers == commands::Offers::Line {
        text.push('\n');
        paragraph(&mut text, "The options of a run go with it: diskspd --help.", layout);
    }
    if !command.examples.is_empty() {
        text.push_str("\nExamples:\n");
        command.examples.iter().for_each(|example| show_example(&mut text, example, layout));
    }
    text
}

fn show_example(text: &mut String, (line, meaning): &(&str, &str), layout: Layout) {
    let line = wrapped(line, layout.columns - 2, 2, 6).replace('\n', " \\\n");
    let _ = writeln!(text, "  {line}\n      {}", wrapped(meaning, layout.columns, 6, 6));
}

/// A line of help as the beginning of a sentence.
pub(super) fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

fn paragraph(text: &mut String, words: &str, layout: Layout) {
    let _ = writeln!(text, "{}", wrapped(words, layout.columns, 0, 0));
}

fn section(text: &mut String, title: &str, rows: &[(&str, &str)], layout: Layout) {
    let _ = writeln!(text, "\n{title}:");
    for (form, meaning) in rows {
        row(text, form, meaning, layout);
    }
}

/// A form and its meaning side by side, the meaning wrapped; below each other when the form is too long.
fn row(text: &mut String, form: &str, meaning: &str, Layout { columns, forms }: Layout) {
    let meaning = wrapped(meaning, columns, forms, forms);
    if form.len() + 4 <= forms {
        let _ = writeln!(text, "  {form:0$}{meaning}", forms - 2);
    } else {
        let _ = writeln!(text, "  {}\n{:forms$}{meaning}", wrapped(form, columns, 2, 6), "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flags;

    #[test]
    fn the_usage_shows_every_form_of_every_option_and_every_command() {
        let usage = usage(100);
        let unwrapped = usage.split_whitespace().collect::<Vec<_>>().join(" ");
        for (syntax, help) in flags::all().flat_map(|flag| flag.forms) {
            assert!(usage.contains(&format!("\n  {syntax}")) && unwrapped.contains(help), "{syntax}");
        }
        for command in COMMANDS {
            assert!(usage.contains(&format!("\n  {}", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn lines_fit_the_terminal() {
        for columns in [60, 80, 100, 120] {
            let of_commands = COMMANDS.iter().map(|command| command_usage(command.name, columns));
            for text in of_commands.chain([usage(columns)]) {
                let wide = text.lines().find(|line| line.len() > columns && line.trim().contains(' '));
                assert_eq!(wide, None, "{columns}");
            }
        }
    }

    #[test]
    fn the_usage_names_the_version_it_is_compatible_with() {
        assert!(
            usage(100).starts_with(&version())
                && version().contains("2.2.0")
                && version().contains("2024/6/3")
        );
    }

    #[test]
    fn every_command_has_two_examples_which_it_accepts() {
        for command in COMMANDS.iter().filter(|command| command.name != "compatibility") {
            assert!(command.examples.len() >= 2, "{}", command.name);
            for (line, _) in command.examples {
                let line = line.split(" | ").next().unwrap();
                let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
                assert!(line.starts_with(&format!("diskspd {}", command.name)), "{line}");
                let read = crate::cli::parse(&arguments);
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            }
        }
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
