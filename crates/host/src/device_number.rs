//! Numbers of devices, as `/sys` and `/proc` print them.

pub(super) type DeviceNumber = (u32, u32);

/// Parses a number such as `254:0`.
pub(super) fn parse_number(text: &str) -> Option<DeviceNumber> {
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
