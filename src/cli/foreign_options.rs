//! Meanings of unknown words, and of options that belong to another command. Options of other programs are in
//! `foreign.rs`.

use super::flag::{Flag, long_name};
use super::flags;
use super::foreign;
use super::line::TypedLine;
use super::option::OptionRow;
use super::shell_quote::quoted;
use super::suggest::distance;
use crate::profile::RawText;
use std::ffi::OsString;

const WORDS: [(&[&str], &str); 7] = [
    (&["version"], "diskspd --version prints the version."),
    (&["list", "ls"], "diskspd devices lists block devices, diskspd history lists kept runs."),
    (
        &["info", "status", "check"],
        "diskspd doctor checks this machine for anything that distorts figures, diskspd devices lists disks.",
    ),
    (
        &["run", "start", "bench", "test", "exec"],
        "a run needs no command: diskspd -c1G -b4K -r -d10 test.dat.",
    ),
    (&["usage", "/?", "/help", "?"], "diskspd --help explains the options, diskspd -? all of them."),
    (
        &["bisect"],
        "diskspd compare --bisect and diskspd baseline check --bisect end with the codes of git bisect run.",
    ),
    (&["profile", "xml"], "diskspd -Xprofile.xml runs a profile, -Rpxml writes one."),
];

/// Long options of commands that have another name in a run.
const OF_RUNS: [(&str, &str); 5] = [
    ("json", "--out run.json keeps everything as JSON"),
    ("html", "--out page.html writes a page"),
    ("csv", "-D --out run.csv writes a table by intervals"),
    ("md", "diskspd report run.json --md prints a table of runs that --out has kept"),
    ("dir", "--out FILE.json keeps a run, --save keeps it in the history"),
];

/// Returns a suggestion for a first word that is neither command nor file; `None` if there is no
/// suggestion.
pub fn word(arguments: &[OsString]) -> Option<(RawText, &'static str)> {
    let given = arguments.get(1)?.as_encoded_bytes();
    let text = std::str::from_utf8(given).ok().filter(|text| !text.starts_with('-'))?;
    let known = WORDS.iter().find(|(words, _)| words.contains(&text)).map(|(_, meant)| *meant);
    let job = text.ends_with(".fio").then_some("diskspd --fio FILE.fio runs the jobs of a fio job file.");
    Some((RawText::from(given.to_vec()), known.or(job)?))
}

/// Returns a suggestion for an unknown long option, with its dashes and possibly a value. `here`: the
/// command's options, `elsewhere`: commands with an option of this name.
pub(super) fn option(argument: &[u8], here: &[OptionRow], elsewhere: &[&str]) -> Option<String> {
    let text = String::from_utf8_lossy(argument);
    let name = long_name(&text)?;
    let run = here.is_empty();
    if let Some((_, meant)) = OF_RUNS.iter().find(|(known, _)| run && *known == name) {
        return Some(format!(
            "{meant}; {name_of} is an option of {}",
            elsewhere.join(", "),
            name_of = option_text(name)
        ));
    }
    if let Some(command) = elsewhere.first().filter(|_| run || flags::all().all(|f| !f.is_named(name))) {
        let others = elsewhere.join(" and ");
        return Some(format!("{} is an option of {others}: see diskspd {command} --help", option_text(name)));
    }
    if let Some(nearest) = nearest_option(name, here) {
        return Some(nearest);
    }
    foreign::option(text.trim_start_matches('-'))
}

/// Returns a suggestion for lists such as `-b4K,8K`: the line as a sweep; `None` if a sweep does not accept
/// the list.
pub(super) fn list(flag: &Flag, value: &str, line: &TypedLine) -> Option<String> {
    flag.takes_list(value).then(|| sweep_of(line))
}

pub(super) fn sweep_of(line: &TypedLine) -> String {
    let target = if line.targets.is_empty() { " test.dat" } else { "" };
    format!("diskspd sweep runs every value: diskspd sweep {}{target}", quoted(&line.words()))
}

