//! XML profiles: a corpus of documents with what becomes of them, round trips, other programs' opinion, hostile input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;
mod fragments;
mod generated;
mod hostile;
mod round_trip;
mod run;
mod settings;
mod third_party;

use diskspd::profile::{Compat, Profile};
use diskspd::report::profile_xml::write_profile;

/// A profile as `-Rpxml` prints it: with what DISKSPD 2.2 doesn't know in the form of 2.3.
fn written(profile: &Profile) -> String {
    let mut out = Vec::new();
    let newest = profile.time_spans.iter().any(round_trip::is_newest);
    let compat = if newest { Compat::V2_3 } else { profile.compat };
    write_profile(&mut out, &Profile { compat, ..profile.clone() }, 0);
    String::from_utf8(out).unwrap()
}

/// The rows of a table: lines but comments, split into their columns.
fn rows(table: &str) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| line.split(" | ").map(str::trim).collect()).collect()
}
