//! What follows `precondition`: a target, options of its own, and behind `--` those of the rounds.

use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, own};
use super::{Invocation, OutRequest, PreconditionRequest};
use crate::lab::precondition::{ROUNDS, Standard, WINDOW};
use crate::lab::sweep::seconds;
use std::ffi::OsString;

/// Its name, and one line of help.
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

const OWN: [OwnOption<PreconditionRequest>; 9] = [
    own(
        "--standard",
        "pts-client|pts-enterprise|custom",
        "the standard to follow; custom: the rounds have the options after --",
        |r: &mut PreconditionRequest, value| {
            r.standard = Standard::parse(value)?;
            Ok(())
        },
    )
    .or("pts-client")
    .words(&["pts-client", "pts-enterprise", "custom"]),
    own("--purge", "", "first discard the whole device, or punch a hole over the whole file", |r, _| {
        r.purge = true;
        Ok(())
    }),
    own(
        "--fill",
        "<n>x|none",
        "write the whole target this many times, sequentially",
        |r: &mut PreconditionRequest, value| {
            let times = value.strip_suffix(['x', 'X']).and_then(|digits| digits.parse().ok());
            r.fill = match (value, times) {
                ("none", _) => None,
                (_, Some(1..=1000)) => times,
                _ => return Err("how many times, as in 2x, or none".into()),
            };
            Ok(())
        },
    )
    .or("2x")
    .words(&["none", "1x", "2x"]),
    own("--round", "<time>", "duration of a round", |r: &mut PreconditionRequest, value| {
        let time = seconds(value)?;
        if time < 1.0 || time.fract() != 0.0 {
            return Err("whole seconds, at least 1s".into());
        }
        r.round_s = time as u32;
        Ok(())
    })
    .or("60s"),
    own(
        "--rounds",
        "<n>",
        "give up after this many rounds, at least 5",
        |r: &mut PreconditionRequest, value| {
            let rounds = value.parse().ok().filter(|rounds| (WINDOW as u32..=10_000).contains(rounds));
            r.rounds = rounds.ok_or("a number of rounds from 5 to 10000")?;
            Ok(())
        },
    )
    .or("25"),
    own("--destroy", "", "allow overwriting a device that holds data", |r, _| {
        r.destroy = true;
        Ok(())
    }),
    own(
        "--out",
        "<file>",
        "keep the last round's record with the table of all; the ending sets the format",
        |r, value| {
            let out = OutRequest::read(value.as_bytes());
            r.out.push(out.ok_or_else(|| "the name of a file to write".to_owned())?);
            Ok(())
        },
    ),
    own("--dry-run", "", "check everything, show what would be done, and do nothing", |r, _| {
        r.dry_run = true;
        Ok(())
    }),
    own("--quiet", "", "print only the table: no plan, no progress, no line per round", |r, _| {
        r.quiet = true;
        Ok(())
    }),
];

/// Reads the arguments behind `precondition`.
///
/// # Errors
/// An option can't be understood, or there isn't one target.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut request = PreconditionRequest {
        standard: Standard::PtsClient,
        purge: false,
        fill: Some(2),
        round_s: 60,
        rounds: ROUNDS,
        destroy: false,
        out: Vec::new(),
        dry_run: false,
        quiet: false,
        target: OsString::new(),
        options: Vec::new(),
    };
    let mut targets = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            request.options = rest.cloned().collect();
            break;
        }
        if !argument.as_encoded_bytes().starts_with(b"-") {
            targets.push(argument.clone());
            continue;
        }
        if own_option::take(&OWN, &mut request, argument, &mut rest)?.is_none() {
            let shown = argument.to_string_lossy();
            return Err(CliError::new(format!("{shown} is no option of precondition"))
                .hint("put options of the workload after --: diskspd precondition FILE -- -c10G -t4"));
        }
    }
    request.target = one(targets)?;
    if request.standard == Standard::Custom && request.options.is_empty() {
        let what = "--standard custom needs the options of the rounds";
        return Err(CliError::new(what)
            .hint("add them after --: diskspd precondition --standard custom FILE -- -b8K -r -w70 -o8 -Su"));
    }
    Ok(Invocation::Precondition(Box::new(request)))
}

/// A steady state is that of one device.
fn one(mut targets: Vec<OsString>) -> Result<OsString, CliError> {
    match (targets.pop(), targets.len()) {
        (Some(target), 0) => Ok(target),
        (None, _) => Err(CliError::new("the target is missing").hint("name a device or a file")),
        (Some(_), more) => Err(CliError::new(format!("precondition takes one target, not {}", more + 1))
            .hint("precondition them one by one; options of the workload belong after --")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<PreconditionRequest, CliError> {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match parse(&arguments)? {
            Invocation::Precondition(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_stands_behind_two_dashes_goes_to_the_rounds() {
        let plain = parsed("f.dat").unwrap();
        let of = |r: &PreconditionRequest| (r.standard, r.fill, r.round_s, r.rounds);
        assert_eq!(of(&plain), (Standard::PtsClient, Some(2), 60, 25));
        let line = "--standard=custom f.dat --fill none --round 5m --rounds 7 --purge -- -b4K --quiet";
        let found = parsed(line).unwrap();
        assert_eq!(of(&found), (Standard::Custom, None, 300, 7));
        assert_eq!((found.target, found.options), ("f.dat".into(), vec!["-b4K".into(), "--quiet".into()]));
        assert!(found.purge && !found.quiet);
    }

    #[test]
    fn what_cannot_be_is_explained() {
        for (line, why) in [
            ("", "the target is missing"),
            ("-- -b4K", "the target is missing"),
            ("a.dat b.dat", "takes one target, not 2"),
            ("-b4K a.dat", "-b4K is no option of precondition"),
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
            let error = parsed(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
