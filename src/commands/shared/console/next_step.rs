//! The suggested command after a run, which answers the question left open by its figures. It always
//! parses.

use crate::checks::{JudgedRecord, Verdict, damaged};
use crate::cli::{self, shell_quote};
use crate::finding::Severity;
use crate::page::run_summary_text::NextCommand;
use std::collections::HashSet;
use std::ffi::OsString;

type AddedOptions = (&'static str, &'static [&'static str]);

const WRITE_THROUGH: AddedOptions = ("to measure writes that reach the device", &["-Suw"]);

const REMEDIES: &[(&[&str], AddedOptions)] = &[
    (&["rising", "falling", "steady-not-reached"], ("to measure once it is steady", &["--until-steady"])),
    (
        &["content-unwritten"],
        ("to fill the unwritten parts first (writes), so that reads reach the device", &["--prefill"]),
    ),
    (&["cached-reads"], ("to measure the device instead of memory", &["-Su"])),
    (&["late-starts"], ("to see response times, which include the waits", &["-L"])),
];

/// Findings that have their own advice, so that `doctor` adds nothing.
const SELF_EXPLAINING: &[&str] = &[
    damaged::NAME,
    "failed-ios",
    "file-changed",
    "first-writes",
    "interrupted",
    "late-starts",
    "not-durable",
    "not-flushed",
    "outage",
    "rate-not-reached",
    "settings-changed",
    "short-ios",
    "slow-target",
    "slow-thread",
    "small-area",
    "unfinished-ios",
    "amount-not-reached",
    "writes-lost",
];

/// Returns the next command after a run; `typed` contains the program's name first.
pub(crate) fn of_run(judged: &JudgedRecord, typed: &[OsString]) -> Option<NextCommand> {
    let (program, words) = typed.split_first()?;
    let has = |option: &str| words.iter().any(|word| is_option(word, option));
    if words.first().is_some_and(|word| word == "rerun") {
        if has("--out") {
            return None;
        }
        let why = "to keep these figures, and compare them with the record";
        return next_command(program, why, &["rerun", "--out", "again.json"], &words[1..]);
    }
    let mut steps = Vec::new();
    if has_device_verdict(judged, Verdict::Cached) {
        steps.push(("to measure the device instead of memory", &["-Su"][..]));
    }
    if has_device_verdict(judged, Verdict::Deferred) {
        steps.push(WRITE_THROUGH);
    }
    let doubts = judged.judgement.findings.iter().filter(|found| found.severity > Severity::Note);
    for found in doubts.clone() {
        steps.extend(REMEDIES.iter().filter(|(names, _)| names.contains(&found.name)).map(|(_, step)| *step));
    }
    if let Some(found) =
        steps.into_iter().filter(|(_, added)| !has(added[0])).find_map(|s| with_options(program, words, s))
    {
        return Some(found);
    }
    if doubts.clone().any(|found| CROWDING_FINDINGS.contains(&found.name))
        && let Some(words) = fewer_threads(judged, words)
    {
        return next_command(program, "to run no more threads than there are CPUs", &[], &words);
    }
    if doubts.clone().any(|found| SELF_EXPLAINING.contains(&found.name)) {
        return None;
    }
    if judged.judgement.worst() > Some(Severity::Note) {
        return next_command(
            program,
            "to check this machine for anything that distorts figures",
            &["doctor"],
            &target_words(judged),
        );
    }
    let timed = judged.summary.time_spans.iter().flatten().all(|span| span.total.total.latency.is_some());
    let once =
        judged.record.profile.time_spans.len() > 1 || SINGLE_RUN_OPTIONS.iter().any(|option| has(option));
    let usual: [(bool, AddedOptions); 4] = [
        (timed, ("to see latencies too", &["-L"])),
        (once || has("--repeat"), ("to see run-to-run variation", &["--repeat", "5"])),
        (has("--out"), ("to see it as a page with charts", &["--out", "page.html"])),
        (has("--save"), ("to keep it, and compare others with it", &["--save"])),
    ];
    usual.into_iter().filter(|(done, _)| !done).find_map(|(_, step)| with_options(program, words, step))
}

fn target_words(judged: &JudgedRecord) -> Vec<OsString> {
    let mut known = HashSet::new();
    let targets = judged.record.profile.time_spans.iter().flat_map(|span| &span.targets);
    let paths = targets.map(|target| target.path.as_path().as_os_str().to_owned());
    paths.filter(|path| known.insert(path.clone())).collect()
}

/// Options for a single run only. They do not apply to several runs or time spans.
const SINGLE_RUN_OPTIONS: [&str; 7] = ["--stream", "--io-log", "--journal", "-ys", "-yf", "-yr", "-yp"];

pub(crate) fn of_repetitions(typed: &[OsString]) -> Option<NextCommand> {
    let (program, words) = typed.split_first()?;
    match words.iter().any(|word| is_option(word, "--save")) {
        true => next_command(program, "to find them again", &["history"], &store_words(words)),
        false => {
            with_options(program, words, ("to keep them, and compare others with them", &["--save=before"]))
        }
    }
}

/// Returns the words that name the folder of the history, as given.
fn store_words(words: &[OsString]) -> Vec<OsString> {
    let Some(place) = words.iter().position(|word| is_option(word, "--store")) else { return Vec::new() };
    let count = if words[place] == "--store" { 2 } else { 1 };
    words.iter().skip(place).take(count).cloned().collect()
}

/// Whether a device has this verdict, and the finding reduces the figures' validity.
fn has_device_verdict(judged: &JudgedRecord, verdict: Verdict) -> bool {
    let parts = judged.judgement.verdicts.iter().flat_map(|verdict| &verdict.parts);
    parts.into_iter().any(|part| part.verdict == verdict && part.severity > Some(Severity::Note))
}

/// Findings that too many threads for the CPUs explain.
const CROWDING_FINDINGS: &[&str] = &["run-queue-delay", "limited-by-busy-cpus"];

/// The command line with one thread per CPU, if it has more threads; `None` = it has not, or `-t` does not
/// set them.
fn fewer_threads(judged: &JudgedRecord, words: &[OsString]) -> Option<Vec<OsString>> {
    let cpus = judged.record.host().system.topology.allowed_cpus().count();
    let [span] = judged.record.profile.time_spans.as_slice() else { return None };
    let [_] = span.targets.as_slice() else { return None };
    let is_threads = |word: &OsString| {
        let text = word.to_string_lossy();
        text.strip_prefix("-t").is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let too_many = cpus > 0 && span.threads() as usize > cpus;
    let one = words.iter().filter(|word| is_threads(word)).count() == 1;
    let fewer = || OsString::from(format!("-t{cpus}"));
    let changed = words.iter().map(|word| if is_threads(word) { fewer() } else { word.clone() });
    (too_many && one).then(|| changed.collect())
}

fn is_option(word: &OsString, option: &str) -> bool {
    let text = word.to_string_lossy();
    match option.strip_prefix("--") {
        Some(_) => text.split('=').next() == Some(option),
        // -h also states the caching.
        None if option.starts_with("-S") => text.starts_with("-S") || text == "-h",
        None => text.starts_with(option),
    }
}

fn with_options(program: &OsString, words: &[OsString], (why, options): AddedOptions) -> Option<NextCommand> {
    next_command(program, why, options, words)
}

/// Returns `None` if the program would reject the command.
fn next_command(
    program: &OsString,
    why: &'static str,
    first: &[&str],
    rest: &[OsString],
) -> Option<NextCommand> {
    let first = first.iter().map(OsString::from);
    let words: Vec<OsString> =
        [program.clone()].into_iter().chain(first).chain(rest.iter().cloned()).collect();
    cli::parse(&words).ok()?;
    Some(NextCommand {
        why,
        words: words.iter().map(|word| shell_quote::quoted(std::slice::from_ref(word))).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Finding;
    use crate::machine::System;
    use crate::profile::Profile;
    use crate::results::{Record, Results};

    fn split_line(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn command_text(step: Option<NextCommand>) -> String {
        step.map_or_else(String::new, |step| step.words.join(" "))
    }

    #[test]
    fn completed_steps_are_not_suggested() {
        let record = Record::new(Profile::default(), System::default(), Results::default());
        let judged = JudgedRecord::new(&record);
        for (given, next) in [
            ("diskspd -b4K x", "diskspd --repeat 5 -b4K x"),
            ("diskspd -b4K --repeat 3 x", "diskspd --out page.html -b4K --repeat 3 x"),
            ("diskspd -b4K --repeat=3 --out=a.json x", "diskspd --save -b4K --repeat=3 --out=a.json x"),
            ("diskspd --stream - x", "diskspd --out page.html --stream - x"),
            ("diskspd -ysgo x", "diskspd --out page.html -ysgo x"),
            ("diskspd --repeat 3 --out a.json --save x", ""),
            ("./d rerun a.json", "./d rerun --out again.json a.json"),
            ("./d rerun --out b.json a.json", ""),
        ] {
            assert_eq!(command_text(of_run(&judged, &split_line(given))), next, "{given}");
        }
        assert_eq!(of_run(&judged, &[]), None);
    }

    #[test]
    fn worst_finding_decides_the_next_step() {
        let record = Record::new(Profile::default(), System::default(), Results::default());
        for (names, given, next) in [
            (&["rising"][..], "diskspd -L x", "diskspd --until-steady -L x"),
            // It has been done, or the program wouldn't take it.
            (&["rising"], "diskspd --until-steady x", "diskspd doctor"),
            (&["cached-reads"], "diskspd -Xp.xml", "diskspd doctor"),
            (&["run-queue-delay", "content-unwritten"], "diskspd x", "diskspd --prefill x"),
            (&["run-queue-delay"], "diskspd x", "diskspd doctor"),
            (&["failed-ios", "run-queue-delay"], "diskspd x", ""),
            (&["late-starts"], "diskspd -g9i x", "diskspd -L -g9i x"),
            (&["late-starts"], "diskspd -L -g9i x", ""),
            (&["slow-target"], "diskspd x y", ""),
            (&[damaged::NAME], "diskspd --verify x", ""),
        ] {
            let mut judged = JudgedRecord::new(&record);
            let found = names.iter().map(|name| Finding { name, ..Finding::warning("it is so") });
            judged.judgement.findings = found.collect();
            assert_eq!(command_text(of_run(&judged, &split_line(given))), next, "{names:?}: {given}");
        }
    }

    #[test]
    fn device_verdicts_and_cpus_decide_next_command() {
        use crate::checks::{DeviceVerdict, SpanVerdict};
        let mut record = Record::new(Profile::default(), System::default(), Results::default());
        record.profile.time_spans =
            vec![crate::profile::TimeSpan { targets: vec![Default::default()], ..Default::default() }];
        let target = &mut record.profile.time_spans[0].targets[0];
        (target.threads_per_file, target.path) = (8, "x".into());
        let group = crate::machine::Group { number: 0, maximum: 2, active: 2, mask: 3 };
        record.host_mut().system.topology.groups = vec![group];
        let warning = Some(Severity::Warning);
        for (verdict, severity, finding, given, next) in [
            (Verdict::Deferred, warning, None, "diskspd -w100 x", "diskspd -Suw -w100 x"),
            (Verdict::Deferred, Some(Severity::Wrong), None, "diskspd -w100 x", "diskspd -Suw -w100 x"),
            (Verdict::Cached, warning, None, "diskspd -w50 x", "diskspd -Su -w50 x"),
            // Caching was requested.
            (Verdict::Deferred, warning, None, "diskspd -Sb -w100 x", "diskspd doctor x"),
            (Verdict::Deferred, None, None, "diskspd -w100 x", "diskspd --repeat 5 -w100 x"),
            (Verdict::Verified, None, Some("run-queue-delay"), "diskspd -t8 x", "diskspd -t2 x"),
            (Verdict::Verified, None, Some("limited-by-busy-cpus"), "diskspd -t8 -o4 x", "diskspd -t2 -o4 x"),
            (Verdict::Verified, None, Some("run-queue-delay"), "diskspd -F8 x", "diskspd doctor x"),
        ] {
            let mut judged = JudgedRecord::new(&record);
            let parts = vec![DeviceVerdict::of_hosts(verdict, severity, "as it is".into())];
            judged.judgement.verdicts = vec![SpanVerdict { time_span: 1, verdict, severity, parts }];
            let found = finding.into_iter().map(|name| Finding { name, ..Finding::warning("it is so") });
            judged.judgement.findings = found.collect();
            assert_eq!(command_text(of_run(&judged, &split_line(given))), next, "{verdict:?} {given}");
        }
    }

    #[test]
    fn stored_runs_are_found_in_their_folder() {
        for (given, next) in [
            ("diskspd --repeat 3 x", "diskspd --save=before --repeat 3 x"),
            ("diskspd --save --repeat 3 x", "diskspd history"),
            ("diskspd --save=a --store=f --repeat 3 x", "diskspd history --store=f"),
            ("diskspd --store f --save --repeat 3 x", "diskspd history --store f"),
        ] {
            assert_eq!(command_text(of_repetitions(&split_line(given))), next, "{given}");
        }
    }

    #[test]
    fn next_step_recognizes_both_option_forms() {
        for (word, option, expected) in [
            ("--out=a", "--out", true),
            ("--out", "--out", true),
            ("--output", "--out", false),
            ("-Sh", "-Su", true),
            ("-h", "-Su", true),
            ("-L", "-L", true),
            ("x-L", "-L", false),
            ("-ysgo", "-ys", true),
        ] {
            assert_eq!(is_option(&word.into(), option), expected, "{word}");
        }
    }
}
