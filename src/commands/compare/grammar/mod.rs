//! `diskspd compare`: two existing sides, or new runs.

mod lines;

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::{File, Folder, Number};
use crate::cli::option::{FIGURES, HTML, JSON, METRIC, OUT, OptionRow, QUIET, STORE, row, switch, text};
use crate::cli::shell_quote::quoted;
use crate::experiments::compare::{AnswerForm, ComparisonQuery, Metric};
use std::ffi::OsString;
use std::path::PathBuf;

use crate::cli::requests::{AnswerOutput, BootPlan, CompareRequest, FailIf, Interleaved};
use lines::{across_boots, both_lines};

const FIGURE: OptionRow = METRIC
    .with_help(
        "the deciding figure: iops, mib, mean, p50, p99, p99.9; of reads or writes: read-p99, write-mean; \
         under a rate: response-p99, read-response-mean",
    )
    .with_default("iops, under a rate p99; the others are shown");
const SAME_OPTION: OptionRow =
    text("--same", "<share>", "5%", "differences up to this count as the same").with_default("2%");
pub(super) const FAIL_IF: OptionRow = text(
    "--fail-if",
    "worse|worse=<share>|unsure",
    "",
    "exit code 2: worse = B (the new runs) is worse, worse=5% = by 5 % or more, unsure = also if \
     inconclusive",
)
.with_choices(&["worse", "worse=5%", "unsure"]);
pub(super) const BISECT: OptionRow = text(
    "--bisect",
    "<loss>",
    "20%",
    "exit codes for git bisect run, which searches for this loss: 0 = good, 1 = bad (nearer to the loss than \
     to A), 125 = inconclusive or failed, 128 = wrong command line",
);
const ANYWAY_OPTION: OptionRow =
    switch("--anyway", "also compare runs that differ in block size, mix, pattern or rate");
const DOCUMENT: OptionRow = JSON.with_help("write the comparison as JSON to this file");
const PAGE: OptionRow =
    HTML.with_help("write an HTML page of it to this file: verdict, changes, single runs, other differences");
const BY_ENDING: OptionRow = OUT.with_help(
    "write the answer in the format of the file's ending, or named (github:-): .junit.xml, .md, metrics.txt, \
     .bencher.json",
);
const REPEAT: OptionRow = row(
    "--repeat",
    Number { min: 1, max: 1000, of: "runs" },
    "run each n times, in random order within pairs; then come --, all options of A, ::, all options of B, \
     and the targets of both (A may have its own)",
);
const UNTIL_SURE: OptionRow =
    switch("--until-sure", "instead of --repeat: run pairs until the answer is certain, 30 pairs at most");
const ORDER_SEED: OptionRow = row(
    "--order-seed",
    Number { min: 0, max: u32::MAX, of: "the random order" },
    "seed of the order of the runs, to repeat an order",
)
.with_default("drawn, and printed");
const WITH_A: OptionRow = row(
    "--with-a",
    File,
    "the diskspd program for the runs of A, followed by the options and targets of a run",
)
.with_default("this one");
const WITH_B: OptionRow =
    row("--with-b", File, "the diskspd that makes the runs of B").with_default("this one");
const BOOTS: OptionRow = row(
    "--dir",
    Folder,
    "compare two kernels: keep this boot's runs in this folder; repeat the line after the next boot",
);

