//! `diskspd compare`: its grammar.

use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, ReadLine, own, own_path};
use super::typed::quoted;
use super::{Invocation, RunRequest};
use crate::lab::compare::{Metric, Question};
use crate::presets;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// Each side: files, folders, `@` names, several with commas. Empty with [`CompareRequest::interleaved`].
    pub sides: Vec<OsString>,
    /// Both are run, not read.
    pub interleaved: Option<Interleaved>,
    /// `--dir`: one command line is run on two kernels, boot by boot.
    pub boots: Option<AcrossBoots>,
    /// What is asked.
    pub question: Question,
    /// `--fail-if`
    pub fail_if: Option<FailIf>,
    /// `--json`
    pub json: Option<PathBuf>,
    /// `--html`
    pub html: Option<PathBuf>,
    /// `--store`
    pub store: Option<PathBuf>,
    /// `--quiet`: of runs that are made, tell only errors and those whose figures are wrong.
    pub quiet: bool,
    /// All that stands behind the word `compare`, as it was typed.
    pub given: Vec<OsString>,
}

impl CompareRequest {
    /// Whether other programs make the runs of a side.
    pub fn has_programs(&self) -> bool {
        self.interleaved.as_ref().is_some_and(|both| both.programs != [None, None])
    }
}

/// Two command lines that are run in turn: A B, B A, A B, ...
#[derive(Debug, Clone, PartialEq)]
pub struct Interleaved {
    /// How often each.
    pub repeat: u32,
    /// What is run: A, B.
    pub requests: [RunRequest; 2],
    /// What was typed of each, without the targets.
    pub typed: [String; 2],
    /// The programs that run them (`--with-a`, `--with-b`); `None` = this one.
    pub programs: [Option<PathBuf>; 2],
    /// The command lines for other programs.
    pub lines: [SideWords; 2],
}

/// A command line for another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SideWords {
    /// All options.
    pub options: Vec<OsString>,
    /// What stands behind them.
    pub targets: Vec<OsString>,
    /// Whether it takes a seed (`-z`).
    pub takes_seed: bool,
}

/// A command line that is run on two kernels in turn, some runs at each boot.
#[derive(Debug, Clone, PartialEq)]
pub struct AcrossBoots {
    /// Where it is kept what was run.
    pub folder: PathBuf,
    /// How often at each boot.
    pub repeat: u32,
    /// What is run.
    pub request: RunRequest,
    /// What was typed of it.
    pub typed: String,
}

/// When the exit code says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FailIf {
    /// B is worse, and by this share at least as the best estimate goes.
    Worse(f64),
    /// It can't be told.
    Unsure,
}

/// For the help.
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

/// What is given, before it is looked at together.
#[derive(Default)]
struct CompareOptions {
    question: Question,
    fail_if: Option<FailIf>,
    json: Option<PathBuf>,
    html: Vec<PathBuf>,
    store: Option<PathBuf>,
    quiet: bool,
    repeat: Option<u32>,
    with: [Option<PathBuf>; 2],
    folder: Option<PathBuf>,
}

