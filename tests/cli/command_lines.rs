//! The command line as a specification: every file in `tests/data/command-lines` is a table of command
//! lines and their results. A new case is a new line there.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails that way

use crate::common::kept::is_kept;
use diskspd::cli::{self, EventAction, Exit, Invocation, ReportRequest, RunRequest, TableForm, UsageExtent};
use diskspd::finding::{Finding, Severity};
use diskspd::machine::{Group, System, Topology};
use diskspd::operation::Operation;
use diskspd::profile::validate::validate;
use diskspd::profile::{
    AddressSpread, Arrivals, ContentShape, Profile, RateTotal, RawText, ReplayWrites, ResultFormat, Target,
    TimeSpan, Volume, xml,
};
use diskspd::report::profile_text::{write_profile, write_profile_on};
use diskspd::report::profile_xml;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Returns the rows of a table, split into columns; comments are left out.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| line.split('|').map(str::trim).collect())
}

fn arguments<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Vec<OsString> {
    std::iter::once("diskspd.exe").chain(arguments).map(OsString::from).collect()
}

fn split(line: &str) -> Vec<OsString> {
    arguments(line.split_whitespace())
}

fn assert_alike(found: &[String], expected: &[String]) {
    let rows = found.iter().zip(expected).filter(|(found, expected)| found != expected);
    let differ: Vec<String> = rows.map(|(found, expected)| format!("{found}\n  not {expected}")).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_eq!(found.len(), expected.len());
}

enum Outcome {
    Other(Invocation),
    Rejected(cli::CliError),
    /// The XML profile cannot be loaded.
    NotLoaded,
    Run(Box<RunRequest>, Vec<Finding>),
}

impl Outcome {
    fn from_arguments(arguments: &[OsString]) -> Outcome {
        match cli::parse(arguments) {
            Err(error) => Outcome::Rejected(error),
            Ok(Invocation::Run(request)) if request.profile_file.is_some() => {
                Outcome::Run(request, Vec::new())
            }
            Ok(Invocation::Run(request)) => {
                let findings = validate(&request.profile, request.profile_only);
                Outcome::Run(request, findings)
            }
            Ok(other) => Outcome::Other(other),
        }
    }

    /// As [`checked`], with the XML profiles that the command line may name.
    fn with_files(arguments: &[OsString], files: &BTreeMap<String, String>) -> Outcome {
        let Outcome::Run(mut request, findings) = Outcome::from_arguments(arguments) else {
            return Outcome::from_arguments(arguments);
        };
        let Some(xml) = &request.profile_file else { return Outcome::Run(request, findings) };
        let file = files.get(xml.path.to_string().trim_start_matches("./"));
        let profile = file.and_then(|file| xml::read(file.as_bytes()).ok());
        match profile.and_then(|profile| xml.complete(profile, &request.profile.command_line).ok()) {
            None => Outcome::NotLoaded,
            Some(profile) => {
                let findings = validate(&profile, request.profile_only);
                request.profile = profile;
                Outcome::Run(request, findings)
            }
        }
    }

    /// Returns `parse`, `load`, the names of violated rules, or `ok`.
    fn stage(&self) -> String {
        match self {
            Outcome::Rejected(_) => "parse".to_owned(),
            Outcome::NotLoaded => "load".to_owned(),
            Outcome::Run(_, findings) => match names(findings, Severity::Error) {
                names if names.is_empty() => "ok".to_owned(),
                names => names,
            },
            Outcome::Other(Invocation::Usage(UsageExtent::First)) => "usage".to_owned(),
            Outcome::Other(_) => "ok".to_owned(),
        }
    }

    fn has_messages(&self) -> bool {
        match self {
            Outcome::Rejected(_) | Outcome::NotLoaded => true,
            // What DISKSPD drops of a number it drops in silence.
            Outcome::Run(request, findings) => {
                !findings.is_empty() || request.warnings.iter().any(|warning| !is_dropped(warning))
            }
            Outcome::Other(_) => false,
        }
    }
}

fn is_dropped(warning: &Finding) -> bool {
    warning.message.contains(" is read as ")
}

fn names(findings: &[Finding], severity: Severity) -> String {
    let names: Vec<&str> = findings.iter().filter(|f| f.severity == severity).map(|f| f.name).collect();
    names.join(" ")
}

