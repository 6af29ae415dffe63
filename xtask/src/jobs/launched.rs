//! A job of ranks that a launcher starts.

use crate::harness::Failure;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Name, command, and the variable with the rank.
pub type JobLauncher = (&'static str, &'static [&'static str], &'static str);

pub const LAUNCHERS: [JobLauncher; 2] = [
    ("Open MPI", &["mpirun.openmpi", "--oversubscribe"], "OMPI_COMM_WORLD_RANK"),
    ("MPICH", &["mpirun.mpich"], "PMI_RANK"),
];
const MAX_RUN_TIME: Duration = Duration::from_secs(150);
/// Maximum time of a launcher after the end of all ranks, or for their start.
const LAUNCHER: Duration = Duration::from_secs(20);

/// Program, and folder of this campaign.
pub struct Jobs {
    pub program: PathBuf,
    pub folder: PathBuf,
}

/// Whether a rank of the job in this folder runs.
fn any_rank_runs(folder: &Path) -> bool {
    let runs = |pid: String| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut ranks = files.filter(|file| file.file_name().to_string_lossy().starts_with("pid"));
    ranks.any(|file| std::fs::read_to_string(file.path()).is_ok_and(runs))
}

pub struct EndedJob {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Jobs {
    /// Returns a job in a new folder, whose ranks write their process number to `pid<rank>`.
    pub fn command(&self, launcher: JobLauncher, size: usize, line: &str, folder: &Path) -> Command {
        let (_, words, rank) = launcher;
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(["-n", &size.to_string(), "sh", "-c"]);
        command.arg(format!("echo $$ > pid${rank}; exec \"$0\" \"$@\"")).arg(&self.program);
        command.args(line.split(' ')).current_dir(folder).env("TMPDIR", folder);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("DISKSPD_STORE", folder.join("store"));
        command
    }

    /// Runs a job, and calls `meanwhile` with the elapsed time until it has ended.
    pub fn run(
        &self,
        mut command: Command,
        folder: &Path,
        mut meanwhile: impl FnMut(Duration),
    ) -> Result<EndedJob, Failure> {
        let file = |name: &str| std::fs::File::create(folder.join(name));
        command.stdin(Stdio::null()).stdout(file("stdout")?).stderr(file("stderr")?);
        let mut job = command.spawn()?;
        let (begun, mut ended) = (Instant::now(), None);
        let code = loop {
            if let Some(status) = job.try_wait()? {
                break status.code();
            }
            let is_running = any_rank_runs(folder);
            let ended_at = if is_running { None } else { ended.or(Some(begun.elapsed())) };
            ended = ended_at;
            // Open MPI 4.1.4 sometimes waits for ever after all ranks have ended.
            if ended.is_some_and(|ended| begun.elapsed() > ended + LAUNCHER) {
                job.kill()?;
                job.wait()?;
                println!("the launcher did not end after its ranks ({})", folder.display());
                break None;
            }
            if begun.elapsed() > MAX_RUN_TIME {
                job.kill()?;
                job.wait()?;
                return Err(format!("a job did not end within {} s", MAX_RUN_TIME.as_secs()).into());
            }
            meanwhile(begun.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |name: &str| Ok::<_, Failure>(std::fs::read_to_string(folder.join(name))?);
        Ok(EndedJob { code, stdout: text("stdout")?, stderr: text("stderr")? })
    }

    pub fn new_folder(&self) -> Result<tempfile::TempDir, Failure> {
        Ok(tempfile::tempdir_in(&self.folder)?)
    }
}
