//! Options of fio's command line that are not options of a job.

use super::{FioForm, FioOption, approximate_option, refused_option, same};

const PROGRESS: &str = "this program has its own progress display";
const REPORT: &str = "the report has this program's form; --out FILE.json writes all data";
const NETWORK: &str = "fio's client and server are not supported";

pub(super) const ROWS: &[FioOption] = &[
    same("section", &[], FioForm::Text),
    same("readonly", &[], FioForm::Switch),
    approximate_option("eta", &[], FioForm::Text, PROGRESS),
    approximate_option("eta-newline", &[], FioForm::Text, PROGRESS),
    approximate_option("eta-interval", &[], FioForm::Text, PROGRESS),
    approximate_option("status-interval", &[], FioForm::Text, PROGRESS),
    approximate_option("minimal", &[], FioForm::Switch, REPORT),
    approximate_option("append-terse", &[], FioForm::Switch, REPORT),
    approximate_option("output-format", &[], FioForm::Text, REPORT),
    approximate_option("terse-version", &[], FioForm::Text, REPORT),
    approximate_option(
        "bandwidth-log",
        &[],
        FioForm::Switch,
        "no such log is written; use -D with --out FILE.csv",
    ),
    approximate_option("alloc-size", &[], FioForm::Text, "memory needs no limit in advance"),
    approximate_option("max-jobs", &[], FioForm::Number, "the limit is always 4,096 jobs"),
    approximate_option(
        "warnings-fatal",
        &[],
        FioForm::Switch,
        "unknown options and values are always refused",
    ),
    refused_option(
        "output",
        &[],
        &[],
        "fio's report is not written",
        "use --out FILE.json, .html, .csv or .txt",
    ),
    refused_option("parse-only", &[], &["0"], "it runs nothing", "use --dry-run"),
    refused_option(
        "showcmd",
        &[],
        &["0"],
        "it runs nothing",
        "use diskspd convert fio with the same options",
    ),
    refused_option("cmdhelp", &[], &[], "it runs nothing", "docs/reference/fio-jobs.md has all options"),
    refused_option("enghelp", &[], &[], "it runs nothing", "docs/reference/fio-jobs.md has all engines"),
    refused_option("debug", &[], &[], "fio's internal messages do not exist here", "use -v"),
    refused_option("idle-prof", &[], &[], "the idle time of CPUs is always measured", "leave it out"),
    refused_option("client", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused_option("server", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused_option("remote-config", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused_option("daemonize", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused_option("trigger", &[], &[], "a run starts no other program", "leave it out"),
    refused_option("trigger-file", &[], &[], "a run starts no other program", "use -yp with an event"),
    refused_option("trigger-timeout", &[], &[], "a run starts no other program", "leave it out"),
    refused_option("trigger-remote", &[], &[], "a run starts no other program", "leave it out"),
    refused_option(
        "inflate-log",
        &[],
        &[],
        "fio's logs are not read here",
        "use diskspd report with fio's JSON",
    ),
    refused_option("aux-path", &[], &[], "no state of fio is written", "leave it out"),
];
