//! The usage text.

use super::commands::{self, COMMANDS};
use super::flag::Flag;
use super::flags::{GROUPS, OptionGroup};
use super::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE, UsageExtent};
use crate::units::wrapped::wrapped;
use std::fmt::Write;

use crate::platform::EXAMPLE_DISK;
pub use crate::platform::PRODUCT;

/// Returns the line of `--version`, without a line feed.
pub fn version() -> String {
    format!(
        "{PRODUCT} {} (command lines, profiles and reports of DISKSPD {COMPATIBLE_VERSION}, \
         {COMPATIBLE_VERSION_DATE})",
        env!("CARGO_PKG_VERSION")
    )
}

pub(super) const SYNOPSIS: &[&str] = &[
    "diskspd [options] <target>...",
    "diskspd -X<profile.xml> [options] [<substitution>...]",
    "diskspd <command> [<argument>]",
];

pub(super) const TARGETS: &[(&str, &str)] = &[
    ("<path>", "a file: must exist, unless -c creates it"),
    match cfg!(windows) {
        true => ("X:, \\\\.\\X:", "a volume"),
        false => ("/dev/<name>", "a block device: disk, partition, logical volume"),
    },
    ("#<n>, #<name>", "the block device with this number or name in diskspd devices; shells need quotes"),
    ("//<server>/<share>/<path>", "a file on a mounted SMB share; or with \\, in quotes"),
    ("*<n>", "template: with -Rp, to be replaced when the profile is run (-X)"),
    ("./-name, ./*name, ./report", "files whose names look like an option, a template, a command"),
];

pub(super) const SIZES: &[(&str, &str)] = &[
    ("K, M, G, T", "times 1024, 1024^2, 1024^3, 1024^4, in either case: -b64K is -b65536"),
    ("B", "times the block size (-b): -b4K -c8b creates 32 KiB"),
];

pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "diskspd -c1G -b4K -r -o32 -t4 -d30 -Sh -L data.bin",
        "random reads of 4 KiB from a file of 1 GiB, 4 threads with 32 outstanding I/Os each, unbuffered, \
         with latencies",
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

const FIRST: &[(&str, &str)] = &[
    (
        "diskspd -c1G -b4K -r -o32 -t2 -Su -L -d10 test.dat",
        "make a file of 1 GiB, and read blocks of 4 KiB from anywhere in it for ten seconds",
    ),
    ("diskspd --preset sql-oltp -d60 test.dat", "a named workload; diskspd preset lists them"),
    (
        "diskspd sweep -o1..64 -b4K -r -Su -W1 -d3 test.dat",
        "find the queue depth with the highest IOPS, and where more depth only adds latency",
    ),
    ("diskspd doctor test.dat", "check this machine for anything that distorts figures"),
    ("diskspd devices", "list the disks; to measure one, give its name as the target: /dev/nvme1n1"),
];

const REST: &[(&str, &str)] = &[
    ("diskspd --help", "the common options, and all commands"),
    ("diskspd --help all", "every option in all its forms, as -? does"),
    ("diskspd sweep --help", "a command and its options"),
    ("diskspd man", "the manual"),
];

const SHORT_DEFAULT: usize = 24;

#[derive(Clone, Copy)]
struct Layout {
    columns: usize,
    forms: usize,
}

impl Layout {
    fn new(columns: usize) -> Layout {
        let columns = columns.clamp(30, 100);
        Layout { columns, forms: if columns < 72 { 10 } else { 32 } }
    }

    fn of_short_forms(self) -> Layout {
        Layout { forms: self.forms.min(26), ..self }
    }
}

/// Returns the usage text of this extent, with a final line feed.
pub fn usage(extent: UsageExtent, columns: usize) -> String {
    let layout = Layout::new(columns);
    match extent {
        UsageExtent::First => first(layout),
        UsageExtent::Everyday => everyday_options(layout),
        UsageExtent::Topic(topic) => of_topic(topic, layout),
        UsageExtent::All => full_help(layout),
    }
}

/// Returns the first lines of the usage, by which scripts identify the DISKSPD variant.
fn title(layout: Layout) -> String {
    let title = format!(
        "{PRODUCT} {}, compatible with DISKSPD {COMPATIBLE_VERSION} ({COMPATIBLE_VERSION_DATE})",
        env!("CARGO_PKG_VERSION")
    );
    wrapped(&title, layout.columns, 0, 0) + "\n\n"
}

