//! Commands: first words that ask for something else than a run.

use super::error::CliError;
use super::flag::Form;
use super::own_option::{self, OwnOption, ReadLine, own, own_path};
use super::{
    EventAction, Invocation, PresetRequest, ReportRequest, Shell, TableForm, VerifyAfterRequest, compare,
    history, merge, precondition, suggest, sweep, trace,
};
use crate::profile::RawText;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

/// A command: a row of the table that parser, help, man page and completions come from.
pub struct Command {
    /// The word.
    pub name: &'static str,
    /// What follows it, for the help; empty where nothing may follow.
    pub arguments: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Its options, and what each of them does.
    pub options: &'static [Form],
    /// What a shell offers behind it.
    pub offers: Offers,
    read: Reads,
}

/// How what follows a command is read.
enum Reads {
    /// A few words; `None` = they make no sense.
    Words(fn(&[OsString]) -> Option<Invocation>),
    /// A grammar of its own, with errors of its own.
    Own(fn(&[OsString]) -> Result<Invocation, CliError>),
    /// The same, with command lines in it.
    Lines(fn(&[OsString], ReadLine) -> Result<Invocation, CliError>),
    /// Options of the flag table, which the parser knows.
    Options,
}

use Reads::{Lines, Options, Own, Words};

/// What a shell offers behind a command, beside its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offers {
    /// Nothing.
    Nothing,
    /// Files: records, or targets.
    Files,
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Command {
    /// What begins with a dash and may follow it, `--help` included.
    pub fn option_names(&self) -> impl Iterator<Item = &'static str> {
        self.options.iter().map(|(name, _)| *name).chain(["--help"])
    }

    /// How it is called: `diskspd report <file.json> [-v]`.
    pub fn usage(&self) -> String {
        format!("diskspd {} {}", self.name, self.arguments).trim_end().to_owned()
    }
}

/// The command of that name.
pub fn find(name: &[u8]) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name.as_bytes() == name)
}

