//! Where delays are staged: a file system on a loop device, a file in it, a loop device over another file in
//! it, and control groups that the run is in.

use crate::Failure;
use crate::served::{ServedDisk, serve};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// The file in memory.
fn in_memory() -> PathBuf {
    PathBuf::from(format!("/dev/shm/diskspd-delays-{}", std::process::id()))
}

/// A disk whose flushes take time.
struct SlowToFlush {
    content: Vec<u8>,
    length: Duration,
}

const SLOW_BYTES: usize = 16 << 20;

impl ServedDisk for SlowToFlush {
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

/// What a control group can do to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Freezer,
    Cpu,
    Io,
}

/// How a group holds the run up, and lets it go: the hierarchy of version 1, its file and both values, then
/// the file of version 2 and its values. `DEVICE` is the device's number.
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

/// All of it; gone when it is dropped, and when this program is killed.
pub struct Scene {
    folder: PathBuf,
    mounted: PathBuf,
    cleaner: Child,
    /// The loop device in the file system.
    pub inner: String,
    /// The file in the file system.
    pub file: String,
    /// A file in the directory itself.
    pub plain: String,
    /// A loop device over a file whose flushes take as long as they are told to.
    pub flushing: String,
    disk: Arc<Mutex<SlowToFlush>>,
    /// A loop device over a file in memory: nothing but its own thread is between a request and its data.
    pub memory: String,
    /// A program that does I/O while it isn't stopped.
    pub rival: Option<u32>,
    groups: Vec<PathBuf>,
    device: String,
}

impl Scene {
    /// Makes it in this directory.
    ///
    /// # Errors
    /// It takes root, loop devices, mkfs.ext4 and control groups.
    pub fn make(directory: &Path) -> Result<Scene, Failure> {
        let folder = directory.join(format!("diskspd-delays-{}", std::process::id()));
        let mounted = folder.join("mounted");
        let groups = groups();
        let cleaner = cleaner(&folder, &groups)?;
        let (inner, file, device) = Default::default();
        let plain = text(&folder.join("plain"));
        let within = text(&mounted.join("disk"));
        let (rival, flushing, memory) = Default::default();
        let disk = SlowToFlush { content: vec![0; SLOW_BYTES], length: Duration::ZERO };
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
        let outer = said(&["losetup", "--find", "--show", &text(&backing)])?;
        run(&["mkfs.ext4", "-q", "-F", &outer])?;
        run(&["mount", &outer, &text(&scene.mounted)])?;
        scene.file = text(&scene.mounted.join("file"));
        for file in [&within, &scene.file, &scene.plain] {
            run(&["dd", "if=/dev/urandom", &format!("of={file}"), "bs=1M", "count=64", "status=none"])?;
        }
        run(&["sync"])?;
        scene.inner = said(&["losetup", "--find", "--show", "--direct-io=on", &within])?;
        let within = in_memory();
        fs::File::create(&within)?.write_all(&vec![0x5A; SLOW_BYTES])?;
        scene.memory = said(&["losetup", "--find", "--show", &text(&within)])?;
        let served = scene.path("served");
        fs::create_dir(&served)?;
        serve(&served, Arc::clone(&scene.disk))?;
        scene.flushing = said(&["losetup", "--find", "--show", &text(&served.join("0"))])?;
        let name = scene.inner.trim_start_matches("/dev/").to_owned();
        scene.device = fs::read_to_string(format!("/sys/class/block/{name}/dev"))?.trim().to_owned();
        scene.make_groups()?;
        Ok(scene)
    }

    /// A path in its folder.
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

    /// Sets what the block layer does with the requests of a loop device: names and values.
    ///
    /// # Errors
    /// The kernel doesn't take it.
    pub fn set_queue(&self, device: &str, settings: &[(&str, &str)]) -> Result<(), Failure> {
        let queue = Path::new("/sys/block").join(device.trim_start_matches("/dev/")).join("queue");
        for (name, value) in settings {
            fs::write(queue.join(name), value).map_err(|why| format!("{name} {value}: {why}"))?;
        }
        Ok(())
    }

    /// The rival does I/O for so long.
    ///
    /// # Errors
    /// There is none.
    pub fn while_rival_runs(&self, length: Duration) -> Result<(), Failure> {
        let rival = self.rival.ok_or("nobody else does I/O")?;
        signal("CONT", rival)?;
        sleep(length);
        signal("STOP", rival)
    }