fn option_text(name: &str) -> String {
    format!("--{name}")
}

fn nearest_option(name: &str, here: &[OptionRow]) -> Option<String> {
    // Short names differ from any other short one in two letters; a command has few.
    let most = if name.len() > 5 { 2 } else { 1 };
    let of_runs = flags::all().filter_map(|flag| Some((flag.long()?, flag.forms[0].1, most)));
    let of_command = here.iter().filter_map(|row| Some((row.name.strip_prefix("--")?, row.help, 2)));
    of_command
        .chain(of_runs)
        .map(|(known, help, most)| (distance(known.as_bytes(), name.as_bytes()), known, help, most))
        .filter(|(distance, _, _, most)| distance <= most)
        .min_by_key(|(distance, ..)| *distance)
        .map(|(distance, known, help, _)| match distance {
            0 => format!("--{known} is an option of runs: {help}"),
            _ => format!("did you mean --{known}: {help}?"),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::{find, suggest_command as option};

    #[test]
    fn foreign_words_are_unique_and_differ_from_own() {
        let words: Vec<&str> = WORDS.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        assert!(words.iter().all(|word| find(word.as_bytes()).is_none()), "{words:?}");
        let options: Vec<&str> = foreign::names().collect();
        assert!(options.iter().all(|name| flags::all().all(|flag| !flag.is_named(name))));
        let unique: std::collections::HashSet<&&str> = options.iter().collect();
        assert_eq!(unique.len(), options.len());
    }

    #[test]
    fn value_list_suggests_a_sweep() {
        for (option, value, meant) in [
            ("-b", "4K,8K", Some("diskspd sweep -b4K,8K -r test.dat")),
            ("-o", "1,2,4", Some("diskspd sweep -o1,2,4 -r test.dat")),
            ("--rate-total", "100,200", Some("diskspd sweep --rate-total 100,200 -r test.dat")),
            ("--engine", "uring,sync", Some("diskspd sweep --engine uring,sync -r test.dat")),
            ("--rate-total", "100,poisson", None),
            ("--rate-total", "100,posson", None),
            ("-b", "4K", None),
            ("-b", "4K,", None),
            ("-b", ",4K", None),
            ("-b", "4K,x", None),
            ("-d", "5,10", Some("diskspd sweep -d5,10 -r test.dat")),
            ("-a", "0,1", None),
        ] {
            let flag = flags::find(|name| name.with_dashes() == option).unwrap();
            let given =
                if flag.long().is_some() { format!("{option} {value}") } else { option.to_owned() + value };
            let words: Vec<OsString> = given.split(' ').chain(["-r"]).map(OsString::from).collect();
            let found = list(flag, value, &TypedLine::from_arguments(&words).unwrap());
            let suggested = match (&found, meant) {
                (Some(found), Some(meant)) => found.ends_with(meant),
                (found, meant) => found.is_none() && meant.is_none(),
            };
            assert!(suggested, "{option} {value}: {found:?}");
        }
    }

    #[test]
    fn foreign_options_suggest_own_options() {
        let sweep = find(b"sweep").unwrap().rows();
        for (given, here, meant) in [
            ("--json", &[][..], "--out run.json"),
            ("--html=p.html", &[], "--out page.html"),
            ("--slo", &[], "diskspd sweep --help"),
            ("--name=job1", &[], "--save=NAME"),
            ("--iodepth=32", &[], "-o32"),
            ("--enigne", &[], "did you mean --engine"),
            ("--verbose", &[], "-v prints all findings"),
            ("--rpeat", &sweep, "did you mean --repeat"),
            ("--io-log", &find(b"trace").unwrap().rows(), "--io-log is an option of runs"),
            ("--fail-if", &sweep, "an option of baseline and compare"),
        ] {
            let found = option(given.as_bytes(), here);
            assert!(found.as_ref().is_some_and(|found| found.contains(meant)), "{given}: {found:?}");
        }
        assert_eq!(option(b"--nonsense-of-mine", &[]), None);
    }
}