fn first(layout: Layout) -> String {
    let mut text = title(layout);
    let what = "Measures how fast a disk, a file or a share is: it reads and writes as you say, reports \
                I/Os per second, throughput and latencies, and judges whether these figures can be \
                believed.";
    write_paragraph(&mut text, what, layout);
    text.push_str("\nType one of these:\n");
    FIRST.iter().for_each(|example| show_example(&mut text, example, layout));
    write_section(&mut text, "And for the rest", REST, layout.of_short_forms());
    text
}

/// Lists the common options by topic, the names of the other options, and the commands.
fn everyday_options(layout: Layout) -> String {
    let mut text = title(layout);
    write_synopsis(&mut text, layout);
    text.push('\n');
    write_rules(&mut text, layout);
    for group in GROUPS {
        write_heading(&mut text, &format!("{} (--help {})", group.title, group.topic), layout);
        let forms = group.everyday_forms();
        forms.iter().for_each(|(flag, form)| short_row(&mut text, flag, *form, layout.of_short_forms()));
        let explained = |flag: &Flag| forms.iter().any(|(other, form)| *form == 0 && other.name == flag.name);
        let others = group.flags().filter(|flag| !explained(flag));
        let others: Vec<String> = others.map(|flag| flag.name.with_dashes()).collect();
        if !others.is_empty() {
            let names = format!("also {}", others.join(" "));
            let _ = writeln!(text, "  {}", wrapped(&names, layout.columns, 2, 7));
        }
    }
    write_heading(&mut text, "Commands (diskspd <command> --help)", layout);
    for command in COMMANDS {
        write_row(&mut text, command.name, first_clause(command.help), layout.of_short_forms());
    }
    text.push('\n');
    let end = "Brackets show the default. diskspd --help all shows every option in all its forms, with \
               targets, sizes and examples; diskspd man explains more.";
    write_paragraph(&mut text, end, layout);
    text
}

fn of_topic(topic: &str, layout: Layout) -> String {
    let mut text = title(layout);
    match topic {
        "targets" => write_targets(&mut text, layout),
        "commands" => write_commands(&mut text, layout),
        topic => GROUPS
            .iter()
            .filter(|group| group.topic == topic)
            .for_each(|group| of_group(&mut text, group, layout)),
    }
    text.push('\n');
    write_paragraph(&mut text, "Brackets show the default. diskspd --help shows the other topics.", layout);
    // One blank line stands between the title and what follows it.
    text.replacen("\n\n\n", "\n\n", 1)
}

fn full_help(layout: Layout) -> String {
    let mut text = title(layout);
    write_synopsis(&mut text, layout);
    text.push('\n');
    write_rules(&mut text, layout);
    write_targets(&mut text, layout);
    GROUPS.iter().for_each(|group| of_group(&mut text, group, layout));
    write_commands(&mut text, layout);
    text.push_str("\nExamples:\n");
    EXAMPLES.iter().for_each(|example| show_example(&mut text, example, layout));
    text.push('\n');
    write_paragraph(&mut text, "[Brackets] are defaults. diskspd man explains more.", layout);
    text
}

fn write_synopsis(text: &mut String, layout: Layout) {
    text.push_str("Usage:\n");
    for line in SYNOPSIS {
        let _ = writeln!(text, "  {}", wrapped(line, layout.columns, 2, 6));
    }
}

fn write_rules(text: &mut String, layout: Layout) {
    let rule =
        "All options come before all targets. The value of a letter is attached to it: -b4K, not -b 4K.";
    write_paragraph(text, rule, layout);
}

fn write_targets(text: &mut String, layout: Layout) {
    write_section(text, "Targets", TARGETS, layout);
    write_section(text, "Size suffixes, at most one", SIZES, layout);
}

fn of_group(text: &mut String, group: &OptionGroup, layout: Layout) {
    write_heading(text, group.title, layout);
    group.flags().for_each(|flag| flag_row(text, flag, flag.forms.len(), layout));
}

