//! Commands: first words that ask for something else than a run.

use super::error::CliError;
use super::flag::{Form, Scope, long_name};
use super::own_option::{self, HELP, OptionRow, OwnOption, ReadLine, own, own_path, row};
use super::{
    EventAction, Invocation, PresetRequest, ReportRequest, Shell, TableForm, UsageExtent, VerifyAfterRequest,
    compare, flags, history, meant, merge, precondition, suggest, sweep, trace,
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
    /// Its options, and what each of them does; see [`Command::rows`].
    options: &'static [OptionRow],
    /// Command lines with what they do: two at least, where there is anything to say.
    pub examples: &'static [Form],
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
    /// Options of runs and targets: a command line.
    Line,
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Command {
    /// What begins with a dash and may follow it, `--help` included.
    pub fn option_names(&self) -> impl Iterator<Item = &'static str> {
        self.rows().into_iter().map(|row| row.name).chain([HELP.name])
    }

    /// Its options. Those of a run that is made again are the long ones of a single invocation.
    pub fn rows(&self) -> Vec<OptionRow> {
        match self.read {
            Options => {
                let of_one = flags::all().filter(|flag| flag.scope == Scope::Invocation);
                of_one.filter_map(OptionRow::of).collect()
            }
            _ => self.options.to_vec(),
        }
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
        options: &REPORT_ROWS,
        examples: &[
            ("diskspd report run.json", "print its report and its verdict again"),
            ("diskspd report results/ --html page.html", "write a page of all runs in a folder"),
        ],
        offers: Offers::Files,
        read: Own(report_request),
    },
    Command {
        name: "merge",
        arguments: "<file> <file> .. [--out <file>] [--per-host] [-v]",
        help: "merge the records of the same run on several hosts into one, with one report (docs/merge.md)",
        options: &merge::ROWS,
        examples: &[
            ("diskspd merge node1.json node2.json", "print one report of both hosts"),
            ("diskspd merge node1.json node2.json --out all.json", "keep it as a record, too"),
        ],
        offers: Offers::Files,
        read: Own(merge::read),
    },
    Command {
        name: "rerun",
        arguments: "[<option> ..] <file.json>",
        help: "repeat a saved record's run, and list what has changed on the machine",
        options: &[],
        examples: &[
            ("diskspd rerun run.json", "run the same again"),
            ("diskspd rerun --out again.json @baseline", "run the latest run of a label again, and keep it"),
        ],
        offers: Offers::Files,
        read: Options,
    },
    Command {
        name: "preset",
        arguments: "[<name> [--show]] [--markdown]",
        help: "list the named workloads for --preset, or show one: command lines, reasons, sources",
        options: &[
            row("--show", "", "show the one that is named"),
            row("--markdown", "", "all of them, as a page"),
        ],
        examples: &[
            ("diskspd preset", "list them"),
            ("diskspd preset sql-log --show", "its workload, the reasons, and how it is judged"),
        ],
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
        options: &sweep::ROWS,
        examples: &[
            (
                "diskspd sweep -o1..64 -b4K -r -Su -W1 -d3 test.dat",
                "seven depths, the knee and the command line to use",
            ),
            (
                "diskspd sweep --slo p99=5ms -t4 -o32 -b4K -r -Su test.dat",
                "the highest rate with a p99 of at most 5 ms",
            ),
        ],
        offers: Offers::Line,
        read: Own(sweep::parse),
    },
    Command {
        name: "precondition",
        arguments: "<target> [<option> ..] [-- <option of the rounds> ..]",
        help: "bring a device into its steady state: purge, fill, rounds of random writes until they are \
               steady; exit code 2 if they never are",
        options: &precondition::ROWS,
        examples: &[
            (
                "diskspd precondition /dev/nvme1n1 --standard pts-enterprise --purge",
                "empty it, fill it twice, and write at random until that is steady",
            ),
            (
                "diskspd precondition test.dat --standard custom -- -c100G -b8K -r -w70 -Su",
                "create a file, and bring it into this workload's steady state",
            ),
        ],
        offers: Offers::Line,
        read: Own(precondition::parse),
    },
    Command {
        name: "trace",
        arguments: "<device> [-d<seconds>] [<option> ..], or --from <file> [<option> ..]",
        help: "trace a device, or read recorded I/Os, and write a profile of the same workload, with its \
               goodness of fit",
        options: &trace::ROWS,
        examples: &[
            (
                "diskspd trace /dev/nvme0n1 -d60 --out profile.xml",
                "trace it for a minute, and write a profile of the same workload",
            ),
            ("diskspd trace --from log.csv", "summarize recorded I/Os"),
        ],
        offers: Offers::Files,
        read: Own(trace::read),
    },
    Command {
        name: "history",
        arguments: "[list|show|label|tag|untag|pin|unpin|remove|export|import|reindex|trend] [..]",
        help: "list the runs that --save has kept, find, name, remove, export and import them, and tell \
        how figures changed",
        options: &history::ROWS,
        examples: &[
            ("diskspd history", "list the runs that --save has kept"),
            ("diskspd history trend --metric p99 --label nightly", "when a figure changed"),
        ],
        offers: Offers::Words(history::ACTIONS),
        read: Own(history::read),
    },
    Command {
        name: "compare",
        arguments: "<A> <B> [<option> ..], or --repeat <n> -- <options A> :: <options B> <target> .., or \
        --repeat <n> --with-a <A> --with-b <B>|--dir <folder> <options> <target> ..",
        help: "compare runs (files, folders, @label or @id; several with commas) and say whether B is \
        better, worse or the same",
        options: &compare::ROWS,
        examples: &[
            ("diskspd compare @old @new", "the runs of two labels of the history"),
            (
                "diskspd compare --repeat 8 -- -o8 :: -o32 -b4K -r -Su -d5 test.dat",
                "run two command lines in turn, eight times each",
            ),
            (
                "diskspd compare --repeat 8 --with-a ./old --with-b ./new -b4K -r -d5 test.dat",
                "the same of two builds of diskspd",
            ),
            (
                "diskspd compare --repeat 3 --dir kernels -b4K -r -Su -d60 /dev/sdX",
                "two kernels: type it again after booting the other one",
            ),
        ],
        offers: Offers::Line,
        read: Lines(compare::read),
    },
    Command {
        name: "verify-after",
        arguments: "<journal> [<target> ..]",
        help: "read back all sectors that a journal (--journal) lists as durable: exit code 4 if any is \
               wrong",
        options: &[],
        examples: &[
            ("diskspd verify-after run.journal", "read back what that run made durable"),
            ("diskspd verify-after run.journal /dev/nvme2n1", "the same for a target with a new name"),
        ],
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
        examples: &[
            ("diskspd devices", "a line for each"),
            ("diskspd devices --json", "for programs, with partitions"),
        ],
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
        help: "check this machine, or the storage of these targets, for anything that distorts figures: exit \
               code 2 if there is any",
        options: &[
            JSON,
            row("--privileges", "", "list which features need which rights, and which this process has"),
        ],
        examples: &[
            ("diskspd doctor test.dat", "what would distort figures that are measured there"),
            ("diskspd doctor --privileges", "what needs which rights"),
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
        examples: &[
            ("diskspd event set go", "start the run that waits with -yrgo"),
            ("diskspd event wait done", "wait for the end of the run with -yfdone"),
        ],
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
        examples: &[
            ("diskspd man | man -l -", "read the page of the program"),
            ("diskspd man sweep | man -l -", "that of a command"),
        ],
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
        examples: &[
            ("diskspd completions bash", "print them; source <(diskspd completions bash) has them now"),
            (
                "diskspd completions fish",
                "print those of fish; ~/.config/fish/completions/diskspd.fish keeps them",
            ),
        ],
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
        examples: &[],
        offers: Offers::Nothing,
        read: Words(|arguments| arguments.is_empty().then_some(Invocation::Compatibility)),
    },
    Command {
        name: "help",
        arguments: "[<command>|<topic>|all]",
        help: "print the options of every day by topic, as --help does; all of a topic or of a command",
        options: &[],
        examples: &[
            ("diskspd help caching", "all that a run can be told of caching"),
            ("diskspd help sweep", "a command and its options"),
        ],
        offers: Offers::Words(NAMES),
        read: Words(|arguments| match arguments {
            [] => Some(Invocation::Usage(UsageExtent::Everyday)),
            [word] => {
                let word = word.as_encoded_bytes();
                let command = |command: &Command| Invocation::CommandUsage { command: command.name };
                find(word).map(command).or_else(|| UsageExtent::named(word).map(Invocation::Usage))
            }
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

const REPORT_ROWS: [OptionRow; REPORT.len()] = own_option::rows(&REPORT);

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
        return Err(CliError::new("wrong arguments for the command report"));
    }
    let names = given.words.iter().map(|word| word.as_encoded_bytes().starts_with(b"@"));
    own_option::check_store(store.as_ref(), names)?;
    Ok(Invocation::Report(ReportRequest { files, store, verbose, table, html }))
}

const JSON: OptionRow = row("--json", "", "as JSON, for programs");

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
            .ok_or_else(|| CliError::new(format!("wrong arguments for the command {}", command.name))),
        Lines(read) => read(rest, line),
        Options => options(rest),
        Own(read) => read(rest),
    };
    Some(read.map_err(|mut error| {
        if let Some(place) = error.place.as_ref().filter(|_| error.unknown_option)
            && let Some(meant) = meant(&place.argument, &command.rows())
        {
            error.hint = Some(error.hint.map_or_else(|| meant.clone(), |all| format!("{meant}; {all}")));
        }
        let explained =
            format!("see diskspd {0} --help; for a target of that name write ./{0}", command.name);
        CliError {
            expected: error.expected.or_else(|| Some(command.usage())),
            hint: error.hint.or(Some(explained)),
            ..error
        }
    }))
}

/// What is meant by a long option that is unknown where it stands; `here`: the options of the command, none
/// of a run. `None` = nothing that is known.
pub fn meant(argument: &[u8], here: &[OptionRow]) -> Option<String> {
    let text = String::from_utf8_lossy(argument);
    let name = long_name(&text)?;
    let has = |command: &&Command| command.rows().iter().any(|row| row.name.strip_prefix("--") == Some(name));
    let elsewhere: Vec<&str> = COMMANDS.iter().filter(has).map(|command| command.name).collect();
    meant::option(argument, here, &elsewhere)
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