const OWN: [OwnOption<CompareOptions>; 12] = [
    own(
        "--metric",
        "<figure>",
        "the deciding figure: iops, mib, mean, p50, p99, p99.9; of reads or writes: read-p99, write-mean; \
         under a rate: response-p99, read-response-mean",
        |given: &mut CompareOptions, value| {
            let metric = Metric::named(value).ok_or_else(|| {
                let figures = own_option::FIGURES;
                format!(
                    "{figures}, of reads or writes alone read-p99, write-mean, of response times response-p99"
                )
            })?;
            given.question.metric = Some(metric);
            Ok(())
        },
    )
    .or("all of them")
    .words(&["iops", "mib", "mean", "p50", "p99", "p99.9"]),
    own(
        "--same",
        "<share>",
        "differences up to this count as the same",
        |given: &mut CompareOptions, value| {
            let same = share(value).filter(|share| *share < 0.5);
            given.question.same = same.ok_or("a share below 50%, as 2%")?;
            Ok(())
        },
    )
    .or("2%"),
    own(
        "--fail-if",
        "worse|worse=<share>|unsure",
        "exit code 2 if B is worse (worse, or by at least a share: worse=5%), or if the result is unclear \
         (unsure)",
        |given: &mut CompareOptions, value| {
            given.fail_if = Some(fail_if(value).ok_or("worse, worse=5% or unsure")?);
            Ok(())
        },
    )
    .words(&["worse", "worse=5%", "unsure"]),
    own("--anyway", "", "compare runs that differ in block size, mix, pattern or rate, too", |given, _| {
        given.question.anyway = true;
        Ok(())
    }),
    own_path("--json", "<file>", "write the comparison as JSON to this file", |given, path| {
        given.json = Some(path);
    }),
    own_path(
        "--html",
        "<file>",
        "write a page of it to this file: verdict, changes, single runs, what differs",
        |given, path| given.html.push(path),
    ),
    own_path("--store", "<folder>", "the folder of the history, for @label and @id", |given, path| {
        given.store = Some(path);
    }),
    own("--quiet", "", "report only errors, and runs with wrong figures", |given, _| {
        given.quiet = true;
        Ok(())
    }),
    own(
        "--repeat",
        "<n>",
        "run both so often, in turn: behind it --, the options of A (and its targets, if others), ::, \
        those of B, and the targets",
        |given, value| {
            let count = value.parse().ok().filter(|count| (FEWEST..=MOST).contains(count));
            given.repeat = Some(count.ok_or("a number of runs, 1 to 1000")?);
            Ok(())
        },
    ),
    own_path(
        "--with-a",
        "<file>",
        "the diskspd that makes the runs of A; behind it the options of a run and its targets",
        |given: &mut CompareOptions, path| given.with[0] = Some(path),
    )
    .or("this one"),
    own_path(
        "--with-b",
        "<file>",
        "the diskspd that makes the runs of B",
        |given: &mut CompareOptions, path| {
            given.with[1] = Some(path);
        },
    )
    .or("this one"),
    own_path(
        "--dir",
        "<folder>",
        "compare two kernels: keep this boot's runs in this folder; repeat the line after the next boot",
        |given, path| given.folder = Some(path),
    ),
];

/// Those with which the options of a run stand behind without --.
const ONE_LINE: [&str; 3] = ["--with-a", "--with-b", "--dir"];

/// Fewer runs of each tell nothing that is sure.
const FEWEST: u32 = 1;
/// More nobody waits for.
const MOST: u32 = 1000;

/// Reads what follows the word `compare`; `line` reads those that are to be run.
///
/// # Errors
/// It makes no sense.
pub fn read(arguments: &[OsString], line: ReadLine) -> Result<Invocation, CliError> {
    let dashes = arguments.iter().position(|argument| argument == "--");
    let (own, lines) = arguments.split_at(dashes.unwrap_or(arguments.len()));
    let mut options = CompareOptions::default();
    let is_one_line =
        dashes.is_none() && own.iter().any(|argument| ONE_LINE.iter().any(|name| is(argument, name)));
    let (words, lines) = if is_one_line {
        (Vec::new(), Some(rest_of_line(&mut options, own)?))
    } else {
        let given = own_option::read_all(&OWN, &mut options, own)?;
        let words = given.words.iter().map(|word| (*word).clone()).collect();
        (words, lines.get(1..).map(<[OsString]>::to_vec))
    };
    let CompareOptions { question, fail_if, json, html, store, quiet, repeat, with, folder } = options;
    let sides: Vec<OsString> = words;
    let (mut interleaved, mut boots) = (None, None);
    match (repeat, lines, folder) {
        (Some(_), Some(lines), _) if !sides.is_empty() => return Err(stray(&sides[0], &lines)),
        (Some(repeat), Some(lines), Some(folder)) => {
            boots = Some(across_boots(repeat, folder, &with, &lines, line)?)
        }
        (Some(repeat), Some(lines), None) => interleaved = Some(both_lines(repeat, with, &lines, line)?),
        (None, None, None) if with == [None, None] && sides.len() == 2 => {}
        (None, None, None) if with == [None, None] => return Err(two_sides(sides.len())),
        (None, _, Some(_)) => {
            return Err(CliError::new("--dir needs --repeat: the number of runs at each boot")
                .hint("diskspd compare --repeat 3 --dir kernels -b4K -r -d60 FILE"));
        }
        (None, ..) if with != [None, None] => {
            return Err(CliError::new("--with-a and --with-b need --repeat: the number of runs").hint(
                "diskspd compare --repeat 8 --with-a ./old/diskspd --with-b ./new/diskspd -b4K -r -d10 FILE",
            ));
        }
        _ => {
            return Err(CliError::new("--repeat needs two command lines after --")
                .hint("diskspd compare --repeat 8 -- -o1 :: -o8 -b4K -r -d10 FILE"));
        }
    }
    let parts = sides.iter().flat_map(|word| word.as_encoded_bytes().split(|byte| *byte == b','));
    let names = parts.map(|part| part.starts_with(b"@"));
    own_option::check_store(store.as_ref(), names)?;
    let html = own_option::at_most_one("--html", html)?;
    let given = arguments.to_vec();
    let request =
        CompareRequest { sides, interleaved, boots, question, fail_if, json, html, store, quiet, given };
    Ok(Invocation::Compare(Box::new(request)))
}