/// Adds the first `forms` forms of an option.
fn flag_row(text: &mut String, flag: &Flag, forms: usize, layout: Layout) {
    for (index, (syntax, help)) in flag.forms.iter().take(forms).enumerate() {
        let default = if index == 0 { format!(" [{}]", flag.default) } else { String::new() };
        write_row(text, syntax, &format!("{help}{}", default.replace(" [off]", "")), layout);
    }
}

fn short_row(text: &mut String, flag: &Flag, form: usize, layout: Layout) {
    let (syntax, help) = flag.forms[form];
    let default = flag.default.split("; ").next().unwrap_or_default();
    let is_reported = form == 0 && default != "off" && default.len() <= SHORT_DEFAULT;
    let default = if is_reported { format!(" [{default}]") } else { String::new() };
    write_row(text, syntax, &format!("{}{default}", first_clause(help)), layout);
}

fn first_clause(help: &str) -> &str {
    let end = [": ", "; "].iter().filter_map(|mark| help.find(mark)).min().unwrap_or(help.len());
    let clause = &help[..end];
    match clause.rfind(" (") {
        Some(opened) if !clause[opened..].contains(')') => &clause[..opened],
        _ => clause,
    }
}

fn write_commands(text: &mut String, layout: Layout) {
    text.push_str("\nCommands:\n");
    for command in COMMANDS {
        write_row(text, format!("{} {}", command.name, command.arguments).trim_end(), command.help, layout);
    }
    write_row(text, "<command> --help", "explains a command", layout);
}

fn write_heading(text: &mut String, title: &str, layout: Layout) {
    let _ = writeln!(text, "\n{}:", wrapped(title, layout.columns - 1, 0, 2));
}

/// Returns the output of `diskspd <command> --help`, with a final line feed; empty for an unknown name.
pub fn command_usage(name: &str, columns: usize) -> String {
    let Some(command) = commands::find(name.as_bytes()) else { return String::new() };
    let layout = Layout::new(columns);
    let usage = wrapped(&command.usage(), layout.columns, 7, 7);
    let mut text = format!("Usage: {usage}\n\n");
    write_paragraph(&mut text, &format!("{}.", sentence(command.help)), layout);
    text.push_str("\nOptions:\n");
    for option in command.rows_and_help() {
        write_row(&mut text, &option.form(), &option.meaning(), layout);
    }
    if command.takes_options_of_runs() {
        text.push('\n');
        write_paragraph(&mut text, "The options of a run go with it: diskspd --help.", layout);
    }
    if !command.examples.is_empty() {
        text.push_str("\nExamples:\n");
        command.examples.iter().for_each(|example| show_example(&mut text, example, layout));
    }
    text
}

fn show_example(text: &mut String, (line, meaning): &(&str, &str), layout: Layout) {
    let line = wrapped(&with_example_disk(line), layout.columns - 2, 2, 6).replace('\n', " \\\n");
    let meaning = with_example_disk(meaning);
    let _ = writeln!(text, "  {line}\n      {}", wrapped(&meaning, layout.columns, 6, 6));
}

/// Replaces the disk of an example by one of this system.
fn with_example_disk(text: &str) -> String {
    let is_disk = |word: &str| word.starts_with("/dev/nvme") || word.starts_with("/dev/sd");
    let of_system = |word| if cfg!(windows) && is_disk(word) { EXAMPLE_DISK } else { word };
    text.split(' ').map(of_system).collect::<Vec<_>>().join(" ")
}

