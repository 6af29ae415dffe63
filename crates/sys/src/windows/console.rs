//! The console of a stream: its size, and its support of control sequences.

use std::fs::File;
pub use std::os::windows::io::AsHandle as AsStream;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::System::Console::{
    CONSOLE_SCREEN_BUFFER_INFO, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode,
    GetConsoleScreenBufferInfo, SetConsoleMode,
};

/// Returns the visible columns and lines; `None` = unknown, or not a console.
pub fn window(stream: &impl AsStream) -> Option<(usize, usize)> {
    // SAFETY: the structure is made of integers, for which all bytes zero are a value.
    let mut found: CONSOLE_SCREEN_BUFFER_INFO = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is open as long as the stream is borrowed; the structure lives on this stack.
    let answer =
        unsafe { GetConsoleScreenBufferInfo(stream.as_handle().as_raw_handle().cast(), &raw mut found) };
    let side = |first: i16, last: i16| usize::try_from(i32::from(last) - i32::from(first) + 1).ok();
    let seen = found.srWindow;
    (answer != 0).then_some(())?;
    Some((side(seen.Left, seen.Right)?, side(seen.Top, seen.Bottom)?))
}

/// Enables control sequences (colours) in the console, as on other terminals. False = unsupported, as
/// before Windows 10, or the stream is not a Windows console.
pub(crate) fn takes_sequences(stream: &impl AsStream) -> bool {
    let handle = stream.as_handle().as_raw_handle().cast();
    let mut mode = 0;
    // SAFETY: the handle is open as long as the stream is borrowed; the kernel writes one number, which lives
    // on this stack.
    let known = unsafe { GetConsoleMode(handle, &raw mut mode) } != 0;
    // SAFETY: as above; takes numbers only.
    known && unsafe { SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) } != 0
}

pub(crate) fn is_regular_file(stream: &impl AsStream) -> bool {
    let owned = stream.as_handle().try_clone_to_owned();
    owned.is_ok_and(|owned| File::from(owned).metadata().is_ok_and(|found| found.is_file()))
}