pub(super) const COMPARE: Command = Command {
    name: "compare",
    arguments: "<A> <B> [<option> ..], or --until-sure|--repeat <n> -- <options A> :: <options B> <target> \
                .., or --until-sure|--repeat <n> --with-a <A> --with-b <B> <options> <target> .., or \
                --repeat <n> --dir <folder> <options> <target> ..",
    help: "compare runs (files, folders, @label or @id; several with commas) and say whether B is better, \
           worse or the same",
    options: &[
        FIGURE,
        SAME_OPTION,
        FAIL_IF,
        BISECT,
        ANYWAY_OPTION,
        DOCUMENT,
        PAGE,
        BY_ENDING,
        STORE,
        QUIET,
        REPEAT,
        UNTIL_SURE,
        ORDER_SEED,
        WITH_A,
        WITH_B,
        BOOTS,
    ],
    exclusive: &[&[FAIL_IF, BISECT], &[REPEAT, UNTIL_SURE], &[BOOTS, UNTIL_SURE]],
    takes: Operands::LineWith {
        opened_by: &[WITH_A.name, WITH_B.name, BOOTS.name],
        // That of --save, among the options of the run.
        of_run: &[STORE.name],
    },
    examples: &[
        ("diskspd compare @old @new", "the runs of two labels of the history"),
        (
            "diskspd compare --until-sure -- -o8 -b4K -r -Su -d5 :: -o32 -b4K -r -Su -d5 test.dat",
            "run two command lines alternately until the answer is certain (--repeat 8: eight times each)",
        ),
        (
            "diskspd compare --repeat 8 --with-a ./old --with-b ./new -b4K -r -d5 test.dat",
            "the same of two builds of diskspd",
        ),
        (
            "diskspd compare --repeat 3 --dir kernels -b4K -r -Su -d60 /dev/sdX",
            "two kernels: repeat the command after each boot",
        ),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let (mut interleaved, boots) = read_runs(&line)?;
    if let Some(seed) = line.number(&ORDER_SEED) {
        let Some(both) = &mut interleaved else {
            return Err(CliError::new(
                "--order-seed needs two sides to run: --until-sure or --repeat with two command lines or \
                 programs",
            )
            .hint("diskspd compare --repeat 8 --order-seed 1 -- -o1 -b4K -r -d10 :: -o8 -b4K -r -d10 FILE"));
        };
        both.order_seed = Some(seed);
    }
    let parts = line.words.iter().flat_map(|word| word.as_encoded_bytes().split(|byte| *byte == b','));
    let request = CompareRequest {
        interleaved,
        boots,
        question: read_question(&line)?,
        fail_if: gate(&line, &FAIL_IF, &BISECT)?,
        out: output_options(&line, &DOCUMENT, &PAGE, &BY_ENDING)?,
        store: line.store_of(&STORE, parts)?,
        quiet: line.has_option(&QUIET),
        sides: line.words,
        given: line.typed,
    };
    Ok(Invocation::Compare(Box::new(request)))
}

fn read_question(line: &CommandLine) -> Result<ComparisonQuery, CliError> {
    let metric = |value: &str| {
        let expected = || {
            format!(
                "{FIGURES}, of reads or writes alone read-p99, write-mean, of response times response-p99"
            )
        };
        Metric::from_name(value).ok_or_else(expected)
    };
    let same =
        |value: &str| parse_share(value).filter(|share| *share < 0.5).ok_or("a share below 50%, as 2%");
    let usual = ComparisonQuery::default();
    Ok(ComparisonQuery {
        metric: line.read_value(&FIGURE, metric)?,
        same: line.read_value(&SAME_OPTION, same)?.unwrap_or(usual.same),
        anyway: line.has_option(&ANYWAY_OPTION),
        ..usual
    })
}

fn read_runs(line: &CommandLine) -> Result<(Option<Interleaved>, Option<BootPlan>), CliError> {
    let (folder, read) = (line.path(&BOOTS)?, line.readers.line);
    let repeat = match line.has_option(&UNTIL_SURE) {
        true => Some(None),
        false => line.number(&REPEAT).map(Some),
    };
    let with = [line.path(&WITH_A)?, line.path(&WITH_B)?];
    let has_programs = with != [None, None];
    if line.line.as_ref().is_some_and(Vec::is_empty) && (has_programs || folder.is_some()) {
        return Err(CliError::new("the options of a run and its target are missing")
            .hint("diskspd compare --repeat 8 --with-b ./new/diskspd -b4K -r -d10 FILE"));
    }
    match (repeat, &line.line, folder, &line.words[..]) {
        (Some(_), Some(lines), _, [word, ..]) => Err(stray_word(word, lines)),
        (Some(Some(repeat)), Some(lines), Some(folder), _) => {
            Ok((None, Some(across_boots(repeat, folder, &with, lines, read)?)))
        }
        (Some(repeat), Some(lines), _, _) => Ok((Some(both_lines(repeat, with, lines, read)?), None)),
        (None, None, None, [_, _]) => Ok((None, None)),
        (None, None, None, words) => Err(two_sides(words.len())),
        (None, _, Some(_), _) => Err(CliError::new("--dir needs --repeat: the number of runs at each boot")
            .hint("diskspd compare --repeat 3 --dir kernels -b4K -r -d60 FILE")),
        (None, ..) if has_programs => Err(CliError::new(
            "--with-a and --with-b need --until-sure, or --repeat with the number of runs",
        )
        .hint(
            "diskspd compare --until-sure --with-a ./old/diskspd --with-b ./new/diskspd -b4K -r -d10 FILE",
        )),
        (Some(None), ..) => Err(CliError::new("--until-sure needs two command lines after --")
            .hint("diskspd compare --until-sure -- -o1 -b4K -r -d10 :: -o8 -b4K -r -d10 FILE")),
        _ => Err(CliError::new("--repeat needs two command lines after --")
            .hint("diskspd compare --repeat 8 -- -o1 -b4K -r -d10 :: -o8 -b4K -r -d10 FILE")),
    }
}

fn stray_word(word: &OsString, lines: &[OsString]) -> CliError {
    let shown = word.to_string_lossy();
    CliError::new(format!("'{shown}' is before --, but the command lines to run belong after it"))
        .hint(format!("diskspd compare --repeat 8 -- {}", quoted(lines)))
}

fn two_sides(found: usize) -> CliError {
    CliError::new(format!("compare takes two sides, not {found}")).hint(
        "several runs of one side are joined with commas, in a folder, or under a label: compare \
        a1.json,a2.json @new",
    )
}

/// Parses a percentage such as `5%` or `5`.
fn parse_share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%').unwrap_or(text).parse().ok()?;
    (percent.is_finite() && percent >= 0.0).then_some(percent / 100.0)
}

