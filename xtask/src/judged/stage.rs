//! Devices, files and control groups of the runs.

use super::cases::{Group, StagedRun};
use crate::harness::{Failure, Undo, tool};
use crate::served::{ServedDisk, serve};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

const MIB: usize = 1 << 20;
const ZRAM: &str = "/sys/class/zram-control";

/// Disk in memory behind FUSE.
struct MemoryDisk(Vec<u8>);

impl ServedDisk for MemoryDisk {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn read(&self, offset: usize, into: &mut [u8]) -> usize {
        let there = self.0.get(offset..).unwrap_or_default();
        let length = into.len().min(there.len());
        into[..length].copy_from_slice(&there[..length]);
        length
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        if let Some(there) = self.0.get_mut(offset..offset + data.len()) {
            there.copy_from_slice(data);
        }
    }

    fn flush(&mut self) {}
}

pub struct Stage {
    folder: PathBuf,
    diskspd: PathBuf,
    /// Environment variables of the runs with devices and files.
    names: Vec<(&'static str, String)>,
    _undo: Undo,
}

/// Another program, ended on drop.
struct Rival(Child);

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Stage {
    /// # Errors
    /// It takes root, zram, loop devices, FUSE and control groups.
    pub fn make(below: &Path, diskspd: &Path) -> Result<Stage, Failure> {
        let mut undo = Undo::default();
        let folder = below.join(format!("diskspd-judged-{}", std::process::id()));
        let at = folder.display().to_string();
        fs::create_dir(&folder)?;
        undo.push(&["rm", "-r", "--one-file-system", &at]);
        let (disk, spare) = (add_zram(1024, &mut undo)?, add_zram(256, &mut undo)?);
        tool(&["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", &disk])?;
        let mounted = folder.join("m");
        fs::create_dir(&mounted)?;
        tool(&["mount", &disk, &mounted.display().to_string()])?;
        undo.push(&["umount", &mounted.display().to_string()]);
        let memory = format!("/dev/shm/diskspd-judged-{}", std::process::id());
        undo.push(&["rm", "-f", &memory]);
        for file in [&mounted.join("t.dat").display().to_string(), &memory] {
            tool(&["dd", "if=/dev/urandom", &format!("of={file}"), "bs=1M", "count=64", "conv=fsync"])?;
        }
        let on_memory = tool(&["losetup", "--find", "--show", &memory])?;
        undo.push(&["losetup", "-d", &on_memory]);
        let on_file = tool(&["losetup", "--find", "--show", &mounted.join("t.dat").display().to_string()])?;
        undo.push(&["losetup", "-d", &on_file]);
        let served = folder.join("served");
        fs::create_dir(&served)?;
        serve(&served, Arc::new(Mutex::new(MemoryDisk(vec![0x5A; 16 * MIB]))))?;
        undo.push(&["umount", &served.display().to_string()]);
        let names = vec![
            ("DISK", disk),
            ("SPARE", spare),
            ("LOOP_MEMORY", on_memory),
            ("LOOP_FILE", on_file),
            ("SERVED", served.join("disk.0").display().to_string()),
        ];
        Ok(Stage { folder, diskspd: diskspd.to_owned(), names, _undo: undo })
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("setpriv");
        let names = self.names.iter().map(|(name, value)| (*name, value.as_str()));
        command
            .args(["--pdeathsig", "KILL", "sh", "-c", script])
            .current_dir(self.folder.join("m"))
            .envs(names)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// Runs it under `judge`. Returns the record, and the text of the verdict.
    ///
    /// # Errors
    /// Fails if it cannot be staged, or there is no record.
    pub fn judge(&self, run: &StagedRun) -> Result<(Value, String), Failure> {
        let prepared = self.shell(&format!("{}; sync -f .", run.before)).stderr(Stdio::null()).status()?;
        if !prepared.success() {
            return Err(format!("{}: cannot prepare: {}", run.kind, run.before).into());
        }
        let group = run.group.map(|group| ControlGroup::make(group, &self.names[0].1)).transpose()?;
        let _rival = match run.rival {
            "" => None,
            script => Some(Rival(self.shell(script).stderr(Stdio::null()).spawn()?)),
        };
        let kept = self.folder.join("r.json");
        let _ = fs::remove_file(&kept);
        let enter =
            group.as_ref().map_or_else(String::new, |group| format!("echo $$ >{} && ", group.entry()));
        // A single program is judged without a shell around it, so that its figures are read.
        let (words, command) = match run.command.strip_prefix("exec ") {
            Some(command) => ("$2", command),
            None => ("sh -c \"$2\"", run.command),
        };
        let script = format!("{enter}exec \"$0\" judge {} --out \"$1\" -- {words}", run.options);
        let mut judge = self.shell(&script);
        let ended = judge.arg(&self.diskspd).arg(&kept).arg(command).output()?;
        Ok((record(&kept)?, String::from_utf8_lossy(&ended.stderr).into_owned()))
    }
}

/// Reads the record of a run.
fn record(kept: &Path) -> Result<Value, Failure> {
    let bytes = fs::read(kept).map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", kept.display()))?)
}

/// Adds a zram device of a size in MiB.
fn add_zram(mib: u64, undo: &mut Undo) -> Result<String, Failure> {
    let number = fs::read_to_string(format!("{ZRAM}/hot_add")).map_err(|error| format!("zram: {error}"))?;
    let number = number.trim();
    undo.push(&["sh", "-c", &format!("echo {number} >{ZRAM}/hot_remove")]);
    fs::write(format!("/sys/block/zram{number}/disksize"), format!("{mib}M"))?;
    Ok(format!("/dev/zram{number}"))
}

/// Control group with a limit, removed on drop.
struct ControlGroup {
    folder: PathBuf,
    _undo: Undo,
}

impl ControlGroup {
    fn make(group: Group, disk: &str) -> Result<ControlGroup, Failure> {
        let is_unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
        let (controller, file, value) = match (group, is_unified) {
            (Group::Cpu, false) => ("cpu/", "cpu.cfs_quota_us", "10000"),
            (Group::Io, false) => ("blkio/", "blkio.throttle.read_bps_device", "DEVICE 33554432"),
            (Group::Cpu, true) => ("", "cpu.max", "10000 100000"),
            (Group::Io, true) => ("", "io.max", "DEVICE rbps=33554432"),
        };
        let at = format!("/sys/fs/cgroup/{controller}diskspd-judged-{}", std::process::id());
        fs::create_dir(&at)?;
        let mut undo = Undo::default();
        undo.push(&["rmdir", &at]);
        let made = ControlGroup { folder: at.into(), _undo: undo };
        let name = disk.trim_start_matches("/dev/");
        let number = fs::read_to_string(format!("/sys/class/block/{name}/dev"))?;
        let file = made.folder.join(file);
        fs::write(&file, value.replace("DEVICE", number.trim()))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(made)
    }

    fn entry(&self) -> String {
        self.folder.join("cgroup.procs").display().to_string()
    }
}
