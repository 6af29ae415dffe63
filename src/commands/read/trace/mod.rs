//! `diskspd trace`: a device is traced, or recorded I/Os are read, and converted to a profile.

use crate::cli::shell_quote::quoted;
use crate::cli::{Exit, TraceRequest, TracedSource};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::output::OutFile;
use crate::report::profile_xml;
use crate::run::destination::resolve_name;
use crate::run::{self, Control, HangGuard, NamedOutput, OutputPolicy};
use crate::sys::files;
use crate::sys::standard_error::{self, print_line};
use crate::trace::formats::{self, RequestView, TakenIos};
use crate::trace::{self, FittedProfile, IoCollector, IoFigures, IoTrace, TraceSource};
use crate::units::visible;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// Traces without opening or writing the device.
///
/// # Errors
/// Fails if the device cannot be watched or the file read, no I/O was found, or the profile cannot be
/// written.
pub(crate) fn trace(request: &TraceRequest) -> Result<Exit, CommandError> {
    let out = request.out.as_deref().map(|path| open_output(path, request)).transpose()?;
    let (recorded, source) = match &request.source {
        TracedSource::Device { path, seconds } => trace_device(path, *seconds, request.view)?,
        TracedSource::File { path, stream } => {
            read(path, &TakenIos { stream: stream.as_deref(), view: request.view })?
        }
    };
    let figures = IoFigures::from_trace(&recorded).ok_or_else(|| {
        CommandError::failed([format!(
            "{}: no reads or writes recorded: no profile written{}",
            source.name,
            if source.is_live { "; trace it longer (-d), or under load" } else { "" }
        )])
    })?;
    drop(recorded);
    let fitted = trace::fit(&figures, request.rate);
    let mut text = trace::text(&source, &figures, &fitted);
    if let Some((path, _)) = request.out.as_deref().zip(out.as_ref()) {
        text += &how_to_run(path, &fitted);
    }
    let text = visible::lines(&text);
    let Some(out) = out else { return crate::commands::shared::output::print::print(&text) };
    let mut xml = Vec::new();
    profile_xml::write_profile(&mut xml, &fitted.profile, 0);
    out.save_page(&|sink| sink.write_all(&xml))?;
    if request.out.as_deref().is_some_and(|path| resolve_name(path) == resolve_name(Path::new("-"))) {
        standard_error::write(&text);
        return Ok(Exit::Success);
    }
    crate::commands::shared::output::print::print(&text)
}

fn open_output(path: &Path, request: &TraceRequest) -> Result<OutFile, CommandError> {
    let from = match &request.source {
        TracedSource::File { path, .. } => Some(NamedOutput { by: "--from".into(), path: path.clone() }),
        TracedSource::Device { .. } => None,
    };
    let permitted = OutputPolicy::default().which_reads(from).permit("--out", path)?;
    let xml = crate::report_formats::format_named("xml")
        .ok_or_else(|| CommandError::failed(["the program has no format xml"]))?;
    OutFile::open(permitted, path, xml, &HangGuard::default())
}

/// Describes the use of the profile, which has no target yet.
fn how_to_run(path: &Path, fitted: &FittedProfile) -> String {
    let file = if path == Path::new("-") { "FILE" } else { &*path.to_string_lossy() };
    let option = quoted(&[format!("-X{file}").into()]);
    let writes = fitted.fit.writes.1 > 0.0;
    let warning = match writes {
        true => "; it overwrites the target",
        false => "",
    };
    format!("run it: diskspd {option} TARGET (TARGET replaces the profile's template *1{warning})\n")
}

fn trace_device(
    path: &Path,
    seconds: u32,
    view: RequestView,
) -> Result<(IoTrace, TraceSource), CommandError> {
    let control = Arc::new(Control::default());
    // Without it Ctrl-C ends the program, and nothing was lost but time.
    let _watch = run::watch_silently(Arc::clone(&control));
    let begun = || {
        let path = path.display();
        print_line(format!(
            "tracing {path} for {seconds} s; Ctrl-C ends it earlier and keeps the I/Os recorded until then"
        ));
    };
    let trace = run::watch_device(path, seconds, view, &control, begun)?;
    Ok((trace, TraceSource { name: path.display().to_string(), is_live: true }))
}

fn read(path: &Path, taken: &TakenIos) -> Result<(IoTrace, TraceSource), CommandError> {
    let name = path.display();
    let failed = |why: &dyn std::fmt::Display| CommandError::failed([format!("--from {name}: {why}")]);
    let file = files::open_input(path).map_err(|error| failed(&format!("cannot be opened: {error}")))?;
    let mut collector = IoCollector::default();
    let found = formats::read(BufReader::with_capacity(1 << 18, file), taken, &mut |_, event| {
        collector.take(event);
        Ok(())
    });
    let found = found.map_err(|error| failed(&error))?;
    let name = match found.stream.as_str() {
        stream if stream == path.to_string_lossy() => format!("{name} ({})", found.format.name()),
        stream => format!("{name} ({}), target {stream}", found.format.name()),
    };
    if !found.has_times {
        print_line(format!("{name}: its I/Os have no time stamps: ignore rate, time and depth"));
    }
    Ok((collector.finish(), TraceSource { name, is_live: false }))
}