/// All commands.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "report",
        arguments: "<file> .. [-v] [--csv|--md|--html <page>] [--store <folder>]",
        help: "print the report of a saved record again, or a table or page of many: records, XML, folders; \
        @label or @id is a run of the history",
        options: &REPORT_FORMS,
        offers: Offers::Files,
        read: Own(report_request),
    },
    Command {
        name: "merge",
        arguments: "<file> <file> .. [--out <file>] [--per-host] [-v]",
        help: "merge the records of the same run on several hosts into one, with one report (docs/merge.md)",
        options: &merge::FORMS,
        offers: Offers::Files,
        read: Own(merge::read),
    },
    Command {
        name: "rerun",
        arguments: "[<option> ..] <file.json>",
        help: "run a saved record's profile again, the same way, and say what about the machine has changed",
        options: &[
            ("--out", "write a further report, as for a run"),
            ("--stream", "write a line of JSON for each interval, as for a run"),
            ("--io-log", "log every single I/O, as for a run"),
            ("--journal", "tell a file which writes are durable, as for a run"),
            ("--mpi", "run it as one of several ranks, as for a run"),
            ("--split", "each rank gets its own part of a target that several of them share"),
            ("--dry-run", "say what would be done, and do nothing"),
            ("--repeat", "run it several times, as for a run"),
            ("--recreate", "write the files of -c anew; not stored"),
            ("--destroy", "permit writing to devices that carry something; not stored"),
            ("--strict", "end with exit code 2 when the figures are not what they seem to be"),
            ("--quiet", "tell only errors, and what is wrong with the figures"),
            ("--xml-verdict", "add verdict and findings to the XML results"),
            ("--text-verdict", "add verdict and findings behind the text report"),
            ("--save", "keep the run in the history, as for a run"),
            ("--store", "the folder of the history"),
        ],
        offers: Offers::Files,
        read: Options,
    },
    Command {
        name: "preset",
        arguments: "[<name> [--show]] [--markdown]",
        help: "list the named workloads for --preset, or show one: command lines, reasons, sources",
        options: &[("--show", "show the one that is named"), ("--markdown", "all of them, as a page")],
        offers: Offers::Nothing,
        read: Words(|arguments| {
            let name = |name: &OsString| {
                let name = name.to_str().filter(|name| !name.starts_with('-'))?;
                Some(Invocation::Preset(PresetRequest::Show(name.to_owned())))
            };
            match arguments {
                [] => Some(Invocation::Preset(PresetRequest::List)),
                [only] if only == "--markdown" => Some(Invocation::Preset(PresetRequest::Markdown)),
                [only] => name(only),
                [first, show] if show == "--show" => name(first),
                [show, last] if show == "--show" => name(last),
                _ => None,
            }
        }),
    },
    Command {
        name: "sweep",
        arguments: "<option> .. <target> ..",
        help: "run a command line with ranges in it (-o1..64): a table of all points, and the answer",
        options: &sweep::FORMS,
        offers: Offers::Files,
        read: Own(sweep::parse),
    },
    Command {
        name: "precondition",
        arguments: "<target> [<option> ..] [-- <option of the rounds> ..]",
        help: "bring a device into its steady state: purge, fill, random writes in rounds until they are \
        alike; exit code 2 when they never are",
        options: &precondition::FORMS,
        offers: Offers::Files,
        read: Own(precondition::parse),
    },
    Command {
        name: "trace",
        arguments: "<device> [-d<seconds>] [<option> ..], or --from <file> [<option> ..]",
        help: "watch what others do on a device, or look at recorded I/Os, and write a profile that does the \
        same, with how well it fits",
        options: &trace::FORMS,
        offers: Offers::Files,
        read: Own(trace::read),
    },
    Command {
        name: "history",
        arguments: "[list|show|label|tag|untag|pin|unpin|remove|export|import|reindex|trend] [..]",
        help: "list the runs that --save has kept, find, name, remove, export and import them, and tell \
        how figures changed",
        options: &history::FORMS,
        offers: Offers::Words(history::ACTIONS),
        read: Own(history::read),
    },
    Command {
        name: "compare",
        arguments: "<A> <B> [<option> ..], or --repeat <n> -- <options A> :: <options B> <target> ..",
        help: "compare runs (files, folders, @label or @id; several with commas) and say whether B is \
        better, worse or the same",
        options: &compare::FORMS,
        offers: Offers::Files,
        read: Lines(compare::read),
    },
    Command {
        name: "verify-after",
        arguments: "<journal> [<target> ..]",
        help: "read everything back that a journal (--journal) says is durable: exit code 4 when anything \
        is wrong",
        options: &[],
        offers: Offers::Files,
        read: Words(|arguments| {
            let raw = |word: &OsString| RawText::from(word.as_encoded_bytes().to_vec());
            let (journal, targets) = arguments.split_first()?;
            let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
            let request =
                VerifyAfterRequest { journal: journal.into(), targets: targets.iter().map(raw).collect() };
            (!arguments.iter().any(is_option)).then_some(Invocation::VerifyAfter(request))
        }),
    },
    Command {
        name: "devices",
        arguments: "[--json]",
        help: "list the block devices: number for #<n>, size, model, queue, who uses them",
        options: &[JSON],
        offers: Offers::Nothing,
        read: Words(|arguments| match arguments {
            [] => Some(Invocation::Devices { json: false }),
            [option] if option == "--json" => Some(Invocation::Devices { json: true }),
            _ => None,
        }),
    },
    Command {
        name: "doctor",
        arguments: "[<target> ..] [--json], or --privileges",
        help: "say what about this machine, or beneath these targets, would distort figures: exit code 2 when anything would",
        options: &[
            JSON,
            (
                "--privileges",
                "say instead which features need which rights, and which of them this process has",
            ),
        ],
        offers: Offers::Files,
        read: Words(|arguments| {
            if arguments == ["--privileges"] {
                return Some(Invocation::Privileges);
            }
            let (options, targets): (Vec<_>, Vec<_>) =
                arguments.iter().partition(|argument| argument.as_encoded_bytes().starts_with(b"-"));
            let json = !options.is_empty();
            let known = options.iter().all(|option| *option == "--json");
            let targets =
                targets.iter().map(|target| RawText::from(target.as_encoded_bytes().to_vec())).collect();
            known.then_some(Invocation::Doctor { json, targets })
        }),
    },
    Command {
        name: "event",
        arguments: "wait|set|reset <event>",
        help: "wait for an event of -ys, -yf, -yr, -yp, set it, or make it not set",
        options: &[],
        offers: Offers::Words(&["wait", "set", "reset"]),
        read: Words(|arguments| match arguments {
            [action, name] => {
                let action = match action.as_encoded_bytes() {
                    b"wait" => EventAction::Wait,
                    b"set" => EventAction::Set,
                    b"reset" => EventAction::Reset,
                    _ => return None,
                };
                Some(Invocation::Event { action, name: RawText::from(name.as_encoded_bytes().to_vec()) })
            }
            _ => None,
        }),
    },
    Command {
        name: "man",
        arguments: "[<command>]",
        help: "print the man page (roff), of the program or of a command: diskspd man sweep | man -l -",
        options: &[],
        offers: Offers::Words(NAMES),
        read: Words(|arguments| match arguments {
            [] => Some(Invocation::Man { command: None }),
            [word] => {
                find(word.as_encoded_bytes()).map(|command| Invocation::Man { command: Some(command.name) })
            }
            _ => None,
        }),
    },
    Command {
        name: "completions",
        arguments: "bash|zsh|fish",
        help: "print the completions of a shell",
        options: &[],
        offers: Offers::Words(&["bash", "zsh", "fish"]),
        read: Words(|arguments| match arguments {
            [shell] => Shell::from_name(shell.as_encoded_bytes()).map(Invocation::Completions),
            _ => None,
        }),
    },
    Command {
        name: "compatibility",
        arguments: "",
        help: "print how each option relates to DISKSPD (Markdown)",
        options: &[],
        offers: Offers::Nothing,
        read: Words(|arguments| arguments.is_empty().then_some(Invocation::Compatibility)),
    },
    Command {
        name: "help",
        arguments: "[<command>]",
        help: "print the usage, as -? does, or that of a command",
        options: &[],
        offers: Offers::Words(NAMES),
        read: Words(|arguments| match arguments {
            [] => Some(Invocation::Usage { no_arguments: false }),
            [word] => find(word.as_encoded_bytes())
                .map(|command| Invocation::CommandUsage { command: command.name }),
            _ => None,
        }),
    },
];

