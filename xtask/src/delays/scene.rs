//! Stage for delays: a file system on a loop device, a file in it, a loop device over another file in it,
//! and control groups of the run.

use crate::harness::{Failure, tool};
use crate::served::{ServedDisk, serve};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// Returns the file in memory of a process's scene.
fn in_memory(process: u32) -> PathBuf {
    PathBuf::from(format!("/dev/shm/{MAX_NAMED_TASKS}{process}"))
}

/// Disk with slow flushes.
struct SlowFlushDisk {
    content: Vec<u8>,
    length: Duration,
}

const SLOW_BYTES: usize = 16 << 20;

impl ServedDisk for SlowFlushDisk {
    fn size(&self) -> usize {
        self.content.len()
    }

    fn read(&self, offset: usize, into: &mut [u8]) -> usize {
        let there = self.content.get(offset..).unwrap_or_default();
        let length = into.len().min(there.len());
        into[..length].copy_from_slice(&there[..length]);
        length
    }

    fn write(&mut self, offset: usize, data: &[u8]) {
        if let Some(there) = self.content.get_mut(offset..offset + data.len()) {
            there.copy_from_slice(data);
        }
    }

    fn flush(&mut self) {
        sleep(self.length);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Freezer,
    Cpu,
    Io,
}

/// Limit that delays the run and its removal: the hierarchy of version 1, its file and both values, then the
/// file of version 2 and its values. `DEVICE` is the device's number.
type Hold = (&'static str, [&'static str; 3], [&'static str; 3]);

const GROUPS: [(Group, Hold); 3] = [
    (Group::Freezer, ("freezer", ["freezer.state", "FROZEN", "THAWED"], ["cgroup.freeze", "1", "0"])),
    (Group::Cpu, ("cpu", ["cpu.cfs_quota_us", "1000", "-1"], ["cpu.max", "1000 1000000", "max 1000000"])),
    (
        Group::Io,
        (
            "blkio",
            ["blkio.throttle.read_iops_device", "DEVICE 10", "DEVICE 0"],
            ["io.max", "DEVICE riops=10", "DEVICE riops=max"],
        ),
    ),
];

/// All staged objects, removed on drop, and when this program is killed.
pub struct Scene {
    folder: PathBuf,
    mounted: PathBuf,
    cleaner: Child,
    /// Loop device in the file system.
    pub inner: String,
    /// File in the file system.
    pub file: String,
    /// File in the directory itself.
    pub plain: String,
    pub flushing: String,
    disk: Arc<Mutex<SlowFlushDisk>>,
    pub memory: String,
    /// Program with I/O while it is not stopped.
    pub rival: Option<u32>,
    groups: Vec<PathBuf>,
    device: String,
}

impl Scene {
    /// Creates the scene in this directory.
    ///
    /// # Errors
    /// Fails without root, loop devices, mkfs.ext4 or control groups.
    pub fn make(directory: &Path) -> Result<Scene, Failure> {
        take_away_earlier(directory)?;
        let folder = directory.join(format!("{MAX_NAMED_TASKS}{}", std::process::id()));
        let mounted = folder.join("mounted");
        let groups = groups(std::process::id());
        let cleaner = cleaner(&folder)?;
        let (inner, file, device) = Default::default();
        let plain = text(&folder.join("plain"));
        // What is over them is found by their names, also when nothing is mounted any more.
        let name = format!("{MAX_NAMED_TASKS}{}", std::process::id());
        let within = text(&mounted.join(format!("{name}.disk")));
        let (rival, flushing, memory) = Default::default();
        let disk = SlowFlushDisk { content: vec![0; SLOW_BYTES], length: Duration::ZERO };
        let disk = Arc::new(Mutex::new(disk));
        let mut scene = Scene {
            mounted,
            cleaner,
            inner,
            file,
            plain,
            flushing,
            disk,
            memory,
            rival,
            groups,
            device,
            folder,
        };
        fs::create_dir(&scene.folder)?;
        fs::create_dir(&scene.mounted)?;
        let backing = scene.path("disk");
        fs::File::create(&backing)?.set_len(512 << 20)?;
        let outer = tool(&["losetup", "--find", "--show", &text(&backing)])?;
        tool(&["mkfs.ext4", "-q", "-F", &outer])?;
        tool(&["mount", &outer, &text(&scene.mounted)])?;
        scene.file = text(&scene.mounted.join("file"));
        for file in [&within, &scene.file, &scene.plain] {
            tool(&["dd", "if=/dev/urandom", &format!("of={file}"), "bs=1M", "count=64", "status=none"])?;
        }
        tool(&["sync"])?;
        scene.inner = tool(&["losetup", "--find", "--show", "--direct-io=on", &within])?;
        let within = in_memory(std::process::id());
        fs::File::create(&within)?.write_all(&vec![0x5A; SLOW_BYTES])?;
        scene.memory = tool(&["losetup", "--find", "--show", &text(&within)])?;
        let served = scene.path("served");
        fs::create_dir(&served)?;
        serve(&served, Arc::clone(&scene.disk))?;
        scene.flushing = tool(&["losetup", "--find", "--show", &text(&served.join(format!("{name}.0")))])?;
        let name = scene.inner.trim_start_matches("/dev/").to_owned();
        scene.device = fs::read_to_string(format!("/sys/class/block/{name}/dev"))?.trim().to_owned();
        scene.make_groups()?;
        Ok(scene)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn make_groups(&self) -> Result<(), Failure> {
        for group in self.groups.iter().filter(|group| !group.exists()) {
            fs::create_dir(group)?;
        }
        if !is_unified() {
            fs::write(self.groups[1].join("cpu.cfs_period_us"), "1000000")?;
        }
        Ok(())
    }

    pub fn set_queue(&self, device: &str, settings: &[(&str, &str)]) -> Result<(), Failure> {
        let queue = Path::new("/sys/block").join(device.trim_start_matches("/dev/")).join("queue");
        for (name, value) in settings {
            fs::write(queue.join(name), value).map_err(|why| format!("{name} {value}: {why}"))?;
        }
        Ok(())
    }

    pub fn while_rival_runs(&self, length: Duration) -> Result<(), Failure> {
        let rival = self.rival.ok_or("no other program does I/O")?;
        signal("CONT", rival)?;
        sleep(length);
        signal("STOP", rival)
    }

    /// Flushes the device over the slow file for this time.
    pub fn while_flushed(&self, length: Duration) -> Result<(), Failure> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner).length = length;
        Ok(fs::File::open(&self.flushing)?.sync_all()?)
    }

    pub fn enter(&self, is_in_groups: bool) -> String {
        if !is_in_groups {
            return "exec \"$0\" \"$@\"".to_owned();
        }
        let all: Vec<String> =
            self.groups.iter().map(|group| format!("echo $$ > {}/cgroup.procs", group.display())).collect();
        format!("{} && exec \"$0\" \"$@\"", all.join(" && "))
    }

    /// Sets the limit of a group for this duration.
    pub fn while_set(&self, which: Group, length: Duration) -> Result<(), Failure> {
        for (group, (known, (_, one, two))) in self.groups.iter().zip(GROUPS) {
            if known == which {
                let [file, hold, release] = if is_unified() { two } else { one };
                let write = |value: &str| fs::write(group.join(file), value.replace("DEVICE", &self.device));
                write(hold)?;
                sleep(length);
                write(release)?;
            }
        }
        Ok(())
    }

    /// Freezes the file system for this time.
    pub fn while_frozen(&self, _: u32, length: Duration) -> Result<(), Failure> {
        tool(&["fsfreeze", "--freeze", &text(&self.mounted)])?;
        sleep(length);
        tool(&["fsfreeze", "--unfreeze", &text(&self.mounted)]).map(drop)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It waits for the end of this pipe.
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
    }
}

/// Returns the groups of the run of a process's scene, one for each of [`GROUPS`]; in version 2 all are the
/// same.
fn groups(process: u32) -> Vec<PathBuf> {
    let all = Path::new("/sys/fs/cgroup");
    let name = format!("{MAX_NAMED_TASKS}{process}");
    let root = |hierarchy: &str| if is_unified() { all.to_owned() } else { all.join(hierarchy) };
    GROUPS.iter().map(|(_, (hierarchy, ..))| root(hierarchy).join(&name)).collect()
}

const MAX_NAMED_TASKS: &str = "diskspd-delays-";

fn take_away_earlier(directory: &Path) -> Result<(), Failure> {
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(MAX_NAMED_TASKS)?.parse::<u32>().ok());
        let Some(process) = process.filter(|process| !Path::new(&format!("/proc/{process}")).exists()) else {
            continue;
        };
        println!("remains of an earlier run are removed: {}", directory.join(&name).display());
        let script = taking_away(&directory.join(&name), process);
        Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).status()?;
    }
    Ok(())
}

