//! A file system in the memory of this process, served by FUSE, that never replies to one chosen call.

use super::skip;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Calls that can be left unanswered, with their numbers (include/uapi/linux/fuse.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Call {
    None = 0,
    Lookup = 1,
    Getattr = 3,
    Setattr = 4,
    Unlink = 10,
    Open = 14,
    Read = 15,
    Write = 16,
    Statfs = 17,
    Release = 18,
    Fsync = 20,
    Flush = 25,
    Opendir = 27,
    Readdir = 28,
    Create = 35,
    Fallocate = 43,
    Lseek = 46,
}

const FORGET: u32 = 2;
const MKDIR: u32 = 9;
const RMDIR: u32 = 11;
const RENAME: u32 = 12;
const INIT: u32 = 26;
const RELEASEDIR: u32 = 29;
const FSYNCDIR: u32 = 30;
const ACCESS: u32 = 34;
const INTERRUPT: u32 = 36;
const BATCH_FORGET: u32 = 42;
const RENAME2: u32 = 45;

/// Maximum accepted write in bytes.
const MAX_WRITE: u32 = 128 << 10;
const ENOENT: i32 = -2;
const ENOSYS: i32 = -38;
const ROOT: u64 = 1;

pub struct HangingStorage {
    pub mounted: PathBuf,
    hangs: Arc<AtomicU32>,
    _folder: tempfile::TempDir,
}

impl HangingStorage {
    /// Mounts a file system with these files; `None` = not possible on this host.
    pub fn with(files: &[(&str, Vec<u8>)]) -> Option<HangingStorage> {
        let folder = tempfile::Builder::new().prefix("diskspd-hangs-").tempdir().unwrap();
        let Ok(device) = File::options().read(true).write(true).open("/dev/fuse") else {
            skip("no /dev/fuse");
            return None;
        };
        let mounted = folder.path().to_owned();
        let mut mount = Command::new("mount");
        mount.args([
            "-i",
            "-t",
            "fuse",
            "-o",
            "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other",
            "hangs",
        ]);
        mount.arg(&mounted).stdin(device.try_clone().unwrap()).stdout(Stdio::null()).stderr(Stdio::null());
        if !super::while_nothing_starts(|| mount.status()).is_ok_and(|ended| ended.success()) {
            skip("only root can mount");
            return None;
        }
        let hangs = Arc::new(AtomicU32::new(0));
        let mut server = Server { device, nodes: BTreeMap::new(), next: ROOT + 1, hangs: Arc::clone(&hangs) };
        server.nodes.insert(ROOT, Node { parent: 0, name: Vec::new(), is_folder: true, data: Vec::new() });
        for (path, data) in files {
            server.put(Path::new(path), data.clone());
        }
        std::thread::spawn(move || server.serve());
        Some(HangingStorage { mounted, hangs, _folder: folder })
    }

    /// Leaves this call unanswered from now on.
    pub fn hang(&self, call: Call) {
        self.hangs.store(call as u32, Ordering::SeqCst);
    }
}

impl Drop for HangingStorage {
    fn drop(&mut self) {
        // Forced: all calls that wait fail.
        for _ in 0..2 {
            let _ =
                Command::new("umount").arg("-f").arg("-l").arg(&self.mounted).stderr(Stdio::null()).status();
        }
    }
}

struct Node {
    parent: u64,
    name: Vec<u8>,
    is_folder: bool,
    data: Vec<u8>,
}

struct Server {
    device: File,
    nodes: BTreeMap<u64, Node>,
    next: u64,
    hangs: Arc<AtomicU32>,
}

/// Reply to a request, or its error number.
type Reply = Result<Vec<u8>, i32>;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn name_at(bytes: &[u8], at: usize) -> &[u8] {
    bytes[at..].split(|byte| *byte == 0).next().unwrap()
}

fn bytes(u64s: &[u64], u32s: &[u32]) -> Vec<u8> {
    let longs = u64s.iter().flat_map(|number| number.to_ne_bytes());
    longs.chain(u32s.iter().flat_map(|number| number.to_ne_bytes())).collect()
}

impl Server {
    fn put(&mut self, path: &Path, data: Vec<u8>) {
        let mut parent = ROOT;
        let parts: Vec<_> = path.iter().map(|part| part.as_encoded_bytes().to_vec()).collect();
        let (name, folders) = parts.split_last().unwrap();
        for folder in folders {
            parent = self.child(parent, folder).unwrap_or_else(|| self.add(parent, folder, true));
        }
        let file = self.add(parent, name, false);
        self.nodes.get_mut(&file).unwrap().data = data;
    }

    fn add(&mut self, parent: u64, name: &[u8], is_folder: bool) -> u64 {
        self.next += 1;
        self.nodes.insert(self.next, Node { parent, name: name.to_vec(), is_folder, data: Vec::new() });
        self.next
    }

    fn child(&self, parent: u64, name: &[u8]) -> Option<u64> {
        self.nodes.iter().find(|(_, node)| node.parent == parent && node.name == name).map(|(id, _)| *id)
    }

    fn serve(mut self) {
        let mut request = vec![0; MAX_WRITE as usize + 4096];
        while let Ok(length) = self.device.read(&mut request) {
            let (opcode, unique, node) = (u32_at(&request, 4), u64_at(&request, 8), u64_at(&request, 16));
            let silent = [FORGET, BATCH_FORGET, INTERRUPT].contains(&opcode);
            if silent || opcode == self.hangs.load(Ordering::SeqCst) {
                continue;
            }
            let body = request[40..length].to_vec();
            let (error, answer) = match self.answer(opcode, node, &body) {
                Ok(answer) => (0, answer),
                Err(error) => (error, Vec::new()),
            };
            let mut reply = bytes(&[], &[16 + answer.len() as u32, error as u32]);
            reply.extend(unique.to_ne_bytes());
            reply.extend(answer);
            // A call may have been interrupted.
            let _ = self.device.write(&reply);
        }
    }

    fn attributes(&self, id: u64) -> Result<Vec<u8>, i32> {
        let node = self.nodes.get(&id).ok_or(ENOENT)?;
        let (mode, size) = if node.is_folder { (0o40_777, 0) } else { (0o100_666, node.data.len() as u64) };
        Ok(bytes(&[id, size, size.div_ceil(512), 0, 0, 0], &[0, 0, 0, mode, 1, 0, 0, 0, 4096, 0]))
    }

    fn entry(&self, id: u64) -> Reply {
        Ok([bytes(&[id, 0, 0, 0], &[0, 0]), self.attributes(id)?].concat())
    }

    fn answer(&mut self, opcode: u32, id: u64, body: &[u8]) -> Reply {
        let opened = || bytes(&[0], &[0, 0]);
        let is = |call: Call| opcode == call as u32;
        if opcode == INIT {
            let numbers = [7, 31, 0, 0, 16 | 16 << 16, MAX_WRITE, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            return Ok(bytes(&[], &numbers));
        }
        if is(Call::Lookup) {
            return self.entry(self.child(id, name_at(body, 0)).ok_or(ENOENT)?);
        }
        if is(Call::Create) || opcode == MKDIR {
            let name = name_at(body, if opcode == MKDIR { 8 } else { 16 });
            let node = self.add(id, name, opcode == MKDIR);
            let open = if opcode == MKDIR { Vec::new() } else { opened() };
            return Ok([self.entry(node)?, open].concat());
        }
        if is(Call::Unlink) || opcode == RMDIR {
            let node = self.child(id, name_at(body, 0)).ok_or(ENOENT)?;
            self.nodes.get_mut(&node).unwrap().parent = 0;
            return Ok(Vec::new());
        }
        if opcode == RENAME || opcode == RENAME2 {
            let (folder, begin) = (u64_at(body, 0), if opcode == RENAME { 8 } else { 16 });
            let from = name_at(body, begin).to_vec();
            let to = name_at(body, begin + from.len() + 1).to_vec();
            let node = self.child(id, &from).ok_or(ENOENT)?;
            if let Some(replaced) = self.child(folder, &to) {
                self.nodes.get_mut(&replaced).unwrap().parent = 0;
            }
            let node = self.nodes.get_mut(&node).unwrap();
            (node.parent, node.name) = (folder, to);
            return Ok(Vec::new());
        }
        if is(Call::Setattr) {
            if u32_at(body, 0) & 1 << 3 != 0 {
                let size = u64_at(body, 16) as usize;
                self.nodes.get_mut(&id).ok_or(ENOENT)?.data.resize(size, 0);
            }
            return Ok([bytes(&[0], &[0, 0]), self.attributes(id)?].concat());
        }
        if is(Call::Getattr) {
            return Ok([bytes(&[0], &[0, 0]), self.attributes(id)?].concat());
        }
        if is(Call::Statfs) {
            return Ok(bytes(
                &[1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20],
                &[4096, 255, 4096, 0, 0, 0, 0, 0, 0, 0],
            ));
        }
        if is(Call::Open) || is(Call::Opendir) {
            return Ok(opened());
        }
        if is(Call::Readdir) {
            return Ok(self.folder(id, u64_at(body, 8)));
        }
        let file = self.nodes.get_mut(&id);
        let (offset, size) =
            if body.len() >= 24 { (u64_at(body, 8) as usize, u32_at(body, 16) as usize) } else { (0, 0) };
        if is(Call::Read) {
            let data = &file.ok_or(ENOENT)?.data;
            return Ok(data[offset.min(data.len())..(offset + size).min(data.len())].to_vec());
        }
        if is(Call::Write) {
            let data = &mut file.ok_or(ENOENT)?.data;
            data.resize(data.len().max(offset + size), 0);
            data[offset..offset + size].copy_from_slice(&body[40..40 + size]);
            return Ok(bytes(&[], &[size as u32, 0]));
        }
        if is(Call::Fallocate) {
            let data = &mut file.ok_or(ENOENT)?.data;
            data.resize(data.len().max(offset + u64_at(body, 16) as usize), 0);
            return Ok(Vec::new());
        }
        if is(Call::Lseek) {
            let (data, hole) = (offset, file.ok_or(ENOENT)?.data.len());
            return Ok(bytes(&[if u32_at(body, 16) == 4 { hole } else { data } as u64], &[]));
        }
        let done =
            [Call::Release as u32, Call::Fsync as u32, Call::Flush as u32, RELEASEDIR, FSYNCDIR, ACCESS];
        if done.contains(&opcode) { Ok(Vec::new()) } else { Err(ENOSYS) }
    }

    fn folder(&self, id: u64, begin: u64) -> Vec<u8> {
        let mut entries = Vec::new();
        let here = self.nodes.iter().filter(|(_, node)| node.parent == id);
        for (number, (child, node)) in here.enumerate().skip(begin as usize) {
            let kind = if node.is_folder { 4 } else { 8 };
            entries.extend(bytes(&[*child, number as u64 + 1], &[node.name.len() as u32, kind]));
            entries.extend(&node.name);
            entries.resize(entries.len().next_multiple_of(8), 0);
        }
        entries
    }
}
