//! What follows `sweep`: its own options, and a command line with ranges in it.

use super::error::CliError;
use super::own_option::{self, OptionRow, OwnOption, own};
use super::{Invocation, SweepRequest};
use crate::lab::repeat::Repeat;
use crate::lab::sweep::{Objective, SweepOrder, curve, seconds};
use std::ffi::OsString;
use std::path::PathBuf;

/// The curve of an objective that has no loads to choose among.
const CURVE: &str = "10%..100%";

/// The budget of `--until-sure` where none is given, s.
const UNTIL_SURE_S: f64 = 1800.0;

/// Its name, and one line of help.
pub const ROWS: [OptionRow; OWN.len()] = own_option::rows(&OWN);

const OWN: [OwnOption<SweepRequest>; 18] = [
    own(
        "--repeat",
        "<n>|until=<p>%",
        "run every point n times, or until its mean IOPS are known to so many percent",
        |r: &mut SweepRequest, value| {
            r.settings.repeat = Repeat::parse(value)?;
            Ok(())
        },
    )
    .or("1"),
    own("--order", "interleaved|given|random", "order of the points", |r: &mut SweepRequest, value| {
        r.settings.order = SweepOrder::parse(value)?;
        Ok(())
    })
    .or("interleaved")
    .words(&["interleaved", "given", "random"]),
    own(
        "--dir",
        "<folder>",
        "keep every run's record in this folder; repeat the command to continue",
        |r, value| {
            r.folder = Some(named(value)?);
            Ok(())
        },
    ),
    own("--diagonal", "", "only the points of -t and -o with equal threads x depth", |r, _| {
        r.settings.diagonal = true;
        Ok(())
    }),
    own("--curve", "10%..100%", "find the maximum, then offer parts of it", |r, value| {
        r.settings.curve = curve(value)?;
        Ok(())
    }),
    own(
        "--slo",
        "p99=<time>|p99.9=..|avg=..",
        "find the highest load that keeps this latency goal",
        |r: &mut SweepRequest, value| {
            r.settings.objective = Some(Objective::parse(value)?);
            Ok(())
        },
    )
    .words(&["p99=", "p99.9=", "avg="]),
    own("--adaptive", "", "run a few points, then those around the knee", |r, _| {
        r.settings.adaptive = true;
        Ok(())
    }),
    own(
        "--until-sure",
        "",
        "repeat undecided points until the answer is sure; ends after --budget, by default 30m",
        |r, _| {
            r.settings.until_sure = true;
            Ok(())
        },
    ),
    own("--budget", "<time>", "time limit: start no pass that would exceed it (30m)", |r, value| {
        r.settings.budget_s = Some(seconds(value)?);
        Ok(())
    }),
    own("--settle", "<time>", "pause before each run: 5s", |r: &mut SweepRequest, value| {
        r.settings.settle_s = seconds(value)?;
        Ok(())
    })
    .or("0s"),
    own("--between", "<command>", "shell command to run before each run", |r, value| {
        r.between = Some(text(value)?);
        Ok(())
    }),
    own("--csv", "<file>", "write the table, a line per run", |r, value| {
        r.csv.push(named(value)?);
        Ok(())
    }),
    own("--json", "<file>", "write everything: points, runs, answers", |r, value| {
        r.json.push(named(value)?);
        Ok(())
    }),
    own("--html", "<file>", "write a page: answer, curve, all points, findings", |r, value| {
        r.html.push(named(value)?);
        Ok(())
    }),
    own("--out", "<file>", "one of these three, by the ending", |r, value| {
        let path = named(value)?;
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => r.csv.push(path),
            Some("json") => r.json.push(path),
            Some("html" | "htm") => r.html.push(path),
            _ => return Err("a file that ends with .csv, .json or .html".into()),
        }
        Ok(())
    }),
    own("--dry-run", "", "check and list all points, estimate the time, and run nothing", |r, _| {
        r.dry_run = true;
        Ok(())
    }),
    own("--strict", "", "exit code 2 if any figures are not what they seem to be", |r, _| {
        r.strict = true;
        Ok(())
    }),
    own("--quiet", "", "print only errors and wrong figures", |r, _| {
        r.quiet = true;
        Ok(())
    }),
];

