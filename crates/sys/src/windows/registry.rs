//! Values of the registry below `HKEY_LOCAL_MACHINE`, read only.

use std::ptr::null_mut;
use windows_sys::Win32::Foundation::{ERROR_MORE_DATA, ERROR_SUCCESS};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, RRF_RT_REG_DWORD, RRF_RT_REG_MULTI_SZ, RRF_RT_REG_SZ, RegGetValueW,
};

const MAX_TRIES: usize = 4;

/// Returns a text; `None` = missing or not readable.
pub fn text(key: &str, value: &str) -> Option<String> {
    texts_of(key, value, RRF_RT_REG_SZ)?.into_iter().next()
}

/// Returns a list of texts; empty = missing or not readable.
pub fn texts(key: &str, value: &str) -> Vec<String> {
    texts_of(key, value, RRF_RT_REG_MULTI_SZ).unwrap_or_default()
}

/// Returns a number of 32 bits; `None` = missing or not readable.
pub fn number(key: &str, value: &str) -> Option<u32> {
    let answer = read_value(key, value, RRF_RT_REG_DWORD)?;
    Some(u32::from_le_bytes(answer.get(..4)?.try_into().ok()?))
}

fn texts_of(key: &str, value: &str, kind: u32) -> Option<Vec<String>> {
    let answer = read_value(key, value, kind)?;
    let units = answer.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let units: Vec<u16> = units.collect();
    let parts = units.split(|unit| *unit == 0).filter(|part| !part.is_empty());
    Some(parts.map(String::from_utf16_lossy).collect())
}

fn read_value(key: &str, value: &str, kind: u32) -> Option<Vec<u8>> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(key), wide(value));
    let mut bytes = vec![0_u8; 512];
    for _ in 0..MAX_TRIES {
        let mut length = u32::try_from(bytes.len()).ok()?;
        // SAFETY: both names end with a zero; the system writes at most `length` bytes to the buffer, and
        // the length that it takes.
        let status = unsafe {
            RegGetValueW(
                HKEY_LOCAL_MACHINE,
                key.as_ptr(),
                value.as_ptr(),
                kind,
                null_mut(),
                bytes.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        match status {
            ERROR_SUCCESS => {
                bytes.truncate(length.try_into().ok()?);
                return Some(bytes);
            }
            ERROR_MORE_DATA => bytes = vec![0; usize::try_from(length).ok()?.max(bytes.len() * 2)],
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registry_values_are_read_by_kind() {
        let key = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
        assert!(text(key, "CurrentBuild").is_some_and(|build| build.parse::<u32>().is_ok()));
        assert_eq!(number(key, "CurrentBuild"), None, "it is a text");
        assert_eq!((text(key, "nothing"), texts(r"SOFTWARE\nothing", "x")), (None, Vec::new()));
    }
}
