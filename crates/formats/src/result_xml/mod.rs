//! Reader of result XML: DISKSPD's versions 2.0 to 2.3, and this program's. Missing values are unknown,
//! and unknown elements are ignored.
//!
//! ```text
//! bytes ─decode─▶ text ─walk, element by element─▶ RunSummary, one for each <Results>
//! ```
//!
//! DISKSPD writes no declaration, does not escape `&` in paths, and uses the machine's code page for them.
//! Shells convert it to UTF-16, put several results into a file, and progress before them. The reader
//! accepts all of that. Memory does not grow with the length of a run, because intervals are skipped and
//! threads are summed.

mod findings;
mod span;
mod walk;

use diskspd_base::limits;
use diskspd_figures::units;
use diskspd_figures::units::start_time::seconds_since_1970;
use diskspd_profile::xml::document;
use diskspd_profile::xml::error::{XmlError, XmlErrorAt, check_time_spans};
use diskspd_profile::xml::recorded;
use diskspd_profile::xml::tokens::{Token, cut_off};
use diskspd_profile::xml::{self, text};
use diskspd_profile::{Parameters, Profile};
use diskspd_results::{Origin, RunSummary, SpanSummary, UnmeasuredSpan};
use findings::XmlFindings;
use memchr::memmem;
use walk::ElementReader;

/// Maximum file size in bytes: an hour of seconds with about 150 threads.
pub const MAX_BYTES: u64 = limits::RESULTS.bytes;

/// Whether the start of a text is XML, or contains results. HTML pages (`--out FILE.html` of this program)
/// start like XML, but are excluded.
pub fn begins_so(text: &str) -> bool {
    let begins = |word: &str| text.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word));
    let page = begins("<!doctype html") || begins("<html");
    text.starts_with('<') && !page || text.contains("<Results>")
}

/// Reads all runs of a file. A single run has the file's name; several runs have a number after it:
/// `name#2`.
///
/// # Errors
/// Fails with the line if there is no `<Results>`, the XML is not well-formed, or a figure is invalid.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<RunSummary>, XmlError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(XmlError::of_document(&XmlErrorAt::new(0, too_large())));
    }
    let text = document::decode_any(bytes)?;
    let mut runs = read_document(&text).map_err(|fault| XmlError::in_text(&text, &fault))?;
    let several = runs.len() > 1;
    for (run, number) in runs.iter_mut().zip(1..) {
        run.name = if several { format!("{name}#{number}") } else { name.to_owned() };
    }
    Ok(runs)
}

/// Returns the profile in the results of a run, for repeating it.
///
/// # Errors
/// Fails if there is no profile, or it is invalid.
pub fn profile(bytes: &[u8]) -> Result<Profile, XmlError> {
    let text = document::decode_any(bytes)?;
    let no_profile = || XmlError::of_document(&XmlErrorAt::new(0, "the results hold no profile"));
    let start = text.find("<Profile>").ok_or_else(no_profile)?;
    let length = text[start..].find(PROFILE_END).ok_or_else(no_profile)?;
    xml::read(text[start..start + length + PROFILE_END.len()].as_bytes())
}

const PROFILE_END: &str = "</Profile>";

pub fn parts(bytes: &[u8]) -> Vec<Vec<u8>> {
    const START: &[u8] = b"<Results";
    const END_TAG: &[u8] = b"</Results>";
    let find = |from: usize, what: &[u8]| memmem::find(&bytes[from..], what).map(|at| from + at);
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = find(from, START) {
        let Some(end) = find(start, END_TAG) else { break };
        found.push(bytes[start..end + END_TAG.len()].to_vec());
        from = end + END_TAG.len();
    }
    found
}

pub fn too_large() -> String {
    format!("the results are larger than {}, the limit", units::amount(MAX_BYTES))
}

