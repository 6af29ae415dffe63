//! Shared files that one rank creates (`-c`), on file systems without FIEMAP.

use super::launched::{Jobs, LAUNCHERS};
use crate::harness::{Failure, Undo, is_installed, run, table};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RANKS: usize = 16;
const BYTES: u64 = 4 << 20;
const LINE: &str = "-b4K -r -t1 -o1 -g20i -c4M -d1 -W0 --split --out r.json shared.dat";
/// Every n-th job is traced for its fills.
const TRACED: usize = 10;

pub fn check(jobs: &Jobs, count: usize) -> Result<Vec<String>, Failure> {
    let mut undo = Undo::default();
    let places = places(jobs, &mut undo)?;
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for (name, below) in &places {
        let (mut complete, mut traced, mut single) = (0, 0, 0);
        for number in 0..count.div_ceil(places.len()) {
            let launcher = LAUNCHERS[number % LAUNCHERS.len()];
            let folder = tempfile::tempdir_in(below)?;
            let is_traced = number.is_multiple_of(TRACED) && is_installed("strace");
            let mut command = jobs.command(launcher, RANKS, LINE, folder.path());
            if is_traced {
                command = traced_job(&command, folder.path());
            }
            let ended = jobs.run(command, folder.path(), |_| ())?;
            let job = format!("fills, {name}, job {number}, {}", launcher.0);
            match find_faults(ended.code, folder.path()) {
                None => complete += 1,
                Some(why) => failures.push(format!("{job}: {why}: {}", ended.stderr)),
            }
            if is_traced {
                let fills = count_fills(folder.path())?;
                traced += 1;
                single += usize::from(fills == 1);
                if fills != 1 {
                    failures.push(format!("{job}: {fills} ranks filled the file"));
                }
            }
        }
        let row = [(*name).to_owned(), complete.to_string(), traced.to_string(), single.to_string()];
        rows.push(row.to_vec());
    }
    table::print(&["file system", "complete jobs", "traced", "with one fill"], &rows, false);
    Ok(failures)
}

/// Returns folders on tmpfs and, as root with bindfs, on FUSE.
fn places(jobs: &Jobs, undo: &mut Undo) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let tmpfs = jobs.folder.join("tmpfs");
    let fuse = jobs.folder.join("fuse");
    fs::create_dir_all(&tmpfs)?;
    fs::create_dir_all(&fuse)?;
    let text = |path: &Path| path.display().to_string();
    run(Command::new("mount").args(["-t", "tmpfs", "diskspd-jobs", &text(&tmpfs)]))?;
    undo.push(&["umount", &text(&tmpfs)]);
    let mut places = vec![("tmpfs", tmpfs.clone())];
    if is_installed("bindfs") {
        let source = tmpfs.join("source");
        fs::create_dir_all(&source)?;
        run(Command::new("bindfs").args([&text(&source), &text(&fuse)]))?;
        undo.push(&["umount", &text(&fuse)]);
        places.push(("FUSE", fuse));
    } else {
        println!("SKIPPED: no FUSE: apt-get install bindfs");
    }
    Ok(places)
}

/// Returns the job that traces the file fills of each rank to `trace<rank>`.
fn traced_job(job: &Command, folder: &Path) -> Command {
    let mut command = Command::new(job.get_program());
    for word in job.get_args() {
        let text = word.to_string_lossy();
        match text.split_once("exec \"$0\"") {
            Some((before, rest)) => {
                let rank = if before.contains("OMPI") { "$OMPI_COMM_WORLD_RANK" } else { "$PMI_RANK" };
                let tracer = "strace -f --seccomp-bpf -qq -e trace=fallocate,pwrite64,ftruncate";
                command.arg(format!("{before}exec {tracer} -o trace{rank} \"$0\"{rest}"));
            }
            None => {
                command.arg(word);
            }
        }
    }
    for (name, value) in job.get_envs() {
        value.map(|value| command.env(name, value));
    }
    command.current_dir(folder);
    command
}

/// Number of ranks that have written or allocated a part of the file.
fn count_fills(folder: &Path) -> Result<usize, Failure> {
    let mut fills = 0;
    for rank in 0..RANKS {
        let trace = fs::read_to_string(folder.join(format!("trace{rank}")))?;
        let is_fill = |line: &str| {
            line.contains("fallocate(") && line.contains(&BYTES.to_string())
                || line.contains("pwrite64(") && line.contains(", 1048576, ")
        };
        fills += usize::from(trace.lines().any(is_fill));
    }
    Ok(fills)
}

fn find_faults(code: Option<i32>, folder: &Path) -> Option<String> {
    if code != Some(0) {
        return Some(format!("exit code {code:?}"));
    }
    let size = fs::metadata(folder.join("shared.dat")).map(|file| file.len()).unwrap_or(0);
    if size != BYTES {
        return Some(format!("the file has {size} bytes"));
    }
    let record = fs::read(folder.join("r.json")).ok()?;
    let record: Value = serde_json::from_slice(&record).ok()?;
    let hosts = record["hosts"].as_array().map_or(0, Vec::len);
    let missing = record["hosts"].as_array().into_iter().flatten().filter(|host| host["missing"].is_string());
    let missing = missing.count();
    (hosts != RANKS || missing > 0).then(|| format!("{missing} of {hosts} ranks are missing"))
}
