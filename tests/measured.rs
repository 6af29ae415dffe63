//! Runs whose figures are judged: what they are depends on who else has the CPUs, so nothing else is tested at the same time.
//!
//! `cargo test --test measured truth_device::` tests one part of them.

mod common;

mod measured {
    mod limit;
    mod steady_staged;
    mod truth_device;
}