fn cleaner(folder: &Path) -> Result<Child, Failure> {
    let script = format!("trap '' INT TERM HUP\nread -r end\n{}", taking_away(folder, std::process::id()));
    Ok(Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn()?)
}

fn taking_away(folder: &Path, process: u32) -> String {
    let groups = groups(process);
    let release = groups.iter().zip(GROUPS).filter(|(_, (group, _))| *group != Group::Io);
    let release = release.map(|(group, (_, (_, one, two)))| {
        let [file, _, release] = if is_unified() { two } else { one };
        format!("echo {release} > {}\n", group.join(file).display())
    });
    let remove = groups.iter().map(|group| format!("until_gone -d {0} rmdir {0}\n", group.display()));
    let (release, remove) = (release.collect::<String>(), remove.collect::<String>());
    let (folder, memory) = (folder.display(), in_memory(process).display().to_string());
    // What a device is over the kernel says: a file of a server that is gone can't be looked at. What the
    // queues were told outlives what the devices are made of. losetup(8) may be attaching one just now: it
    // is looked again. The run has to be gone before a mount is, and what it has written.
    format!(
        "exec 2>/dev/null\n\
         until_gone() {{\nfor i in $(seq 100); do\n[ $1 $2 ] || return\n\
         \"$3\" \"$4\" && return\nsleep 0.1\ndone\n}}\n\
         unmounted() {{\nfor i in $(seq 100); do\nmountpoint -q $1 || return\n\
         umount $1 && return\nsleep 0.1\ndone\numount -l $1\n}}\n\
         detached() {{\nfor again in 1 2 3; do\n\
         for backing in /sys/block/loop*/loop/backing_file; do\n\
         case \"$(cat $backing) \" in\n*/{MAX_NAMED_TASKS}{process}[./\\ ]*)\n\
         device=${{backing#/sys/block/}}\ndevice=${{device%%/*}}\n\
         echo none > /sys/block/$device/queue/scheduler\n\
         echo 128 > /sys/block/$device/queue/nr_requests\n\
         losetup -d /dev/$device;;\nesac\ndone\nsleep 0.1\ndone\n}}\n\
         fsfreeze --unfreeze {folder}/mounted\n{release}\
         detached\nrm -f {memory}\numount -l {folder}/served\n\
         unmounted {folder}/mounted\ndetached\n\
         rm -rf --one-file-system {folder}\n{remove}"
    )
}

/// Whether control groups are of version 2 alone.
fn is_unified() -> bool {
    Path::new("/sys/fs/cgroup/cgroup.controllers").exists()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Sends a signal.
pub fn signal(name: &str, process: u32) -> Result<(), Failure> {
    tool(&["kill", &format!("-{name}"), &process.to_string()]).map(drop)
}