    /// The device over the slow file flushes its cache for so long.
    ///
    /// # Errors
    /// The kernel doesn't take it.
    pub fn while_flushed(&self, length: Duration) -> Result<(), Failure> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner).length = length;
        Ok(fs::File::open(&self.flushing)?.sync_all()?)
    }

    /// What a shell does so that the program behind it is in all groups, or in none.
    pub fn enter(&self, is_in_groups: bool) -> String {
        if !is_in_groups {
            return "exec \"$0\" \"$@\"".to_owned();
        }
        let all: Vec<String> =
            self.groups.iter().map(|group| format!("echo $$ > {}/cgroup.procs", group.display())).collect();
        format!("{} && exec \"$0\" \"$@\"", all.join(" && "))
    }

    /// A group holds the run up for so long.
    ///
    /// # Errors
    /// The kernel doesn't take it.
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

    /// The file system takes no writes for so long.
    ///
    /// # Errors
    /// It can't be frozen.
    pub fn while_frozen(&self, _: u32, length: Duration) -> Result<(), Failure> {
        run(&["fsfreeze", "--freeze", &text(&self.mounted)])?;
        sleep(length);
        run(&["fsfreeze", "--unfreeze", &text(&self.mounted)])
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // It waits for the end of this pipe.
        drop(self.cleaner.stdin.take());
        let _ = self.cleaner.wait();
    }
}

/// The groups of this process's run, one for each of [`GROUPS`]; with version 2 all are the same.
fn groups() -> Vec<PathBuf> {
    let all = Path::new("/sys/fs/cgroup");
    let name = format!("diskspd-delays-{}", std::process::id());
    let root = |hierarchy: &str| if is_unified() { all.to_owned() } else { all.join(hierarchy) };
    GROUPS.iter().map(|(_, (hierarchy, ..))| root(hierarchy).join(&name)).collect()
}

/// A shell that takes the scene away as soon as this program lets go of it, or is killed: what is frozen must
/// not stay so.
fn cleaner(folder: &Path, groups: &[PathBuf]) -> Result<Child, Failure> {
    let release = groups.iter().zip(GROUPS).filter(|(_, (group, _))| *group != Group::Io);
    let release = release.map(|(group, (_, (_, one, two)))| {
        let [file, _, release] = if is_unified() { two } else { one };
        format!("echo {release} > {}\n", group.join(file).display())
    });
    let memory = in_memory().display().to_string();
    // What the queues were told outlives what the devices are made of.
    let reset = format!(
        "for file in {0}/mounted/disk {0}/served/0 {memory}; do\n\
         for device in $(losetup -n -O NAME -j $file); do\nqueue=/sys/block/${{device#/dev/}}/queue\n\
         echo none > $queue/scheduler\necho 128 > $queue/nr_requests\nlosetup -d $device\ndone\ndone\n\
         rm -f {memory}\n",
        folder.display(),
    );
    let detach = |file: &str| format!("losetup -n -O NAME -j {file} | xargs -r losetup -d\n");
    // The run has to be gone, and what it has written.
    let until_done = |what: String| format!("for i in $(seq 100); do {what} && break; sleep 0.1; done\n");
    let remove = groups.iter().map(|group| until_done(format!("rmdir {}", group.display())));
    let folder = folder.display();
    let script = format!(
        "trap '' INT TERM HUP\nread -r end\nexec 2>/dev/null\nfsfreeze --unfreeze {folder}/mounted\n\
         {}{reset}umount {folder}/served\n{}{}{}\
         rm -rf --one-file-system {folder}\n{}",
        release.collect::<String>(),
        detach(&format!("{folder}/mounted/disk")),
        until_done(format!("umount {folder}/mounted")),
        detach(&format!("{folder}/disk")),
        remove.collect::<String>(),
    );
    Ok(Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn()?)
}

/// Whether control groups are of version 2 alone.
fn is_unified() -> bool {
    Path::new("/sys/fs/cgroup/cgroup.controllers").exists()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Sends a signal.
///
/// # Errors
/// The process is gone.
pub fn signal(name: &str, process: u32) -> Result<(), Failure> {
    run(&["kill", &format!("-{name}"), &process.to_string()])
}

/// Runs a command to its end.
///
/// # Errors
/// It isn't there, or fails.
pub fn run(words: &[&str]) -> Result<(), Failure> {
    said(words).map(drop)
}

fn said(words: &[&str]) -> Result<String, Failure> {
    let [program, arguments @ ..] = words else { return Err("no command".into()) };
    let ended = Command::new(program).args(arguments).output()?;
    if !ended.status.success() {
        let why = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        return Err(format!("{}: {why}", words.join(" ")).into());
    }
    Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned())
}