/// Returns all non-default settings of a request with their names, from the serialized form, so that
/// forgotten settings are included.
fn settings(request: &RunRequest) -> BTreeMap<String, String> {
    let mut profile = request.profile.clone();
    let mut settings = BTreeMap::new();
    if let Some(xml) = &request.profile_file {
        assert!(profile.time_spans.is_empty());
        settings.insert("profile".to_owned(), xml.path.to_string());
        let substitutions: Vec<String> = xml.substitutions.iter().map(ToString::to_string).collect();
        if !substitutions.is_empty() {
            settings.insert("substitutions".to_owned(), substitutions.join(","));
        }
        profile.time_spans.push(TimeSpan { targets: vec![Target::default()], ..TimeSpan::default() });
        xml.overrides.apply(&mut profile);
    }
    let events = [
        ("start", &request.events.start),
        ("finish", &request.events.finish),
        ("wait", &request.events.wait),
        ("stop", &request.events.stop),
    ];
    for (event, name) in events {
        settings.extend(name.as_ref().map(|name| (event.to_owned(), name.to_string())));
    }
    if request.profile_only {
        settings.insert("profile_only".to_owned(), String::new());
    }

    let [span] = profile.time_spans.as_slice() else { panic!("not one time span") };
    if span.targets.len() > 1 {
        settings.insert("targets".to_owned(), span.targets.len().to_string());
    }
    for target in &span.targets[1..] {
        assert_eq!(Target { path: span.targets[0].path.clone(), ..target.clone() }, span.targets[0]);
    }
    let mut compare = |prefix: &str, given: Value, default: Value, skip: &[&str]| {
        for (name, value) in given.as_object().unwrap() {
            if skip.contains(&name.as_str()) || value == &default[name] {
                continue;
            }
            // Time spans and targets both have one.
            let name = if name == "request_count" { format!("{prefix}{name}") } else { name.clone() };
            settings.insert(name.clone(), show(&name, value));
        }
    };
    compare("", json(&profile), json(&Profile::default()), &["command_line", "time_spans"]);
    compare("span.", json(span), json(&TimeSpan::default()), &["targets"]);
    compare("", json(&span.targets[0]), json(&Target::default()), &["path"]);
    settings
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Formats a setting's value as in the tables.
fn show(name: &str, value: &Value) -> String {
    let list = |items: &Value, show: &dyn Fn(&Value) -> String| {
        items.as_array().unwrap().iter().map(show).collect::<Vec<_>>().join(",")
    };
    match (name, value) {
        ("affinity", items) => list(items, &|at| {
            format!("{}/{}", at["group"], at.get("cpu").map_or("*".to_owned(), Value::to_string))
        }),
        ("distribution", it) => {
            let ranges = list(&it["ranges"], &|range| format!("{}/{}", range["io"], range["span"]));
            format!("{}:{ranges}", it["kind"].as_str().unwrap())
        }
        ("etw", it) => {
            let given = it.as_object().unwrap().iter().filter(|(_, on)| on.as_bool().unwrap());
            given.map(|(class, _)| class.as_str()).collect::<Vec<_>>().join(",")
        }
        ("throughput", it) => {
            let (unit, limit) = it.as_object().unwrap().iter().next().unwrap();
            format!("{unit}:{limit}")
        }
        ("random_data_source", it) => match it["path"].as_str() {
            Some(path) => format!("{},{path}", it["size"]),
            None => it["size"].to_string(),
        },
        (_, Value::String(text)) => text.clone(),
        (_, value) => value.to_string(),
    }
}

#[test]
fn accepted_command_lines_have_expected_meaning() {
    let rows: Vec<_> = rows(include_str!("../data/command-lines/accepted.txt")).collect();
    assert!(rows.len() >= 176, "the table has lost rows");
    for row in rows {
        let (line, expected, warnings) = (row[0], row[1], row.get(2).copied().unwrap_or_default());
        let outcome = Outcome::from_arguments(&split(line));
        let Outcome::Run(request, findings) = &outcome else { panic!("{line}: {}", outcome.stage()) };
        assert_eq!(names(findings, Severity::Error), "", "{line}");

        let mut settings = settings(request);
        let mut expected: BTreeMap<String, String> = expected
            .split_whitespace()
            .map(|setting| setting.split_once('=').unwrap_or((setting, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        if expected.get("rand_seed").is_some_and(|seed| seed == "*") {
            // The uptime: there, unless the machine has just started.
            expected.remove("rand_seed");
            settings.remove("rand_seed");
        }
        assert_eq!(settings, expected, "{line}");

        let mut found = names(findings, Severity::Warning);
        for warning in &request.warnings {
            found.push_str(if is_dropped(warning) { "dropped" } else { "target?" });
        }
        assert_eq!(found, warnings, "{line}");
    }
}

#[test]
fn unit_that_changes_value_is_refused_without_compat() {
    for (option, spelling) in [
        ("-d1m", "-d60"),
        ("-d1min", "-d60"),
        ("-W2h", "-W7200"),
        ("-C1500ms", "-C2"),
        ("-d1000000us", "-d1"),
        ("-D1s", "-D1000"),
        ("-j1s", "-j1000"),
        ("-o4k", "-o4096"),
        ("-oc1K", "-oc1024"),
        ("-t1K", "-t1024"),
        ("-F2k", "-F2048"),
        ("-O1M", "-O1048576"),
        ("-i1G", "-i1073741824"),
        ("-P1K", "-P1024"),
        ("-g1Ki", "-g1024i"),
    ] {
        let Outcome::Rejected(error) = Outcome::from_arguments(&arguments([option, "f.dat"])) else {
            panic!("{option}")
        };
        let hint = error.hint.unwrap_or_default();
        assert!(hint.starts_with(&format!("use {spelling};")), "{option}: {hint}");
        for version in ["2.2", "2.3"] {
            let compat = format!("--compat={version}");
            let outcome = Outcome::from_arguments(&arguments([option, &compat, "-F1", "f.dat"]));
            let is_unit_refused = matches!(&outcome, Outcome::Rejected(error) if error.hint.as_ref().is_some_and(|hint| hint.contains("--compat")));
            assert!(!is_unit_refused, "{option} {compat}");
        }
    }
}

#[test]
fn ignored_suffix_of_number_is_reported_with_value() {
    let cases = [
        ("-o1,2,4", "-o1,2,4 is read as -o1, as by DISKSPD: ',2,4' is dropped. Give a number of"),
        ("-d1x", "-d1x is read as -d1, as by DISKSPD: 'x' is dropped. Give a time in whole seconds"),
        ("-d30s", "-d30s is read as -d30, as by DISKSPD: 's' is dropped"),
        ("-W0.5", "-W0.5 is read as -W0, as by DISKSPD: '.5' is dropped"),
        ("-t2x", "-t2x is read as -t2,"),
        ("-w30%", "-w30% is read as -w30,"),
        ("-rs50%", "-rs50% is read as -rs50,"),
        ("-g1.5i", "-g1.5i is read as -g1i,"),
        ("-D1x", "-D1x is read as -D1,"),
        ("-dten", "-dten is read as -d0,"),
    ];
    for (option, message) in cases {
        let Outcome::Run(request, _) = Outcome::from_arguments(&arguments([option, "f.dat"])) else {
            panic!("{option}")
        };
        assert!(
            matches!(&request.warnings[..], [only] if only.message.contains(message)),
            "{:?}",
            request.warnings
        );
    }
    // What a sweep goes through leads to it; a number with nonsense behind it doesn't.
    for (option, sweep) in [
        ("-o1,2,4", Some("diskspd sweep -o1,2,4 f.dat")),
        ("-t1,2", Some("diskspd sweep -t1,2 f.dat")),
        ("-w0,50", Some("diskspd sweep -w0,50 f.dat")),
        ("-g100i,200i", Some("diskspd sweep -g100i,200i f.dat")),
        ("-d5,10", Some("diskspd sweep -d5,10 f.dat")),
        ("-P5,10", None),
        ("-o4y", None),
        ("-o4,x", None),
    ] {
        let Outcome::Run(request, _) = Outcome::from_arguments(&arguments([option, "f.dat"])) else {
            panic!("{option}")
        };
        let meant = request.warnings[0].remedy.as_deref();
        assert_eq!(meant.is_some(), sweep.is_some(), "{option}: {meant:?}");
        assert!(meant.unwrap_or_default().contains(sweep.unwrap_or_default()), "{option}: {meant:?}");
    }
    for option in ["-o4", "-W 5", "-g100i", "-g100", "-rs50", "-D", "-d+3", "-b4K", "-z7"] {
        let Outcome::Run(request, _) = Outcome::from_arguments(&arguments([option, "f.dat"])) else {
            panic!("{option}")
        };
        assert_eq!(request.warnings, [], "{option}");
    }
}

#[test]
fn rejected_command_lines_match_expected_reason() {
    let rows: Vec<_> = rows(include_str!("../data/command-lines/rejected.txt")).collect();
    assert!(rows.len() >= 196, "the table has lost rows");
    let judged: Vec<_> = rows
        .iter()
        .map(|row| format!("{} | {}", row[0], Outcome::from_arguments(&split(row[0])).stage()))
        .collect();
    let expected: Vec<_> = rows.iter().map(|row| format!("{} | {}", row[0], row[1])).collect();
    assert_alike(&judged, &expected);
}

/// Messages as users see them, for review, each with its first command line.
#[test]
fn refusals_are_kept_as_rendered_samples() {
    let table = rows(include_str!("../data/command-lines/rejected.txt")).collect::<Vec<_>>();
    let mut samples: Vec<(String, &str)> = Vec::new();
    for row in &table {
        let messages = match Outcome::from_arguments(&split(row[0])) {
            Outcome::Rejected(error) => vec![Finding::error(error.to_string()).to_string()],
            Outcome::Run(_, findings) => findings.iter().map(Finding::to_string).collect(),
            Outcome::Other(_) | Outcome::NotLoaded => Vec::new(),
        };
        for message in messages {
            if samples.iter().all(|(known, _)| known.lines().next() != message.lines().next()) {
                samples.push((message, row[0]));
            }
        }
    }
    let page = samples.iter().fold(String::new(), |page, (message, line)| {
        format!("{page}## diskspd {line}\n\n```\n{message}\n```\n\n")
    });
    is_kept("tests/data/messages/refusals.md", &page);
}

#[test]
fn error_messages_mark_the_position() {
    let table = include_str!("../data/command-lines/carets.txt");
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()).collect();
    assert!(!lines.is_empty() && lines.len().is_multiple_of(2));
    for pair in lines.chunks(2) {
        let [line, caret] = pair else { unreachable!() };
        let Outcome::Rejected(error) = Outcome::from_arguments(&split(line)) else {
            panic!("{line} is accepted")
        };
        let place = error.place.as_ref().unwrap_or_else(|| panic!("{line}: no place"));
        let argument = String::from_utf8(place.argument.clone()).unwrap();
        let expected = caret.find('^').unwrap();
        // The argument stands in the line, and the caret below the place in it, possibly just behind its end.
        let found = line.match_indices(&argument).any(|(at, _)| at + place.position == expected);
        assert!(found, "{line}: {error}");
    }
}

#[derive(Deserialize)]
struct Recorded {
    args: Vec<String>,
    exit_code: u8,
    stdout: Option<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    warns_or_errors: bool,
}

fn printed(profile: &Profile) -> String {
    let mut out = Vec::new();
    match profile.result_format {
        ResultFormat::Text => write_profile(&mut out, profile),
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    String::from_utf8(out).unwrap()
}

/// Returns the lines in which two texts differ, first ours and then theirs; `-` = no such line. Empty = equal
/// texts.
fn differing_lines(ours: &str, theirs: &str) -> Vec<String> {
    if ours == theirs {
        return Vec::new();
    }
    let (mut a, mut b): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    if a.len() == b.len() {
        let differs: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a != b).collect();
        for lines in [&mut a, &mut b] {
            let mut keep = differs.iter();
            lines.retain(|_| keep.next() == Some(&true));
        }
    }
    while !a.is_empty() && a.first() == b.first() {
        a.remove(0);
        b.remove(0);
    }
    while !a.is_empty() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let show = |lines: Vec<&str>| match lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ") {
        empty if empty.is_empty() => "-".to_owned(),
        lines => lines,
    };
    vec![show(a), show(b)]
}

#[test]
fn recorded_command_lines_match_originals() {
    let mut deviations: BTreeMap<&str, &str> =
        rows(include_str!("../data/command-lines/deviations.txt")).map(|row| (row[0], row[1])).collect();
    let rows: Vec<_> = rows(include_str!("../data/command-lines/printed-deviations.txt")).collect();
    let mut printed_deviations: BTreeMap<&str, &[&str]> =
        rows.iter().map(|row| (row[0], &row[1..3])).collect();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let table = include_str!("../data/command-lines/recorded.jsonl").lines();
    let all: Vec<Recorded> = table.map(|line| serde_json::from_str(line).unwrap()).collect();
    let files: BTreeMap<String, String> = all.iter().flat_map(|recorded| recorded.files.clone()).collect();
    for recorded in all {
        let outcome = Outcome::with_files(&arguments(recorded.args.iter().map(String::as_str)), &files);
        let line = recorded.args.join(" ");
        let exit = if outcome.stage() == "ok" { cli::Exit::Success } else { cli::Exit::Usage };
        let ours = format!("{line} | exit {}, messages {}", exit.code(), outcome.has_messages());
        let theirs = format!("{line} | exit {}, messages {}", recorded.exit_code, recorded.warns_or_errors);

        if let Some(deviation) = deviations.remove(line.as_str()) {
            assert_ne!(ours, theirs, "{line} does not deviate");
            let warnings = match &outcome {
                Outcome::Run(_, findings) => names(findings, Severity::Warning),
                _ => String::new(),
            };
            assert_eq!(format!("{} {warnings}", outcome.stage()).trim(), deviation, "{line}");
            continue;
        }
        found.push(ours);
        expected.push(theirs);
        if let (Some(text), Outcome::Run(request, _)) = (recorded.stdout, outcome) {
            let differing = differing_lines(&printed(&request.profile), &text);
            let deviation = printed_deviations.remove(line.as_str()).map(|row| row.to_vec());
            found.push(format!("{line} | {}", differing.join(" | ")));
            expected.push(format!("{line} | {}", deviation.unwrap_or_default().join(" | ")));
        }
    }
    assert_alike(&found, &expected);
    assert!(deviations.is_empty(), "not recorded: {deviations:?}");
    assert!(printed_deviations.is_empty(), "not recorded: {printed_deviations:?}");
}

#[derive(Deserialize)]
struct Newest {
    args: Vec<String>,
    groups: u16,
    exit_code: u8,
    stdout: Option<String>,
    warns_or_errors: bool,
}

fn printed_on(profile: &Profile, groups: u16) -> String {
    let group = |number| Group { number, maximum: 8, active: 8, mask: 0xff };
    let topology = Topology { groups: (0..groups).map(group).collect(), ..Topology::default() };
    let system = System { topology, ..System::default() };
    let mut out = Vec::new();
    match profile.result_format {
        ResultFormat::Text => write_profile_on(&mut out, profile, &system),
        ResultFormat::Xml => profile_xml::write_profile(&mut out, profile, 0),
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn command_lines_of_2_3_match_originals() {
    let table = include_str!("../data/command-lines/deviations-of-2.3.txt");
    let mut deviations: BTreeMap<&str, &str> = rows(table).map(|row| (row[0], row[1])).collect();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for line in include_str!("../data/command-lines/of-2.3.jsonl").lines() {
        let case: Newest = serde_json::from_str(line).unwrap();
        let mut given = arguments(case.args.iter().map(String::as_str));
        given.insert(1, "--compat=2.3".into());
        let mut outcome = Outcome::from_arguments(&given);
        let line = case.args.join(" ");
        let exit = if outcome.stage() == "ok" { Exit::Success } else { Exit::Usage };
        let mut ours = format!("{line} | exit {}, messages {}", exit.code(), outcome.has_messages());
        let mut theirs = format!("{line} | exit {}, messages {}", case.exit_code, case.warns_or_errors);
        if let (Some(text), Outcome::Run(request, _)) = (case.stdout, &mut outcome) {
            // The option is not part of what DISKSPD was given.
            request.profile.command_line = RawText::from(format!("diskspd.exe {line}").as_str());
            let differing = differing_lines(&printed_on(&request.profile, case.groups), &text);
            ours += &format!(" | {}", differing.join(" | "));
            theirs += " | ";
        }
        if let Some(deviation) = deviations.remove(line.as_str()) {
            assert_ne!(ours, theirs, "{line} does not deviate");
            theirs = format!("{line} | {deviation}");
            ours = format!("{line} | {}", outcome.stage());
        }
        found.push(ours);
        expected.push(theirs);
    }
    assert_alike(&found, &expected);
    assert_eq!(found.len(), 294);
    assert!(deviations.is_empty(), "no case: {deviations:?}");
}

#[test]
fn committed_compatibility_table_matches_flags() {
    is_kept("docs/reference/compatibility.md", &cli::compatibility::table());
}

fn report(files: &[&str], verbose: bool, table: Option<TableForm>) -> Invocation {
    let files = files.iter().map(Into::into).collect();
    Invocation::Report(ReportRequest { files, store: None, verbose, table, html: None, out: vec![] })
}

fn page(files: &[&str], html: &str) -> Invocation {
    let files = files.iter().map(Into::into).collect();
    Invocation::Report(ReportRequest {
        files,
        store: None,
        verbose: false,
        table: None,
        html: Some(html.into()),
        out: vec![],
    })
}

#[test]
fn commands_and_long_options_are_parsed() {
    use cli::Shell;
    let parse = |line: &str| cli::parse(&split(line)).map_err(|error| error.to_string());
    let usage = |extent| Ok(Invocation::Usage(extent));
    let answers = [
        ("-?", usage(UsageExtent::All)),
        ("-?anything", usage(UsageExtent::All)),
        ("-b4K -? f.dat", usage(UsageExtent::All)),
        ("--help all", usage(UsageExtent::All)),
        ("--help=all", usage(UsageExtent::All)),
        ("help all", usage(UsageExtent::All)),
        ("--help", usage(UsageExtent::Everyday)),
        ("-b4K --help f.dat", usage(UsageExtent::Everyday)),
        ("help", usage(UsageExtent::Everyday)),
        ("--help caching", usage(UsageExtent::Topic("caching"))),
        ("-b4K --help=caching f.dat", usage(UsageExtent::Topic("caching"))),
        ("--help man", Ok(Invocation::CommandUsage { command: "man" })),
        ("help caching", usage(UsageExtent::Topic("caching"))),
        ("man --help", Ok(Invocation::CommandUsage { command: "man" })),
        ("--version", Ok(Invocation::Version)),
        ("--engine help", Ok(Invocation::EngineHelp)),
        ("--engine=help", Ok(Invocation::EngineHelp)),
        ("-yego", Ok(Invocation::SetEvent { names: vec!["go".into()] })),
        ("-yego -yestay", Ok(Invocation::SetEvent { names: vec!["go".into(), "stay".into()] })),
        ("event wait go", Ok(Invocation::Event { action: EventAction::Wait, name: "go".into() })),
        ("event set go", Ok(Invocation::Event { action: EventAction::Set, name: "go".into() })),
        ("event reset go", Ok(Invocation::Event { action: EventAction::Reset, name: "go".into() })),
        ("devices", Ok(Invocation::Devices { json: false })),
        ("devices --json", Ok(Invocation::Devices { json: true })),
        ("doctor", Ok(Invocation::Doctor { json: false, targets: vec![] })),
        (
            "doctor f.dat --json #0",
            Ok(Invocation::Doctor { json: true, targets: vec!["f.dat".into(), "#0".into()] }),
        ),
        ("man", Ok(Invocation::Man { command: None })),
        ("man sweep", Ok(Invocation::Man { command: Some("sweep") })),
        ("help report", Ok(Invocation::CommandUsage { command: "report" })),
        ("report --help", Ok(Invocation::CommandUsage { command: "report" })),
        ("report run.json -?", Ok(Invocation::CommandUsage { command: "report" })),
        ("event --help", Ok(Invocation::CommandUsage { command: "event" })),
        ("compatibility", Ok(Invocation::Compatibility)),
        ("completions fish", Ok(Invocation::Completions(Shell::Fish))),
        ("completions powershell", Ok(Invocation::Completions(Shell::PowerShell))),
        ("report r.json", Ok(report(&["r.json"], false, None))),
        ("report a.json b.xml --html p.html", Ok(page(&["a.json", "b.xml"], "p.html"))),
        ("report --html p.html a.json", Ok(page(&["a.json"], "p.html"))),
        ("report r.json -v", Ok(report(&["r.json"], true, None))),
        ("report a.json b.xml folder", Ok(report(&["a.json", "b.xml", "folder"], false, None))),
        ("report --csv folder", Ok(report(&["folder"], false, Some(TableForm::Csv)))),
        ("report folder --md", Ok(report(&["folder"], false, Some(TableForm::Markdown)))),
    ];
    for (line, expected) in answers {
        assert_eq!(parse(line), expected, "{line}");
    }

    let Ok(Invocation::Run(request)) =
        parse("--engine=null --out a.json --out=b.html --recreate --destroy -Xp.xml")
    else {
        panic!("rejected");
    };
    assert_eq!(request.run_options.engine, Some(diskspd::engines::EngineKind::Null));
    assert!(!request.run_options.poll);
    let out = |format, path: &str| cli::OutRequest { format, path: path.into() };
    assert_eq!(request.out, [out(None, "a.json"), out(None, "b.html")]);
    assert!(!request.dry_run && request.recreate && request.destroy);
    for (line, engine, poll) in [
        ("f.dat", None, false),
        ("--engine auto f.dat", None, false),
        ("--engine sync --engine=auto --poll f.dat", None, true),
    ] {
        let Ok(Invocation::Run(request)) = parse(line) else { panic!("rejected: {line}") };
        assert_eq!((request.run_options.engine, request.run_options.poll), (engine, poll), "{line}");
    }
    assert!(matches!(parse("--dry-run f.dat"), Ok(Invocation::Run(request)) if request.dry_run));
    assert!(matches!(parse("./man"), Ok(Invocation::Run(_))));
    for (line, seconds) in [
        ("f.dat", None),
        ("--until-steady f.dat", Some(3600)),
        ("--until-steady=60 f.dat", Some(60)),
        ("--until-steady= f.dat", Some(3600)),
    ] {
        assert!(
            matches!(parse(line), Ok(Invocation::Run(run)) if run.run_options.until_steady_s == seconds),
            "{line}"
        );
    }
    for (line, limit) in [
        ("f.dat", None),
        ("--cpu-latency 0 f.dat", Some(0)),
        ("--cpu-latency=50 f.dat", Some(50)),
        ("--cpu-latency 5 --cpu-latency 2147483647 f.dat", Some(2_147_483_647)),
    ] {
        assert!(
            matches!(parse(line), Ok(Invocation::Run(run)) if run.run_options.cpu_latency_us == limit),
            "{line}"
        );
    }
    for (line, stuck, outage) in [
        ("f.dat", None, None),
        ("--stuck 10s f.dat", Some(10_000), None),
        ("--stuck=500ms --fail-on-outage=5 f.dat", Some(500), Some(5000)),
        ("--fail-on-outage 1000ms f.dat", None, Some(1000)),
    ] {
        let Ok(Invocation::Run(run)) = parse(line) else { panic!("rejected: {line}") };
        let found = (run.run_options.stuck_ms, run.run_options.fail_on_outage_ms);
        assert_eq!(found, (stuck, outage), "{line}");
    }
    for line in [
        "--stuck 0 f.dat",
        "--stuck= f.dat",
        "--stuck 10m f.dat",
        "--stuck -1s f.dat",
        "--fail-on-outage 999ms f.dat",
        "--fail-on-outage 18446744073709551615s f.dat",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
    for (line, wanted) in [
        ("f.dat", Some(None)),
        ("--explain f.dat", Some(Some(1000))),
        ("--explain=1 f.dat", Some(Some(1))),
        ("--explain=0 f.dat", None),
        ("--explain=100001 f.dat", None),
        ("--explain=few f.dat", None),
    ] {
        let found = match parse(line) {
            Ok(Invocation::Run(run)) => Some(run.run_options.explain),
            _ => None,
        };
        assert_eq!(found, wanted, "{line}");
    }
    for (line, writes) in [
        ("f.dat", None),
        ("--fsync-every 1 f.dat", Some(1)),
        ("--fsync-every=5 --fsync-every 4294967295 f.dat", Some(u32::MAX)),
    ] {
        assert!(
            matches!(parse(line), Ok(Invocation::Run(run)) if run.run_options.fsync_every == writes),
            "{line}"
        );
    }
    for (line, share) in [
        ("f.dat", 0),
        ("--trim 1 f.dat", 1),
        ("--trim=5 -w50 --trim 100 f.dat g.dat", 100),
        ("--trim 10 --mix 1:-b4K f.dat", 10),
    ] {
        assert!(
            matches!(parse(line), Ok(Invocation::Run(run))
                if run.profile.time_spans[0].targets.iter().all(|target| target.shares.percent(Operation::Discard) == share)),
            "{line}"
        );
    }
    for (line, percent) in [("-w1 --fua 1 f.dat", 1), ("--fua=5 -w50 --fua 100 f.dat", 100)] {
        let durable =
            |run: &RunRequest| run.profile.time_spans[0].targets[0].shares.percent(Operation::DurableWrite);
        assert!(matches!(parse(line), Ok(Invocation::Run(run)) if durable(&run) == percent), "{line}");
    }
    for (line, content) in [
        ("f.dat", None),
        ("-w1 --compress 60 --dedupe=25 f.dat", Some((60, 25))),
        ("-w1 --compress 0 f.dat", Some((0, 0))),
        ("-w1 --dedupe 1 --dedupe 99 f.dat", Some((0, 99))),
    ] {
        let content = content.map(|(compress, dedupe)| ContentShape { compress, dedupe });
        let of = |run: &RunRequest| run.profile.time_spans[0].targets[0].content;
        assert!(matches!(parse(line), Ok(Invocation::Run(run)) if of(&run) == content), "{line}");
    }
    for (value, expected) in [
        ("1", Volume::Bytes(1)),
        ("500G", Volume::Bytes(500 << 30)),
        ("3b", Volume::Bytes(3 << 12)),
        ("2x", Volume::Times(2)),
        ("10X", Volume::Times(10)),
    ] {
        let line = format!("--until-written {value} --until-read={value} -b4K f.dat");
        let Ok(Invocation::Run(run)) = parse(&line) else { panic!("{line}") };
        assert_eq!(
            (run.run_options.until_written, run.run_options.until_read),
            (Some(expected), Some(expected))
        );
    }
    for (line, spread) in [
        ("-r f.dat", None),
        ("-r --distribution zipf:1.1 f.dat", Some("zipf:1.1")),
        ("-r --distribution=zipf:1 --distribution hot:10/90,moves=30 f.dat", Some("hot:10%/90%,moves=30s")),
    ] {
        let spread = spread.map(|spread| AddressSpread::parse(spread).unwrap());
        let of = |run: &RunRequest| run.profile.time_spans[0].targets[0].spread;
        assert!(matches!(parse(line), Ok(Invocation::Run(run)) if of(&run) == spread), "{line}");
    }
    for (line, expected) in [
        ("--replay io.csv f.dat", (1000, None, None, false)),
        ("--replay-speed 0.5x --replay=io.csv -d5 f.dat", (500, None, None, true)),
        (
            "--replay io.csv --replay-speed max --replay-writes issue f.dat",
            (0, Some(ReplayWrites::Issue), None, false),
        ),
        (
            "--replay io.csv --replay-speed 1000x --replay-writes skip --stream-of 8,0 f.dat",
            (1_000_000, Some(ReplayWrites::Skip), Some("8,0"), false),
        ),
    ] {
        let Ok(Invocation::Run(run)) = parse(line) else { panic!("{line}") };
        let replay = run.run_options.replay.unwrap();
        let found =
            (replay.speed_thousandths, replay.writes, replay.stream.as_deref(), replay.duration_given);
        assert_eq!(found, expected, "{line}");
        assert_eq!((replay.file.as_bytes(), run.profile.time_spans[0].warmup), (&b"io.csv"[..], 0));
    }
    for value in ["", "x", "0x", "1001x", "0.0001x", "1.x", "-1x", "fast"] {
        assert!(parse(&format!("--replay-speed={value} f.dat")).is_err(), "{value}");
    }
    let rate = |ios_per_s, arrivals| Some(RateTotal { ios_per_s, arrivals });
    for (line, expected) in [
        ("f.dat", None),
        ("--rate-total 1 f.dat", rate(1, Arrivals::Poisson)),
        ("--rate-total=50K f.dat", rate(50_000, Arrivals::Poisson)),
        ("--rate-total 2m,poisson f.dat", rate(2_000_000, Arrivals::Poisson)),
        ("--rate-total 5 --rate-total 1000M,uniform f.dat", rate(1_000_000_000, Arrivals::Uniform)),
    ] {
        assert!(
            matches!(parse(line), Ok(Invocation::Run(run)) if run.run_options.rate_total == expected),
            "{line}"
        );
    }
    use diskspd::profile::Prefill::*;
    for (option, expected) in [
        ("", None),
        ("--prefill ", Some(Auto)),
        ("--prefill=auto ", Some(Auto)),
        ("--prefill=random ", Some(Random)),
        ("--prefill=pattern ", Some(Pattern)),
        ("--prefill=zero ", Some(Zero)),
    ] {
        let request = parse(&format!("{option}f.dat"));
        assert!(
            matches!(&request, Ok(Invocation::Run(run)) if run.run_options.prefill == expected),
            "{option}: {request:?}"
        );
    }
}

#[test]
fn error_messages_have_a_remedy() {
    let cases = [
        ("-b 4k f.dat", "without a blank: -b4k"),
        ("-t 4 f.dat", "without a blank: -t4"),
        ("-X p.xml", "without a blank: -Xp.xml"),
        ("-r 8k -b4k f.dat", "attach it: -r8k"),
        ("-d 60 -b4k f.dat", "attach it: -d60"),
        ("-y s f.dat", "without a blank: -ys"),
        ("-rdx f.dat", "-rd: unknown type of distribution"),
        ("-rdpct10 f.dat", "-rd: the span"),
        ("-A1 f.dat", "did you mean -a"),
        ("--engin=sim f.dat", "did you mean --engine"),
        ("--dryrun f.dat", "did you mean --dry-run"),
        ("-dry-run f.dat", "did you mean --dry-run"),
        ("-help", "did you mean --help"),
        ("-version", "did you mean --version"),
        ("-- -f.dat", "./-name"),
        ("--engine", "write --engine <name>"),
        ("--engine fast f.dat", "uring, aio, sync, mmap, nvme, null or sim"),
        ("--dry-run=yes f.dat", "takes no value"),
        ("\u{2013}b4K f.dat", "en dash"),
        ("\u{2212}b4K f.dat", "mathematical minus"),
        ("\u{2010}b4K f.dat", "hyphen (U+2010)"),
        ("-\u{2013}b4K f.dat", "en dash (U+2013)"),
        ("-a0\u{2013}3 f.dat", "en dash (U+2013)"),
        ("-B0:\u{2013}5 f.dat", "en dash (U+2013)"),
        ("-b\u{2212}4K f.dat", "mathematical minus (U+2212)"),
        ("--until\u{2011}steady f.dat", "non-breaking hyphen (U+2011)"),
        ("\u{2014}b4K f.dat", "Use diskspd.exe -b4K f.dat"),
        ("\u{2014}engine sim f.dat", "Use diskspd.exe --engine sim f.dat"),
        ("\u{2013}out=a.json f.dat", "Use diskspd.exe --out=a.json f.dat"),
        ("--dry-run --until-steady=1\u{2014}2 f.dat", "em dash (U+2014)"),
        ("-b4k -Xp.xml", "-b and an XML profile (-X) exclude each other"),
        ("-q -Xp.xml", "unknown option"),
        ("report", "./report"),
        ("report a.json --csv --md", "see diskspd report --help"),
        ("report a.json --xls", "options of this command: -v --csv"),
        ("completions tcsh", "bash|zsh|fish|powershell"),
        ("event", "wait|set|reset <event>"),
        ("event jump go", "wait|set|reset <event>"),
        ("-Rp --out a.json f.dat", "--out and -Rp"),
        ("--out a.json -Rpxml -Xp.xml", "--out and -Rp"),
        ("--dry-run --stream - f.dat", "--stream and --dry-run exclude each other"),
        ("--io-log=a.csv --dry-run f.dat", "leave out --io-log"),
        ("--until-steady 60 -b4k f.dat", "attach it: --until-steady=60"),
        ("--cpu-latency", "the value is missing"),
        ("--cpu-latency= f.dat", "the value is missing"),
        ("--cpu-latency low f.dat", "0 to 2147483647 us"),
        ("--cpu-latency 10us f.dat", "not a number of microseconds"),
        ("--cpu-latency=-1 f.dat", "not a number of microseconds"),
        ("--cpu-latency +1 f.dat", "not a number of microseconds"),
        ("--cpu-latency 2147483648 f.dat", "0 to 2147483647 us"),
        ("--until-written", "the value is missing"),
        ("--until-written 0 f.dat", "neither a size nor a number of times"),
        ("--until-read 0x f.dat", "1 or more"),
        ("--until-read x f.dat", "neither a size nor a number of times"),
        ("--until-read 1.5x f.dat", "neither a size nor a number of times"),
        ("--until-read 5Q f.dat", "a size, as in 500G"),
        ("--fsync-every", "the value is missing"),
        ("--fsync-every 0 f.dat", "not a number of writes"),
        ("--fsync-every 4K f.dat", "1 or more"),
        ("--trim", "the value is missing"),
        ("--trim 0 f.dat", "invalid percentage"),
        ("--write-hint", "the value is missing"),
        ("--write-hint brief f.dat", "none, short, medium, long or extreme"),
        ("--fdp", "the value is missing"),
        ("--fdp= f.dat", "the value is missing"),
        ("--fdp 0,x f.dat", "a number is missing here"),
        ("--fdp 128 f.dat", "from 0 to 127"),
        ("--fdp 2-1 f.dat", "a range ends at its beginning"),
        ("--write-stream 0 f.dat", "from 1 to 255"),
        ("--write-stream 1;2 f.dat", "expected , and a further number"),
        ("--atomic=1 f.dat", "takes no value"),
        ("--nowait=1 f.dat", "takes no value"),
        ("--zoned=1 f.dat", "takes no value"),
        ("--write-zeroes 0 f.dat", "invalid percentage"),
        ("--write-zeroes 101 f.dat", "a percentage from 1 to 100"),
        ("--trim 101 f.dat", "a percentage from 1 to 100"),
        ("--trim 5% f.dat", "unexpected text after the percentage"),
        ("--trim -1 f.dat", "1 to 100"),
        ("--mix 1:--trim=5 f.dat", "this is not an option of a part"),
        ("--mix", "the value is missing"),
        ("--mix -b8K f.dat", "is missing here"),
        ("--mix 0:-b8K f.dat", "from 1 to 1000000"),
        ("--mix 1:-o8 f.dat", "this is not an option of a part"),
        ("--mix 1:-b8K;1:-b0 f.dat", "this block size is not possible"),
        ("--mix 1:-b8K -w50 f.dat", "put it into the parts"),
        ("--bs-split", "the value is missing"),
        ("--bs-split 4K f.dat", "/ and the share"),
        ("--bs-split 4K/1 -b4K f.dat", "both set the block size"),
        ("--distribution", "the value is missing"),
        ("--distribution pareto:0.1 f.dat", "unknown form"),
        ("--distribution zipf:0 f.dat", "theta must be a number above 0"),
        ("--distribution hot:10% f.dat", "/ and the share"),
        ("--compress", "the value is missing"),
        ("--compress 60% -w1 f.dat", "unexpected text after the percentage"),
        ("--compress 100 -w1 f.dat", "use -Z to write only zeros"),
        ("--dedupe -1 -w1 f.dat", "not a number"),
        ("-Xp.xml --dedupe 5", "set it in the profile"),
        ("--rate-total", "the value is missing"),
        ("--rate-total fast f.dat", "this is not a number"),
        ("--rate-total 0 f.dat", "no such rate"),
        ("--rate-total 1001M f.dat", "no such rate"),
        ("--rate-total 1.5K f.dat", "1 to 1000M"),
        ("--rate-total 5KB f.dat", "unexpected text after the value"),
        ("--rate-total 5K,even f.dat", "unknown kind of arrivals"),
        ("--rate-total 5K, f.dat", "poisson or uniform"),
        ("--until-steady=soon f.dat", "as in --until-steady=600"),
        ("--until-steady=0 f.dat", "as in --until-steady=600"),
        ("devices --xml", "diskspd devices [--json]"),
        ("doctor -x f.dat", "diskspd doctor [<target> ..] [--json]"),
    ];
    for (line, part) in cases {
        let Err(error) = cli::parse(&split(line)) else { panic!("{line} is accepted") };
        let message = error.to_string();
        assert!(message.contains(part), "{line}\n{message}");
    }
}

#[test]
fn paths_keep_their_bytes() {
    let path = b"\xff\xfe/\xc3(".to_vec();
    let arguments = ["diskspd".into(), "-Z1M,\u{fc}".into(), OsString::from_vec(path.clone())];
    let Ok(Invocation::Run(request)) = cli::parse(&arguments) else { panic!("rejected") };
    assert_eq!(request.profile.time_spans[0].targets[0].path.as_bytes(), path);
    let mut text = Vec::new();
    write_profile(&mut text, &request.profile);
    let expected: Vec<u8> = [b"\tpath: '".as_slice(), &path, b"'\n"].concat();
    assert!(text.windows(expected.len()).any(|part| part == expected));
}

mod arbitrary {
    use super::*;
    use proptest::prelude::*;

    fn argument() -> impl Strategy<Value = Vec<u8>> {
        let option =
            ("-[a-zA-Z:?]", "[a-z0-9,:/ +.-]{0,12}").prop_map(|(name, value)| (name + &value).into_bytes());
        let known = "-(r|s|rs|rdpct|rdabs|a|ag|B|f|S|Z|b|c|g|R|y|z|e)[0-9kKbgrmstuw,:/i]{0,8}";
        prop_oneof![
            option,
            known.prop_map(String::into_bytes),
            "--[a-z=-]{0,10}".prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..8),
        ]
    }

    proptest! {
        #[test]
        fn any_arguments_are_judged_without_panic(
            arguments in prop::collection::vec(argument(), 0..6),
            with_target: bool,
        ) {
            let mut arguments: Vec<OsString> = arguments.into_iter().map(OsString::from_vec).collect();
            arguments.insert(0, "diskspd".into());
            if with_target {
                arguments.push("f.dat".into());
            }
            match Outcome::from_arguments(&arguments) {
                Outcome::Rejected(error) => {
                    let message = error.to_string();
                    prop_assert!(!message.is_empty());
                    if let Some(place) = error.place {
                        prop_assert!(place.position <= place.argument.len(), "{}", message);
                    }
                }
                Outcome::Run(request, _) => write_profile(&mut Vec::new(), &request.profile),
                Outcome::NotLoaded | Outcome::Other(_) => {}
            }
        }
    }
}
