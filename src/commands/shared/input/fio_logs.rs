//! The log files of a fio result.

use crate::finding::Finding;
use crate::formats::fio::{self, MAX_LOG_BYTES};
use crate::results::{FioFigures, FioLogFiles, RunSummary, SpanSummary};
use crate::sys::files;
use crate::sys::standard_error::print_line;
use crate::units::visible;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files of a kind that are read: fio writes one for each thread.
const MAX_FILES: usize = 1024;

/// Adds the content of the log files written together with the result.
pub(crate) fn add(runs: &mut [RunSummary], result: &Path) {
    let spans = runs.iter_mut().flat_map(|run| run.time_spans.iter_mut().flatten());
    let fios = spans.filter_map(|span: &mut SpanSummary| span.fio.as_mut());
    let asked: Vec<&mut Box<FioFigures>> = fios.filter(|fio| !fio.logs.is_empty()).collect();
    if asked.is_empty() || !result.is_file() {
        return;
    }
    let folder = result.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(listed) = fs::read_dir(folder) else { return };
    let mut beside: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    beside.sort();
    for fio in asked {
        fio.series =
            fio.logs.iter().flat_map(|files| fio::series(files, &read_contents(files, &beside))).collect();
    }
}

fn read_contents(files: &FioLogFiles, beside: &[PathBuf]) -> Vec<Vec<u8>> {
    let is_one = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| fio::is_log_of(name, files)) && path.is_file()
    };
    beside.iter().filter(is_one).take(MAX_FILES).filter_map(|path| read_content(path)).collect()
}

fn read_content(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = files::open_input(path).and_then(|file| file.take(MAX_LOG_BYTES + 1).read_to_end(&mut bytes));
    let why = match read {
        Err(why) => why.to_string(),
        Ok(_) if bytes.len() as u64 > MAX_LOG_BYTES => {
            format!("larger than {} MiB, the limit", MAX_LOG_BYTES >> 20)
        }
        Ok(_) => return Some(bytes),
    };
    let name = path.to_string_lossy();
    print_line(Finding::note(format!("{}: this fio log was ignored: {why}", visible::line(&name))));
    None
}