/// Converts a line of help to the beginning of a sentence.
pub(super) fn sentence(help: &str) -> String {
    let mut letters = help.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

fn write_paragraph(text: &mut String, words: &str, layout: Layout) {
    let _ = writeln!(text, "{}", wrapped(words, layout.columns, 0, 0));
}

fn write_section(text: &mut String, title: &str, rows: &[(&str, &str)], layout: Layout) {
    write_heading(text, title, layout);
    for (form, meaning) in rows {
        write_row(text, form, meaning, layout);
    }
}

/// Appends the form of an option and its wrapped meaning, side by side, or one below the other if the form
/// is too long.
fn write_row(text: &mut String, form: &str, meaning: &str, Layout { columns, forms }: Layout) {
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
    use crate::cli::topics::TOPICS;

    #[test]
    fn usage_lists_every_option_form_and_command() {
        let usage = usage(UsageExtent::All, 100);
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
        for columns in [30, 40, 60, 80, 100, 120] {
            let of_commands = COMMANDS.iter().map(|command| command_usage(command.name, columns));
            for text in of_commands.chain(all_extents().map(|extent| usage(extent, columns))) {
                let wide = text.lines().find(|line| line.len() > columns && line.trim().contains(' '));
                assert_eq!(wide, None, "{columns}");
            }
        }
    }

    fn all_extents() -> impl Iterator<Item = UsageExtent> {
        let topics = TOPICS.iter().filter_map(|topic| UsageExtent::from_word(topic.as_bytes()));
        topics.chain([UsageExtent::First, UsageExtent::Everyday])
    }

    #[test]
    fn usage_begins_with_the_compatible_version() {
        for extent in all_extents() {
            let usage = usage(extent, 80);
            let (first, rest) = usage.split_once('\n').unwrap();
            assert!(first.contains(env!("CARGO_PKG_VERSION")), "{extent:?}: {first}");
            assert!(first.contains("2.2.0") && first.contains("2024/6/3"), "{extent:?}: {first}");
            assert!(rest.starts_with('\n') && !rest.contains("\n\n\n"), "{extent:?}");
        }
        assert!(version().contains("2.2.0") && version().contains("2024/6/3"));
    }

    #[test]
    fn empty_command_line_shows_five_valid_examples() {
        let screen = usage(UsageExtent::First, 80);
        assert!(screen.lines().count() <= 25, "{screen}");
        assert_eq!(FIRST.len(), 5);
        for (line, _) in FIRST.iter().chain(&REST[..3]) {
            assert!(screen.contains(&format!("\n  {line}")), "{line}");
            let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
            assert!(crate::cli::parse(&arguments).is_ok(), "{line}");
        }
    }

    #[test]
    fn help_line_is_split_before_its_explanation() {
        for (help, expected) in [
            ("block size: bytes of each I/O; and more", "block size"),
            (
                "random I/O, aligned to this size (default: the block size)",
                "random I/O, aligned to this size",
            ),
            ("compare runs (files, @label; several with commas) and say", "compare runs"),
            ("run ranges (-o1..64): a table", "run ranges (-o1..64)"),
            ("measure latency", "measure latency"),
            ("", ""),
        ] {
            assert_eq!(first_clause(help), expected);
        }
    }

    #[test]
    fn short_help_names_all_options_and_topics_explain_them() {
        let short = usage(UsageExtent::Everyday, 80);
        let words: Vec<&str> = short.split([' ', '\n', '[', '<', '=']).collect();
        for group in GROUPS {
            let topic = usage(UsageExtent::Topic(group.topic), 80);
            for flag in group.flags() {
                let name = flag.name.with_dashes();
                assert!(words.contains(&name.as_str()), "{name}");
                for (form, _) in flag.forms {
                    assert!(topic.contains(&format!("\n  {form}")), "{}: {form}", group.topic);
                }
            }
            assert!(short.contains(&format!("(--help {}):", group.topic)), "{}", group.topic);
        }
        for command in COMMANDS {
            assert!(short.contains(&format!("\n  {}", command.name)), "{}", command.name);
        }
        assert!(short.lines().count() * 2 < usage(UsageExtent::All, 80).lines().count());
    }

    #[test]
    fn every_command_has_two_examples_which_it_accepts() {
        for command in COMMANDS.iter().filter(|command| command.name != "compatibility") {
            assert!(command.examples.len() >= 2, "{}", command.name);
            for (line, _) in command.examples {
                let line = line.split(" | ").next().unwrap();
                let line = line.strip_prefix("mpirun -n 4 ").unwrap_or(line);
                let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
                assert!(line.starts_with(&format!("diskspd {}", command.name)), "{line}");
                let read = crate::cli::parse(&arguments);
                assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
            }
        }
    }

    #[test]
    fn help_examples_are_accepted() {
        for (line, _) in EXAMPLES {
            let line = line.split(" > ").next().unwrap().replace('\'', "");
            let arguments: Vec<_> = line.split(' ').map(Into::into).collect();
            assert!(matches!(crate::cli::parse(&arguments), Ok(crate::cli::Invocation::Run(_))), "{line}");
        }
    }
}
