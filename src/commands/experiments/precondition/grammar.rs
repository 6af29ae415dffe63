//! `diskspd precondition`: a target, specific options, and the options of the rounds after `--`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::{Number, OneOf};
use crate::cli::option::{DRY_RUN, OUT, OptionRow, QUIET, row, switch, text};
use crate::cli::requests::PreconditionRequest;
use crate::experiments::precondition::{MAX_ROUNDS, Standard, WINDOW};
use crate::experiments::sweep::seconds;
use std::ffi::OsString;

const STANDARD: OptionRow = row(
    "--standard",
    OneOf(&["pts-client", "pts-enterprise", "custom"]),
    "the standard to follow; custom: the options after -- define the rounds",
)
.with_default("pts-client");
const PURGE: OptionRow =
    switch("--purge", "first discard the whole device, or punch a hole over the whole file");
const FILL: OptionRow =
    text("--fill", "<n>x|none", "", "write the whole target this many times, sequentially")
        .with_default("2x")
        .with_choices(&["none", "1x", "2x"]);
const ROUND: OptionRow = text("--round", "<time>", "5m", "duration of a round").with_default("60s");
const MOST_ROUNDS: OptionRow = row(
    "--rounds",
    Number { min: WINDOW as u32, max: 10_000, of: "rounds" },
    "give up after this many rounds",
)
.with_default("25");
const DESTROY: OptionRow =
    switch("--destroy", "permit writing to a block device that carries a file system or partition table");
const RECORD: OptionRow =
    OUT.with_help("keep the last round's record with the table of all; the ending sets the format");
const TABLE_ALONE: OptionRow =
    QUIET.with_help("print only the table: no plan, no progress, no line per round");

pub(super) const PRECONDITION: Command = Command {
    name: "precondition",
    arguments: "<target> [<option> ..] [-- <option of the rounds> ..]",
    help: "bring a device into its steady state: purge, fill, rounds of random writes until they are steady; \
           exit code 2 if they never are",
    options: &[STANDARD, PURGE, FILL, ROUND, MOST_ROUNDS, DESTROY, RECORD, DRY_RUN, TABLE_ALONE],
    exclusive: &[],
    takes: Operands::LineBehind,
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
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let request = PreconditionRequest {
        standard: line.read_value(&STANDARD, Standard::parse)?.unwrap_or(Standard::PtsClient),
        purge: line.has_option(&PURGE),
        fill: line.read_value(&FILL, parse_fill)?.unwrap_or(Some(2)),
        round_s: line.read_value(&ROUND, round_s)?.unwrap_or(60),
        rounds: line.number(&MOST_ROUNDS).unwrap_or(MAX_ROUNDS),
        destroy: line.has_option(&DESTROY),
        out: line.reports(&RECORD)?,
        dry_run: line.has_option(&DRY_RUN),
        quiet: line.has_option(&TABLE_ALONE),
        target: single_target(line.words)?,
        options: line.line.unwrap_or_default(),
    };
    if request.standard == Standard::Custom && request.options.is_empty() {
        let what = "--standard custom needs the options of the rounds";
        return Err(CliError::new(what)
            .hint("add them after --: diskspd precondition --standard custom FILE -- -b8K -r -w70 -o8 -Su"));
    }
    Ok(Invocation::Precondition(Box::new(request)))
}

/// Parses the number of fills; `None` = no fill.
fn parse_fill(value: &str) -> Result<Option<u32>, &'static str> {
    let times = value.strip_suffix(['x', 'X']).and_then(|digits| digits.parse().ok());
    match (value, times) {
        ("none", _) => Ok(None),
        (_, Some(1..=1000)) => Ok(times),
        _ => Err("how many times, as in 2x, or none"),
    }
}

fn round_s(value: &str) -> Result<u32, &'static str> {
    let time = seconds(value).ok().filter(|time| *time >= 1.0 && time.fract() == 0.0);
    time.map(|time| time as u32).ok_or("whole seconds, at least 1s, as in 60s or 5m")
}

fn single_target(mut targets: Vec<OsString>) -> Result<OsString, CliError> {
    match (targets.pop(), targets.len()) {
        (Some(target), 0) => Ok(target),
        (None, _) => Err(CliError::new("the target is missing").hint("name a device or a file")),
        (Some(_), more) => Err(CliError::new(format!("precondition takes one target, not {}", more + 1))
            .hint("precondition them one by one; options of the workload belong after --")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;

    fn parse_request(line: &str) -> Result<PreconditionRequest, CliError> {
        match parsed(&format!("precondition {line}"))? {
            Invocation::Precondition(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_after_two_dashes_go_to_rounds() {
        let plain = parse_request("f.dat").unwrap();
        let of = |r: &PreconditionRequest| (r.standard, r.fill, r.round_s, r.rounds);
        assert_eq!(of(&plain), (Standard::PtsClient, Some(2), 60, 25));
        let line = "--standard=custom f.dat --fill none --round 5m --rounds 7 --purge -- -b4K --quiet";
        let found = parse_request(line).unwrap();
        assert_eq!(of(&found), (Standard::Custom, None, 300, 7));
        assert_eq!((found.target, found.options), ("f.dat".into(), vec!["-b4K".into(), "--quiet".into()]));
        assert!(found.purge && !found.quiet);
    }

    #[test]
    fn invalid_arguments_have_reason() {
        for (line, why) in [
            ("", "the target is missing"),
            ("-- -b4K", "the target is missing"),
            ("a.dat b.dat", "takes one target, not 2"),
            ("-b4K a.dat", "-b4K is not an option of precondition"),
            ("a.dat --standard custom", "needs the options of the rounds"),
            ("a.dat --standard custom --", "needs the options of the rounds"),
            ("a.dat --standard pts", "not possible"),
            ("a.dat --fill 2", "not possible"),
            ("a.dat --fill 0x", "not possible"),
            ("a.dat --round 0.5s", "not possible"),
            ("a.dat --rounds 4", "not possible"),
            ("a.dat --rounds", "the value is missing"),
            ("a.dat --purge=yes", "takes no value"),
        ] {
            let error = parse_request(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
