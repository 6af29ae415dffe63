//! Any bytes as the result of a power cut (`cycle.json`): refused, or a row of the table.

use diskspd::commands::foreign;

pub fn check(data: &[u8]) {
    let _ = foreign::power_cycle(data);
}