/// Whether an argument is this option, with or without a value attached.
fn is(argument: &OsString, name: &str) -> bool {
    let rest = argument.as_encoded_bytes().strip_prefix(name.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'=')
}

/// The options of a run and its targets, out of a line that has own options anywhere.
fn rest_of_line(options: &mut CompareOptions, line: &[OsString]) -> Result<Vec<OsString>, CliError> {
    let mut words = Vec::new();
    let mut rest = line.iter();
    while let Some(argument) = rest.next() {
        // The history is that of --save, among the options of the run.
        if is(argument, "--store") || own_option::take(&OWN, options, argument, &mut rest)?.is_none() {
            own_option::refuse_unknown(argument)?;
            words.push(argument.clone());
        }
    }
    match words.is_empty() {
        true => Err(CliError::new("the options of a run and its target are missing")
            .hint("diskspd compare --repeat 8 --with-b ./new/diskspd -b4K -r -d10 FILE")),
        false => Ok(words),
    }
}

fn stray(word: &OsString, lines: &[OsString]) -> CliError {
    let shown = word.to_string_lossy();
    CliError::new(format!("'{shown}' stands before --, but the command lines to run belong after it"))
        .hint(format!("diskspd compare --repeat 8 -- {}", quoted(lines)))
}

/// One command line for two kernels.
fn across_boots(
    repeat: u32,
    folder: PathBuf,
    with: &[Option<PathBuf>; 2],
    words: &[OsString],
    line: ReadLine,
) -> Result<AcrossBoots, CliError> {
    if *with != [None, None] {
        return Err(CliError::new(
            "--dir compares two kernels, --with-a and --with-b two programs: choose one",
        )
        .hint("one after the other: on one kernel both programs, then one program on both kernels"));
    }
    if words.iter().any(|word| word == "::") {
        return Err(CliError::new("--dir runs one command line on two kernels, but :: separates two")
            .hint("leave out one of the two lines, or leave out --dir to run both on this kernel in turn"));
    }
    Ok(AcrossBoots { folder, repeat, request: run(words, line)?, typed: quoted(words) })
}

/// Two command lines, or one that two programs run.
fn both_lines(
    repeat: u32,
    programs: [Option<PathBuf>; 2],
    lines: &[OsString],
    line: ReadLine,
) -> Result<Interleaved, CliError> {
    if programs == [None, None] || lines.iter().any(|word| word == "::") {
        return Ok(Interleaved { programs, ..interleaved(repeat, lines, line)? });
    }
    let request = run(lines, line)?;
    let words = SideWords::of(lines, &request, line);
    let typed = quoted(&words.options);
    Ok(Interleaved {
        repeat,
        requests: [request.clone(), request],
        typed: [typed.clone(), typed],
        programs,
        lines: [words.clone(), words],
    })
}

impl SideWords {
    /// Those of a run that was read from these words.
    fn of(words: &[OsString], request: &RunRequest, line: ReadLine) -> SideWords {
        let targets = trailing_targets(words, request);
        let options = words[..words.len() - targets.len()].to_vec();
        let seeded: Vec<OsString> =
            options.iter().cloned().chain(["-z1".into()]).chain(targets.iter().cloned()).collect();
        let takes_seed = run(&seeded, line).is_ok();
        SideWords { options, targets, takes_seed }
    }
}

fn two_sides(found: usize) -> CliError {
    CliError::new(format!("compare takes two sides, not {found}")).hint(
        "several runs of one side stand together with commas, in a folder, or under a label: compare \
        a1.json,a2.json @new",
    )
}

/// `5%` or `5`: percent.
fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%').unwrap_or(text).parse().ok()?;
    (percent.is_finite() && percent >= 0.0).then_some(percent / 100.0)
}

fn fail_if(text: &str) -> Option<FailIf> {
    match text.split_once('=') {
        None if text == "worse" => Some(FailIf::Worse(0.0)),
        None if text == "unsure" => Some(FailIf::Unsure),
        Some(("worse", by)) => share(by).map(FailIf::Worse),
        _ => None,
    }
}