/// Returns the destinations of the answer: the complete output, the page, and other requested outputs.
///
/// # Errors
/// Fails for two pages, or an unknown file format.
pub(super) fn output_options(
    line: &CommandLine,
    document: &OptionRow,
    page: &OptionRow,
    by_ending: &OptionRow,
) -> Result<Vec<AnswerOutput>, CliError> {
    let named = |row: &OptionRow, form, path: Option<PathBuf>| {
        path.map(|path| AnswerOutput { option: row.name, form, path })
    };
    let fixed = [
        named(document, AnswerForm::Json, line.path(document)?),
        named(page, AnswerForm::Html, line.path(page)?),
    ];
    let read = |value: &str| {
        let (form, path) = AnswerForm::read(value).ok_or_else(AnswerForm::expected_forms)?;
        Ok::<AnswerOutput, String>(AnswerOutput { option: by_ending.name, form, path: path.into() })
    };
    let others = line.read_values(by_ending, read)?;
    Ok(fixed.into_iter().flatten().chain(others).collect())
}

/// Returns the condition that sets the exit code.
///
/// # Errors
/// Fails if `--fail-if` has an unknown value.
pub(super) fn gate(
    line: &CommandLine,
    named: &OptionRow,
    bisect: &OptionRow,
) -> Result<Option<FailIf>, CliError> {
    let loss = |value: &str| {
        let loss = parse_share(value).filter(|share| *share > 0.0 && *share < 1.0);
        loss.map(FailIf::Bisect).ok_or("a loss between 0% and 100%, as 20%")
    };
    match line.read_value(bisect, loss)? {
        Some(bisected) => Ok(Some(bisected)),
        None => line.read_value(named, |value| fail_if(value).ok_or("worse, worse=5% or unsure")),
    }
}

