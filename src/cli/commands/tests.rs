//! Tests of the table of commands, and of the common reader with a test table.

use super::*;
use crate::cli::flag::{Name, Scope};
use crate::cli::option::OptionValue;
use crate::cli::{self, flags};
use std::collections::BTreeSet;

pub(super) fn parsed(line: &str) -> Result<Invocation, CliError> {
    let words = ["diskspd"].into_iter().chain(line.split_whitespace());
    cli::parse(&words.map(OsString::from).collect::<Vec<_>>())
}

#[test]
fn rerun_accepts_long_options_of_runs_only() {
    let of_invocation: BTreeSet<String> = flags::all()
        .filter(|flag| flag.scope == Scope::Invocation && matches!(flag.name, Name::Long(_)))
        .map(|flag| flag.name.with_dashes())
        .collect();
    let offered = find(b"rerun").unwrap().rows();
    assert_eq!(offered.iter().map(|row| row.name.to_owned()).collect::<BTreeSet<_>>(), of_invocation);
}

#[test]
fn man_and_help_accept_every_command() {
    for name in ["man", "help"] {
        let words = find(name.as_bytes()).unwrap().takes.words(all_names).unwrap();
        assert!(COMMANDS.iter().all(|command| words.contains(&command.name)), "{name}");
    }
}

#[test]
fn misspelled_command_differs_from_target() {
    let nearly = |word: &str| nearly(&["diskspd".into(), word.into()]).map(|(_, name)| name);
    let meant = [
        ("repot", "report"),
        ("docter", "doctor"),
        ("device", "devices"),
        ("halp", "help"),
        ("import", "history import"),
        ("trend", "history trend"),
        ("set", "baseline set"),
        ("wait", "event wait"),
    ];
    for (word, meant) in meant {
        assert_eq!(nearly(word).as_deref(), Some(meant), "{word}");
    }
    for word in ["report", "test.dat", "./repot", "/dev/sda", "-d5", "ma", "#0"] {
        assert_eq!(nearly(word), None, "{word}");
    }
}

#[test]
fn option_rows_are_unique_and_complete() {
    for command in COMMANDS {
        let mut names = BTreeSet::new();
        for row in command.rows_and_help() {
            assert!(names.insert(row.name), "{} has two rows {}", command.name, row.name);
            assert!(!row.help.is_empty() && !row.help.ends_with('.'), "{} {}", command.name, row.name);
        }
        let exclusive = command.exclusive.iter().flat_map(|group| group.iter());
        assert!(exclusive.clone().all(|row| names.contains(row.name)), "{}", command.name);
    }
}

/// A second file would silently replace the first one, except where all of them are used.
#[test]
fn rows_that_name_a_file_refuse_a_second() {
    let mut repeated = Vec::new();
    for command in COMMANDS {
        let is_file = |row: &&OptionRow| matches!(row.value, OptionValue::File | OptionValue::Folder);
        for row in command.rows().iter().filter(is_file) {
            let both = |line: &str| {
                let words = line.split(" | ").next().unwrap().split(' ');
                let mut words: Vec<OsString> = words.map(OsString::from).collect();
                words.splice(2..2, ["a.json", "b.json"].map(|value| format!("{}={value}", row.name).into()));
                cli::parse(&words).map_err(|error| error.what)
            };
            let more = ["diskspd baseline check storage"].into_iter().filter(|_| !row.only_with.is_empty());
            let outcomes: Vec<_> =
                command.examples.iter().map(|(line, _)| *line).chain(more).map(both).collect();
            let name = format!("{} {}", command.name, row.name);
            let is_refused = |why: &String| why.contains("is given twice");
            match outcomes.iter().any(Result::is_ok) {
                true => repeated.push(name),
                false => {
                    assert!(outcomes.iter().flat_map(|ended| ended.as_ref().err()).any(is_refused), "{name}")
                }
            }
        }
    }
    let all_used = "report --out, merge --out, judge --out, rerun --out, sweep --csv, sweep --json, \
                    sweep --html, sweep --out, suite --out, baseline --out, precondition --out, fio --out, \
                    compare --out";
    assert_eq!(repeated.join(", "), all_used);
}