fn named(value: &str) -> Result<PathBuf, String> {
    text(value).map(PathBuf::from)
}

fn text(value: &str) -> Result<String, String> {
    if value.is_empty() { Err("a value".into()) } else { Ok(value.to_owned()) }
}

/// Reads the arguments behind `sweep`.
///
/// # Errors
/// One of its own options can't be understood, or contradicts another.
pub fn parse(arguments: &[OsString]) -> Result<Invocation, CliError> {
    let mut request = SweepRequest { given: arguments.to_vec(), ..SweepRequest::default() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if own_option::take(&OWN, &mut request, argument, &mut rest)?.is_none() {
            own_option::refuse_unknown(argument)?;
            request.arguments.push(argument.clone());
        }
    }
    finish(request).map(|request| Invocation::Sweep(Box::new(request)))
}

/// What belongs together.
fn finish(mut request: SweepRequest) -> Result<SweepRequest, CliError> {
    let settings = &mut request.settings;
    let has_axes = crate::lab::sweep::axes(&request.arguments).map_err(CliError::new)?;
    if settings.objective.is_some() && has_axes.is_empty() && settings.curve.is_empty() {
        settings.curve = curve(CURVE).map_err(CliError::new)?;
    }
    if settings.until_sure {
        settings.budget_s.get_or_insert(UNTIL_SURE_S);
    }
    let curve = !settings.curve.is_empty();
    if let Some(axis) = has_axes.first().filter(|_| curve) {
        let what = format!("--curve varies the offered rate, but {} has a range too", axis.option);
        return Err(CliError::new(what).hint(
            "give one depth and one number of threads, high enough to reach the \
                                      maximum",
        ));
    }
    if curve && (settings.adaptive || settings.diagonal) {
        let other = if settings.adaptive { "--adaptive" } else { "--diagonal" };
        return Err(CliError::new(format!(
            "{other} and --curve exclude each other: a curve has no points to \
                                          choose from"
        ))
        .hint("leave out one of the two"));
    }
    if has_axes.is_empty() && !curve {
        return Err(CliError::new("there is nothing to sweep: no option has more than one value")
            .hint("give an option a range, as in -o1..64, or a curve by rate: --curve 10%..100%"));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<SweepRequest, CliError> {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        match parse(&arguments)? {
            Invocation::Sweep(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn its_own_options_are_taken_and_all_else_goes_to_the_runs() {
        let found = parsed("--repeat 3 -o1..8 --settle=5s --engine sim -b4K --quiet --out a.csv f").unwrap();
        assert_eq!(found.arguments, ["-o1..8", "--engine", "sim", "-b4K", "f"].map(OsString::from));
        assert_eq!(found.settings.repeat, Repeat::Times(3));
        assert!(found.quiet && found.csv == [PathBuf::from("a.csv")]);
        assert!(!parsed("--slo p99=5ms -o32 f").unwrap().settings.curve.is_empty());
        assert!(parsed("--slo p99=5ms -o1..32 f").unwrap().settings.curve.is_empty());
        let budget = |line: &str| parsed(line).unwrap().settings.budget_s;
        assert_eq!(budget("-o1..8 --until-sure f"), Some(1800.0));
        assert_eq!(budget("-o1..8 --until-sure --budget 1h f"), Some(3600.0));
        assert_eq!(budget("-o1..8 f"), None);
    }

    #[test]
    fn what_cannot_be_is_explained() {
        for (line, why) in [
            ("-o8 f", "nothing to sweep"),
            ("-o1..8 --repeat 0 f", "not possible"),
            ("-o1..8 --order", "the value is missing"),
            ("-o1..8 --order backwards f", "not possible"),
            ("-o1..8 --quiet=1 f", "takes no value"),
            ("-o1..8 --curve 10%..100% f", "-o has a range too"),
            ("--curve 10%..100% --adaptive f", "--adaptive and --curve exclude each other"),
            ("-o8..1 f", "is descending"),
            ("-o1..8 --out a.txt f", "not possible"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn long_options_with_ranges_are_options_of_the_table() {
        for name in crate::lab::sweep::LONG {
            let known = super::super::flags::all().any(|flag| flag.name.with_dashes() == name);
            assert!(known, "{name}");
        }
    }
}