fn fail_if(text: &str) -> Option<FailIf> {
    match text.split_once('=') {
        None if text == "worse" => Some(FailIf::Worse(0.0)),
        None if text == "unsure" => Some(FailIf::Unsure),
        Some(("worse", by)) => parse_share(by).map(FailIf::Worse),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    fn read_line(line: &str) -> Result<CompareRequest, String> {
        match parsed(&format!("compare {line}")) {
            Ok(Invocation::Compare(request)) => Ok(*request),
            Ok(_) => Err("something else".into()),
            Err(error) => Err(error.what),
        }
    }

    #[test]
    fn targets_follow_both_command_lines() {
        let request = read_line("--repeat 8 -- -o1 :: -o8 -b4K a b").unwrap().interleaved.unwrap();
        let [first, other] = &request.requests;
        for (request, depth, block) in [(first, 1, 65536), (other, 8, 4096)] {
            let targets = &request.profile.time_spans[0].targets;
            assert_eq!(targets.len(), 2);
            assert_eq!((targets[0].request_count, targets[0].block_size), (depth, block));
        }
        assert_eq!((request.repeat, &request.typed), (Some(8), &["-o1".to_owned(), "-o8 -b4K".to_owned()]));
    }

    #[test]
    fn sides_may_have_separate_targets() {
        let request = read_line("--repeat 8 -- -b4K -o8 a :: -b4K -o8 b").unwrap().interleaved.unwrap();
        let targets = request.requests.map(|request| {
            let targets = request.profile.time_spans[0].targets.clone();
            targets.iter().map(|target| target.path.to_string()).collect::<Vec<_>>()
        });
        assert_eq!(targets, [["a"], ["b"]]);
    }

    #[test]
    fn same_command_line_runs_on_both_programs() {
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
    fn until_sure_replaces_the_number_of_runs() {
        for line in ["--until-sure -- -o1 :: -o8 -b4K a", "--until-sure --with-a ./old -b4K a"] {
            let both = read_line(line).unwrap().interleaved.unwrap();
            assert_eq!((both.repeat, both.order_seed), (None, None), "{line}");
        }
        let both = read_line("--until-sure --order-seed 3 -- -o1 :: -o8 a").unwrap().interleaved.unwrap();
        assert_eq!(both.order_seed, Some(3));
    }

    #[test]
    fn kernels_are_compared_with_one_command_line() {
        let request = read_line("--repeat 3 -b4K --dir d -o8 --html=p a").unwrap();
        assert!(
            !request.has_programs()
                && request.interleaved.is_none()
                && request.out[0].path.as_os_str() == "p"
        );
        let boots = request.boots.unwrap();
        assert_eq!((boots.folder, boots.repeat, &*boots.typed), ("d".into(), 3, "-b4K -o8 a"));
    }

    #[test]
    fn preset_parts_run_on_the_targets() {
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
    fn compare_accepts_files_with_options_in_any_order() {
        let line =
            "a.json,b.json --same 5 @new --fail-if worse=3% --metric read-p99 --store d --quiet --html p";
        let request = read_line(line).unwrap();
        assert_eq!((request.store.as_deref(), request.quiet), (Some("d".as_ref()), true));
        assert_eq!((request.out[0].path.clone(), request.given.len()), ("p".into(), 13));
        assert_eq!(request.sides, ["a.json,b.json", "@new"]);
        assert_eq!((request.question.same, request.fail_if), (0.05, Some(FailIf::Worse(0.03))));
        assert_eq!(request.question.metric.map(|metric| metric.to_string()).as_deref(), Some("read-p99"));
    }

    #[test]
    fn contradictory_arguments_are_refused() {
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
            ("--until-sure a b", "--until-sure needs two command lines"),
            ("--until-sure", "--until-sure needs two command lines"),
            ("--until-sure -- -o1 a", ":: between both"),
            ("--until-sure a -- -o1 :: -o2 b", "'a' is before --"),
            ("--until-sure --repeat 8 -- -o1 :: -o2 a", "--until-sure"),
            ("--until-sure --dir d -b4K a", "--until-sure"),
            ("--until-sure=5 -- -o1 :: -o2 a", "--until-sure takes no value"),
        ] {
            let message = read_line(line).unwrap_err();
            assert!(message.contains(words), "{line}: {message}");
        }
    }
}
