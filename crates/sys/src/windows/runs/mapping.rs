//! A shared mapping of a whole file. Reads and writes copy from and to it.
//!
//! The view is never a Rust slice, because other threads, other processes and the file system change it at
//! any time. All access is by copies at addresses. An unavailable page ends the copy (see
//! `in_page_error.rs`), not the program.

#[path = "../../mapping/copy.rs"]
mod copy;
mod in_page_error;
#[path = "../../mapping/persist.rs"]
mod persist;

use crate::memory::{Slot, SlotMut};
use diskspd_base::access::{Flush, MapOptions};
use in_page_error::GuardedView;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::PathBuf;
use std::ptr::NonNull;
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_NOT_ENOUGH_MEMORY, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::Storage::FileSystem::{GetFinalPathNameByHandleW, GetVolumeInformationByHandleW};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, FlushViewOfFile, MEM_RELEASE,
    MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READONLY, PAGE_READWRITE, UnmapViewOfFile, VirtualFree,
};
use windows_sys::Win32::System::SystemServices::FILE_DAX_VOLUME;

/// File that is mapped from its start to its current end.
#[derive(Debug)]
pub struct View {
    start: NonNull<u8>,
    length: usize,
    file: File,
    writable: bool,
    options: MapOptions,
    /// Windows' number of the error with which a page was missing; memory has taken the place of the view,
    /// which no longer shows the file. 0 = none was.
    broken: u32,
}

// SAFETY: the view is owned by the value alone, wherever it moves.
unsafe impl Send for View {}

fn error_of(number: u32) -> io::Error {
    io::Error::from_raw_os_error(number.cast_signed())
}

fn map_file(file: &File, length: usize, writable: bool) -> io::Result<NonNull<u8>> {
    let (protection, access) = match writable {
        true => (PAGE_READWRITE, FILE_MAP_READ | FILE_MAP_WRITE),
        false => (PAGE_READONLY, FILE_MAP_READ),
    };
    let handle = file.as_raw_handle().cast();
    let none = std::ptr::null();
    // SAFETY: the file is open; without a name and attributes nothing is read. It is as long as the file.
    let section = unsafe { CreateFileMappingW(handle, none, protection, 0, 0, std::ptr::null()) };
    if section.is_null() {
        return Err(io::Error::last_os_error());
    }
    // The view keeps what it shows.
    // SAFETY: it was made for this caller, and nobody else knows it.
    let section = unsafe { OwnedHandle::from_raw_handle(section.cast()) };
    // SAFETY: a new view at an address of the system's choice touches no existing memory.
    let view = unsafe { MapViewOfFile(section.as_raw_handle().cast(), access, 0, 0, length) };
    NonNull::new(view.Value.cast::<u8>()).ok_or_else(io::Error::last_os_error)
}

fn is_direct(file: &File) -> bool {
    let (mut flags, none) = (0, std::ptr::null_mut());
    let handle = file.as_raw_handle().cast();
    // SAFETY: the file is open; one number is written, which lives on this stack.
    let answer = unsafe {
        GetVolumeInformationByHandleW(
            handle,
            std::ptr::null_mut(),
            0,
            none,
            none,
            &raw mut flags,
            std::ptr::null_mut(),
            0,
        )
    };
    answer != 0 && flags & FILE_DAX_VOLUME != 0
}

impl View {
    /// Maps the file; also for writing if it is open for writing.
    ///
    /// # Errors
    /// Fails with the system's error. `ERROR_NOT_SUPPORTED` if writeback of cache lines is requested
    /// ([`Flush::CacheLines`]) and the volume is not mapped directly (DAX); `Unsupported` if this program
    /// cannot write back the caches of this architecture.
    pub fn new(file: OwnedHandle, options: MapOptions) -> io::Result<View> {
        let file = File::from(file);
        if options.flush.needs_dax() {
            if !persist::AVAILABLE {
                return Err(io::ErrorKind::Unsupported.into());
            }
            if !is_direct(&file) {
                return Err(error_of(ERROR_NOT_SUPPORTED));
            }
        }
        in_page_error::watch()?;
        let size = file.metadata()?.len();
        let length = usize::try_from(size).map_err(|_| error_of(ERROR_NOT_ENOUGH_MEMORY))?;
        let (start, writable) = match map_file(&file, length, true) {
            // It is open for reading alone.
            Err(error) if error.raw_os_error() == i32::try_from(ERROR_ACCESS_DENIED).ok() => {
                (map_file(&file, length, false)?, false)
            }
            mapped => (mapped?, true),
        };
        Ok(View { start, length, file, writable, options, broken: 0 })
    }

