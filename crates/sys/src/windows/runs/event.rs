//! Named events between the processes of a session, as in DISKSPD. They stay set until a reset, and live
//! while a process has them open.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::time::Duration;
use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_FILE_NOT_FOUND, ERROR_INVALID_HANDLE, ERROR_PATH_NOT_FOUND, HANDLE,
    WAIT_OBJECT_0, WAIT_TIMEOUT,
};
use windows_sys::Win32::System::Threading::{
    CreateEventW, EVENT_MODIFY_STATE, OpenEventW, ResetEvent, SYNCHRONIZATION_SYNCHRONIZE, SetEvent,
    WaitForMultipleObjects,
};

/// Maximum length of an event's name in UTF-16 units (`MAX_PATH`).
const MAX_NAME_UNITS: usize = 260;
/// Maximum time of a single system wait in ms; longer waits are repeated.
const MAX_WAIT_MS: u128 = 60_000;

#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("the event has no name; append one to the option, for example -yrstart")]
    NoName,
    #[error("the event's name contains a zero character, or is longer than {MAX_NAME_UNITS} characters")]
    NoText,
    #[error(
        "there is no such event: it exists only while a run that names it (-ys, -yf, -yr, -yp) or `diskspd \
         event wait` is running, in the same session unless its name begins with Global\\"
    )]
    Missing,
    #[error("no permission to use it: its owner does not share it; choose another name, or run as that user")]
    Permission,
    #[error("another kind of object has this name; choose another name")]
    NoEvent,
    /// The folder of the path does not exist.
    #[error("an event cannot have this name: a \\ is allowed only after Global or Local")]
    NoFolder,
    #[error("{doing}: {source}")]
    Kernel { doing: &'static str, source: io::Error },
}

#[derive(Debug)]
pub struct Event(OwnedHandle);

fn last_error(doing: &'static str) -> EventError {
    let source = io::Error::last_os_error();
    match source.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_ACCESS_DENIED) => EventError::Permission,
        Some(ERROR_FILE_NOT_FOUND) => EventError::Missing,
        Some(ERROR_INVALID_HANDLE) => EventError::NoEvent,
        Some(ERROR_PATH_NOT_FOUND) => EventError::NoFolder,
        _ => EventError::Kernel { doing, source },
    }
}

/// Converts a name to UTF-16 with a final zero.
fn wide_name(name: &[u8]) -> Result<Vec<u16>, EventError> {
    if name.is_empty() {
        return Err(EventError::NoName);
    }
    let text = std::str::from_utf8(name).map_err(|_| EventError::NoText)?;
    let units: Vec<u16> = text.encode_utf16().collect();
    if units.contains(&0) || units.len() > MAX_NAME_UNITS {
        return Err(EventError::NoText);
    }
    Ok(units.into_iter().chain([0]).collect())
}

fn check_handle(handle: HANDLE) -> Result<Event, EventError> {
    if handle.is_null() {
        return Err(last_error("opening it"));
    }
    // SAFETY: it was opened for this caller, and nobody else knows it.
    Ok(Event(unsafe { OwnedHandle::from_raw_handle(handle.cast()) }))
}

fn make_event(name: *const u16) -> Result<Event, EventError> {
    // SAFETY: the name, if there is one, ends with a zero; without attributes nothing else is read.
    check_handle(unsafe { CreateEventW(std::ptr::null(), 1, 0, name) })
}

impl Event {
    /// Opens the event of this name. If no process has it open, creates it in the unset state.
    ///
    /// # Errors
    /// Fails with all errors except [`EventError::Missing`].
    pub fn open(name: &[u8]) -> Result<Event, EventError> {
        make_event(wide_name(name)?.as_ptr())
    }

    /// Opens the event of this name that another process has open.
    ///
    /// # Errors
    /// Fails with [`EventError::Missing`] if no process has it open, and with all other errors.
    pub fn open_existing(name: &[u8]) -> Result<Event, EventError> {
        let name = wide_name(name)?;
        let rights = EVENT_MODIFY_STATE | SYNCHRONIZATION_SYNCHRONIZE;
        // SAFETY: the name ends with a zero.
        check_handle(unsafe { OpenEventW(rights, 0, name.as_ptr()) })
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle().cast()
    }