/// `OPTIONS_A :: OPTIONS_B TARGET ..`: the targets are those of both, unless A has its own.
fn interleaved(repeat: u32, lines: &[OsString], line: ReadLine) -> Result<Interleaved, CliError> {
    let middle = lines.iter().position(|word| word == "::").ok_or_else(|| {
        CliError::new("the :: between both command lines is missing")
            .hint("diskspd compare --repeat 8 -- -o1 :: -o8 -b4K -r -d10 FILE")
    })?;
    let (first, other) = (&lines[..middle], &lines[middle + 1..]);
    if other.iter().any(|word| word == "::") {
        return Err(CliError::new("compare takes two command lines, but there is a second ::"));
    }
    // The targets of both stand at the end; a value of a long option may stand by itself, so that only
    // the parser knows them.
    let of_other = run(other, line)?;
    // Two devices: each line has its own.
    if let Some(own) = run(first, line).ok().filter(|own| !trailing_targets(first, own).is_empty()) {
        let lines = [SideWords::of(first, &own, line), SideWords::of(other, &of_other, line)];
        let typed = [quoted(first), quoted(other)];
        return Ok(Interleaved { repeat, requests: [own, of_other], typed, programs: [None, None], lines });
    }
    let targets: Vec<OsString> = trailing_targets(other, &of_other);
    let first: Vec<OsString> = first.iter().chain(&targets).cloned().collect();
    let typed = |words: &[OsString]| quoted(&words[..words.len() - targets.len()]);
    let typed = [typed(&first), typed(other)];
    let of_first = run(&first, line)?;
    let lines = [SideWords::of(&first, &of_first, line), SideWords::of(other, &of_other, line)];
    Ok(Interleaved { repeat, requests: [of_first, of_other], typed, programs: [None, None], lines })
}

/// The last words, as many as the run has targets, or substitutions of a profile. Each part of a preset has
/// all of them.
fn trailing_targets(words: &[OsString], request: &RunRequest) -> Vec<OsString> {
    let count = match &request.xml_profile {
        Some(profile) => profile.substitutions.len(),
        None => {
            let parts = request.method.preset.as_deref().and_then(presets::find);
            let all: usize = request.profile.time_spans.iter().map(|span| span.targets.len()).sum();
            all / parts.map_or(1, |preset| preset.parts.len())
        }
    };
    words[words.len().saturating_sub(count)..].to_vec()
}

