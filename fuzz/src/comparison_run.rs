//! Any bytes as a run in the folder of a comparison of two kernels.

use diskspd::commands::foreign;

pub fn check(data: &[u8]) {
    let _ = foreign::comparison_run(data);
}
