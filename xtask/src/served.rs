//! A file system in user space with one kind of file: a disk. Each name is a separate file for the kernel,
//! so that cached content is never shown for the next. The protocol is linux/fuse.h, version 7.31.

use crate::harness::Failure;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of one write in bytes.
const MAX_REQUEST_BYTES: usize = 1 << 20;
const ROOT: u64 = 1;
const HEAD: usize = 40;
const ENOENT: i32 = 2;
const ENOSYS: i32 = 38;
const EOPNOTSUPP: i32 = 95;

pub trait ServedDisk: Send {
    /// Bytes.
    fn size(&self) -> usize;

    /// Fills bytes from an offset on; returns how many there are.
    fn read(&self, offset: usize, into: &mut [u8]) -> usize;

    /// A write, which counts as durable only with the next flush.
    fn write(&mut self, offset: usize, data: &[u8]);

    fn flush(&mut self);
}

pub fn serve(at: &Path, disk: Arc<Mutex<impl ServedDisk + 'static>>) -> Result<(), Failure> {
    let device = File::options().read(true).write(true).open("/dev/fuse")?;
    let serving = device.try_clone()?;
    let mounting = Command::new("mount")
        .args([
            "-i",
            "-t",
            "fuse",
            "-o",
            "fd=0,rootmode=40000,user_id=0,group_id=0,max_read=1048576",
            "diskspd-xtask",
        ])
        .arg(at)
        .stdin(Stdio::from(device))
        .status()?;
    if !mounting.success() {
        return Err("cannot mount a file system of FUSE: it takes root and /dev/fuse".into());
    }
    std::thread::spawn(move || answer_all(serving, &disk));
    Ok(())
}

fn answer_all(mut device: File, disk: &Mutex<impl ServedDisk>) {
    let mut request = vec![0; MAX_REQUEST_BYTES + 4096];
    while let Ok(length) = device.read(&mut request) {
        let request = &request[..length];
        let Some(opcode) = number(request, 4) else { return };
        let answer = answer(opcode as u32, request, disk);
        let Some(answer) = answer else { continue };
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (-error, Vec::new()),
        };
        let mut out = Vec::with_capacity(16 + body.len());
        out.extend((16 + body.len() as u32).to_le_bytes());
        out.extend(error.to_le_bytes());
        out.extend(&request[8..16]);
        out.extend(body);
        // One that was interrupted is not waited for any more.
        let _ = device.write(&out);
    }
}

/// The first four bytes at a place.
fn number(request: &[u8], at: usize) -> Option<u64> {
    let bytes = request.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?).into())
}

fn word(request: &[u8], at: usize) -> u64 {
    let [low, high] = [at, at + 4].map(|at| number(request, at).unwrap_or(0));
    low | high << 32
}

fn answer(opcode: u32, request: &[u8], disk: &Mutex<impl ServedDisk>) -> Option<Result<Vec<u8>, i32>> {
    let mut disk = disk.lock().unwrap_or_else(PoisonError::into_inner);
    let node = word(request, 16);
    let body = &request[HEAD.min(request.len())..];
    let size = disk.size() as u64;
    let offset = word(body, 8) as usize;
    let length = number(body, 16).unwrap_or(0) as usize;
    Some(Ok(match opcode {
        // FORGET, BATCH_FORGET, INTERRUPT
        2 | 42 | 36 => return None,
        // LOOKUP: a number, which may have a name and a dot in front of it, and a zero behind it.
        1 => {
            let name = body.split(|byte| *byte == 0).next().unwrap_or_default();
            let name = std::str::from_utf8(name).ok().and_then(|name| name.rsplit('.').next());
            let number = name.and_then(|number| number.parse::<u64>().ok());
            let Some(number) = number else { return Some(Err(ENOENT)) };
            let mut out = [ROOT + 1 + number, 0, 0, 3600].map(u64::to_le_bytes).concat();
            out.extend([0; 8]);
            out.extend(attributes(ROOT + 1 + number, size));
            out
        }
        // GETATTR, and SETATTR, which changes nothing.
        3 | 4 => {
            let mut out = [3600, 0].map(u64::to_le_bytes).concat();
            out.extend(attributes(node, size));
            out
        }
        // OPEN, OPENDIR: nothing to keep.
        14 | 27 => vec![0; 16],
        // READ
        15 => {
            let mut out = vec![0; length.min(MAX_REQUEST_BYTES)];
            let there = disk.read(offset, &mut out);
            out.truncate(there);
            out
        }
        // WRITE: its data stand behind 40 bytes.
        16 => {
            let data = &body[40.min(body.len())..];
            let length = length.min(data.len()).min(disk.size().saturating_sub(offset));
            disk.write(offset, &data[..length]);
            (length as u64).to_le_bytes().to_vec()
        }
        // FSYNC
        20 => {
            disk.flush();
            Vec::new()
        }
        // STATFS, of no interest.
        17 => vec![0; 80],
        // RELEASE, FLUSH, RELEASEDIR, DESTROY
        18 | 25 | 29 | 38 => Vec::new(),
        // INIT: large writes, of many pages.
        26 => initialized(),
        // FALLOCATE: the disk discards nothing.
        43 => return Some(Err(EOPNOTSUPP)),
        _ => return Some(Err(ENOSYS)),
    }))
}

/// `struct fuse_init_out`
fn initialized() -> Vec<u8> {
    const BIG_WRITES: u32 = 1 << 5;
    const MAX_PAGES: u32 = 1 << 22;
    let mut out = [7, 31, MAX_REQUEST_BYTES as u32, BIG_WRITES | MAX_PAGES].map(u32::to_le_bytes).concat();
    out.extend([16u16, 12].map(u16::to_le_bytes).concat());
    out.extend([MAX_REQUEST_BYTES as u32, 1].map(u32::to_le_bytes).concat());
    out.extend((MAX_REQUEST_BYTES as u32 / 4096).to_le_bytes());
    out.resize(64, 0);
    out
}

/// `struct fuse_attr`
fn attributes(node: u64, size: u64) -> Vec<u8> {
    let (mode, size) = if node == ROOT { (0o40755, 0) } else { (0o100_600, size) };
    let mut out = [node, size, size / 512, 0, 0, 0].map(u64::to_le_bytes).concat();
    out.extend([0, 0, 0, mode, 1, 0, 0, 0, 4096, 0].map(u32::to_le_bytes).concat());
    out
}
