//! Runs from files: records of this program, results of DISKSPD.

use super::super::known_runs;
use super::super::not_done::NotDone;
use super::output;
use crate::cli::Exit;
use crate::record::result_xml;
use crate::results::RunSummary;
use crate::store::{Imported, KeptAs, RunNotes, Store, packed};
use std::path::{Path, PathBuf};

/// Takes in all runs of these files; one that can't be read is told, and doesn't keep the others away.
///
/// # Errors
/// The history can't be opened, or it can't be said what was done.
pub fn import(store: &Store, files: &[PathBuf], label: Option<&str>) -> Result<Exit, NotDone> {
    let mut index = store.open()?;
    let (mut exit, mut text) = (Exit::Success, String::new());
    for file in files {
        let shown = known_runs::shown(file);
        let runs = match content(file) {
            Ok(runs) => runs,
            Err(why) => {
                exit = NotDone::from(format!("{shown}: {why}")).tell();
                continue;
            }
        };
        for (source, bytes) in runs {
            let about = RunNotes {
                label: label.map(str::to_owned),
                saved_at: jiff::Timestamp::now().as_second(),
                imported_from: Some(file.to_string_lossy().into_owned()),
                ..RunNotes::default()
            };
            match index.import(source, &bytes, about) {
                Ok(Imported::New(id)) => text += &format!("{shown}: kept as @{id}\n"),
                Ok(Imported::Known(id)) => text += &format!("{shown}: was there already, as @{id}\n"),
                Err(error) => exit = NotDone::from(error).tell(),
            }
        }
    }
    output::to_stdout(text.as_bytes()).map(|_| exit)
}

/// The runs in a file, each as it is kept.
fn content(file: &Path) -> Result<Vec<(KeptAs, Vec<u8>)>, String> {
    if file.is_dir() {
        return Err("is a directory; name the files in it, as in FOLDER/*.json".into());
    }
    let bytes = packed::whole(file).map_err(|error| format!("can't be read: {error}"))?;
    if !known_runs::is_results(file, &bytes) {
        return Ok(vec![(KeptAs::Record, bytes)]);
    }
    let name = file.to_string_lossy();
    let runs = result_xml::read(&bytes, &name).map_err(|error| error.to_string())?;
    if runs.len() == 1 {
        return Ok(vec![(KeptAs::ResultXml, bytes)]);
    }
    let parts = parts(&bytes);
    // Each part has to say by itself what it says among the others.
    let same = |(part, run): (&&[u8], &RunSummary)| {
        let alone = result_xml::read(part, &run.name).ok();
        alone.is_some_and(|alone| alone == std::slice::from_ref(run))
    };
    match parts.len() == runs.len() && parts.iter().zip(&runs).all(same) {
        true => Ok(parts.into_iter().map(|part| (KeptAs::ResultXml, part.to_vec())).collect()),
        false => Err("holds several indistinguishable results; write each to a file of its own".into()),
    }
}

/// The results in a file, as they stand there.
fn parts(bytes: &[u8]) -> Vec<&[u8]> {
    const START: &[u8] = b"<Results";
    const END: &[u8] = b"</Results>";
    let find = |from: usize, what: &[u8]| {
        bytes[from..].windows(what.len()).position(|window| window == what).map(|at| from + at)
    };
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(start) = find(from, START) {
        let Some(end) = find(start, END) else { break };
        found.push(&bytes[start..end + END.len()]);
        from = end + END.len();
    }
    found
}
