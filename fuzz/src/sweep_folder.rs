//! Any bytes as `sweep.json`, or as one of the runs in the folder of a sweep.

use diskspd::commands::foreign;

pub fn check(data: &[u8]) {
    let _ = foreign::sweep_folder(data);
}