    /// Copies from the view; returns the bytes copied, fewer than requested only past the end of the
    /// mapping.
    ///
    /// # Errors
    /// Fails with the disk's error if a page is unavailable.
    pub fn read(&mut self, offset: u64, mut into: SlotMut) -> io::Result<usize> {
        let Some((from, length)) = self.transfer_range(offset, into.len()) else { return Ok(0) };
        let around_caches = self.options.non_temporal;
        self.copy_guarded(from, length, || {
            // SAFETY: `length` bytes are mapped behind `from` and lie in `into`; the two don't overlap,
            // because no slice or slot is ever made of the view. Bytes that change meanwhile are bytes all
            // the same.
            unsafe { copy::copy(from, into.as_mut_ptr(), length, around_caches) }
        })?;
        Ok(length)
    }

    /// Copies into the view and flushes by its options; returns the bytes copied, as [`View::read`] does.
    /// [`Flush::Pages`] is `FlushViewOfFile`, as in DISKSPD: it passes pages to the disk without waiting
    /// for the disk's cache.
    ///
    /// # Errors
    /// As [`View::read`], `ERROR_ACCESS_DENIED` if the file is not open for writing, or the error of the
    /// flush.
    pub fn write(&mut self, offset: u64, from: Slot) -> io::Result<usize> {
        if !self.writable {
            return Err(error_of(ERROR_ACCESS_DENIED));
        }
        let Some((to, length)) = self.transfer_range(offset, from.len()) else { return Ok(0) };
        let around_caches = self.options.non_temporal;
        let flush = if around_caches { Flush::None } else { self.options.flush };
        self.copy_guarded(to, length, || {
            // SAFETY: as in `read`, and the view is mapped for writing.
            unsafe { copy::copy(from.as_ptr(), to, length, around_caches) };
            if flush.needs_dax() {
                // SAFETY: the range is mapped.
                unsafe { persist::write_back(to, length, flush == Flush::CacheLines) };
            }
        })?;
        if flush == Flush::Pages {
            self.sync(to, length)?;
        }
        Ok(length)
    }

    /// Writes all changes of the view to the file, and waits until they are on the disk
    /// (`FlushViewOfFile`, `FlushFileBuffers`).
    pub fn flush(&self) -> io::Result<()> {
        self.check_whole()?;
        self.sync(self.start.as_ptr(), self.length)?;
        self.file.sync_all()
    }

    fn transfer_range(&self, offset: u64, length: usize) -> Option<(*mut u8, usize)> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.length)?;
        // SAFETY: offset is below the length of the mapping.
        let start = unsafe { self.start.as_ptr().add(offset) };
        Some((start, length.min(self.length - offset)))
    }

    fn copy_guarded(&mut self, start: *const u8, length: usize, copy: impl FnOnce()) -> io::Result<()> {
        // Behind the rest of a view that was replaced there is no memory.
        self.check_whole()?;
        let place = GuardedView::new(self.start.as_ptr().addr(), self.length, start.addr(), length);
        self.broken = in_page_error::guarded(place, copy);
        self.check_whole()
    }

    fn check_whole(&self) -> io::Result<()> {
        if self.broken == 0 { Ok(()) } else { Err(error_of(self.broken)) }
    }

    fn sync(&self, start: *const u8, length: usize) -> io::Result<()> {
        // SAFETY: the range lies within the view.
        let answer = unsafe { FlushViewOfFile(start.cast(), length) };
        if answer == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let start = self.start.as_ptr().cast();
        // SAFETY: the view was made in `new`, or the memory in its place when a page was missing, and nobody
        // else knows it.
        unsafe {
            match self.broken {
                0 => UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: start }),
                _ => VirtualFree(start, 0, MEM_RELEASE),
            }
        };
    }
}