fn read_document(text: &str) -> Result<Vec<RunSummary>, XmlErrorAt> {
    let mut walk = ElementReader::new(text);
    let mut runs = Vec::new();
    let mut first = None;
    // How many elements are open around the results.
    let mut open = 0_usize;
    let mut time_spans = 0;
    loop {
        match walk.next()? {
            (at, Token::Start(tag)) if tag.name().as_ref() == "Results" => {
                runs.push(read_results(&mut walk, at, &mut time_spans)?);
            }
            (_, Token::Start(tag)) => {
                first.get_or_insert_with(|| tag.name().as_ref().to_owned());
                open += 1;
            }
            // The parser refuses one that ends nothing.
            (_, Token::End) => open = open.saturating_sub(1),
            // Progress and other output of the tool.
            (_, Token::Text(_)) => {}
            (at, Token::Eof) if open > 0 => return Err(cut_off(at, "an element")),
            (at, Token::Eof) if runs.is_empty() => return Err(no_results(at, first.as_deref())),
            (_, Token::Eof) => return Ok(runs),
        }
    }
}

fn no_results(at: usize, first: Option<&str>) -> XmlErrorAt {
    let fault = |what: &str| XmlErrorAt::new(at, what).with_expected("<Results>, as diskspd -Rxml writes it");
    match first {
        Some("Profile") => fault("this is a profile, not the results of a run")
            .hint("run it: diskspd -X<file> -Rxml writes results"),
        Some(_) => fault("no element <Results>"),
        None => fault("the document holds no element").hint("is this an XML file?"),
    }
}

/// Reads `<Results>`, whose start was the last token. `time_spans` counts the time spans of the whole file.
fn read_results(
    walk: &mut ElementReader,
    at: usize,
    time_spans: &mut usize,
) -> Result<RunSummary, XmlErrorAt> {
    let mut run = RunSummary::new("", Origin::ResultXml { version: None });
    let mut found = XmlFindings::default();
    let mut asked: Vec<Parameters> = Vec::new();
    walk.children("Results", |walk, tag, at| {
        match tag.name().as_ref() {
            "System" => read_system(walk, &mut run, &mut found)?,
            "Profile" => asked = recorded::parameters(walk.tokens(), &tag, at)?,
            "TimeSpan" => {
                *time_spans += 1;
                check_time_spans(*time_spans, at)?;
                run.time_spans.push(span::read(walk, &mut found)?);
            }
            _ => walk.skip()?,
        }
        Ok(())
    })?;
    if run.time_spans.is_empty() {
        return Err(XmlErrorAt::new(at, "<Results> has no <TimeSpan>: no I/O was measured")
            .hint("did the run fail before its first time span?"));
    }
    // Otherwise the assignment is unknown.
    if asked.len() == run.time_spans.len() {
        for ((span, asked), number) in run.time_spans.iter_mut().zip(asked).zip(1..) {
            match span {
                Some(span) => apply_parameters(span, asked),
                None => run.unmeasured.push(UnmeasuredSpan { time_span: number, parameters: asked }),
            }
        }
    }
    run.findings = found.findings();
    Ok(run)
}

fn apply_parameters(span: &mut SpanSummary, asked: Parameters) {
    let threads = span.parameters.threads;
    span.parameters = Parameters { threads: asked.threads.or(threads), ..asked };
}

fn read_system(
    walk: &mut ElementReader,
    run: &mut RunSummary,
    found: &mut XmlFindings,
) -> Result<(), XmlErrorAt> {
    walk.children("System", |walk, tag, _| {
        match tag.name().as_ref() {
            "ComputerName" => run.hosts = known_text(&walk.text("ComputerName")?).into_iter().collect(),
            "RunTime" => run.started_at = seconds_since_1970(&walk.text("RunTime")?),
            "Tool" => run.origin = Origin::ResultXml { version: read_version(walk)? },
            "Findings" => found.read(walk)?,
            _ => walk.skip()?,
        }
        Ok(())
    })
}

fn read_version(walk: &mut ElementReader) -> Result<Option<String>, XmlErrorAt> {
    let mut version = None;
    walk.children("Tool", |walk, tag, _| {
        match tag.name().as_ref() {
            "Version" => version = known_text(&walk.text("Version")?),
            _ => walk.skip()?,
        }
        Ok(())
    })?;
    Ok(version)
}

fn known_text(written: &str) -> Option<String> {
    let bytes = text::bytes(written.trim());
    Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.is_empty())
}