    pub fn is_set(&self) -> Result<bool, EventError> {
        self.wait(Duration::ZERO)
    }

    /// Sets the event; all waiting processes continue.
    pub fn set(&self) -> Result<(), EventError> {
        // SAFETY: the event is open.
        if unsafe { SetEvent(self.handle()) } == 0 { Err(last_error("setting it")) } else { Ok(()) }
    }

    /// Resets the event, so that later waits block.
    pub fn reset(&self) -> Result<(), EventError> {
        // SAFETY: the event is open.
        if unsafe { ResetEvent(self.handle()) } == 0 { Err(last_error("resetting it")) } else { Ok(()) }
    }

    /// Waits until the event is set, for at most `limit`; returns whether it is set.
    pub fn wait(&self, limit: Duration) -> Result<bool, EventError> {
        self.wait_unless(limit, None)
    }

    /// Waits as [`Event::wait`]; a cancellation ends the wait without the event.
    pub fn wait_unless(&self, limit: Duration, off: Option<&WaitCancel>) -> Result<bool, EventError> {
        let handles = [self.handle(), off.map_or(self.handle(), |off| off.0.handle())];
        let count = if off.is_some() { 2 } else { 1 };
        let mut left = limit.as_nanos().div_ceil(1_000_000);
        loop {
            let now = left.min(MAX_WAIT_MS);
            // SAFETY: so many handles are read, which are open and differ.
            match unsafe { WaitForMultipleObjects(count, handles.as_ptr(), 0, now as u32) } {
                WAIT_OBJECT_0 => return Ok(true),
                WAIT_TIMEOUT if left == now => return Ok(false),
                WAIT_TIMEOUT => left -= now,
                // The one that calls it off.
                1 => return Ok(false),
                _ => return Err(last_error("waiting for it")),
            }
        }
    }
}

/// Cancellation of waits, from another thread.
#[derive(Debug)]
pub struct WaitCancel(Event);

impl WaitCancel {
    /// Creates it for any number of waits.
    pub fn new() -> io::Result<WaitCancel> {
        make_event(std::ptr::null()).map(WaitCancel).map_err(io::Error::other)
    }

    pub fn call(&self) {
        // It can't fail: the event is open, for everything.
        let _ = self.0.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const LIMIT: Duration = Duration::from_secs(20);

    fn name(what: &str) -> Vec<u8> {
        format!("diskspd-test-{what}-{}", std::process::id()).into_bytes()
    }

    #[test]
    fn event_is_set_for_all_holders_until_reset() {
        let name = name("set");
        assert!(matches!(Event::open_existing(&name), Err(EventError::Missing)));
        let one = Event::open(&name).unwrap();
        let (other, third) = (Event::open(&name).unwrap(), Event::open_existing(&name).unwrap());
        assert!(!one.is_set().unwrap() && !other.wait(Duration::from_millis(1)).unwrap());
        third.set().unwrap();
        assert!(one.is_set().unwrap() && other.wait(LIMIT).unwrap() && one.is_set().unwrap());
        other.reset().unwrap();
        assert!(!one.is_set().unwrap());
        one.set().unwrap();
        drop((one, other, third));
        // It lived as long as somebody had it open, and what was set is forgotten.
        assert!(matches!(Event::open_existing(&name), Err(EventError::Missing)));
        assert!(!Event::open(&name).unwrap().is_set().unwrap());
    }

    #[test]
    fn wait_ends_on_cancel_or_event() {
        for sets in [false, true] {
            let event = Arc::new(Event::open(&name("wait")).unwrap());
            let off = Arc::new(WaitCancel::new().unwrap());
            let waits = std::thread::spawn({
                let (event, off) = (Arc::clone(&event), Arc::clone(&off));
                move || event.wait_unless(Duration::from_secs(1 << 32), Some(&off)).unwrap()
            });
            if sets {
                event.set().unwrap()
            } else {
                off.call()
            }
            assert_eq!(waits.join().unwrap(), sets);
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        assert!(matches!(Event::open(b""), Err(EventError::NoName)));
        for bad in [&b"a\xff"[..], b"a\0b", &[b'x'; 261]] {
            assert!(matches!(Event::open(bad), Err(EventError::NoText)), "{bad:?}");
        }
        assert!(matches!(Event::open(b"no\\such\\folder"), Err(EventError::NoFolder)));
    }
}