/// All commands but `help`, which explains them.
pub const NAMES: &[&str] = &[
    "report",
    "merge",
    "rerun",
    "preset",
    "sweep",
    "precondition",
    "trace",
    "history",
    "compare",
    "verify-after",
    "devices",
    "doctor",
    "event",
    "man",
    "completions",
    "compatibility",
];

const REPORT_FORMS: [Form; REPORT.len()] = own_option::forms(&REPORT);

/// What is given to `report`.
#[derive(Default)]
struct ReportOptions {
    html: Vec<PathBuf>,
    store: Option<PathBuf>,
}

const REPORT: [OwnOption<ReportOptions>; 5] = [
    own("-v", "", "of one run: with everything that was found about it, or with every percentile", |_, _| {
        Ok(())
    }),
    own("--csv", "", "a table of all runs with all columns, for programs", |_, _| Ok(())),
    own("--md", "", "a table of all runs in Markdown", |_, _| Ok(())),
    own_path(
        "--html",
        "<file>",
        "a page of all runs with their verdicts and charts, in this file",
        |given, path| given.html.push(path),
    ),
    own_path("--store", "<folder>", "the folder of the history", |given, path| given.store = Some(path)),
];

/// Reads what follows `report`.
fn report_request(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut options = ReportOptions::default();
    let given = own_option::read_all(&REPORT, &mut options, arguments)?;
    let files: Vec<_> = given.words.iter().map(|word| word.into()).collect();
    let table = match (given.has("--csv"), given.has("--md")) {
        (true, false) => Some(TableForm::Csv),
        (false, true) => Some(TableForm::Markdown),
        _ => None,
    };
    let ReportOptions { html, store } = options;
    let (verbose, html) = (given.has("-v"), own_option::at_most_one("--html", html)?);
    let forms = ["-v", "--csv", "--md", "--html"].into_iter().filter(|form| given.has(form)).count();
    if files.is_empty() || forms > 1 || (verbose && files.len() > 1) {
        return Err(CliError::new("the command report is not used that way"));
    }
    let names = given.words.iter().map(|word| word.as_encoded_bytes().starts_with(b"@"));
    own_option::check_store(store.as_ref(), names)?;
    Ok(Invocation::Report(ReportRequest { files, store, verbose, table, html }))
}