fn run(words: &[OsString], line: ReadLine) -> Result<RunRequest, CliError> {
    let arguments: Vec<OsString> = [OsString::from("diskspd")].iter().chain(words).cloned().collect();
    let request = match line(&arguments)? {
        Invocation::Run(request) if request.record.is_none() => *request,
        _ => return Err(CliError::new("both command lines have to be runs")),
    };
    let elsewhere = [
        (request.profile_only, "-Rp"),
        (request.dry_run, "--dry-run"),
        (!request.out.is_empty(), "--out"),
        (request.stream.is_some(), "--stream"),
        (request.repeat.is_some(), "--repeat"),
        (request.io_log.is_some(), "--io-log"),
        (request.journal.is_some(), "--journal"),
        (request.events != super::Events::default(), "-ys, -yf, -yr, -yp"),
    ];
    match elsewhere.into_iter().find(|(given, _)| *given) {
        None => Ok(request),
        Some((_, option)) => {
            Err(CliError::new(format!("{option} is for single runs, but these are repeated"))
                .hint("leave it out; --save keeps every run in the history"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<CompareRequest, String> {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match read(&arguments, crate::cli::parse) {
            Ok(Invocation::Compare(request)) => Ok(*request),
            Ok(_) => Err("something else".into()),
            Err(error) => Err(error.what),
        }
    }

    #[test]
    fn the_targets_stand_behind_both_command_lines() {
        let request = read_line("--repeat 8 -- -o1 :: -o8 -b4K a b").unwrap().interleaved.unwrap();
        let [first, other] = &request.requests;
        for (request, depth, block) in [(first, 1, 65536), (other, 8, 4096)] {
            let targets = &request.profile.time_spans[0].targets;
            assert_eq!(targets.len(), 2);
            assert_eq!((targets[0].request_count, targets[0].block_size), (depth, block));
        }
        assert_eq!((request.repeat, &request.typed), (8, &["-o1".to_owned(), "-o8 -b4K".to_owned()]));
    }

    #[test]
    fn two_devices_have_their_own_targets() {
        let request = read_line("--repeat 8 -- -b4K -o8 a :: -b4K -o8 b").unwrap().interleaved.unwrap();
        let targets = request.requests.map(|request| {
            let targets = request.profile.time_spans[0].targets.clone();
            targets.iter().map(|target| target.path.to_string()).collect::<Vec<_>>()
        });
        assert_eq!(targets, [["a"], ["b"]]);
    }

    #[test]
    fn one_line_is_that_of_both_programs() {
        let line = "--repeat 8 --with-a ./old -b4K --fail-if worse --engine sim -o8 --store=s --save a b \
            --with-b=new";
        let request = read_line(line).unwrap();
        assert!(request.has_programs() && request.fail_if.is_some() && request.store.is_none());
        let both = request.interleaved.unwrap();
        assert_eq!(both.programs, [Some("./old".into()), Some("new".into())]);
        assert_eq!(both.lines[0], both.lines[1]);
        let words = &both.lines[0];
        assert_eq!(
            words.options,
            ["-b4K", "--engine", "sim", "-o8", "--store=s", "--save"].map(OsString::from)
        );
        assert_eq!((words.targets.clone(), words.takes_seed), (vec!["a".into(), "b".into()], true));
        // One program for two lines.
        let both = read_line("--repeat 8 --with-b new -- -o1 :: -o8 -b4K a").unwrap().interleaved.unwrap();
        assert_eq!(both.programs, [None, Some("new".into())]);
        assert_eq!(both.lines.map(|words| words.options.len()), [1, 2]);
    }

    #[test]
    fn one_line_is_that_of_both_kernels() {
        let request = read_line("--repeat 3 -b4K --dir d -o8 --html=p a").unwrap();
        assert!(!request.has_programs() && request.interleaved.is_none() && request.html == Some("p".into()));
        let boots = request.boots.unwrap();
        assert_eq!((boots.folder, boots.repeat, &*boots.typed), ("d".into(), 3, "-b4K -o8 a"));
    }

    #[test]
    fn each_part_of_a_preset_is_run_on_the_targets() {
        for (preset, spans, each) in [("sql-oltp", 1, 2), ("fleet-sql", 1, 4), ("four-corners", 4, 2)] {
            let line = format!("--repeat 2 -- --preset {preset} :: --preset={preset} -b8K a b");
            let request = read_line(&line).unwrap().interleaved.unwrap();
            for request in &request.requests {
                let targets: Vec<usize> =
                    request.profile.time_spans.iter().map(|span| span.targets.len()).collect();
                assert_eq!(targets, vec![each; spans], "{preset}");
            }
            assert_eq!(request.typed[1], format!("--preset={preset} -b8K"));
        }
    }

    #[test]
    fn two_sides_are_files_and_options_stand_anywhere() {
        let line =
            "a.json,b.json --same 5 @new --fail-if worse=3% --metric read-p99 --store d --quiet --html p";
        let request = read_line(line).unwrap();
        assert_eq!((request.store.as_deref(), request.quiet), (Some("d".as_ref()), true));
        assert_eq!((request.html.clone(), request.given.len()), (Some("p".into()), 13));
        assert_eq!(request.sides, ["a.json,b.json", "@new"]);
        assert_eq!((request.question.same, request.fail_if), (0.05, Some(FailIf::Worse(0.03))));
        assert_eq!(request.question.metric.map(|metric| metric.to_string()).as_deref(), Some("read-p99"));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (line, words) in [
            ("a", "two sides"),
            ("a b c", "two sides"),
            ("a b --html p.html --html q.html", "--html is given twice"),
            ("a b --same -1", "not possible"),
            ("a b --fail-if better", "not possible"),
            ("a b --metric speed", "not possible"),
            ("a b --metric response-iops", "not possible"),
            ("--repeat 8 a b", "--repeat needs two command lines"),
            ("--repeat 8 -- -o1 a", ":: between both"),
            ("--repeat 8 -- -o1 :: -o2 :: a", "second ::"),
            ("--repeat 8 -- -o1 :: -o2", "no target"),
            ("--repeat 0 -- -o1 :: -o2 a", "not possible"),
            ("--repeat 2 -- -o1 --repeat 3 :: -o2 a", "--repeat is for single runs"),
            ("a.json b@c --store d", "--store has no effect"),
            ("--store d --repeat 2 -- -o1 :: -o2 a", "--store has no effect"),
            ("--repeat 2 -- -o1 --out=x.json :: -o2 a", "--out is for single runs"),
        ] {
            let message = read_line(line).unwrap_err();
            assert!(message.contains(words), "{line}: {message}");
        }
    }
}
