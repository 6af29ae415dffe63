//! Loop devices and file systems on them, for tests as root; taken down when dropped.

use super::{output, skip};

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Loop device on a sparse file.
pub struct Loop {
    /// `/dev/loop0`
    pub device: PathBuf,
    directory: tempfile::TempDir,
    mounted: bool,
}

impl Loop {
    /// Creates a device of this size in bytes; `None` with a printed reason if that is impossible.
    pub fn new(size: u64) -> Option<Loop> {
        Loop::with(size, &[], |_| ())
    }

    /// Creates a device with further options of losetup, on a file that is filled before.
    pub fn with(size: u64, options: &[&str], fill: impl FnOnce(&File)) -> Option<Loop> {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let image = directory.path().join("image");
        let file = File::create(&image).unwrap();
        file.set_len(size).unwrap();
        fill(&file);
        let device = attach(&image, options)?;
        Some(Loop { device, directory, mounted: false })
    }

    /// Creates a device on an existing file.
    pub fn on(image: &Path) -> Option<Loop> {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let device = attach(image, &[])?;
        Some(Loop { device, directory, mounted: false })
    }

    /// Creates a device with a mounted file system; returns its mount point.
    pub fn with_file_system(size: u64, kind: &str) -> Option<(Loop, PathBuf)> {
        let mut device = Loop::new(size)?;
        device.mkfs(kind)?;
        let at = device.mount(&device.device.clone())?;
        Some((device, at))
    }

    pub fn backing(&self) -> PathBuf {
        self.directory.path().join("image")
    }

    /// Creates a file system; `None` with a printed reason if its tool is missing.
    pub fn mkfs(&self, kind: &str) -> Option<()> {
        let device = self.device.to_str().unwrap();
        // Without lazy initialization: the kernel would go on writing inode tables while a test counts sectors.
        let options: &[&str] = match kind.starts_with("ext") {
            true => &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
            false => &["-f"],
        };
        run(&format!("mkfs.{kind}"), &[options, &[device]].concat()).map(|_| ())
    }

    pub fn mount(&mut self, device: &Path) -> Option<PathBuf> {
        let at = self.directory.path().join("mounted");
        std::fs::create_dir_all(&at).unwrap();
        run("mount", &[device.to_str().unwrap(), at.to_str().unwrap()])?;
        self.mounted = true;
        Some(at)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        if self.mounted {
            unmount(&self.directory.path().join("mounted"));
        }
        run("losetup", &["-d", self.device.to_str().unwrap()]);
    }
}

fn attach(file: &Path, options: &[&str]) -> Option<PathBuf> {
    if !rustix::process::geteuid().is_root() {
        skip("loop devices need root");
        return None;
    }
    let output = run("losetup", &[options, &["--find", "--show", file.to_str().unwrap()]].concat())?;
    Some(output.trim().into())
}

/// Unmounts with retries, because the kernel closes the files of an io_uring some time after the end of its
/// process.
pub fn unmount(at: &Path) {
    for _ in 0..2400 {
        if super::tool(&format!("umount {}", at.display())).is_some() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    run("umount", &[at.to_str().unwrap()]);
}

/// Returns the output of a program; `None` with a printed reason if it is missing or fails.
pub fn run(program: &str, arguments: &[&str]) -> Option<String> {
    match output(Command::new(program).args(arguments)) {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => {
            skip(&format!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)));
            None
        }
        Err(error) => {
            skip(&format!("{program}: {error}"));
            None
        }
    }
}
