//! Tests of runs with judged figures, which depend on free CPUs, so no other test runs at the same time.
//!
//! `cargo test --test measured truth_device::` tests one part of them.

mod common;

mod measured {
    mod limit;
    mod steady_staged;
    mod truth_device;
}