#[test]
fn values_of_rows_are_accepted() {
    for command in COMMANDS {
        for row in command.rows().iter().filter(|row| !row.is_letter()) {
            let partial = |word: &&str| !word.ends_with('=');
            let examples = [row.example].into_iter().filter(|example| !example.is_empty());
            for value in examples.chain(row.value.offered().iter().copied().filter(partial)) {
                let (line, _) = command.examples[0];
                let words = line.split(" | ").next().unwrap().split(' ');
                let mut words: Vec<OsString> = words.map(OsString::from).collect();
                words.insert(2, format!("{}={value}", row.name).into());
                if let Err(error) = cli::parse(&words) {
                    assert!(!error.what.contains("not possible"), "{} {value}: {error}", row.name);
                }
            }
        }
    }
}

mod reader {
    use super::super::*;
    use crate::cli::command_line::Operands;
    use crate::cli::option::OptionValue::{File, Number, OneOf};
    use crate::cli::option::{row, switch, text};

    const X: OptionRow = text("--x", "<n>", "7", "a number");
    const Y: OptionRow = switch("--y", "a switch");
    const D: OptionRow = row("-d", Number { min: 1, max: 90, of: "seconds" }, "how long");
    const OUT: OptionRow = row("--out", File, "where to");
    const ORDER: OptionRow = row("--order", OneOf(&["given", "random"]), "how");
    const TABLE: [OptionRow; 5] = [X, Y, D, OUT, ORDER];

    fn read(takes: Operands, line: &[&str]) -> Result<CommandLine, CliError> {
        let arguments: Vec<OsString> = line.iter().map(OsString::from).collect();
        let readers =
            RunReaders { line: cli::parse, rerun: cli::parse, fio: cli::parse, commands: all_names };
        CommandLine::read("test", &TABLE, takes, &arguments, readers)
    }

    use crate::cli;

    #[test]
    fn options_are_accepted_anywhere_with_values_after_them() {
        let line = ["a", "--x=1", "b", "--x", "2", "--y", "-d60", "--out", "-", "-", "--out=p=q"];
        let given = read(Operands::Files, &line).unwrap();
        assert_eq!(given.words, ["a", "b", "-"]);
        assert_eq!((given.texts(&X), given.number(&D)), (vec!["1".into(), "2".into()], Some(60)));
        assert_eq!(given.paths(&OUT), ["-", "p=q"].map(std::path::PathBuf::from));
        assert!(given.has_option(&Y) && !given.has_option(&ORDER));
    }

    #[test]
    fn unknown_first_word_starts_a_run() {
        let given = read(Operands::Line, &["--engine", "sim", "--x", "1", "-b4K", "f", "--y"]).unwrap();
        assert_eq!(given.line.unwrap(), ["--engine", "sim", "-b4K", "f"]);
        let given = read(Operands::LineBehind, &["f", "--y", "--", "--y", "-b4K"]).unwrap();
        assert_eq!((given.words, given.line.unwrap()), (vec!["f".into()], vec!["--y".into(), "-b4K".into()]));
    }

    #[test]
    fn contradictory_arguments_are_refused() {
        for (line, what, more) in [
            (
                &["--z"][..],
                "--z is not an option of test",
                "options of this command: --x --y -d --out --order",
            ),
            (&["--xy"], "--xy is not an option of test", ""),
            (&["--x"], "--x: the value is missing", "write --x <n>, such as --x 7"),
            (&["--y=1"], "--y takes no value", ""),
            (&["-d0"], "-d: this value is not possible", "a number of seconds, 1 to 90"),
            (&["--out="], "--out: this value is not possible", "a name"),
            (&["--order", "radnom"], "--order: this value is not possible", "did you mean random?"),
            (&["--order=x"], "--order: this value is not possible", "one of given, random"),
        ] {
            let error = read(Operands::Files, line).err().unwrap();
            assert_eq!(error.what, what, "{line:?}");
            assert!(error.to_string().contains(more), "{line:?}: {error}");
        }
        let error = read(Operands::OneOf(|| vec!["list", "trend"]), &["tredn"]).err().unwrap();
        assert!(error.to_string().contains("did you mean trend?"), "{error}");
    }
}
