//! `diskspd merge FILE FILE ..`: the records of several hosts are merged into one.

use crate::checks::JudgedRecord;
use crate::cli::{Exit, MergeRequest, OutRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::console::display::Display;
use crate::commands::shared::input::load_runs::{self, RunFile};
use crate::commands::shared::output::{self, OutFile};
use crate::commands::shared::runs::stored;
use crate::commands::shared::unread_runs::RunsReadError;
use crate::finding::Finding;
use crate::merge::{Merge, merge_known};
use crate::report::findings::{self, Detail};
use crate::report::hosts;
use crate::report::run_text;
use crate::report_formats::{Format, TEXT, VerdictForm};
use crate::results::{Host, Record, RunSummary};
use crate::run::destination;
use crate::run::{HangGuard, NamedOutput, Outlet, OutputPolicy};
use crate::sys::standard_error::{self, print_line};
use crate::sys::standard_output;
use std::path::{Path, PathBuf};

/// Merges, prints and writes. An unreadable file is a host without figures: the other hosts are reported,
/// and the exit code reflects it.
///
/// # Errors
/// Fails if the files do not belong to one run, or output fails.
pub(crate) fn merge(request: &MergeRequest) -> Result<Exit, CommandError> {
    let named_files = request.files.iter().map(|file| stored::file(file, request.store.as_deref()));
    let given = named_files.collect::<Result<Vec<PathBuf>, CommandError>>()?;
    let files = load_runs::files(&given);
    let read = files.iter().map(|(file, _)| NamedOutput { by: "merge".into(), path: file.clone() });
    let mut door = OutputPolicy::default().which_reads(read);
    let outs = request.out.iter().map(|out| open_output(out, request, &mut door));
    let outs = outs.collect::<Result<Vec<OutFile>, CommandError>>()?;
    let tables = host_tables(request, &mut door)?;
    let mut hosts = Hosts { door, ..Hosts::default() };
    let (display, all) = (Display::new(false), files.len());
    for (number, (file, there)) in files.into_iter().enumerate() {
        display.count("records read:", number, all);
        hosts.add(&file, there, request)?;
    }
    display.clear();
    hosts.merge.miss_absent_ranks();
    match hosts.results.is_empty() {
        false => of_results(&hosts, request),
        true => {
            let record = hosts.merge.finish().map_err(|error| error.to_string())?;
            of_records(record, request, &outs, &tables)
        }
    }
}

fn open_output(
    out: &OutRequest,
    request: &MergeRequest,
    door: &mut OutputPolicy,
) -> Result<OutFile, CommandError> {
    let format = output::format_of(out, requested_verdicts(request))?;
    OutFile::open(door.permit("--out", &out.path)?, &out.path, format, &HangGuard::default())
}

#[derive(Default)]
struct Hosts {
    door: OutputPolicy,
    merge: Merge,
    results: Vec<RunSummary>,
}

impl Hosts {
    fn add(
        &mut self,
        file: &Path,
        there: Result<(), RunsReadError>,
        request: &MergeRequest,
    ) -> Result<(), CommandError> {
        let shown = load_runs::display_path(file);
        let mixed = || {
            let why = "results of other programs and records cannot be merged with each other: name only \
                       records, or only results";
            CommandError::from(format!("{shown}: {why}"))
        };
        match there.and_then(|()| load_runs::run_file(file)) {
            Ok(RunFile::Record(_)) if !self.results.is_empty() => Err(mixed()),
            Ok(RunFile::Results(_)) if self.merge.hosts() > 0 => Err(mixed()),
            Ok(RunFile::Results(runs)) => {
                self.results.extend(runs);
                Ok(())
            }
            Ok(RunFile::Record(record)) => {
                let alone = request.per_host.then(|| record.as_ref().clone());
                self.merge.add(*record, &shown)?;
                alone.map_or(Ok(()), |record| self.write_alone(&record, request))
            }
            Err(why) => {
                let why = why.to_string();
                print_line(Finding::error(&why));
                let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
                self.merge.miss(Host { name, missing: Some(why), ..Host::default() });
                Ok(())
            }
        }
    }

    fn write_alone(&mut self, record: &Record, request: &MergeRequest) -> Result<(), CommandError> {
        let judged = JudgedRecord::new(record);
        for out in request.out.iter().filter(|out| out.has_form("xml")) {
            let path = host_path(&out.path, self.merge.last_name());
            let out = OutRequest { format: Some("xml"), path };
            open_output(&out, request, &mut self.door)?.save(&judged)?;
        }
        Ok(())
    }
}

fn requested_verdicts(request: &MergeRequest) -> VerdictForm {
    VerdictForm { xml: request.xml_verdict, text: request.text_verdict }
}

/// `all.node1.xml` of `all.xml`; merging has made the host's name one that can be part of a file's.
fn host_path(path: &Path, host: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(host);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Opens the tables of hosts, one for each series of the whole.
fn host_tables(request: &MergeRequest, door: &mut OutputPolicy) -> Result<Vec<Outlet>, CommandError> {
    let series = request.out.iter().filter(|out| request.per_host && out.has_form("csv") && !out.is_stdout());
    let open = |out: &OutRequest| {
        let path = host_path(&out.path, "hosts");
        Ok(door.permit("--per-host", &path)?.open(&HangGuard::default())?)
    };
    series.map(open).collect()
}

fn of_records(
    record: Record,
    request: &MergeRequest,
    outs: &[OutFile],
    tables: &[Outlet],
) -> Result<Exit, CommandError> {
    let judged = JudgedRecord::new(&record);
    let mut exit = Exit::Success;
    let instead = |out: &OutRequest| destination::is_standard_output(&out.path);
    let reports = !request.out.iter().any(instead);
    let form = reports.then_some(TEXT.name);
    output::verdicts_nowhere(requested_verdicts(request), &request.out, form)
        .into_iter()
        .for_each(print_line);
    if reports {
        let text: &'static Format = &TEXT;
        exit =
            report_error(output::report_to_stdout(text.with_verdicts(requested_verdicts(request)), &judged));
    }
    let detail = if request.verbose { Detail::Full } else { Detail::Brief };
    standard_error::write(&findings::text(&judged.judgement, detail));
    for out in outs {
        exit = exit.max(report_error(out.save(&judged).map(|()| Exit::Success)));
    }
    for table in tables {
        let written = table.put(hosts::csv(&record).into_bytes());
        exit = exit.max(report_error(written.map(|()| Exit::Success).map_err(CommandError::from)));
    }
    Ok(if record.is_complete() { exit } else { exit.max(Exit::RunFailed) })
}

fn of_results(hosts: &Hosts, request: &MergeRequest) -> Result<Exit, CommandError> {
    if let Some(out) = request.out.first() {
        return Err(CommandError::usage_errors([format!(
            "--out {}: cannot write a report from results of other programs, which hold only figures; the \
             merged figures go to standard output",
            out.path.display()
        )]));
    }
    let merged = merge_known(&hosts.results).map_err(|error| error.to_string())?;
    let lost = hosts.merge.count_missing();
    let all = hosts.results.len() + lost;
    let first = if lost > 0 { format!("{} of {all} hosts\n", hosts.results.len()) } else { String::new() };
    let text = first + &run_text::text(&merged, request.verbose, standard_output::room());
    let exit = output::to_stdout(text.as_bytes())?;
    print_line(Finding::note(
        "results of several hosts have no common percentiles: merge records (--out FILE.json)",
    ));
    Ok(if lost > 0 { exit.max(Exit::RunFailed) } else { exit })
}
