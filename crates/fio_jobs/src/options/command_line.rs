//! Options of fio's command line that are not options of a job.

use super::{FioForm, FioOption, near, refused, same};

const PROGRESS: &str = "this program has its own progress display";
const REPORT: &str = "the report has this program's form; --out FILE.json writes all data";
const NETWORK: &str = "fio's client and server are not supported";

pub(super) const ROWS: &[FioOption] = &[
    same("section", &[], FioForm::Text),
    same("readonly", &[], FioForm::Switch),
    near("eta", &[], FioForm::Text, PROGRESS),
    near("eta-newline", &[], FioForm::Text, PROGRESS),
    near("eta-interval", &[], FioForm::Text, PROGRESS),
    near("status-interval", &[], FioForm::Text, PROGRESS),
    near("minimal", &[], FioForm::Switch, REPORT),
    near("append-terse", &[], FioForm::Switch, REPORT),
    near("output-format", &[], FioForm::Text, REPORT),
    near("terse-version", &[], FioForm::Text, REPORT),
    near("bandwidth-log", &[], FioForm::Switch, "no such log is written; use -D with --out FILE.csv"),
    near("alloc-size", &[], FioForm::Text, "memory needs no limit in advance"),
    near("max-jobs", &[], FioForm::Number, "the limit is always 4,096 jobs"),
    near("warnings-fatal", &[], FioForm::Switch, "unknown options and values are always refused"),
    refused("output", &[], &[], "fio's report is not written", "use --out FILE.json, .html, .csv or .txt"),
    refused("parse-only", &[], &["0"], "it runs nothing", "use --dry-run"),
    refused("showcmd", &[], &["0"], "it runs nothing", "use diskspd convert fio with the same options"),
    refused("cmdhelp", &[], &[], "it runs nothing", "docs/reference/fio-jobs.md has all options"),
    refused("enghelp", &[], &[], "it runs nothing", "docs/reference/fio-jobs.md has all engines"),
    refused("debug", &[], &[], "fio's internal messages do not exist here", "use -v"),
    refused("idle-prof", &[], &[], "the idle time of CPUs is always measured", "leave it out"),
    refused("client", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused("server", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused("remote-config", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused("daemonize", &[], &[], NETWORK, "use docs/how-to/fleet.md"),
    refused("trigger", &[], &[], "a run starts no other program", "leave it out"),
    refused("trigger-file", &[], &[], "a run starts no other program", "use -yp with an event"),
    refused("trigger-timeout", &[], &[], "a run starts no other program", "leave it out"),
    refused("trigger-remote", &[], &[], "a run starts no other program", "leave it out"),
    refused("inflate-log", &[], &[], "fio's logs are not read here", "use diskspd report with fio's JSON"),
    refused("aux-path", &[], &[], "no state of fio is written", "leave it out"),
];