const JSON: Form = ("--json", "as JSON, for programs");

/// The option that is a command too, at the front of a line, as its word.
pub fn with_command_first(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    const OPTION: &str = "--verify-after";
    let Some((first, rest)) = arguments.split_first() else { return Cow::Borrowed(arguments) };
    let journal = match first.as_encoded_bytes().strip_prefix(OPTION.as_bytes()) {
        Some([]) => None,
        Some([b'=', value @ ..]) => Some(RawText::from(value.to_vec()).as_path().as_os_str().to_owned()),
        _ => return Cow::Borrowed(arguments),
    };
    [OsString::from(&OPTION[2..])].into_iter().chain(journal).chain(rest.iter().cloned()).collect()
}

/// Reads a command line whose first word (behind the program name) is a command; `None` if it is not.
/// `options` reads those of the flag table behind a command, `line` a whole command line.
pub fn parse(
    arguments: &[OsString],
    options: ReadLine,
    line: ReadLine,
) -> Option<Result<Invocation, CliError>> {
    let (word, rest) = arguments.split_first()?;
    let command = find(word.as_encoded_bytes())?;
    if rest.iter().any(|argument| argument == "-?" || argument == "--help") {
        return Some(Ok(Invocation::CommandUsage { command: command.name }));
    }
    let read = match command.read {
        Words(read) => read(rest)
            .ok_or_else(|| CliError::new(format!("the command {} is not used that way", command.name))),
        Lines(read) => read(rest, line),
        Options => options(rest),
        Own(read) => read(rest),
    };
    Some(read.map_err(|error| {
        let explained =
            format!("diskspd {0} --help explains; a target of that name is written ./{0}", command.name);
        CliError {
            expected: error.expected.or_else(|| Some(command.usage())),
            hint: error.hint.or(Some(explained)),
            ..error
        }
    }))
}

/// The command that was probably meant by the first word of a command line. It is taken as a target, and is
/// one if there is such a file.
pub fn nearly(arguments: &[OsString]) -> Option<(RawText, &'static str)> {
    let word = arguments.get(1)?.as_encoded_bytes();
    if word.len() < SHORTEST || word[0] == b'-' || word.contains(&b'/') {
        return None;
    }
    let near =
        COMMANDS.iter().map(|command| (suggest::distance(command.name.as_bytes(), word), command.name));
    let (distance, name) = near.min_by_key(|(distance, _)| *distance)?;
    (1..=2).contains(&distance).then(|| (RawText::from(word.to_vec()), name))
}

/// Shorter words differ from any short command in two letters.
const SHORTEST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::flag::{Name, Scope};
    use crate::cli::flags;

    #[test]
    fn what_is_run_again_takes_every_long_option_of_one_invocation_and_no_other() {
        let of_invocation: std::collections::BTreeSet<String> = flags::all()
            .filter(|flag| flag.scope == Scope::Invocation && matches!(flag.name, Name::Long(_)))
            .map(|flag| flag.name.with_dashes())
            .collect();
        let offered = find(b"rerun").unwrap().option_names().filter(|name| *name != "--help");
        assert_eq!(offered.map(str::to_owned).collect::<std::collections::BTreeSet<_>>(), of_invocation);
    }

    #[test]
    fn help_and_man_offer_every_command_but_help() {
        let names: Vec<&str> = COMMANDS.iter().map(|c| c.name).filter(|name| *name != "help").collect();
        assert_eq!(NAMES, names);
        for command in [b"help".as_slice(), b"man"] {
            assert_eq!(find(command).unwrap().offers, Offers::Words(NAMES));
        }
    }

    #[test]
    fn a_word_that_is_nearly_a_command_is_told_from_a_target() {
        let nearly = |word: &str| nearly(&["diskspd".into(), word.into()]).map(|(_, name)| name);
        for (word, meant) in
            [("repot", "report"), ("docter", "doctor"), ("device", "devices"), ("halp", "help")]
        {
            assert_eq!(nearly(word), Some(meant), "{word}");
        }
        for word in ["report", "test.dat", "./repot", "/dev/sda", "-d5", "ma", "#0"] {
            assert_eq!(nearly(word), None, "{word}");
        }
    }
}