/// Returns the system's path of an open file, without its prefix `\\?\`.
pub fn name_of(file: &OwnedHandle) -> Option<PathBuf> {
    /// Maximum length of a path in characters.
    const ROOM: usize = 32_768;
    let mut text = vec![0u16; ROOM];
    // SAFETY: the file is open; the system writes at most so many characters to the array.
    let length =
        unsafe { GetFinalPathNameByHandleW(file.as_raw_handle().cast(), text.as_mut_ptr(), ROOM as u32, 0) };
    let text = text.get(..length as usize).filter(|text| !text.is_empty())?;
    let prefix: Vec<u16> = r"\\?\".encode_utf16().collect();
    Some(std::ffi::OsString::from_wide(text.strip_prefix(prefix.as_slice()).unwrap_or(text)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Buffer;
    use windows_sys::Win32::System::Memory::{PAGE_NOACCESS, VirtualProtect};

    fn sample_view(path: &std::path::Path, writable: bool, options: MapOptions) -> View {
        let file = File::options().read(true).write(writable).open(path).unwrap();
        View::new(file.into(), options).unwrap()
    }

    #[test]
    fn mapped_writes_reach_the_file_within_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dat");
        let mut buffer = Buffer::new(8192).unwrap();
        for (non_temporal, flush) in [(false, Flush::None), (true, Flush::None), (false, Flush::Pages)] {
            std::fs::write(&path, [5; 6000]).unwrap();
            let mut view = sample_view(&path, true, MapOptions { non_temporal, flush, ..Default::default() });
            buffer.as_mut_slice().fill(7);
            assert_eq!(view.write(4096, buffer.slot(0, 4096).unwrap()).unwrap(), 1904);
            assert_eq!(view.write(6000, buffer.slot(0, 4096).unwrap()).unwrap(), 0);
            assert_eq!(view.read(0, buffer.slot_mut(0, 8192).unwrap()).unwrap(), 6000);
            assert!(buffer.as_slice()[..4096].iter().all(|byte| *byte == 5));
            view.flush().unwrap();
            drop(view);
            let content = std::fs::read(&path).unwrap();
            assert!(content.len() == 6000 && content[4096..].iter().all(|byte| *byte == 7));
        }
        let mut read_only = sample_view(&path, false, MapOptions::default());
        let refused = read_only.write(0, buffer.slot(0, 512).unwrap()).unwrap_err();
        assert_eq!(refused.raw_os_error(), i32::try_from(ERROR_ACCESS_DENIED).ok());
        assert_eq!(read_only.read(0, buffer.slot_mut(0, 512).unwrap()).unwrap(), 512);
        let file = OwnedHandle::from(File::open(&path).unwrap());
        assert!(name_of(&file).is_some_and(|name| name.ends_with("x.dat")));
        // No volume of a test is mapped directly.
        let options = MapOptions { flush: Flush::CacheLines, ..MapOptions::default() };
        let refused = View::new(file, options).unwrap_err();
        assert_eq!(refused.raw_os_error(), i32::try_from(ERROR_NOT_SUPPORTED).ok());
    }

    #[test]
    fn unavailable_page_is_an_error_not_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dat");
        std::fs::write(&path, [5; 64 << 10]).unwrap();
        let mut buffer = Buffer::new(8192).unwrap();
        for writes in [false, true] {
            let (mut view, mut other) =
                (sample_view(&path, true, Default::default()), sample_view(&path, true, Default::default()));
            let mut before = 0;
            // SAFETY: a page of the view, of which there is no reference.
            let answer = unsafe {
                VirtualProtect(view.start.as_ptr().add(12288).cast(), 4096, PAGE_NOACCESS, &raw mut before)
            };
            assert_ne!(answer, 0);
            assert_eq!(view.read(0, buffer.slot_mut(0, 8192).unwrap()).unwrap(), 8192);
            let lost = match writes {
                true => view.write(8192, buffer.slot(0, 8192).unwrap()),
                false => view.read(8192, buffer.slot_mut(0, 8192).unwrap()),
            };
            assert_eq!(lost.unwrap_err().raw_os_error(), Some(998));
            // Memory has taken its place: nothing of this view can be trusted any more. The file is whole.
            assert!(view.read(0, buffer.slot_mut(0, 4096).unwrap()).is_err() && view.flush().is_err());
            assert_eq!(other.read(12288, buffer.slot_mut(0, 4096).unwrap()).unwrap(), 4096);
        }
        assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 5));
    }
}
