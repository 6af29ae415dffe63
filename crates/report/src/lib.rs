//! Reports: pure functions of a record.
//!
//! Invariant: a report prints figures and computes none.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)]
// These macros panic if the stream is closed; `sys::standard_error` ignores that.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

/// Appends formatted text to a `Vec<u8>`, which cannot fail. It uses bytes instead of a `String`, because
/// paths may not be UTF-8.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {{
        use std::io::Write;
        let _ = $out.write_fmt(format_args!($($format)*));
    }};
}

pub mod answers;
pub mod csv;
pub mod findings;
pub mod fio_text;
pub mod hosts;
mod hosts_text;
pub mod live;
pub mod metrics;
pub mod number;
pub mod openmetrics;
mod paced_text;
pub mod page_table;
pub mod plan_text;
pub mod profile_text;
pub mod profile_xml;
mod program_text;
pub mod run_text;
pub mod runs;
pub mod secondary;
pub mod slow_text;
pub mod spark;
pub mod text;
mod text_tables;
mod text_v2_3;
mod trace_sections;
mod trace_text;
pub mod verdicts;
pub mod workload_text;
pub mod xml;
