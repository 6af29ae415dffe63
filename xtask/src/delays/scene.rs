//! Where delays are staged: a file system on a loop device, a file in it, a loop device over another file in
//! it, and control groups that the run is in.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

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
        let mut scene = Scene { mounted, cleaner, inner, file, plain, groups, device, folder };
        fs::create_dir(&scene.folder)?;
        fs::create_dir(&scene.mounted)?;
        let backing = scene.path("disk");
        fs::File::create(&backing)?.set_len(512 << 20)?;
        let outer = said(&["losetup", "--find", "--show", &text(&backing)])?;
        run(&["mkfs.ext4", "-q", "-F", &outer])?;
        run(&["mount", &outer, &text(&scene.mounted)])?;
        let within = text(&scene.mounted.join("disk"));
        scene.file = text(&scene.mounted.join("file"));
        for file in [&within, &scene.file, &scene.plain] {
            run(&["dd", "if=/dev/urandom", &format!("of={file}"), "bs=1M", "count=64", "status=none"])?;
        }
        run(&["sync"])?;
        scene.inner = said(&["losetup", "--find", "--show", "--direct-io=on", &within])?;
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

    /// What a shell does so that the program behind it is in all groups.
    pub fn enter(&self) -> String {
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
    let detach = |file: &str| format!("losetup -n -O NAME -j {file} | xargs -r losetup -d\n");
    // The run has to be gone, and what it has written.
    let until_done = |what: String| format!("for i in $(seq 100); do {what} && break; sleep 0.1; done\n");
    let remove = groups.iter().map(|group| until_done(format!("rmdir {}", group.display())));
    let folder = folder.display();
    let script = format!(
        "trap '' INT TERM HUP\nread -r end\nexec 2>/dev/null\nfsfreeze --unfreeze {folder}/mounted\n{}{}{}{}\
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
