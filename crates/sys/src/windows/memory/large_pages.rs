//! Large pages of Windows: their size, and reasons why they are unavailable. They are not reserved in
//! advance, so an allocation may fail.

use std::fmt;
use std::io;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LargePages {
    pub size: u64,
}

impl LargePages {
    pub fn now() -> LargePages {
        LargePages { size: crate::large_pages::size() as u64 }
    }
}

#[derive(Debug, thiserror::Error)]
pub struct LargePagesError {
    pub bytes: u64,
    pub pages: LargePages,
    pub source: io::Error,
}

impl fmt::Display for LargePagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LargePagesError { bytes, pages: LargePages { size }, source } = self;
        match source.kind() {
            _ if *size == 0 => write!(f, "this processor has no large pages; leave out -l"),
            io::ErrorKind::PermissionDenied => write!(
                f,
                "this user lacks the right to lock pages in memory (SeLockMemoryPrivilege); add the user \
                 in secpol.msc, Local Policies, User Rights Assignment, Lock pages in memory, log on \
                 again, and run as an administrator, or leave out -l"
            ),
            _ => write!(
                f,
                "cannot allocate {} large pages of {} KiB: {source}; memory may be too fragmented: restart \
                 the machine, lower -b, -o or -t, or leave out -l",
                bytes.div_ceil(*size),
                size / 1024
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Buffer;
    use super::*;

    #[test]
    fn large_page_refusal_names_missing_privilege_or_memory() {
        let told = |size, source: io::Error| {
            LargePagesError { bytes: 3 << 20, pages: LargePages { size }, source }.to_string()
        };
        assert!(told(2 << 20, io::ErrorKind::PermissionDenied.into()).contains("SeLockMemoryPrivilege"));
        let fragmented = told(2 << 20, io::Error::from_raw_os_error(1450));
        assert!(fragmented.contains("2 large pages of 2048 KiB") && fragmented.contains("leave out -l"));
        assert!(told(0, io::ErrorKind::Unsupported.into()).contains("no large pages"));
    }

    #[test]
    fn large_pages_are_allocated_or_the_reason_is_given() {
        match Buffer::of_large_pages(5000) {
            Ok(mut buffer) => {
                assert_eq!(buffer.len(), 5000);
                assert!(buffer.as_slice().iter().all(|byte| *byte == 0));
                buffer.as_mut_slice().fill(7);
                let size = LargePages::now().size as usize;
                assert!(buffer.as_ptr().addr().is_multiple_of(size));
            }
            Err(why) => assert!(why.to_string().contains("leave out -l"), "{why}"),
        }
        assert!(Buffer::of_large_pages(0).is_ok_and(|buffer| buffer.is_empty()));
    }
}
